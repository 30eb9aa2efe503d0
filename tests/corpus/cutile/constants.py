# SPDX-License-Identifier: Apache-2.0
# Constants of every type: splats, lists, extreme and special values, and numbers that count up.
import cuda.tile as ct
from export import array

INF, NAN = float("inf"), float("nan")


def splats(VALUES):
    @ct.kernel
    def splats(y):
        total = ct.zeros((8,), y.dtype)
        for value in ct.static_iter(VALUES):
            total += ct.full((8,), value, dtype=y.dtype)
        ct.store(y, index=(0,), tile=total)
    return splats


def small_splats(VALUES, DTYPE):
    @ct.kernel
    def small_splats(y):
        """Of a type that does not compute."""
        total = ct.ones((8,), ct.float32)
        for value in ct.static_iter(VALUES):
            total += ct.astype(ct.full((8,), value, dtype=DTYPE), ct.float32)
        ct.store(y, index=(0,), tile=total)
    return small_splats


def listed(VALUES, DTYPE):
    @ct.kernel
    def listed(y):
        ct.store(y, index=(0, 0), tile=ct.astype(ct.astile(VALUES, dtype=DTYPE), y.dtype))
    return listed


@ct.kernel
def chequered(x, y):
    """A mask that is a constant."""
    mask = ct.astile(((True, False, True, False), (False, True, False, True)), dtype=ct.bool_)
    a = ct.load(x, index=(0, 0), shape=(2, 4))
    every, none = ct.full((2, 4), True, dtype=ct.bool_), ct.zeros((2, 4), ct.bool_)
    ct.store(y, index=(0, 0), tile=ct.where(mask & every | none, a, -a))


@ct.kernel
def masks(x, y):
    """Masks of 1 to 16 elements: mixed, and lists of equal elements."""
    total = ct.zeros((), ct.int32)
    for length in ct.static_iter((1, 2, 4, 8, 16)):
        for word in ct.static_iter((0, 1, 0x5A, 0xFFFF)):
            bits = ct.astile(ct.static_eval(tuple(bool(word >> i & 1) for i in range(length))), dtype=ct.bool_)
            total += ct.sum(bits.astype(ct.int32))
    ct.store(y, index=(0,), tile=total + ct.load(x, index=(0,), shape=(1,)))


def steps(DTYPE):
    @ct.kernel
    def steps(y):
        n = ct.bid(0)
        a = ct.arange(16, dtype=DTYPE) + ct.arange(16, dtype=DTYPE, start=3, step=2)
        ct.store(y, index=(n,), tile=ct.astype(a, y.dtype))
    return steps


@ct.kernel
def collected(x, y):
    """A tile of scalars that are known late."""
    a = ct.load(x, index=(0,), shape=(4,))
    parts = ((ct.sum(a), ct.prod(a)), (ct.max(a), ct.min(a)))
    ct.store(y, index=(0, 0), tile=ct.astile(parts, dtype=y.dtype))


def to(dtype):
    return array(dtype, 1)


QUARTERS = ((0.0, -0.0, 0.25, 1.0), (-1.5, 2.0, 3.0, 448.0))
EXPORTS = {
    "splats_f16": (splats((0.0, -0.0, 1.0, 0.1, -2.5, 65504.0, 6e-8, INF, -INF, NAN)), [to(ct.float16)]),
    "splats_bf16": (splats((3.0, 0.1, -1e38, 1e-40, INF, NAN)), [to(ct.bfloat16)]),
    "splats_f32": (splats((1.0, -0.0, 0.1, 16777216.0, 3.4e38, 1e-45, 3.14159274, 1e10, INF, -INF, NAN)), [to(ct.float32)]),
    "splats_f64": (splats((2.0, -0.0, 0.1, 1.5e300, -5e-324, 2.718281828459045, INF, -INF, NAN)), [to(ct.float64)]),
    "splats_e4m3": (small_splats((0.0, -0.0, 0.5, 448.0, -0.001953125, NAN), ct.float8_e4m3fn), [to(ct.float32)]),
    "splats_e5m2": (small_splats((0.0, -1.75, 57344.0, INF, -INF, NAN), ct.float8_e5m2), [to(ct.float32)]),
    "splats_tf32": (small_splats((0.0, -0.0, 1.0, 0.1, 1e38, INF, NAN), ct.tfloat32), [to(ct.float32)]),
    "splats_e8m0": (small_splats((1.0, 0.5, 2.0 ** 127, 2.0 ** -127, NAN), ct.float8_e8m0fnu), [to(ct.float32)]),
    "splats_e2m1": (small_splats((0.0, -0.0, 0.5, -1.5, 6.0), ct.float4_e2m1fn), [to(ct.float32)]),
    "splats_e5m3": (small_splats((0.0, 1.0, 0.4375, NAN), ct.float8_e5m3fnu), [to(ct.float32)], dict(gpu="sm_107")),
    "splats_i8": (splats((0, 1, -1, 127, -128)), [to(ct.int8)]),
    "splats_u16": (splats((0, 1, 32768, 65535)), [to(ct.uint16)]),
    "splats_i32": (splats((7, -1, 2 ** 31 - 1, -(2 ** 31))), [to(ct.int32)]),
    "splats_i64": (splats((7, -1, 2 ** 63 - 1, -(2 ** 63))), [to(ct.int64)]),
    "splats_u64": (splats((2 ** 32, 2 ** 63, 2 ** 64 - 1)), [to(ct.uint64)]),
    "listed_f32": (listed(QUARTERS, ct.float32), [array(ct.float32, 2)]),
    "listed_bf16": (listed(QUARTERS, ct.bfloat16), [array(ct.float32, 2)]),
    "listed_f64": (listed(((0.1, NAN), (-INF, 1e300)), ct.float64), [array(ct.float64, 2)]),
    "listed_e4m3": (listed(QUARTERS, ct.float8_e4m3fn), [array(ct.float8_e4m3fn, 2)]),
    "listed_e5m2": (listed(((1.5, -INF), (NAN, 0.0)), ct.float8_e5m2), [array(ct.float32, 2)]),
    "listed_e8m0": (listed(((1.0, 0.25), (2.0 ** 100, NAN)), ct.float8_e8m0fnu), [array(ct.float32, 2)]),
    "listed_e5m3": (listed(((1.0, 0.25), (0.0, NAN)), ct.float8_e5m3fnu), [array(ct.float32, 2)], dict(gpu="sm_107")),
    "listed_i8": (listed(((1, -1), (127, -128)), ct.int8), [array(ct.int8, 2)]),
    "listed_tf32": (listed(QUARTERS, ct.tfloat32), [array(ct.float32, 2)]),
    "listed_e2m1": (listed(((0.0, 1.5, -6.0, 4.0),), ct.float4_e2m1fn), [array(ct.float32, 2)]),
    "listed_i16": (listed(((1, -2), (32767, -32768)), ct.int16), [array(ct.int16, 2)]),
    "listed_i64": (listed(((1, -2), (2 ** 63 - 1, -(2 ** 63))), ct.int64), [array(ct.int64, 2)]),
    "chequered": (chequered, [array(ct.float32, 2), array(ct.float32, 2)]),
    "masks": (masks, [to(ct.int32), to(ct.int32)]),
    "listed_equal": (listed(((2.5, 2.5), (2.5, 2.5)), ct.float32), [array(ct.float32, 2)]),
    "listed_one": (listed(((7,),), ct.int16), [array(ct.int16, 2)]),
    "listed_many": (listed(tuple(tuple(i * j + 0.5 for j in range(8)) for i in range(8)), ct.float16), [array(ct.float16, 2)]),
    "steps_i8": (steps(ct.int8), [to(ct.int32)]),
    "steps_i16": (steps(ct.int16), [to(ct.int32)]),
    "steps_i64": (steps(ct.int64), [to(ct.int64)]),
    "steps_f32": (steps(ct.float32), [to(ct.float32)]),
    "collected": (collected, [to(ct.float32), array(ct.float32, 2)]),
}
