# SPDX-License-Identifier: Apache-2.0
# How long Triton takes to compile with FpSan the kernels that bench_gpu.c compiles: the same computations on the same tiles.
"""python triton_fpsan.py GPU WORK     (started by bench; needs Triton 3.9)

Prints the seconds that triton.compile took for GPU (90: sm_90), from source to cubin, without any cache."""

import os
import sys
import tempfile
import time
import warnings

warnings.simplefilter("ignore")
folder = tempfile.TemporaryDirectory(prefix="bench-triton-")
os.environ["TRITON_CACHE_DIR"] = folder.name

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


@triton.jit
def softmax(x, z, stride, T: tl.constexpr):
    i, at = tl.program_id(0), tl.arange(0, T)
    t = tl.load(x + i * stride + at)
    e = tl.exp(t - tl.max(t, 0))
    tl.store(z + i * stride + at, e / tl.sum(e, 0))


@triton.jit
def layer_norm(x, w, b, z, eps, stride, T: tl.constexpr):
    i, at = tl.program_id(0), tl.arange(0, T)
    t = tl.load(x + i * stride + at)
    centred = t - tl.sum(t, 0) / T
    variance = tl.sum(centred * centred, 0) / T
    tl.store(z + i * stride + at, centred * tl.rsqrt(variance + eps) * tl.load(w + at) + tl.load(b + at))


@triton.jit
def gelu(x, z, stride, T: tl.constexpr):
    at = tl.program_id(0) * stride + tl.program_id(1) * T + tl.arange(0, T)
    t = tl.load(x + at)
    inner = 0.7978845608028654 * (t + 0.044715 * t * t * t)
    e = tl.exp(2.0 * inner)  # Triton has no tanh that FpSan knows
    tl.store(z + at, 0.5 * t * (1.0 + (e - 1.0) / (e + 1.0)))


@triton.jit
def matmul(x, y, z, K, sx, sy, sz, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), dtype=tl.float32)
    for k in range(0, K, TK):
        at = k + tl.arange(0, TK)
        a = tl.load(x + rows[:, None] * sx + at[None, :])
        b = tl.load(y + at[:, None] * sy + columns[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(z + rows[:, None] * sz + columns[None, :], acc)


@triton.jit
def attention(q, k, v, o, scale, keys, head, stride, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    rows, depth = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    base = tl.program_id(1) * head
    m = tl.full((TM,), float("-inf"), dtype=tl.float32)
    l = tl.zeros((TM,), dtype=tl.float32)
    acc = tl.zeros((TM, D), dtype=tl.float32)
    qt = tl.load(q + base + rows[:, None] * stride + depth[None, :])
    for j in range(0, keys, TN):
        at = j + tl.arange(0, TN)
        kt = tl.load(k + base + at[None, :] * stride + depth[:, None])
        vt = tl.load(v + base + at[:, None] * stride + depth[None, :])
        s = tl.dot(qt, kt) * scale
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = l * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(vt.dtype), vt, acc * alpha[:, None])
        m = m_new
    tl.store(o + base + rows[:, None] * stride + depth[None, :], acc / l[:, None])


F32, F16, I32 = "*fp32", "*fp16", "i32"
# name: kernel, types of its arguments, tile sizes
WORKS = {
    "softmax": (softmax, [F32, F32, I32], [4096]),
    "layer_norm": (layer_norm, [F32, F32, F32, F32, "fp32", I32], [4096]),
    "gelu": (gelu, [F32, F32, I32], [1024]),
    "matmul": (matmul, [F16, F16, F32, I32, I32, I32, I32], [128, 128, 64]),
    "attention": (attention, [F32, F32, F32, F32, "fp32", I32, I32, I32], [64, 64, 64]),
}


def main():
    gpu, work = sys.argv[1:]
    kernel, types, tiles = WORKS[work]
    names = kernel.arg_names
    signature = dict(zip(names, types + ["constexpr"] * len(tiles), strict=True))
    constants = dict(zip(names[len(types) :], tiles, strict=True))
    source = ASTSource(kernel, signature, constants)
    start = time.perf_counter()
    compiled = triton.compile(source, target=GPUTarget("cuda", int(gpu), 32), options={"num_warps": 8, "instrumentation_mode": "fpsan"})
    seconds = time.perf_counter() - start
    assert compiled.asm["cubin"]
    print(seconds)


main()
