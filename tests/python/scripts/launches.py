# SPDX-License-Identifier: Apache-2.0
# Launches of other kinds: views, tuples, None, a 1, descriptors, a warm-up, do_bench, in place, changed in between.
import numpy as np
import triton
import triton.language as tl
import triton.testing


@triton.jit
def scaled(x_ptr, y_ptr, n, stride, factor, flag, T: tl.constexpr, HALF: tl.constexpr = False):
    at = tl.program_id(0) * T + tl.arange(0, T)
    x = tl.load(x_ptr + at * stride, mask=at < n, other=0.0)
    if flag is not None:
        x = -x
    tl.store(y_ptr + at, x * factor, mask=at < n)


@triton.jit
def added(parts, z_ptr, n, T: tl.constexpr):
    at = tl.arange(0, T)
    x, y = tl.load(parts[0] + at, mask=at < n, other=0.0), tl.load(parts[1][0] + at, mask=at < n, other=0.0)
    tl.store(z_ptr + at, x + y, mask=at < n)


@triton.jit
def positive(x_ptr, y_ptr, z_ptr, n, T: tl.constexpr):
    at = tl.arange(0, T)
    x, y = tl.load(x_ptr + at, mask=at < n, other=0.0), tl.load(y_ptr + at)
    tl.store(z_ptr + at, (x > 0) & y, mask=at < n)


@triton.autotune([triton.Config({"T": 2}), triton.Config({"T": 4})], key=["n"])
@triton.jit
def whole(x_ptr, y_ptr, n, T: tl.constexpr):
    tl.static_assert(T >= 4)
    tl.store(y_ptr + tl.arange(0, T), tl.load(x_ptr + tl.arange(0, T)) + n)


n = 100
x = np.arange(2 * n, dtype=np.float32)
y = np.zeros((3, n), np.float32)
grid = lambda named: (triton.cdiv(named["n"], named["T"]),)  # noqa: E731
scaled[grid](x, y, n, 1, 2.5, None, T=64)
scaled[grid](x[n:], y[1], n, 1, 0.1, None, T=64)
scaled[grid](x, y[2], n, 2, 1.0, 1, T=64)
np.testing.assert_array_equal(y, [x[:n] * 2.5, x[n:] * np.float32(0.1), -x[::2]])
z = np.empty(n, np.float32)
added[(1,)]((x, (y[0],)), z, n, T=128)
np.testing.assert_array_equal(z, x[:n] + y[0])
x[:] = 1
time = triton.testing.do_bench(lambda: added[(1,)]((x, (y[0],)), z, n, T=128), quantiles=[0.5, 0.2])
assert len(time) == 2 and time[0] != time[0]
np.testing.assert_array_equal(z, 1 + y[0])
kernel = scaled.warmup(x, x, n, 1, 0.5, None, T=128, grid=(1,))
assert kernel.n_regs > 0 and "tt.func" in kernel.asm["ttir"] and kernel.metadata.num_warps == 4
kernel[(1, 1, 1)](x, x, n, 1, 0.5, None, 128, False)  # in place, as it was compiled
np.testing.assert_array_equal(x, [0.5] * n + [1] * n)
properties = triton.runtime.driver.active.utils.get_device_properties(0)
assert properties["multiprocessor_count"] > 0 and triton.runtime.driver.active.get_current_target().arch == 90
signs, some, chosen = np.float32([-1, 2, 3, 4]), np.empty(4, bool), np.empty(8, bool)
some[:3] = True, False, True  # one that nobody writes, and in `chosen` four
positive[(1,)](signs, some, chosen, 3, T=4)
np.testing.assert_array_equal(chosen[:3], [False, False, True])
whole[(1,)](signs, signs, 4)  # the first config cannot be compiled
np.testing.assert_array_equal(signs, [3, 6, 7, 8])
