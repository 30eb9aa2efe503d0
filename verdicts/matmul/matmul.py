# SPDX-License-Identifier: Apache-2.0
# Matrix products split, transposed, chained, with integer weights; sums, scans and recurrences in other orders.
import cuda.tile as ct
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run, uniform, unseen
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- z = x y ---------------------------------------------------------------------------------------------------------
@ct.kernel
def matmul(x, y, z, TM: Const, TN: Const, TK: Const):
    """Grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_half(x, y, z, TM: Const, TN: Const, TK: Const):
    """Accumulated in f16."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float16)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_sums(x, y, z, TM: Const, TN: Const, TK: Const):
    """By products and sums in place of mma, the inner blocks backwards."""
    i, j = ct.bid(0), ct.bid(1)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TK))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for step in range(blocks):
        k = blocks - 1 - step
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.float32)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.float32)
        acc = acc + ct.sum(a.reshape((TM, TK, 1)) * b.reshape((1, TK, TN)), axis=1)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_transposed(x, yt, z, TM: Const, TN: Const, TK: Const):
    """y is stored transposed."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(yt, index=(k, j), shape=(TK, TN), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_turned(x, y, z, TM: Const, TN: Const, TK: Const):
    """z^T = y^T x^T, turned back before the store."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TN, TM), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(ct.transpose(b), ct.transpose(a), acc)
    ct.store(z, index=(i, j), tile=ct.transpose(acc).astype(z.dtype))


@ct.kernel
def matmul_swizzled(x, y, z, GROUP: Const, TM: Const, TN: Const, TK: Const):
    """Blocks in groups of GROUP rows for the cache; grid (all blocks)."""
    rows, columns = ct.cdiv(z.shape[0], TM), ct.cdiv(z.shape[1], TN)
    group = ct.bid(0) // (GROUP * columns)
    size = min(rows - group * GROUP, GROUP)
    i = group * GROUP + ct.bid(0) % (GROUP * columns) % size
    j = ct.bid(0) % (GROUP * columns) // size
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def splitk(x, y, parts, TM: Const, TN: Const, TK: Const):
    """parts[s] = the s-th share of the inner dimension; grid (row blocks, column blocks, parts)."""
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    share = ct.cdiv(steps, parts.shape[0])
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(s * share, min(steps, (s + 1) * share)):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(parts, index=(s, i, j), tile=acc.reshape((1, TM, TN)))


@ct.kernel
def sum_parts(parts, z, PARTS: Const, TM: Const, TN: Const):
    """z = the sum of the parts; PARTS at least their number; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(parts, index=(0, i, j), shape=(PARTS, TM, TN), padding_mode=ZERO)
    ct.store(z, index=(i, j), tile=ct.sum(tile, axis=0).astype(z.dtype))


@ct.kernel
def streamk(x, y, z, SHARE: Const, TM: Const, TN: Const, TK: Const):
    """Each program does SHARE inner steps, wherever they fall, and adds what it has; z is zero before."""
    columns, steps = ct.cdiv(z.shape[1], TN), ct.cdiv(x.shape[1], TK)
    total = ct.cdiv(z.shape[0], TM) * columns * steps
    row, column = ct.arange(TM, dtype=ct.int32).reshape((TM, 1)), ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    first, last = ct.bid(0) * SHARE, min((ct.bid(0) + 1) * SHARE, total)
    for step in range(first, last):
        tile, k = step // steps, step % steps
        i, j = tile // columns, tile % columns
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
        if k == steps - 1 or step == last - 1:
            ct.atomic_add(z, (i * TM + row, j * TN + column), acc)
            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)


@ct.kernel
def widen(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(y.dtype))


# ---- with more around the product ------------------------------------------------------------------------------------
@ct.kernel
def scaled_sum(x, y, c, z, alpha: float, beta: float, TM: Const, TN: Const, TK: Const):
    """z = alpha x y + beta c."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=alpha * acc + beta * ct.load(c, index=(i, j), shape=(TM, TN), padding_mode=ZERO))


@ct.kernel
def scaled_start(x, y, c, z, alpha: float, beta: float, TM: Const, TN: Const, TK: Const):
    """The accumulator starts at (beta / alpha) c."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.load(c, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * (beta / alpha)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc * alpha)


@ct.kernel
def integer_weights(x, q, scale, zero, z, TM: Const, TN: Const, TK: Const):
    """z = x w with w = (q - zero) scale for each column, converted first."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    st = ct.load(scale, index=(j,), shape=(TN,), padding_mode=ZERO)
    zt = ct.load(zero, index=(j,), shape=(TN,), padding_mode=ZERO)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.float32)
        w = (ct.load(q, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.float32) - zt) * st
        acc = ct.mma(a, w, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def integer_weights_late(x, q, scale, zero, z, TM: Const, TN: Const, TK: Const):
    """The same as (x q - zero times the row sums of x) scale."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    sums = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        w = ct.load(q, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.float16)
        acc = ct.mma(a, w, acc)
        sums = sums + ct.sum(a.astype(ct.float32), axis=1, keepdims=True)
    st = ct.load(scale, index=(j,), shape=(TN,), padding_mode=ZERO)
    zt = ct.load(zero, index=(j,), shape=(TN,), padding_mode=ZERO)
    ct.store(z, index=(i, j), tile=(acc - sums * zt) * st)


@ct.kernel
def complex_four(xr, xi, yr, yi, zr, zi, T: Const):
    """One tile: zr = xr yr - xi yi, zi = xr yi + xi yr."""
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    a = ct.load(xr, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    b = ct.load(xi, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    c = ct.load(yr, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    d = ct.load(yi, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    ct.store(zr, index=(0, 0), tile=ct.mma(a, c, -ct.mma(b, d, zero)))
    ct.store(zi, index=(0, 0), tile=ct.mma(a, d, ct.mma(b, c, zero)))


@ct.kernel
def complex_three(xr, xi, yr, yi, zr, zi, T: Const):
    """The same with three products."""
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    a = ct.load(xr, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    b = ct.load(xi, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    c = ct.load(yr, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    d = ct.load(yi, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    p, q, r = ct.mma(a, c, zero), ct.mma(b, d, zero), ct.mma(a + b, c + d, zero)
    ct.store(zr, index=(0, 0), tile=p - q)
    ct.store(zi, index=(0, 0), tile=r - p - q)


# ---- sums, scans, recurrences ----------------------------------------------------------------------------------------
@ct.kernel
def row_sums(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO), axis=1))


@ct.kernel
def row_sums_blocks(x, y, TM: Const, TN: Const):
    """Lane by lane over column blocks from the last to the first, then across lanes."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(blocks):
        acc = acc + ct.load(x, index=(i, blocks - 1 - j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.sum(acc, axis=1))


@ct.kernel
def row_sums_product(x, y, TM: Const, TN: Const):
    """By a product with a column of ones."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ones = ct.full((TN, 16), 1.0, dtype=ct.float32)
    r = ct.mma(t, ones, ct.full((TM, 16), 0.0, dtype=ct.float32))
    ct.store(y, index=(i,), tile=ct.sum(r, axis=1) / 16.0)


@ct.kernel
def running_sums(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    ct.store(y, index=(i, 0), tile=ct.cumsum(ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO), axis=1))


@ct.kernel
def running_sums_blocks(x, y, TM: Const, TN: Const):
    """In column blocks with what came before carried along."""
    i = ct.bid(0)
    carry = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(y, index=(i, j), tile=carry + ct.cumsum(t, axis=1))
        carry = carry + ct.sum(t, axis=1, keepdims=True)


@ct.kernel
def running_sums_triangle(x, y, TM: Const, TN: Const):
    """By a product with a triangle of ones."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    row, column = ct.arange(TN, dtype=ct.int32).reshape((TN, 1)), ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    triangle = ct.where(row <= column, 1.0, 0.0)
    ct.store(y, index=(i, 0), tile=ct.mma(t, triangle, ct.full((TM, TN), 0.0, dtype=ct.float32)))


@ct.kernel
def recurrence(a, x, h, STEPS: Const, T: Const):
    """h_t = a_t h_{t-1} + x_t along columns, step by step; grid (row blocks)."""
    i = ct.bid(0)
    row = i * T + ct.arange(T, dtype=ct.int32)
    state = ct.full((T,), 0.0, dtype=ct.float32)
    for t in range(STEPS):
        state = ct.gather(a, (row, t), padding_value=0) * state + ct.gather(x, (row, t), padding_value=0)
        ct.scatter(h, (row, t), state)


@ct.kernel
def recurrence_decays(a, x, h, STEPS: Const, T: Const):
    """The same as a sum over earlier steps: x_s times the product of a from s + 1 to t, by logarithms; grid (rows)."""
    i = ct.bid(0)
    log = ct.cumsum(ct.log(ct.load(a, index=(i, 0), shape=(1, T)).reshape((T,))), axis=0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    decay = ct.where(column <= row, ct.exp(log.reshape((T, 1)) - log.reshape((1, T))), 0.0)
    xt = ct.load(x, index=(i, 0), shape=(1, T))
    ct.store(h, index=(i, 0), tile=ct.sum(decay * xt, axis=1).reshape((1, T)))


@ct.kernel
def linear_attention(q, k, v, o, decay: float, D: Const, STEPS: Const):
    """S_t = decay S_{t-1} + k_t v_t^T; o_t = q_t S_t, step by step; grid (heads)."""
    head = ct.bid(0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for t in range(STEPS):
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1)).astype(ct.float32)
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D)).astype(ct.float32)
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1)).astype(ct.float32)
        state = decay * state + kt * vt
        ct.store(o, index=(head, t, 0), tile=ct.sum(qt * state, axis=0).astype(o.dtype).reshape((1, 1, D)))


@ct.kernel
def linear_attention_chunks(q, k, v, o, decay: float, D: Const, T: Const):
    """The same in chunks: what the state before gives, and a masked product within the chunk."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    log = ct.log2(ct.full((1, 1), 1.0, dtype=ct.float32) * decay)
    within = ct.where(row >= column, ct.exp2((row - column).astype(ct.float32) * log), 0.0)
    since = ct.exp2((row + 1).astype(ct.float32) * log)
    until = ct.exp2((T - 1 - row).astype(ct.float32) * log)
    whole = ct.exp2(ct.full((1, 1), T, dtype=ct.float32) * log)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D)).astype(ct.float32)
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D)).astype(ct.float32)
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D)).astype(ct.float32)
        s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32)) * within
        ot = ct.mma(s, vt, ct.mma(qt * since, state, ct.full((T, D), 0.0, dtype=ct.float32)))
        ct.store(o, index=(head, j, 0), tile=ot.astype(o.dtype).reshape((1, T, D)))
        state = ct.mma(ct.transpose(kt * until), vt, state * whole)


H2, H3, F1, F2, F3 = (
    array(ct.float16, 2),
    array(ct.float16, 3),
    array(ct.float32, 1),
    array(ct.float32, 2),
    array(ct.float32, 3),
)
B2 = array(ct.bfloat16, 2)
SCALED = [H2, H2, F2, F2, ct.float32, ct.float32]
LATE = [H2, array(ct.int8, 2), F1, F1, F2]
KERNELS = {
    "matmul": (matmul, [H2, H2, F2, 16, 16, 16]),
    "matmul_bf16": (matmul, [B2, B2, B2, 16, 16, 16]),
    "matmul_narrow": (matmul, [H2, H2, H2, 16, 16, 16]),
    "matmul_wide": (matmul, [H2, H2, H2, 16, 32, 32]),
    "matmul_f32_half": (matmul, [F2, F2, H2, 16, 16, 16]),
    "widen": (widen, [H2, F2, 16, 16]),
    "matmul_half": (matmul_half, [H2, H2, H2, 16, 16, 16]),
    "matmul_sums": (matmul_sums, [H2, H2, F2, 8, 16, 8]),
    "matmul_transposed": (matmul_transposed, [B2, B2, B2, 16, 16, 32]),
    "matmul_turned": (matmul_turned, [H2, H2, F2, 32, 16, 16]),
    "matmul_swizzled": (matmul_swizzled, [H2, H2, F2, 2, 16, 16, 16]),
    "splitk": (splitk, [H2, H2, F3, 16, 16, 16]),
    "sum_parts": (sum_parts, [F3, F2, 4, 16, 16]),
    "streamk": (streamk, [H2, H2, F2, 7, 16, 16, 16]),
    "scaled_sum": (scaled_sum, [*SCALED, 16, 16, 16]),
    "scaled_start": (scaled_start, [*SCALED, 16, 16, 16]),
    "integer_weights": (integer_weights, [*LATE, 16, 16, 16]),
    "integer_weights_late": (integer_weights_late, [*LATE, 16, 16, 16]),
    "complex_four": (complex_four, [F2, F2, F2, F2, F2, F2, 16]),
    "complex_three": (complex_three, [F2, F2, F2, F2, F2, F2, 16]),
    "row_sums": (row_sums, [F2, F1, 8, 128]),
    "row_sums_blocks": (row_sums_blocks, [F2, F1, 4, 16]),
    "row_sums_product": (row_sums_product, [F2, F1, 8, 128]),
    "running_sums": (running_sums, [F2, F2, 8, 128]),
    "running_sums_blocks": (running_sums_blocks, [F2, F2, 8, 16]),
    "running_sums_triangle": (running_sums_triangle, [F2, F2, 8, 128]),
    "recurrence": (recurrence, [F2, F2, F2, 32, 8]),
    "recurrence_decays": (recurrence_decays, [F2, F2, F2, 32, 32]),
    "linear_attention": (linear_attention, [H3, H3, H3, H3, ct.float32, 16, 40]),
    "linear_attention_chunks": (linear_attention_chunks, [H3, H3, H3, H3, ct.float32, 16, 16]),
}

SHAPE = {"X": buffer("f16", [40, "K"], NORMAL), "Y": buffer("f16", ["K", 56], NORMAL), "Z": buffer("f32", [40, 56])}
# Inner steps of 8 and 16: ragged for 16, whole, with one element in the last, a single one, one element.
SIZES = {"K": [72, 80, 65, 16, 1]}
PLAIN = [run("matmul", (3, 4), "X", "Y", "Z")]
ROWS = {"X": buffer("f32", [7, 100], given("rows.f32"))}
EIGHTH = "{normal: {mean: 0, std: 0.125}}"
CHAIN = {
    "A": buffer("f16", [40, 24], NORMAL),
    "B": buffer("f16", [24, 56], EIGHTH),
    "C": buffer("f16", [56, 20], NORMAL),
    "Z": buffer("f16", [40, 20]),
}
QUANTISED = {
    "X": buffer("f16", [40, 72], NORMAL),
    "Q": buffer("i8", [72, 56], integers(-128, 127)),
    "S": buffer("f32", [56], uniform(0.001, 0.02)),
    "ZERO": buffer("f32", [56], integers(-8, 8)),
    "Z": buffer("f32", [40, 56]),
}
COMPLEX = {
    **{n: buffer("f32", [16, 16], NORMAL) for n in ("XR", "XI", "YR", "YI")},
    **{n: buffer("f32", [16, 16]) for n in ("ZR", "ZI")},
}
LINEAR = {n: buffer("f16", [2, 40, 16], EIGHTH) for n in "QKV"}

PAIRS = [
    pair(
        "split",
        "a product, and split over the inner dimension and summed",
        {**SHAPE, "PARTS": buffer("f32", [3, 40, 56])},
        PLAIN,
        [run("splitk", (3, 4, 3), "X", "Y", "PARTS"), run("sum_parts", (3, 4), "PARTS", "Z")],
        ["Z"],
        [
            mutant(
                "rounded_down",
                "splitk",
                "ct.cdiv(steps, parts.shape[0])",
                "steps // parts.shape[0]",
                "the share is rounded down",
            ),
            mutant("overlap", "splitk", "(s + 1) * share)", "(s + 1) * share + 1)", "shares overlap by a step"),
            mutant("start", "splitk", "range(s * share", "range(s", "shares start at the wrong step"),
            mutant("maximum", "sum_parts", "ct.sum(tile, axis=0)", "ct.max(tile, axis=0)", "the largest part"),
            launched("two", "grid: [3, 4, 3]", "grid: [3, 4, 2]", "the last share is never computed"),
            mutant(
                "one_element",
                "splitk",
                "steps = ct.num_tiles(x, axis=1, shape=(TM, TK))",
                "steps = ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "split"),
        parameters=SIZES,
    ),
    pair(
        "stream",
        "a product, and stream-K: programs take inner steps wherever they fall",
        {**SHAPE, "Z": buffer("f32", [40, 56], "zeros")},
        PLAIN,
        [run("streamk", ("cdiv(12 * cdiv(K, 16), 7)",), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "not_reset",
                "streamk",
                "            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n",
                "",
                "the accumulator is not reset for the next tile",
            ),
            mutant(
                "tail_lost",
                "streamk",
                "k == steps - 1 or step == last - 1",
                "k == steps - 1",
                "what a program has begun is not added",
            ),
            # Not here: tiles taken in another order, such as (tile + 1) % columns for tile % columns. Each is still
            # taken once.
            mutant(
                "inner",
                "streamk",
                "step // steps, step % steps",
                "step // steps, (step + 1) % steps",
                "inner steps begin with the second",
            ),
            launched("programs", "cdiv(K, 16), 7)]", "cdiv(K, 16), 7) - 1]", "one program too few"),
            mutant(
                "one_element",
                "streamk",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "stream"),
        parameters=SIZES,
    ),
    pair(
        "sums",
        "a product by mma, and by products and sums backwards",
        SHAPE,
        PLAIN,
        [run("matmul_sums", (5, 4), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "one_block_less",
                "matmul_sums",
                "for step in range(blocks)",
                "for step in range(1, blocks)",
                "the last inner block is left out",
            ),
            mutant(
                "block",
                "matmul_sums",
                "ct.load(y, index=(k, j)",
                "ct.load(y, index=(step, j)",
                "blocks of y forwards, of x backwards",
            ),
            mutant(
                "transposed",
                "matmul_sums",
                "b.reshape((1, TK, TN))",
                "b.reshape((1, TN, TK)).permute((0, 2, 1))",
                "y's tile reshaped, then transposed",
            ),
            mutant(
                "one_element",
                "matmul_sums",
                "for step in range(blocks)",
                "for step in range(ct.cdiv(x.shape[1] - 1, TK))",
                "a last step with a single element is skipped",
            ),
        ],
        names=("mma", "sums"),
        parameters=SIZES,
    ),
    pair(
        "transposed",
        "a bf16 product, and with y stored transposed",
        {
            "X": buffer("bf16", [40, 72], NORMAL),
            "Y": buffer("bf16", [72, 72], given("square.bf16")),
            "YT": buffer("bf16", [72, 72], given("square_turned.bf16")),
            "Z": buffer("bf16", [40, 72]),
        },
        [run("matmul_bf16", (3, 5), "X", "Y", "Z")],
        [run("matmul_transposed", (3, 5), "X", "YT", "Z")],
        ["Z"],
        [
            mutant(
                "not_transposed",
                "matmul_transposed",
                "shape=(TK, TN), order=(1, 0)",
                "shape=(TK, TN)",
                "loaded as if it were not transposed",
            ),
            mutant(
                "tiles_only",
                "matmul_transposed",
                "ct.load(yt, index=(k, j), shape=(TK, TN), order=(1, 0), padding_mode=ZERO)",
                "ct.load(yt, index=(j, k), shape=(TN, TK), padding_mode=ZERO).reshape((TK, TN))",
                "tiles transposed, but not their elements",
            ),
            launched("operand", "args: [X, YT, Z]", "args: [X, Y, Z]", "the operand that is not transposed"),
        ],
        names=("plain", "transposed"),
    ),
    pair(
        "turned",
        "a product, and as the transpose of the product of transposes",
        SHAPE,
        PLAIN,
        [run("matmul_turned", (2, 4), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "reshaped", "matmul_turned", "ct.transpose(acc)", "acc.reshape((TM, TN))", "reshaped, not turned back"
            ),
            mutant(
                "last_block",
                "matmul_turned",
                "acc = ct.mma(ct.transpose(b), ct.transpose(a), acc)",
                "acc = ct.mma(ct.transpose(b), ct.transpose(a), ct.full((TN, TM), 0.0, dtype=ct.float32))",
                "nothing is accumulated",
            ),
            mutant(
                "one_element",
                "matmul_turned",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TK)))",
                "range(ct.cdiv(x.shape[1] - 1, TK))",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "turned"),
        parameters=SIZES,
    ),
    pair(
        "large",
        "a product whose results exceed f16, and as the transpose of the product of transposes",
        {
            **SHAPE,
            "X": buffer("f16", [40, 72], "{normal: {mean: 0, std: 300}}"),
            "Y": buffer("f16", [72, 56], "{normal: {mean: 0, std: 30}}"),
        },
        PLAIN,
        [run("matmul_turned", (2, 4), "X", "Y", "Z")],
        ["Z"],
        [
            unseen(
                "overflow",
                "matmul_turned",
                "ct.transpose(acc).astype",
                "ct.transpose(acc).astype(ct.float16).astype",
                "narrowed to f16, where it overflows",
            ),
        ],
        names=("plain", "turned"),
    ),
    pair(
        "swizzled",
        "a product, and with its blocks in groups for the cache",
        SHAPE,
        PLAIN,
        [run("matmul_swizzled", (12,), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "inner_block",
                "matmul_swizzled",
                "ct.load(y, index=(k, j)",
                "ct.load(y, index=(0, j)",
                "always the first block of y",
            ),
            mutant(
                "row_of_x",
                "matmul_swizzled",
                "ct.load(x, index=(i, k)",
                "ct.load(x, index=(group * GROUP, k)",
                "always the first row block of the group",
            ),
            mutant(
                "one_element",
                "matmul_swizzled",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TK)))",
                "range(ct.cdiv(x.shape[1] - 1, TK))",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "swizzled"),
        parameters=SIZES,
    ),
    pair(
        "accumulator",
        "a product accumulated in f32, and in f16",
        {"X": buffer("f16", [40, 72], EIGHTH), "Y": buffer("f16", [72, 56], EIGHTH), "Z": buffer("f16", [40, 56])},
        [run("matmul_narrow", (3, 4), "X", "Y", "Z")],
        [run("matmul_half", (3, 4), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "one_step_less",
                "matmul_half",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TK)))",
                "range(x.shape[1] // TK)",
                "the last, incomplete step is left out",
            ),
            mutant(
                "starts_at_last",
                "matmul_half",
                "acc = ct.full((TM, TN), 0.0",
                "acc = ct.full((TM, TN), 0.00390625",
                "the accumulator starts at 2^-8",
            ),
        ],
        names=("f32", "f16"),
    ),
    pair(
        "chain",
        "a chain of two products with the middle in f32, and in f16",
        {**CHAIN, "M": buffer("f32", [40, 56]), "N": buffer("f16", [40, 56]), "CF": buffer("f32", [56, 20])},
        [
            run("matmul", (3, 4), "A", "B", "M"),
            run("widen", (4, 2), "C", "CF"),
            run("matmul_f32_half", (3, 2), "M", "CF", "Z"),
        ],
        [run("matmul_narrow", (3, 4), "A", "B", "N"), run("matmul_wide", (3, 1), "N", "C", "Z")],
        ["Z"],
        [
            mutant(
                "last_block",
                "matmul_narrow",
                "acc = ct.mma(a, b, acc)",
                "acc = ct.mma(a, b, ct.full((TM, TN), 0.0, dtype=ct.float32))",
                "nothing is accumulated in the first product",
            ),
            mutant(
                "inner",
                "matmul_wide",
                "ct.load(x, index=(i, k)",
                "ct.load(x, index=(i, 0)",
                "always the first inner block",
            ),
        ],
        names=("f32", "f16"),
    ),
    pair(
        "associated",
        "(A B) C, and A (B C)",
        {**CHAIN, "N": buffer("f16", [40, 56]), "R": buffer("f16", [24, 20])},
        [run("matmul_narrow", (3, 4), "A", "B", "N"), run("matmul_wide", (3, 1), "N", "C", "Z")],
        [run("matmul_narrow", (2, 2), "B", "C", "R"), run("matmul_wide", (3, 1), "A", "R", "Z")],
        ["Z"],
        [
            launched(
                "rows",
                "grid: [2, 2], args: [B, C, R]",
                "grid: [1, 2], args: [B, C, R]",
                "half of B C is never computed",
            ),
        ],
        names=("left", "right"),
    ),
    pair(
        "scaled",
        "alpha x y + beta c, and with (beta / alpha) c in the accumulator",
        {**SHAPE, "C": buffer("f32", [40, 56], NORMAL)},
        [run("scaled_sum", (3, 4), "X", "Y", "C", "Z", "f32 0.3", "f32 0.7")],
        [run("scaled_start", (3, 4), "X", "Y", "C", "Z", "f32 0.3", "f32 0.7")],
        ["Z"],
        [
            mutant("not_divided", "scaled_start", "* (beta / alpha)", "* beta", "c is scaled by alpha as well"),
            mutant(
                "inverse", "scaled_start", "* (beta / alpha)", "* (alpha / beta)", "the quotient the wrong way round"
            ),
            launched("swapped", "f32 0.3, f32 0.7", "f32 0.7, f32 0.3", "alpha and beta are swapped"),
            launched("rounded", "f32 0.3, f32 0.7", "f32 0.3, f32 0.6999", "a factor that is slightly off"),
            mutant(
                "one_element",
                "scaled_start",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TK)))",
                "range(ct.cdiv(x.shape[1] - 1, TK))",
                "a last step with a single element is skipped",
            ),
        ],
        names=("sum", "start"),
        parameters=SIZES,
    ),
    pair(
        "integers",
        "integer weights converted before the product, and offset and scale applied afterwards",
        QUANTISED,
        [run("integer_weights", (3, 4), "X", "Q", "S", "ZERO", "Z")],
        [run("integer_weights_late", (3, 4), "X", "Q", "S", "ZERO", "Z")],
        ["Z"],
        [
            mutant("no_offset", "integer_weights_late", "(acc - sums * zt) * st", "acc * st", "the offset is missing"),
            mutant(
                "offset_sign",
                "integer_weights_late",
                "acc - sums * zt",
                "acc + sums * zt",
                "the offset has the wrong sign",
            ),
            mutant(
                "offset_unscaled",
                "integer_weights_late",
                "(acc - sums * zt) * st",
                "acc * st - sums * zt",
                "the offset is not scaled",
            ),
            mutant(
                "sums_of_last",
                "integer_weights_late",
                "sums = sums + ct.sum",
                "sums = ct.sum",
                "row sums of the last block only",
            ),
        ],
        names=("before", "after"),
    ),
    pair(
        "complex",
        "a complex product with four real ones, and with three",
        COMPLEX,
        [run("complex_four", (1,), "XR", "XI", "YR", "YI", "ZR", "ZI")],
        [run("complex_three", (1,), "XR", "XI", "YR", "YI", "ZR", "ZI")],
        ["ZR", "ZI"],
        [
            mutant("sign", "complex_three", "tile=p - q", "tile=p + q", "the real part of a conjugate"),
            mutant("term", "complex_three", "r - p - q", "r - p", "a product is not taken off"),
            mutant(
                "operand",
                "complex_three",
                "ct.mma(a + b, c + d, zero)",
                "ct.mma(a + b, c - d, zero)",
                "a difference for a sum",
            ),
        ],
        names=("four", "three"),
    ),
    pair(
        "row_sums",
        "sums of rows at once, and lane by lane backwards",
        {**ROWS, "Y": buffer("f32", [7])},
        [run("row_sums", (1,), "X", "Y")],
        [run("row_sums_blocks", (2,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "not_all",
                "row_sums_blocks",
                "for j in range(blocks)",
                "for j in range(1, blocks)",
                "the last block is left out",
            ),
            mutant(
                "twice",
                "row_sums_blocks",
                "blocks - 1 - j",
                "ct.maximum(blocks - 2 - j, 0)",
                "the first block twice, the last one never",
            ),
        ],
        names=("once", "lanes"),
    ),
    pair(
        "row_sums_product",
        "sums of rows, and by a product with ones",
        {**ROWS, "Y": buffer("f32", [7])},
        [run("row_sums", (1,), "X", "Y")],
        [run("row_sums_product", (1,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "sixteen", "row_sums_product", "/ 16.0", "/ 15.9375", "divided by another number than there are columns"
            ),
        ],
        names=("sums", "product"),
    ),
    pair(
        "running_sums",
        "running sums of rows, and in column blocks with a carry",
        {**ROWS, "Y": buffer("f32", [7, 100])},
        [run("running_sums", (1,), "X", "Y")],
        [run("running_sums_blocks", (1,), "X", "Y")],
        ["Y"],
        [
            mutant("no_carry", "running_sums_blocks", "tile=carry + ct", "tile=ct", "blocks start at 0"),
            mutant(
                "carry_of_last",
                "running_sums_blocks",
                "carry = carry + ct.sum",
                "carry = ct.sum",
                "only the block before is carried",
            ),
            mutant(
                "carry_early",
                "running_sums_blocks",
                "tile=carry + ct.cumsum(t, axis=1)",
                "tile=carry + ct.cumsum(t, axis=1) - t",
                "without the element itself",
            ),
        ],
        names=("once", "blocks"),
    ),
    pair(
        "running_sums_triangle",
        "running sums of rows, and by a product with a triangle of ones",
        {**ROWS, "Y": buffer("f32", [7, 100])},
        [run("running_sums", (1,), "X", "Y")],
        [run("running_sums_triangle", (1,), "X", "Y")],
        ["Y"],
        [
            mutant("strict", "running_sums_triangle", "row <= column", "row < column", "without the element itself"),
            mutant("other", "running_sums_triangle", "row <= column", "row >= column", "the sums from here on"),
        ],
        names=("scan", "product"),
    ),
    pair(
        "recurrence",
        "a gated recurrence step by step, and as a sum over earlier steps with decays by logarithms",
        {
            "A": buffer("f32", [7, 32], uniform(0.5, 1)),
            "X": buffer("f32", [7, 32], NORMAL),
            "H": buffer("f32", [7, 32]),
        },
        [run("recurrence", (1,), "A", "X", "H")],
        [run("recurrence_decays", (7,), "A", "X", "H")],
        ["H"],
        [
            mutant("without_itself", "recurrence_decays", "column <= row", "column < row", "without the step itself"),
            mutant(
                "sign",
                "recurrence_decays",
                "log.reshape((T, 1)) - log.reshape((1, T))",
                "log.reshape((1, T)) - log.reshape((T, 1))",
                "decays that grow",
            ),
            mutant(
                "gate_late",
                "recurrence_decays",
                "ct.exp(log.reshape((T, 1)) - log.reshape((1, T)))",
                "ct.exp(log.reshape((T, 1)))",
                "decays from the beginning",
            ),
        ],
        names=("steps", "decays"),
    ),
    pair(
        "linear_attention",
        "linear attention with decay step by step, and in chunks",
        {**LINEAR, "O": buffer("f16", [2, 40, 16])},
        [run("linear_attention", (2,), "Q", "K", "V", "O", "f32 0.9")],
        [run("linear_attention_chunks", (2,), "Q", "K", "V", "O", "f32 0.9")],
        ["O"],
        [
            mutant(
                "since",
                "linear_attention_chunks",
                "(row + 1).astype",
                "(row + 0).astype",
                "the state decays one step less",
            ),
            mutant("until", "linear_attention_chunks", "(T - 1 - row)", "(T - row)", "keys decay one step more"),
            mutant(
                "whole",
                "linear_attention_chunks",
                "state * whole",
                "state",
                "the state does not decay from chunk to chunk",
            ),
            mutant(
                "no_decay_within",
                "linear_attention_chunks",
                "ct.exp2((row - column).astype(ct.float32) * log)",
                "1.0",
                "no decay within a chunk",
            ),
            mutant("mask", "linear_attention_chunks", "row >= column", "row > column", "a step does not see itself"),
            mutant(
                "values",
                "linear_attention_chunks",
                "ct.transpose(kt * until), vt",
                "ct.transpose(kt * until), kt",
                "keys for values in the state",
            ),
        ],
        names=("steps", "chunks"),
    ),
]
