# SPDX-License-Identifier: Apache-2.0
# What the keys means, literal and allow: [roots] and the fill adversarial are for; the profile tower.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def scale_constant(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * 0.1)


@ct.kernel
def scale_argument(x, s, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * s)


@ct.kernel
def scale_tensor(x, s, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * ct.load(s, index=(0,), shape=(1,)))


@ct.kernel
def exp_scaled(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.exp(ct.load(x, index=(i,), shape=(T,)) * 0.7))


@ct.kernel
def exp2_folded(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.exp2(ct.load(x, index=(i,), shape=(T,)) * (0.7 * 1.4426950408889634)))


@ct.kernel
def exp2_argument(x, s, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.exp2(ct.load(x, index=(i,), shape=(T,)) * s))


@ct.kernel
def root_squared(x, y, T: Const):
    i = ct.bid(0)
    root = ct.sqrt(ct.load(x, index=(i,), shape=(T,)))
    ct.store(y, index=(i,), tile=root * root)


@ct.kernel
def copied(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)))


@ct.kernel
def stored_back(x, T: Const):
    i = ct.bid(0)
    ct.store(x, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)))


@ct.kernel
def larger_flushed(x, y, T: Const):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.minimum(3.0, ct.maximum(tile, -5.0, flush_to_zero=True), flush_to_zero=True))


@ct.kernel
def softmax_64(x, y, T: Const):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, T))
    p = ct.exp(row - ct.max(row, axis=-1, keepdims=True))
    ct.store(y, index=(ct.bid(0), 0), tile=p / (ct.sum(p, axis=-1, keepdims=True) + 1e-5))


@ct.kernel
def softmax_64_base_2(x, y, eps, T: Const):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, T)) * 1.4426950408889634
    p = ct.exp2(row - ct.max(row, axis=-1, keepdims=True))
    ct.store(y, index=(ct.bid(0), 0), tile=p / (ct.sum(p, axis=-1, keepdims=True) + eps))


@ct.kernel
def largest_at_once(x, y, T: Const):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
    ct.store(y, index=(ct.bid(0), 0), tile=ct.max(ct.abs(row), axis=-1, keepdims=True))


@ct.kernel
def largest_backwards(x, y, blocks: Const, T: Const):
    best = ct.zeros((1, T), dtype=ct.bfloat16)
    for j in range(blocks):
        at = (ct.bid(0), blocks - 1 - j)
        part = ct.load(x, index=at, shape=(1, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
        best = ct.maximum(ct.abs(part), best)
    ct.store(y, index=(ct.bid(0), 0), tile=ct.max(best, axis=-1, keepdims=True))


@ct.kernel
def largest_of_extremes(x, y, T: Const):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=ct.PaddingMode.ZERO).astype(ct.bfloat16)
    low, high = ct.min(row, axis=-1, keepdims=True), ct.max(row, axis=-1, keepdims=True)
    ct.store(y, index=(ct.bid(0), 0), tile=ct.maximum(-low, high))


ROW = array(ct.float32, 1)
ROWS, LARGEST = array(ct.float32, 2), array(ct.bfloat16, 2)
ROWS_64 = array(ct.float64, 2)
@ct.kernel
def rows_by_largest(x, y, n: int, s: float, M: Const, N: Const):
    """Normalised rows in f8, divided by their largest magnitude, which is a close call in every second one; the last of
    n rows times s."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(M, N), padding_mode=ct.PaddingMode.ZERO)
    t = t * ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / N + 1e-5)
    t = t.astype(ct.float8_e4m3fn).astype(ct.float32)
    o = t / (ct.max(ct.abs(t), axis=1, keepdims=True) + 1e-6)
    row = ct.reshape(ct.arange(M, dtype=ct.int32) + i * M, (M, 1))
    ct.store(y, index=(i, 0), tile=ct.where(row == n - 1, o * s, o))


EXPORTS = {
    "rows_by_largest_8": (rows_by_largest, [array(ct.float32, 2)] * 2 + [ct.int32, ct.float32, 8, 64]),
    "rows_by_largest_16": (rows_by_largest, [array(ct.float32, 2)] * 2 + [ct.int32, ct.float32, 16, 64]),
    "scale_constant": (scale_constant, [ROW, ROW, 64]),
    "scale_argument": (scale_argument, [ROW, ct.float32, ROW, 64]),
    "scale_tensor": (scale_tensor, [ROW, ROW, ROW, 64]),
    "exp_scaled": (exp_scaled, [ROW, ROW, 64]),
    "exp2_folded": (exp2_folded, [ROW, ROW, 64]),
    "exp2_argument": (exp2_argument, [ROW, ct.float32, ROW, 64]),
    "root_squared": (root_squared, [ROW, ROW, 64]),
    "copied": (copied, [ROW, ROW, 64]),
    "stored_back": (stored_back, [ROW, 64]),
    "larger_flushed": (larger_flushed, [ROW, ROW, 64]),
    "largest_at_once": (largest_at_once, [ROWS, LARGEST, 256]),
    "largest_backwards": (largest_backwards, [ROWS, LARGEST, 7, 32]),
    "largest_of_extremes": (largest_of_extremes, [ROWS, LARGEST, 256]),
    "softmax_64": (softmax_64, [ROWS_64, ROWS_64, 32]),
    "softmax_64_base_2": (softmax_64_base_2, [ROWS_64, ROWS_64, ct.float64, 32]),
}
