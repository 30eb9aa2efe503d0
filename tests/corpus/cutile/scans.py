# SPDX-License-Identifier: Apache-2.0
# Scans: running sums and products forwards and backwards, and by functions of one's own, of several tiles too.
import cuda.tile as ct
from export import array

R = ct.RoundingMode


@ct.kernel
def running(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 8))
    b = ct.cumsum(a, axis=1) + ct.cumsum(a, axis=0, reverse=True)
    ct.store(y, index=(0, 0), tile=b - ct.cumprod(a, axis=1, reverse=True) * ct.cumprod(a))


@ct.kernel
def running_rounded(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 8))
    for mode in ct.static_iter((R.RN, R.RZ, R.RM, R.RP)):
        a = ct.cumsum(a, axis=1, rounding_mode=mode, flush_to_zero=True)
        a = ct.cumprod(a, axis=0, reverse=True, rounding_mode=mode)
    ct.store(y, index=(0, 0), tile=a)


def larger(a, b):
    return ct.maximum(a, b, propagate_nan=True)


@ct.kernel
def record(x, y):
    """The largest so far."""
    a = ct.load(x, index=(0, 0), shape=(4, 8))
    ct.store(y, index=(0, 0), tile=ct.scan(a, 1, larger, -float("inf")))


def compose(scale_a, shift_a, scale_b, shift_b):
    return scale_a * scale_b, scale_b * shift_a + shift_b


@ct.kernel
def recurrence(decay, x, y):
    """h = decay * h + x along a row, as a scan of linear maps."""
    i = ct.bid(0)
    a = ct.load(decay, index=(i, 0), shape=(2, 16))
    b = ct.load(x, index=(i, 0), shape=(2, 16))
    _, h = ct.scan((a, b), 1, compose, (1.0, 0.0))
    ct.store(y, index=(i, 0), tile=h)


def segmented(flag_a, value_a, flag_b, value_b):
    return flag_a | flag_b, ct.where(flag_b, value_b, value_a + value_b)


@ct.kernel
def segments(starts, x, y):
    """Running sums that begin anew where a segment starts, from the right."""
    flag = ct.load(starts, index=(0,), shape=(16,))
    value = ct.load(x, index=(0,), shape=(16,))
    _, total = ct.scan((flag, value), 0, segmented, (False, 0), reverse=True)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def compacted(x, count, y):
    """The positive elements moved to the front: places by a scan, then a scatter."""
    a = ct.load(x, index=(0,), shape=(16,))
    keep = a > 0
    place = ct.cumsum(keep.astype(ct.int32)) - 1
    ct.scatter(y, place, a, mask=keep)
    ct.store(count, index=(0,), tile=ct.sum(keep.astype(ct.int32)))


def same(dtype, rank=2, count=2):
    return [array(dtype, rank)] * count


EXPORTS = {
    "running_f32": (running, same(ct.float32)),
    "running_i16": (running, same(ct.int16)),
    "running_rounded": (running_rounded, same(ct.float32)),
    "record_f64": (record, same(ct.float64)),
    "record_bf16": (record, same(ct.bfloat16)),
    "recurrence": (recurrence, same(ct.float32, count=3)),
    "segments": (segments, [array(ct.bool_, 1), array(ct.int64, 1), array(ct.int64, 1)]),
    "compacted": (compacted, [array(ct.int32, 1), array(ct.int32, 1), array(ct.int32, 1)]),
}
