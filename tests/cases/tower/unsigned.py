# SPDX-License-Identifier: Apache-2.0
# Activations in bf16 as integers of 0 to 255, with a zero point for each row: all of their roundings are close calls.
# Those of the last of n rows are rounded down in some variants. And the weights of a softmax as int8, of scores in bf16.
import cuda.tile as ct
from export import array

K, N = 64, 16
Const = ct.Constant[int]


def rows(x, i, M: Const):
    t = ct.load(x, index=(i, 0), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
    return t * ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / K + 1e-5)


def whole(t, last, is_down: ct.Constant[bool]):
    low = ct.min(t, axis=1, keepdims=True)
    scale = (ct.max(t, axis=1, keepdims=True) - low) / 255.0 + 1e-6
    zero = ct.floor(0.5 - low / scale)
    r = t / scale + zero
    q = ct.floor(r + 0.5)
    if is_down:
        q = ct.where(last, ct.floor(r), q)
    return ct.minimum(ct.maximum(q, 0.0), 255.0).astype(ct.int32), scale, zero


@ct.kernel
def elements(x, y, n: int, M: Const, is_down: ct.Constant[bool]):
    i = ct.bid(0)
    last = ct.arange(M, dtype=ct.int32).reshape((M, 1)) + i * M >= n - 1
    q, scale, zero = whole(rows(x, i, M).astype(ct.bfloat16).astype(ct.float32), last, is_down)
    ct.store(y, index=(i, 0), tile=(q.astype(ct.float32) - zero) * scale)


@ct.kernel
def layer(x, w, y, n: int, M: Const, is_down: ct.Constant[bool]):
    i = ct.bid(0)
    last = ct.arange(M, dtype=ct.int32).reshape((M, 1)) + i * M >= n - 1
    q, scale, zero = whole(rows(x, i, M).astype(ct.bfloat16).astype(ct.float32), last, is_down)
    a = (q - zero.astype(ct.int32)).astype(ct.float16)
    b = ct.load(w, index=(0, 0), shape=(K, N)).astype(ct.float16)
    ct.store(y, index=(i, 0), tile=ct.mma(a, b, ct.zeros((M, N), ct.float32)) * scale)


@ct.kernel
def weighted(x, w, y, coarse: float, M: Const):
    """Each score is off by up to 2^-19 where `coarse` is 32."""
    i = ct.bid(0)
    t = ((rows(x, i, M) + coarse) - coarse).astype(ct.bfloat16).astype(ct.float32)
    p = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    b = ct.load(w, index=(0, 0), shape=(K, N))
    of_column = ct.max(ct.abs(b), axis=0, keepdims=True) / 127.0
    q, b = ct.floor(p * 127.0 + 0.5).astype(ct.int8), ct.floor(b / of_column + 0.5).astype(ct.int8)
    o = ct.mma(q, b, ct.zeros((M, N), ct.int32)).astype(ct.float32)
    ct.store(y, index=(i, 0), tile=o * of_column / ct.sum(p, axis=1, keepdims=True) / 127.0)


F = array(ct.float32, 2)
EXPORTS = {"weighted_8": (weighted, [F, F, F, ct.float32, 8]), "weighted_16": (weighted, [F, F, F, ct.float32, 16])}
for name, side, is_down in [("_16", 16, False), ("_8", 8, False), ("_down", 8, True)]:
    EXPORTS["unsigned" + name] = (elements, [F, F, ct.int32, side, is_down])
    EXPORTS["unsigned_layer" + name] = (layer, [F, F, F, ct.int32, side, is_down])
