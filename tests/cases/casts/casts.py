# SPDX-License-Identifier: Apache-2.0
# Conversions from one float type to all others, between floats and integers, between integers, and of bits.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]

FLOATS = {
    "f64": ct.float64,
    "f32": ct.float32,
    "f16": ct.float16,
    "bf16": ct.bfloat16,
    "f8e4m3fn": ct.float8_e4m3fn,
    "f8e5m2": ct.float8_e5m2,
}


@ct.kernel
def float_casts(x, f64, f32, f16, bf16, e4m3, e5m2, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(f64, index=(i, j), tile=t.astype(ct.float64))
    ct.store(f32, index=(i, j), tile=t.astype(ct.float32))
    ct.store(f16, index=(i, j), tile=t.astype(ct.float16))
    ct.store(bf16, index=(i, j), tile=t.astype(ct.bfloat16))
    ct.store(e4m3, index=(i, j), tile=t.astype(ct.float8_e4m3fn))
    ct.store(e5m2, index=(i, j), tile=t.astype(ct.float8_e5m2))


@ct.kernel
def tf32_and_back(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(y, index=(i, j), tile=t.astype(ct.tfloat32).astype(ct.float32))


@ct.kernel
def to_integers(x, i8, i16, i32, i64, u32, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(i8, index=(i, j), tile=t.astype(ct.int8))
    ct.store(i16, index=(i, j), tile=t.astype(ct.int16))
    ct.store(i32, index=(i, j), tile=t.astype(ct.int32))
    ct.store(i64, index=(i, j), tile=t.astype(ct.int64))
    ct.store(u32, index=(i, j), tile=ct.abs(t).astype(ct.uint32))


@ct.kernel
def from_integers(x, f64, f32, f16, bf16, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(f64, index=(i, j), tile=t.astype(ct.float64))
    ct.store(f32, index=(i, j), tile=t.astype(ct.float32))
    ct.store(f16, index=(i, j), tile=t.astype(ct.float16))
    ct.store(bf16, index=(i, j), tile=t.astype(ct.bfloat16))


@ct.kernel
def widths(x, i8, i16, i64, u64, TM: Const, TN: Const):
    """From i32: truncations, sign extension and zero extension."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(i8, index=(i, j), tile=t.astype(ct.int8))
    ct.store(i16, index=(i, j), tile=t.astype(ct.int16))
    ct.store(i64, index=(i, j), tile=t.astype(ct.int64))
    ct.store(u64, index=(i, j), tile=t.astype(ct.uint32).astype(ct.uint64))


@ct.kernel
def bits(x, y, z, TM: Const, TN: Const):
    """y = x with the sign bit flipped by integer arithmetic, z = the bits of x."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.bitcast(ct.load(x, index=(i, j), shape=(TM, TN)), ct.int32)
    ct.store(z, index=(i, j), tile=t)
    ct.store(y, index=(i, j), tile=ct.bitcast(t ^ -2147483648, ct.float32))


EXPORTS = {
    "casts_" + name: (float_casts, [array(dtype, 2)] + [array(d, 2) for d in FLOATS.values()] + [8, 64])
    for name, dtype in FLOATS.items()
}
EXPORTS["tf32_and_back"] = (tf32_and_back, [array(ct.float32, 2)] * 2 + [8, 64])
for name in ("f64", "f32", "f16", "bf16"):
    EXPORTS["to_integers_" + name] = (
        to_integers,
        [array(d, 2) for d in (FLOATS[name], ct.int8, ct.int16, ct.int32, ct.int64, ct.uint32)] + [8, 64],
    )
for name, dtype in {
    "i8": ct.int8,
    "i16": ct.int16,
    "i32": ct.int32,
    "i64": ct.int64,
    "u32": ct.uint32,
    "u64": ct.uint64,
}.items():
    EXPORTS["from_" + name] = (
        from_integers,
        [array(dtype, 2)] + [array(FLOATS[f], 2) for f in ("f64", "f32", "f16", "bf16")] + [8, 64],
    )
EXPORTS["widths"] = (widths, [array(d, 2) for d in (ct.int32, ct.int8, ct.int16, ct.int64, ct.uint64)] + [8, 64])
EXPORTS["bits"] = (bits, [array(d, 2) for d in (ct.float32, ct.float32, ct.int32)] + [8, 64])
