# SPDX-License-Identifier: Apache-2.0
# Products of tiles: each type of operand and accumulator, batches, vectors, integers, and block-scaled operands.
import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint
from export import array


@ct.kernel
def product(x, y, z):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((8, 8), 0, dtype=z.dtype)
    for k in range(ct.num_tiles(x, 1, shape=(8, 16))):
        a = ct.load(x, index=(i, k), shape=(8, 16), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(y, index=(k, j), shape=(16, 8), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def product_of_tf32(x, y, z):
    a = ct.load(x, index=(ct.bid(0), 0), shape=(8, 16)).astype(ct.tfloat32)
    b = ct.load(y, index=(0, ct.bid(1)), shape=(16, 8)).astype(ct.tfloat32)
    ct.store(z, index=(ct.bid(0), ct.bid(1)), tile=ct.mma(a, b, ct.load(z, index=(ct.bid(0), ct.bid(1)), shape=(8, 8))))


@ct.kernel
def short_accumulator(x, y, z):
    a = ct.load(x, index=(0, 0), shape=(8, 32))
    b = ct.load(y, index=(0, 0), shape=(8, 32), order=(0, 1))
    acc = ct.mma(a, ct.transpose(b), ct.zeros((8, 8), z.dtype), use_fast_acc=True)
    ct.store(z, index=(0, 0), tile=ct.mma(a, ct.transpose(b), acc))


@ct.kernel
def mixed_signs(x, y, z):
    a = ct.load(x, index=(0, 0), shape=(8, 16))
    b = ct.load(y, index=(0, 0), shape=(16, 8))
    acc = ct.mma(a, b, ct.zeros((8, 8), ct.int32))
    acc = ct.mma(ct.transpose(b), ct.transpose(a), acc)
    ct.store(z, index=(0, 0), tile=ct.mma(ct.transpose(b), b, ct.mma(a, ct.transpose(a), acc)))


@ct.kernel
def batches(x, y, z):
    a = ct.load(x, index=(ct.bid(0), 0, 0), shape=(2, 4, 8))
    b = ct.load(y, index=(0, 0), shape=(8, 4))
    ct.store(z, index=(ct.bid(0), 0, 0), tile=ct.mma(a, b, ct.zeros((2, 4, 4), z.dtype)))


@ct.kernel
def with_vectors(x, y, z):
    """A matrix and a vector, a vector and a matrix, two vectors."""
    m = ct.load(x, index=(0, 0), shape=(8, 8))
    v = ct.load(y, index=(0,), shape=(8,))
    a = (m @ v) + (v @ m)
    ct.store(z, index=(0,), tile=a * (ct.matmul(v, v)))


@ct.kernel
def chain(x, y, z):
    """Two products with a conversion between them."""
    a = ct.load(x, index=(0, 0), shape=(16, 16))
    b = ct.load(y, index=(0, 0), shape=(16, 16))
    s = ct.mma(a, b, ct.zeros((16, 16), ct.float32))
    ct.store(z, index=(0, 0), tile=ct.mma(s.astype(a.dtype), b, s) * 0.5)


@ct.kernel
def scaled(x, sx, y, sy, z):
    a = ct.load(x, index=(0, 0), shape=(8, 64))
    b = ct.load(y, index=(0, 0), shape=(64, 8))
    s = ct.load(sx, index=(0, 0), shape=(8, 2))
    t = ct.load(sy, index=(0, 0), shape=(2, 8))
    ct.store(z, index=(0, 0), tile=ct.mma_scaled(a, s, b, t, ct.zeros((8, 8), ct.float32)))


@ct.kernel
def scaled_in_16(x, sx, y, sy, z):
    """Operands of 4 bits from bytes, a scale for each 16."""
    a = ct.unpack_from_bytes(ct.load(x, index=(0,), shape=(256,)), ct.float4_e2m1fn).reshape((8, 64))
    b = ct.unpack_from_bytes(ct.load(y, index=(0,), shape=(256,)), ct.float4_e2m1fn).reshape((8, 64))
    s = ct.load(sx, index=(0, 0), shape=(8, 4))
    t = ct.load(sy, index=(0, 0), shape=(8, 4))
    acc = ct.load(z, index=(0, 0), shape=(8, 8))
    ct.store(z, index=(0, 0), tile=ct.mma_scaled(a, s, ct.transpose(b), ct.transpose(t), acc))


@ct.kernel
def scaled_batches(x, sx, y, sy, z):
    a = ct.load(x, index=(0, 0, 0), shape=(2, 8, 32))
    b = ct.load(y, index=(0, 0, 0), shape=(2, 32, 8))
    s = ct.load(sx, index=(0, 0, 0), shape=(2, 8, 1))
    t = ct.load(sy, index=(0, 0, 0), shape=(2, 1, 8))
    ct.store(z, index=(0, 0, 0), tile=ct.mma_scaled(a, s, b, t, ct.zeros((2, 8, 8), ct.float32)))


def matrices(operand, result, rank=2):
    return [array(operand, rank), array(operand, rank), array(result, rank)]


def with_scales(operand, scale, rank=2):
    return [array(operand, rank), array(scale, 2 if operand is ct.uint8 else rank)] * 2 + [array(ct.float32, 2 if rank == 1 else rank)]


def known(rows, columns):
    """Of 4-bit floats: two share a byte, so their dense dimension has to be known."""
    return ArrayConstraint(E2M1, 2, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
                           shape_constant=[rows, columns], stride_constant=[columns, 1], base_addr_divisible_by=16)


E4M3, E5M2, E8M0, E5M3, E2M1 = ct.float8_e4m3fn, ct.float8_e5m2, ct.float8_e8m0fnu, ct.float8_e5m3fnu, ct.float4_e2m1fn
M8 = array(E8M0, 2)
EXPORTS = {
    "product_f16_f16": (product, matrices(ct.float16, ct.float16)),
    "product_bf16_f32": (product, matrices(ct.bfloat16, ct.float32)),
    "product_f32": (product, matrices(ct.float32, ct.float32)),
    "product_f64": (product, matrices(ct.float64, ct.float64)),
    "product_e4m3_f16": (product, matrices(E4M3, ct.float16)),
    "product_e5m2_f32": (product, matrices(E5M2, ct.float32)),
    "product_i8": (product, matrices(ct.int8, ct.int32)),
    "product_u8": (product, matrices(ct.uint8, ct.int32)),
    "product_of_tf32": (product_of_tf32, matrices(ct.float32, ct.float32)),
    "short_accumulator_f16": (short_accumulator, matrices(E5M2, ct.float16)),
    "short_accumulator_f32": (short_accumulator, matrices(E4M3, ct.float32)),
    "mixed_signs": (mixed_signs, [array(ct.int8, 2), array(ct.uint8, 2), array(ct.int32, 2)]),
    "batches": (batches, [array(ct.float16, 3), array(ct.float16, 2), array(ct.float32, 3)]),
    "with_vectors": (with_vectors, [array(ct.float64, 2), array(ct.float64, 1), array(ct.float64, 1)]),
    "chain": (chain, matrices(ct.bfloat16, ct.float32)),
    "scaled_e4m3": (scaled, with_scales(E4M3, E8M0)),
    "scaled_e5m2": (scaled, with_scales(E5M2, E8M0)),
    "scaled_e2m1": (scaled, [known(8, 64), M8, known(64, 8), M8, array(ct.float32, 2)]),
    "scaled_e2m1_e5m3": (scaled, [known(8, 64), array(E5M3, 2), known(64, 8), array(E5M3, 2), array(ct.float32, 2)], dict(gpu="sm_107")),
    "scaled_in_16_e4m3": (scaled_in_16, with_scales(ct.uint8, E4M3, 1)),
    "scaled_in_16_e8m0": (scaled_in_16, with_scales(ct.uint8, E8M0, 1)),
    "scaled_batches": (scaled_batches, with_scales(E4M3, E8M0, 3)),
}
