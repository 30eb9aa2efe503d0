# SPDX-License-Identifier: Apache-2.0
# Conversions: each type to each other one, with every rounding; the same bits as another type; values as bytes and back.
import cuda.tile as ct
from export import array

R = ct.RoundingMode
E4M3, E5M2, E8M0, E5M3, E2M1 = ct.float8_e4m3fn, ct.float8_e5m2, ct.float8_e8m0fnu, ct.float8_e5m3fnu, ct.float4_e2m1fn
FLOATS = (ct.float16, ct.bfloat16, ct.float32, ct.tfloat32, ct.float64, E4M3, E5M2)
INTEGERS = (ct.int8, ct.int16, ct.int32, ct.int64, ct.uint8, ct.uint16, ct.uint32, ct.uint64)


def spread(TARGETS):
    @ct.kernel
    def spread(x, y):
        """To each type, and on to f32 to be summed."""
        a = ct.load(x, index=(0,), shape=(8,))
        total = ct.zeros((8,), ct.float32)
        for target in ct.static_iter(TARGETS):
            total += ct.astype(ct.astype(a, target), ct.float32)
        ct.store(y, index=(0,), tile=total)
    return spread


def counted(TARGETS):
    @ct.kernel
    def counted(x, y):
        """To each integer type, and on to i64 to be summed."""
        a = ct.load(x, index=(0,), shape=(8,))
        total = ct.zeros((8,), ct.int64)
        for target in ct.static_iter(TARGETS):
            total += ct.astype(ct.astype(a, target), ct.int64)
        ct.store(y, index=(0,), tile=total)
    return counted


@ct.kernel
def narrow(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.astype(a, y.dtype))


@ct.kernel
def tf32_of_all(x, y, z):
    """tf32 is no type of memory: it comes and goes by conversions."""
    a = ct.astype(ct.load(x, index=(0,), shape=(8,)), ct.tfloat32)
    b = ct.astype(ct.load(y, index=(0,), shape=(8,)), ct.tfloat32)
    ct.store(z, index=(0,), tile=ct.astype(a, ct.float16) + ct.astype(ct.astype(b, E4M3), ct.float16))


def rounded(PAIRS):
    @ct.kernel
    def rounded(x, y):
        a = ct.load(x, index=(0,), shape=(8,))
        total = ct.zeros((8,), ct.float64)
        for target, mode in ct.static_iter(PAIRS):
            total += ct.astype(ct.astype(a, target, rounding_mode=mode), ct.float64)
        ct.store(y, index=(0,), tile=total)
    return rounded


@ct.kernel
def scale_exponents(x, y):
    """Powers of two as a type, rounded down and up."""
    a = ct.load(x, index=(0,), shape=(8,))
    down, up = ct.astype(a, E8M0, rounding_mode=R.RZ), ct.astype(a, E8M0, rounding_mode=R.RP)
    ct.store(y, index=(0,), tile=ct.astype(up, ct.float32) - ct.astype(down, ct.float32))


@ct.kernel
def rounded_to_integers(x, y, z):
    """Of types that are no types of memory or have 4 bits."""
    a = ct.astype(ct.load(x, index=(0,), shape=(8,)), ct.tfloat32).astype(ct.int32)
    b = ct.astype(ct.load(y, index=(0,), shape=(8,)), E2M1).astype(ct.int16)
    ct.store(z, index=(0,), tile=a + b)


@ct.kernel
def truth(x, y):
    """What is not zero is true."""
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.astype(ct.astype(a, ct.bool_), y.dtype))


@ct.kernel
def same_bits(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    sign = ct.bitcast(b, x.dtype) & ~0x7F
    ct.store(z, index=(0,), tile=ct.bitcast(ct.bitcast(a ^ sign, ct.uint32), z.dtype))


@ct.kernel
def same_bits_8(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.astype(ct.bitcast(a, E5M2), ct.float16) + ct.astype(ct.bitcast(a, E4M3), ct.float16)
    ct.store(y, index=(0,), tile=ct.bitcast(ct.bitcast(b, ct.uint16), ct.bfloat16))


@ct.kernel
def to_bytes(x, y):
    a = ct.load(x, index=(0, 0), shape=(2, 8))
    ct.store(y, index=(0,), tile=ct.pack_to_bytes(a))


@ct.kernel
def from_bytes(x, y):
    a = ct.load(x, index=(0,), shape=(64,))
    ct.store(y, index=(0,), tile=ct.unpack_from_bytes(a, y.dtype))


@ct.kernel
def nibbles(x, y):
    """Bytes hold two f4 each."""
    a = ct.unpack_from_bytes(ct.load(x, index=(0,), shape=(16,)), E2M1)
    b = ct.astype(ct.astype(a, ct.float32) * 0.5, E2M1)
    ct.store(y, index=(0,), tile=ct.pack_to_bytes(ct.permute(ct.reshape(b, (4, 8)), (1, 0))))


def arrays(source, target=ct.float32):
    return [array(source, 1), array(target, 1)]


def but(types, *without):
    return tuple(t for t in types if t not in without)


def pairs(targets, *modes):
    return tuple((target, mode) for target in targets for mode in modes)


F64, F32, TF32, F16, BF16 = ct.float64, ct.float32, ct.tfloat32, ct.float16, ct.bfloat16
EXPORTS = {
    "spread_f16": (spread(but(FLOATS, F16)), arrays(F16)),
    "spread_bf16": (spread(but(FLOATS, BF16)), arrays(BF16)),
    "spread_f32": (spread(but(FLOATS, F32)), arrays(F32)),
    "spread_f64": (spread(but(FLOATS, F64)), arrays(F64)),
    "spread_e4m3": (spread(but(FLOATS, E4M3)), arrays(E4M3)),
    "spread_e5m2": (spread(but(FLOATS, E5M2)), arrays(E5M2)),
    "spread_e8m0": (spread(FLOATS), arrays(E8M0)),
    "spread_e2m1": (spread(FLOATS), [array(E2M1, 1, shape_constant=[64]), array(ct.float32, 1)]),
    "spread_e5m3": (spread((*FLOATS, E2M1)), arrays(E5M3), dict(gpu="sm_107")),
    "spread_small": (spread((E2M1, E5M3)), arrays(F32), dict(gpu="sm_107")),
    "spread_i32": (spread((E2M1, E5M3, F64)), arrays(ct.int32), dict(gpu="sm_107")),
    "spread_i8": (spread(FLOATS), arrays(ct.int8)),
    "spread_u16": (spread(FLOATS), arrays(ct.uint16)),
    "spread_i64": (spread(FLOATS), arrays(ct.int64)),
    "counted_f32": (counted(INTEGERS), arrays(F32, ct.int64)),
    "counted_f16": (counted(INTEGERS), arrays(F16, ct.int64)),
    "counted_bf16": (counted(INTEGERS), arrays(BF16, ct.int64)),
    "counted_f64": (counted(INTEGERS), arrays(F64, ct.int64)),
    "counted_e5m2": (counted(INTEGERS), arrays(E5M2, ct.int64)),
    "counted_e4m3": (counted(INTEGERS), arrays(E4M3, ct.int64)),
    "counted_i16": (counted(INTEGERS), arrays(ct.int16, ct.int64)),
    "counted_u32": (counted(INTEGERS), arrays(ct.uint32, ct.int64)),
    "counted_bool": (counted(INTEGERS), arrays(ct.bool_, ct.int64)),
    "narrow_i8": (narrow, arrays(ct.int64, ct.int8)),
    "narrow_e8m0": (narrow, arrays(E8M0, ct.uint8)),
    "tf32_of_all": (tf32_of_all, [array(BF16, 1), array(F64, 1), array(F16, 1)]),
    "rounded_f64": (rounded(pairs((F32,), R.RN, R.RZ, R.RM, R.RP) + pairs((F16, BF16), R.RZ)), arrays(F64, F64)),
    "rounded_f32": (rounded(pairs((TF32,), R.RN, R.RZ, R.RA) + pairs((F16, BF16), R.RN, R.RZ)), arrays(F32, F64)),
    "rounded_f16": (rounded(pairs((F32,), R.RZ, R.RM, R.RP, R.RA) + pairs((TF32,), R.RZ, R.RA)), arrays(F16, F64)),
    "scale_exponents_f32": (scale_exponents, arrays(F32)),
    "scale_exponents_e4m3": (scale_exponents, arrays(E4M3)),
    "rounded_to_integers": (rounded_to_integers, [array(F32, 1), array(F32, 1), array(ct.int32, 1)]),
    "truth_i16": (truth, arrays(ct.int16)),
    "same_bits": (same_bits, [array(ct.int32, 1), array(F32, 1), array(F32, 1)]),
    "same_bits_8": (same_bits_8, arrays(ct.int8, BF16)),
    "to_bytes_f16": (to_bytes, [array(F16, 2), array(ct.uint8, 1)]),
    "to_bytes_i8": (to_bytes, [array(ct.int8, 2), array(ct.uint8, 1)]),
    "from_bytes_bf16": (from_bytes, arrays(ct.uint8, BF16)),
    "from_bytes_i32": (from_bytes, arrays(ct.uint8, ct.int32)),
    "nibbles": (nibbles, arrays(ct.uint8, ct.uint8)),
}
