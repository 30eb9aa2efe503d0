# SPDX-License-Identifier: Apache-2.0
# What becomes of results: overwritten.py twice|again|row|caught|grid|bytes right|wrong
import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, o_ptr, n, OTHER: tl.constexpr, T: tl.constexpr):
    at = tl.arange(0, T)
    row = tl.program_id(0) * n + at
    e = tl.exp(tl.load(x_ptr + row, mask=at < n, other=OTHER))
    tl.store(o_ptr + row, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def put(x_ptr, cache_ptr, row, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(cache_ptr + row * n + at, tl.load(x_ptr + at))


@triton.jit
def assembled(x_ptr, y_ptr):
    tl.store(y_ptr, tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [tl.load(x_ptr)], tl.int32, True, 1))


kind, other = sys.argv[1], 0.0 if sys.argv[2] == "wrong" else -float("inf")
random = np.random.default_rng(5)
x = random.standard_normal((10, 50), np.float32)
if kind == "twice":  # a warm-up, and another kernel behind it
    o, cache = np.empty_like(x), np.empty((1, 16), np.float32)
    for _ in range(2):
        softmax[(10,)](x, o, 50, other, T=64)
    put[(1,)](x, cache, 0, 16)
elif kind == "again":  # into one buffer; the last size shows no mistake
    o = np.empty(640, np.float32)
    for n in (50, 64):
        softmax[(10,)](random.standard_normal(10 * n, np.float32), o, n, other, T=64)
elif kind == "row":  # of what the script filled
    cache = np.zeros((32, 16), np.float32)
    put[(1,)](x, cache, 5, 16)
    np.testing.assert_array_equal(cache[5], x[0, :16])
elif kind == "caught":
    a, cache = np.zeros(1, np.int32), np.zeros((1, 16), np.float32)
    try:
        assembled[(1,)](a, a)
    except Exception:
        pass
    put[(1,)](x, cache, 0, 16)
elif kind == "grid":
    put[(50 / 16,)](x, np.zeros((1, 16), np.float32), 0, 16)
elif kind == "bytes":
    a, b = np.empty((4, 4), np.int8), np.empty((4, 4), np.int8)
    a.fill(-5)
    put[(1,)](a, b, 0, 16)
