# SPDX-License-Identifier: Apache-2.0
# Reductions: along one dimension, several or all, with every option, of several tiles at once, by functions of one's own.
import operator

import cuda.tile as ct
from export import array

R = ct.RoundingMode


@ct.kernel
def all_at_once(x, y):
    a = ct.load(x, index=(0, 0, 0), shape=(2, 4, 8))
    ct.store(y, index=(0,), tile=ct.sum(a) + ct.prod(a) * ct.max(a) - ct.min(a))


@ct.kernel
def by_dimension(x, y):
    a = ct.load(x, index=(0, 0, 0), shape=(4, 4, 8))
    b = ct.sum(a, axis=0) + ct.max(a, axis=1)
    c = ct.min(a, axis=(0, 2)) + ct.prod(a, axis=-1, keepdims=True).reshape((4, 4))
    ct.store(y, index=(0,), tile=ct.sum(b, axis=1) + ct.sum(c, axis=0))


@ct.kernel
def totals_rounded(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 4))
    for mode in ct.static_iter((R.RN, R.RZ, R.RM, R.RP)):
        a = a + ct.sum(a, axis=1, keepdims=True, rounding_mode=mode)
        a = a * ct.prod(a, axis=0, keepdims=True, rounding_mode=mode, flush_to_zero=True)
    ct.store(y, index=(0, 0), tile=a)


@ct.kernel
def extremes_of_rows(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 4))
    for nan in ct.static_iter((False, True)):
        for flush in ct.static_iter((False, True)):
            a = a + ct.max(a, axis=1, keepdims=True, propagate_nan=nan, flush_to_zero=flush)
            a = a - ct.min(a, axis=0, keepdims=True, propagate_nan=nan, flush_to_zero=flush)
    ct.store(y, index=(0, 0), tile=a)


@ct.kernel
def places(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 8))
    b = ct.argmax(a, axis=1) + ct.argmin(a, axis=1)
    ct.store(y, index=(0,), tile=b + ct.sum(ct.argmax(a, axis=0, keepdims=True)))


@ct.kernel
def places_of_nan(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 8))
    ct.store(y, index=(0,), tile=ct.argmax(a, axis=1, propagate_nan=True) - ct.argmin(a, axis=1, propagate_nan=True))


def by_function(identity, function):
    @ct.kernel
    def by_function(x, y):
        a = ct.load(x, index=(0, 0), shape=(4, 8))
        ct.store(y, index=(0,), tile=ct.reduce(a, 1, function, identity))
    return by_function


@ct.kernel
def hypotenuse(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 8))
    ct.store(y, index=(0,), tile=ct.reduce(a, 1, lambda a, b: ct.sqrt(a * a + b * b), 0.0))


def merge_moments(count_a, mean_a, square_a, count_b, mean_b, square_b):
    count = count_a + count_b
    delta = mean_b - mean_a
    share = ct.where(count > 0.0, count_b / ct.where(count > 0.0, count, 1.0), 0.0)
    return count, mean_a + delta * share, square_a + square_b + delta * delta * count_a * share


@ct.kernel
def moments(x, y):
    """Mean and variance in one pass (Chan's update)."""
    a = ct.load(x, index=(ct.bid(0), 0), shape=(4, 16))
    one = ct.ones((4, 16), ct.float32)
    count, mean, square = ct.reduce((one, a, ct.zeros((4, 16), ct.float32)), 1, merge_moments, (0.0, 0.0, 0.0))
    ct.store(y, index=(ct.bid(0), 0), tile=ct.cat((mean.reshape((4, 1)), (square / count).reshape((4, 1))), axis=1))


def nearer(distance_a, place_a, distance_b, place_b):
    take = (distance_b < distance_a) | (distance_b == distance_a) & (place_b < place_a)
    return ct.where(take, distance_b, distance_a), ct.where(take, place_b, place_a)


@ct.kernel
def nearest(x, codes, y):
    """The nearest code of each row, by a reduction of mixed types."""
    a = ct.load(x, index=(ct.bid(0), 0), shape=(4, 8))
    b = ct.load(codes, index=(0, 0), shape=(8, 8))
    difference = ct.expand_dims(a, 1) - ct.expand_dims(b, 0)
    distance = ct.sum(difference * difference, axis=2)
    _, place = ct.reduce((distance, ct.broadcast_to(ct.arange(8, dtype=ct.int32), (4, 8))), 1, nearer, (float("inf"), 2 ** 31 - 1))
    ct.store(y, index=(ct.bid(0),), tile=place)


def larger_magnitude(a, b):
    return ct.maximum(ct.abs(a), ct.abs(b))


def to_vector(source, rank, target=None):
    return [array(source, rank), array(target or source, 1)]


EXPORTS = {
    "all_at_once_f16": (all_at_once, to_vector(ct.float16, 3)),
    "all_at_once_i8": (all_at_once, to_vector(ct.int8, 3)),
    "by_dimension_f32": (by_dimension, to_vector(ct.float32, 3)),
    "totals_rounded": (totals_rounded, [array(ct.float32, 2), array(ct.float32, 2)]),
    "extremes_of_rows": (extremes_of_rows, [array(ct.float32, 2), array(ct.float32, 2)]),
    "places_bf16": (places, to_vector(ct.bfloat16, 2, ct.int32)),
    "places_of_nan": (places_of_nan, to_vector(ct.float32, 2, ct.int32)),
    "parity": (by_function(0, operator.xor), to_vector(ct.int64, 2)),
    "any_of_row": (by_function(False, operator.or_), to_vector(ct.bool_, 2)),
    "longest": (by_function(-1.5, larger_magnitude), to_vector(ct.float64, 2)),
    "hypotenuse": (hypotenuse, to_vector(ct.float16, 2)),
    "moments": (moments, [array(ct.float32, 2), array(ct.float32, 2)]),
    "nearest": (nearest, [array(ct.float32, 2), array(ct.float32, 2), array(ct.int32, 1)]),
}
