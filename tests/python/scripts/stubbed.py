# SPDX-License-Identifier: Apache-2.0
# Launches of the stand-in for Triton (tests/python/stub): a kernel's docstring is its TTIR.
import sys

import numpy as np
import triton
import triton.testing


@triton.autotune([triton.Config({"T": 4}), triton.Config({"T": 8})], key=["n"], reset_to_zero=["y_ptr"])
@triton.jit
def grown(x_ptr, y_ptr, n, T: "constexpr", flag=None):
    """module {
      tt.func public @grown(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
        %at = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
        %end = tt.splat %n : i32 -> tensor<4xi32>
        %in = arith.cmpi slt, %at, %end : tensor<4xi32>
        %zero = arith.constant dense<0.000000e+00> : tensor<4xf32>
        %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
        %xp = tt.addptr %xs, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
        %yp = tt.addptr %ys, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
        %a = tt.load %xp, %in, %zero : tensor<4x!tt.ptr<f32>>
        %b = tt.load %yp, %in, %zero : tensor<4x!tt.ptr<f32>>
        %c = arith.addf %a, %b : tensor<4xf32>
        tt.store %yp, %c, %in : tensor<4x!tt.ptr<f32>>
        tt.return
      }
    }
    """


def grid(named):
    assert isinstance(named["x_ptr"], np.ndarray) and named["T"] == 4
    return (1,)


x, y = np.arange(8, dtype=np.float32), np.full(8, 100, np.float32)
grown[grid](x, y, 3)  # y is zero before the first launch with n = 3
np.testing.assert_array_equal(y, [0, 1, 2, 0, 0, 0, 0, 0])
grown[grid](x[4:], y[2:], 3)
np.testing.assert_array_equal(y, [0, 1, 6, 5, 6, 0, 0, 0])
assert triton.testing.do_bench(lambda: grown[grid](x, y, 3), quantiles=[0.5]) != 0
np.testing.assert_array_equal(y, [0, 2, 8, 5, 6, 0, 0, 0])
x[:] = 1
kernel = grown.fn.warmup(x, y, 2, 4, grid=(1,))
kernel[(1,)](x, y, 2, 4, None)
np.testing.assert_array_equal(y, [1, 3, 8, 5, 6, 0, 0, 0])
if sys.argv[1:] == ["outside"]:
    grown[grid](x[6:], y, 3)
if sys.argv[1:] in (["caught"], ["fraction"]):
    try:
        grown.fn[(1,) if sys.argv[1] == "caught" else (1.5,)](x[6:], y, 3, 4)
    except Exception:
        pass
    grown[grid](x, y, 3)
