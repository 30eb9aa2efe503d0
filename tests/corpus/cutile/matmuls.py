# SPDX-License-Identifier: Apache-2.0
# Matrix products as programs have them: persistent blocks, split sums, rows of experts, quantised weights, epilogues.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
VERSIONS = ("13.4",)
ZERO = ct.PaddingMode.ZERO


@ct.kernel(num_ctas=ct.ByTarget(sm_100=2, default=1), occupancy=1)
def persistent(x, y, z, TM: Const, TN: Const, TK: Const, GROUP: Const):
    """As many blocks as fit; tiles in an order that keeps rows close together."""
    rows, columns = ct.num_tiles(z, 0, shape=(TM, TN)), ct.num_tiles(z, 1, shape=(TM, TN))
    steps = ct.num_tiles(x, 1, shape=(TM, TK))
    for tile in range(ct.bid(0), rows * columns, ct.num_blocks(0)):
        group = tile // (GROUP * columns)
        first = group * GROUP
        height = min(rows - first, GROUP)
        i, j = first + tile % (GROUP * columns) % height, tile % (GROUP * columns) // height
        acc = ct.zeros((TM, TN), ct.float32)
        for k in range(steps):
            a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
            b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
            acc = ct.mma(a, b, acc)
        ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def split_sum(x, y, z, counters, T: Const, K: Const):
    """The sum over k is split over blocks; each adds its part under a lock of the tile."""
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    parts = ct.num_blocks(2)
    acc = ct.zeros((T, T), ct.float32)
    for k in range(part, ct.num_tiles(x, 1, shape=(T, K)), parts):
        a = ct.load(x, index=(i, k), shape=(T, K), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(K, T), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    place = (i, j)
    while ct.atomic_cas(counters, place, part, part, memory_order=ct.MemoryOrder.ACQUIRE) != part:
        pass
    if part > 0:
        acc += ct.load(z, index=(i, j), shape=(T, T))
    ct.store(z, index=(i, j), tile=acc)
    ct.atomic_xchg(counters, place, (part + 1) % parts, memory_order=ct.MemoryOrder.RELEASE)


@ct.kernel
def experts(x, weights, order, expert_of_block, z, T: Const, K: Const, N: Const):
    """Rows sorted by expert: gathered, multiplied by the weights of their expert, scattered back."""
    block, j = ct.bid(0), ct.bid(1)
    expert = ct.load(expert_of_block, index=(block,), shape=())
    row = ct.load(order, index=(block,), shape=(T,), padding_mode=ZERO)
    acc = ct.zeros((T, N), ct.float32)
    for k in range(ct.cdiv(x.shape[1], K)):
        column = k * K + ct.arange(K, dtype=ct.int32)
        a = ct.gather(x, (row[:, None], column[None, :]))
        w = ct.load(weights, index=(expert, k, j), shape=(1, K, N), padding_mode=ZERO).reshape((K, N))
        acc = ct.mma(a, w, acc)
    ct.scatter(z, (row[:, None], (j * N + ct.arange(N, dtype=ct.int32))[None, :]), acc.astype(z.dtype))


@ct.kernel
def integer_product(x, y, row_scales, column_scales, z, T: Const, K: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((T, T), ct.int32)
    for k in range(ct.num_tiles(x, 1, shape=(T, K))):
        a = ct.load(x, index=(i, k), shape=(T, K), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(K, T), padding_mode=ZERO), acc)
    r = ct.load(row_scales, index=(i,), shape=(T,))[:, None]
    c = ct.load(column_scales, index=(j,), shape=(T,))[None, :]
    ct.store(z, index=(i, j), tile=(acc.astype(ct.float32) * r * c).astype(z.dtype))


@ct.kernel
def block_scales(x, x_scales, y, y_scales, z, T: Const, K: Const):
    """8-bit operands; each block of the sum has scales of its own, applied to the accumulator."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((T, T), ct.float32)
    for k in range(ct.num_tiles(x, 1, shape=(T, K))):
        a = ct.load(x, index=(i, k), shape=(T, K), allow_tma=False)
        b = ct.load(y, index=(k, j), shape=(K, T), allow_tma=False)
        s = ct.load(x_scales, index=(i, k), shape=(T, 1)) * ct.load(y_scales, index=(k, j), shape=(1, 1))
        acc += ct.mma(a, b, ct.zeros((T, T), ct.float32)) * s
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def lower_triangle(x, z, T: Const, K: Const):
    """x times its transpose: the tiles above the diagonal are mirrored, not computed."""
    i, j = ct.bid(0), ct.bid(1)
    if j > i:
        return
    acc = ct.zeros((T, T), ct.float64)
    for k in range(ct.num_tiles(x, 1, shape=(T, K))):
        a = ct.load(x, index=(i, k), shape=(T, K), padding_mode=ZERO)
        b = ct.load(x, index=(j, k), shape=(T, K), padding_mode=ZERO)
        acc = ct.mma(a, ct.transpose(b), acc)
    ct.store(z, index=(i, j), tile=acc)
    if j < i:
        ct.store(z, index=(j, i), tile=ct.transpose(acc))


M16, M32, I32, F32 = array(ct.float16, 2), array(ct.float32, 2), array(ct.int32, 1), array(ct.float32, 1)
E4 = array(ct.float8_e4m3fn, 2)
EXPORTS = {
    "persistent": (persistent, [M16, M16, M16, 8, 16, 8, 4]),
    "split_sum": (split_sum, [M16, M16, M32, array(ct.int32, 2), 8, 16]),
    "experts": (experts, [array(ct.bfloat16, 2), array(ct.bfloat16, 3), I32, I32, array(ct.bfloat16, 2), 8, 8, 16]),
    "integer_product": (integer_product, [array(ct.int8, 2), array(ct.int8, 2), F32, F32, M16, 8, 16]),
    "block_scales": (block_scales, [E4, M32, E4, M32, array(ct.bfloat16, 2), 8, 16]),
    "lower_triangle": (lower_triangle, [array(ct.float64, 2), array(ct.float64, 2), 8, 8]),
}
