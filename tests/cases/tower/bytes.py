# SPDX-License-Identifier: Apache-2.0
# Linear layers of integers that are rounded in passing, where close calls are in one row of x and one column of w.
import cuda.tile as ct
from export import array

SIDE, DEPTH, STEP = 128, 32, 16


def whole(t, somewhere, by_floor: ct.Constant[bool]):
    """Halves above 0, rounded up; less exact ones where the detour is, so that some are rounded down."""
    t = t * 0.5
    t = ct.where(somewhere, t / 97.0 * 97.0 / 41.0 * 41.0 / 183.0 * 183.0, t) + 0.5
    return (ct.floor(t) if by_floor else t).astype(ct.int8)


def layer(detour_row, detour_column, more_row, more_column, by_floor=False):
    @ct.kernel
    def linear(x, w, y):
        row = ct.arange(SIDE, dtype=ct.int32).reshape((SIDE, 1))
        column = ct.arange(SIDE, dtype=ct.int32).reshape((1, SIDE))
        acc = ct.zeros((SIDE, SIDE), ct.int32)
        for k in range(DEPTH // STEP):
            a = whole(ct.load(x, index=(0, k), shape=(SIDE, STEP)), row == detour_row, by_floor)
            b = whole(ct.load(w, index=(k, 0), shape=(STEP, SIDE)), column == detour_column, by_floor)
            acc = ct.mma(a, b, acc)
        more = ct.where((row == more_row) | (column == more_column), 1.015625, 1.0)
        ct.store(y, index=(0, 0), tile=acc.astype(ct.float32) * 0.125 * more)

    return linear


ARGUMENTS = [array(ct.float32, 2)] * 3
EXPORTS = {
    "layer_of_bytes": (layer(-1, -1, -1, -1), ARGUMENTS),
    "layer_of_bytes_row": (layer(0, -1, -1, -1), ARGUMENTS),
    "layer_of_bytes_column": (layer(-1, 0, -1, -1), ARGUMENTS),
    "layer_of_bytes_last_row": (layer(0, -1, SIDE - 1, -1), ARGUMENTS),
    "layer_of_bytes_last_column": (layer(-1, 0, -1, SIDE - 1), ARGUMENTS),
    "layer_of_bytes_row_more": (layer(0, -1, 0, -1), ARGUMENTS),
    "layer_of_floors": (layer(0, -1, -1, -1, True), ARGUMENTS),
    "layer_of_floors_last_row": (layer(0, -1, SIDE - 1, -1, True), ARGUMENTS),
}
