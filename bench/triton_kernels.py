# SPDX-License-Identifier: Apache-2.0
# Kernels of Triton that the benchmark times beside their versions in cuTile (kernels.py, matmul.py), with the same
# tiles. As one writes them: pointers and masks. To make them anew, with a Python that has Triton 3.9:
#   PYTHONPATH=python python bench/triton_kernels.py bench
import sys

import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, z_ptr, stride, n, T: tl.constexpr):
    """Rows of n elements, at most T; grid (rows)."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(z_ptr + row * stride + at, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, z_ptr, stride, n, eps, T: tl.constexpr):
    """z = (x - mean) / sqrt(variance + eps) * w + b for rows of n elements, at most T; grid (rows)."""
    row, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    x = tl.load(x_ptr + row * stride + at, mask=inside, other=0.0)
    mean = tl.sum(x, 0) / n
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, 0) / n
    w = tl.load(w_ptr + at, mask=inside, other=0.0)
    b = tl.load(b_ptr + at, mask=inside, other=0.0)
    tl.store(z_ptr + row * stride + at, centred * tl.rsqrt(variance + eps) * w + b, mask=inside)


@triton.jit
def matmul(x_ptr, y_ptr, z_ptr, m, n, depth, xs, ys, zs, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """z = x y; rows and columns wrap around where they stick out; pointers walk along the depth; grid (rows, columns)."""
    row = (tl.program_id(0) * TM + tl.arange(0, TM)) % m
    column = (tl.program_id(1) * TN + tl.arange(0, TN)) % n
    k = tl.arange(0, TK)
    xp = x_ptr + row[:, None] * xs + k[None, :]
    yp = y_ptr + k[:, None] * ys + column[None, :]
    acc = tl.zeros((TM, TN), tl.float32)
    for step in range(0, tl.cdiv(depth, TK)):
        x = tl.load(xp, mask=k[None, :] < depth - step * TK, other=0.0)
        y = tl.load(yp, mask=k[:, None] < depth - step * TK, other=0.0)
        acc = tl.dot(x, y, acc)
        xp += TK
        yp += TK * ys
    row, column = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    tl.store(z_ptr + row[:, None] * zs + column[None, :], acc, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    """o = softmax(q k^T scale) v in base 2 (scale holds log2(e)), key blocks of TN one after the other; grid (query blocks, heads)."""
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    first = tl.program_id(1) * n * D
    at = first + row[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    for start in range(0, n, TN):
        column = start + tl.arange(0, TN)
        k = tl.load(k_ptr + first + column[None, :] * D + d[:, None], mask=column[None, :] < n, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        s = tl.where(column[None, :] < n, s, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + first + column[:, None] * D + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = tl.dot(p, v, acc * alpha[:, None], input_precision="ieee")
        largest = new
    tl.store(o_ptr + at, acc / total[:, None], mask=row[:, None] < n)


F32, F16 = "*fp32", "*fp16"
EXPORTS = {
    "triton_softmax": (softmax, f"{F32} {F32} i32:16 i32:16", {"T": 4096}),
    "triton_layer_norm": (layer_norm, f"{F32} {F32} {F32} {F32} i32:16 i32:16 fp32", {"T": 4096}),
    "triton_matmul": (matmul, f"{F16} {F16} {F32} i32:16 i32:16 i32:16 i32:16 i32:16 i32:16", {"TM": 128, "TN": 128, "TK": 64}),
    "triton_attention": (attention, f"{F32} {F32} {F32} {F32} fp32 i32:16", {"D": 64, "TM": 64, "TN": 64}),
}

if __name__ == "__main__":
    from congruent_gpu.export import ttir

    for name, (function, types, constants) in EXPORTS.items():
        with open(f"{sys.argv[1]}/{name}.ttir", "w") as file:
            file.write(ttir(function, types, constants))
