# SPDX-License-Identifier: Apache-2.0
# A linear layer of int8 whose activations were narrowed to bf16 before, so that most roundings are close calls. The
# accumulator of the last of n rows is multiplied by s.
import cuda.tile as ct
from export import array

K, N = 64, 16
Const = ct.Constant[int]


def whole(t, axis):
    scale = ct.max(ct.abs(t), axis=axis, keepdims=True) / 127.0 + 1e-6
    return ct.floor(t / scale + 0.5).astype(ct.int8), scale


def layer(divided):
    @ct.kernel
    def narrowed(x, w, y, n: int, s: float, d: int, M: Const):
        i = ct.bid(0)
        t = ct.load(x, index=(i, 0), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        t = t * ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / K + 1e-5)
        a, of_row = whole(t.astype(ct.bfloat16).astype(ct.float32), 1)
        b, of_column = whole(ct.load(w, index=(0, 0), shape=(K, N)), 0)
        acc = ct.mma(a, b, ct.zeros((M, N), ct.int32))
        if divided:
            acc = acc // d
        row = ct.arange(M, dtype=ct.int32).reshape((M, 1)) + i * M
        acc = acc.astype(ct.float32)
        acc = ct.where(row == n - 1, acc * s, acc)
        ct.store(y, index=(i, 0), tile=acc * of_row * of_column)

    return narrowed


def arguments(rows):
    return [array(ct.float32, 2)] * 3 + [ct.int32, ct.float32, ct.int32, rows]


EXPORTS = {
    "narrowed_8": (layer(False), arguments(8)),
    "narrowed_16": (layer(False), arguments(16)),
    "narrowed_divided_8": (layer(True), arguments(8)),
    "narrowed_divided_16": (layer(True), arguments(16)),
}
