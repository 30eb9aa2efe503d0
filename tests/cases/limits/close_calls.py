# SPDX-License-Identifier: Apache-2.0
# Close calls of rows of f8 and bf16 numbers, the last row apart.
import cuda.tile as ct

from export import array

Const = ct.Constant[int]
K, N = 64, 16


def rows(x, i, M):
    return ct.load(x, index=(i, 0), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)


@ct.kernel
def threshold(x, w, y, n: int, other: float, M: Const):
    """What is at most 0.1, in the last row `other`, is left out."""
    i = ct.bid(0)
    last = ct.arange(M, dtype=ct.int32).reshape((M, 1)) + i * M >= n - 1
    t = rows(x, i, M).astype(ct.float8_e4m3fn).astype(ct.float32)
    t = ct.where(ct.abs(t) > ct.where(last, other, 0.1), t, 0.0)
    ct.store(y, index=(i, 0), tile=ct.mma(t, ct.load(w, index=(0, 0), shape=(K, N)), ct.zeros((M, N), ct.float32)))


@ct.kernel
def zero_point(x, y, coarse: float, M: Const):
    """The least of a row is 0, the largest 255. Each number is off by up to 2^-19 where `coarse` is 32."""
    i = ct.bid(0)
    t = ((rows(x, i, M) + coarse) - coarse).astype(ct.bfloat16).astype(ct.float32)
    low, high = ct.min(t, axis=1, keepdims=True), ct.max(t, axis=1, keepdims=True)
    scale = (high - low) / 255.0
    zero = ct.floor(0.5 - low / scale)
    ct.store(y, index=(i, 0), tile=(ct.floor(t / scale + zero + 0.5) - zero) * scale)


F = array(ct.float32, 2)
EXPORTS = {
    "threshold": (threshold, [F, F, F, ct.int32, ct.float32, 8]),
    "zero_point": (zero_point, [F, F, ct.float32, 8]),
}
