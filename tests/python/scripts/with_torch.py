# SPDX-License-Identifier: Apache-2.0
# A script of torch that is written for a GPU: devices, views, addresses in a tensor, a launch of what warmup compiled.
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def added(x_ptr, y_ptr, z_ptr, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    x, y = tl.load(x_ptr + at, mask=at < n, other=0.0), tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.store(z_ptr + at, x + y, mask=at < n)


@triton.jit
def doubled(table_ptr, sizes_ptr, T: tl.constexpr):
    group, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(table_ptr + 2 * group).to(tl.pointer_type(tl.float32))
    y = tl.load(table_ptr + 2 * group + 1).to(tl.pointer_type(tl.float32))
    n = tl.load(sizes_ptr + group)
    tl.store(y + at, tl.load(x + at, mask=at < n, other=0.0) * 2, mask=at < n)


@triton.jit
def widened(x_ptr, y_ptr, T: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, T), tl.load(x_ptr + tl.arange(0, T)).to(tl.float32))


def add(x, y):
    assert x.is_cuda and y.is_cuda and torch.cuda.is_available()
    z = torch.empty_like(x)
    added[lambda named: (triton.cdiv(named["n"], named["T"]),)](x, y, z, x.numel(), T=64)
    return z


torch.manual_seed(0)
x, y = torch.randn(300, device="cuda"), torch.rand(300, device=DEVICE)
torch.testing.assert_close(add(x, y), x + y)
torch.testing.assert_close(add(x[100:].half(), y[:200].half()), x[100:].half() + y[:200].half())
torch.testing.assert_close(add(x.bfloat16(), y.bfloat16()), x.bfloat16() + y.bfloat16())
square = torch.arange(100.0).reshape(10, 10).cuda().to("cuda").to(0).t()
torch.testing.assert_close(add(square, square), square * 2)

parts = [torch.randn(n, device="cuda") for n in (5, 20, 33)]
results = [torch.empty_like(part) for part in parts]
addresses = [tensor.data_ptr() for pair in zip(parts, results) for tensor in pair]
table = torch.tensor(addresses, device=0)
doubled[(3,)](table, torch.tensor([5, 20, 33], dtype=torch.int32, device="cuda"), T=64)
for part, result in zip(parts, results):
    torch.testing.assert_close(result, part * 2)

narrow, wide = torch.arange(64, dtype=torch.int8, device="cuda"), torch.empty(64, device="cuda")
widened[(1,)](triton.reinterpret(narrow, tl.float8e5), wide, T=64)
torch.testing.assert_close(wide, narrow.view(torch.float8_e5m2).float())

torch.cuda.synchronize()
event = torch.cuda.Event(enable_timing=True)
event.record()
assert event.elapsed_time(event) != event.elapsed_time(event)  # no time
assert torch.cuda.get_device_capability() == (9, 0)
generator = torch.Generator(device="cuda").manual_seed(3)
assert isinstance(generator, torch.Generator) and torch.Generator | None and not isinstance(3, torch.Generator)
assert torch.randn(3, generator=generator, device="cuda").device.type == "cpu"
kernel = added.warmup(x, y, x, 300, T=128, grid=(1,))
kernel[(3, 1, 1)](x, y, x, 300, 128)
