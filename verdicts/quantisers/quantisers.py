# SPDX-License-Identifier: Apache-2.0
# Quantisers that take their scale from the largest magnitude: f8 and int8; of a tensor, of rows, of blocks.
import cuda.tile as ct
from corpus import NORMAL, buffer, integers, launched, mutant, pair, run, unseen
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


def largest(t):
    """The largest magnitude of each row."""
    return ct.max(ct.abs(t), axis=1, keepdims=True)


# ---- a scale for each row --------------------------------------------------------------------------------------------
@ct.kernel
def rows_int8(x, q, s, TM: Const, TN: Const):
    """q = round(x / s), s = max |x| / 127; whole rows."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    scale = largest(t) / 127.0
    ct.store(q, index=(i, 0), tile=ct.floor(t / scale + 0.5).astype(q.dtype))
    ct.store(s, index=(i,), tile=scale.reshape((TM,)))


@ct.kernel
def rows_int8_blocks(x, q, s, TM: Const, TN: Const):
    """The same in two passes over blocks of columns."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    amax = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        amax = ct.maximum(amax, ct.max(ct.abs(t), axis=1, keepdims=True))
    scale = amax / 127.0
    ct.store(s, index=(i,), tile=scale.reshape((TM,)))
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(q, index=(i, j), tile=ct.floor(t / scale + 0.5).astype(q.dtype))


@ct.kernel
def rows_f8(x, q, s, top: float, TM: Const, TN: Const):
    """q = x / s, s = max |x| / top, of bf16 or f32; whole rows."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    scale = largest(t) / top
    ct.store(q, index=(i, 0), tile=(t / scale).astype(q.dtype))
    ct.store(s, index=(i,), tile=scale.reshape((TM,)))


@ct.kernel
def rows_f8_sides(x, q, s, top: float, TM: Const, TN: Const):
    """The same: largest and smallest element in blocks of columns from the last."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    high = ct.full((TM, 1), 0.0, dtype=ct.float32)
    low = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for back in range(blocks):
        t = ct.load(x, index=(i, blocks - 1 - back), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        high = ct.maximum(high, ct.max(t, axis=1, keepdims=True))
        low = ct.minimum(low, ct.min(t, axis=1, keepdims=True))
    amax = ct.maximum(high, -low)
    scale = amax / top
    ct.store(s, index=(i,), tile=scale.reshape((TM,)))
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        ct.store(q, index=(i, j), tile=(t / scale).astype(q.dtype))


# ---- a scale for the tensor ------------------------------------------------------------------------------------------
@ct.kernel
def tensor_amax(x, amax, TM: Const, TN: Const):
    """One program for the largest magnitude of all."""
    m = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
            m = ct.maximum(m, ct.abs(ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)))
    ct.store(amax, index=(0,), tile=ct.max(m).reshape((1,)))


@ct.kernel
def tensor_quantise(x, amax, q, s, top: float, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    scale = ct.load(amax, index=(0,), shape=(1,)) / top
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(q, index=(i, j), tile=(t / scale.reshape((1, 1))).astype(q.dtype))
    if i == 0 and j == 0:
        ct.store(s, index=(0,), tile=scale)


@ct.kernel
def partial_amax(x, parts, TM: Const, TN: Const):
    """The largest magnitude of each block; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(parts, index=(i, j), tile=ct.max(ct.abs(t)).reshape((1, 1)))


@ct.kernel
def partial_quantise(x, parts, q, s, top: float, PM: Const, PN: Const, TM: Const, TN: Const):
    """Every program reduces the blocks' maxima itself."""
    i, j = ct.bid(0), ct.bid(1)
    amax = ct.max(ct.load(parts, index=(0, 0), shape=(PM, PN), padding_mode=ZERO))
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(q, index=(i, j), tile=(t / (amax / top)).astype(q.dtype))
    if i + j == 0:
        ct.store(s, index=(0,), tile=(amax / top).reshape((1,)))


@ct.kernel
def atomic_amax(x, bits, TM: Const, TN: Const):
    """Bits of magnitudes ascend as the magnitudes do: an integer maximum in memory, 0 before."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.atomic_max(bits, (0,), ct.bitcast(ct.max(ct.abs(t)), ct.int32))


@ct.kernel
def atomic_amax_of_silu(x, bits, TM: Const, TN: Const):
    """As atomic_amax, of x sigmoid(x)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.atomic_max(bits, (0,), ct.bitcast(ct.max(ct.abs(t / (1.0 + ct.exp(-t)))), ct.int32))


@ct.kernel
def bits_quantise_silu(x, bits, q, s, top: float, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    scale = ct.bitcast(ct.load(bits, index=(0,), shape=(1,)), ct.float32) / top
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(q, index=(i, j), tile=(t / (1.0 + ct.exp(-t)) / scale.reshape((1, 1))).astype(q.dtype))
    if i == 0 and j == 0:
        ct.store(s, index=(0,), tile=scale)


@ct.kernel
def silu(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=t / (1.0 + ct.exp(-t)))


@ct.kernel
def bits_quantise(x, bits, q, s, top: float, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    scale = ct.bitcast(ct.load(bits, index=(0,), shape=(1,)), ct.float32) / top
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(q, index=(i, j), tile=(t / scale.reshape((1, 1))).astype(q.dtype))
    if i == 0 and j == 0:
        ct.store(s, index=(0,), tile=scale)


# ---- a scale for each block ------------------------------------------------------------------------------------------
@ct.kernel
def groups_wide(x, q, s, top: float, GROUP: Const, TM: Const, TN: Const):
    """A scale for GROUP columns of a row, s[row, group]; whole rows."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).reshape((TM, TN // GROUP, GROUP))
    scale = ct.max(ct.abs(t), axis=2, keepdims=True) / top
    ct.store(q, index=(i, 0), tile=(t / scale).reshape((TM, TN)).astype(q.dtype))
    ct.store(s, index=(i, 0), tile=scale.reshape((TM, TN // GROUP)))


@ct.kernel
def groups_narrow(x, q, s, top: float, GROUP: Const, TM: Const):
    """One program for GROUP columns of TM rows, with the reciprocal; grid (row blocks, groups)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, GROUP), padding_mode=ZERO)
    amax = ct.max(ct.abs(t), axis=1, keepdims=True)
    ct.store(q, index=(i, j), tile=(t * (top / amax)).astype(q.dtype))
    ct.store(s, index=(i, j), tile=amax / top)


@ct.kernel
def squares_strip(x, q, s, top: float, SIDE: Const, TN: Const):
    """A scale for SIDE x SIDE elements, s[row block, column block]; a strip of SIDE rows at a time."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(SIDE, TN), padding_mode=ZERO).reshape((SIDE, TN // SIDE, SIDE))
    scale = ct.max(ct.max(ct.abs(t), axis=2, keepdims=True), axis=0, keepdims=True) / top
    ct.store(q, index=(i, 0), tile=(t / scale).reshape((SIDE, TN)).astype(q.dtype))
    ct.store(s, index=(i, 0), tile=scale.reshape((1, TN // SIDE)))


@ct.kernel
def squares_each(x, q, s, top: float, SIDE: Const, ROWS: Const):
    """One program for each square, ROWS rows at a time; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    part = min(SIDE // ROWS, ct.cdiv(x.shape[0] - i * SIDE, ROWS))
    amax = ct.full((1, SIDE), 0.0, dtype=ct.float32)
    for r in range(part):
        t = ct.load(x, index=(i * (SIDE // ROWS) + r, j), shape=(ROWS, SIDE), padding_mode=ZERO)
        amax = ct.maximum(amax, ct.max(ct.abs(t), axis=0, keepdims=True))
    scale = ct.max(amax, axis=1, keepdims=True) / top
    for r in range(part):
        t = ct.load(x, index=(i * (SIDE // ROWS) + r, j), shape=(ROWS, SIDE), padding_mode=ZERO)
        ct.store(q, index=(i * (SIDE // ROWS) + r, j), tile=(t / scale).astype(q.dtype))
    ct.store(s, index=(i, j), tile=scale)


@ct.kernel
def power_rows(x, y, GROUP: Const, TM: Const, TN: Const):
    """Rounded to f8 by a scale that is a power of 2 (MX), back in f32; whole rows."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).reshape((TM, TN // GROUP, GROUP))
    amax = ct.maximum(ct.max(ct.abs(t), axis=2, keepdims=True), 1.0e-4)
    scale = ct.exp2(ct.ceil(ct.log2(amax / 448.0)))
    y_t = (t / scale).astype(ct.float8_e4m3fn).astype(ct.float32) * scale
    ct.store(y, index=(i, 0), tile=y_t.reshape((TM, TN)))


@ct.kernel
def power_groups(x, y, GROUP: Const, TM: Const):
    """The same, a program for each group of columns: 2^-e before, 2^e afterwards."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, GROUP), padding_mode=ZERO)
    amax = ct.maximum(ct.max(t, axis=1, keepdims=True), -ct.min(t, axis=1, keepdims=True))
    e = ct.ceil(ct.log2(ct.maximum(amax, 1.0e-4) / 448.0))
    ct.store(y, index=(i, j), tile=(t * ct.exp2(-e)).astype(ct.float8_e4m3fn).astype(ct.float32) * ct.exp2(e))


# ---- with a zero point, with a history -------------------------------------------------------------------------------
@ct.kernel
def affine_rows(x, y, TM: Const, TN: Const):
    """8 bits from the smallest to the largest of a row, back in f32; whole rows."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    high = ct.max(ct.where(inside, t, -1.0e30), axis=1, keepdims=True)
    low = ct.min(ct.where(inside, t, 1.0e30), axis=1, keepdims=True)
    step = (high - low) / 255.0
    ct.store(y, index=(i, 0), tile=ct.floor((t - low) / step + 0.5) * step + low)


@ct.kernel
def affine_blocks(x, y, TM: Const, TN: Const):
    """The same in blocks of columns."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    high = ct.full((TM, 1), -1.0e30, dtype=ct.float32)
    low = ct.full((TM, 1), 1.0e30, dtype=ct.float32)
    for j in range(blocks):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < x.shape[1]
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        high = ct.maximum(high, ct.max(ct.where(inside, t, -1.0e30), axis=1, keepdims=True))
        low = ct.minimum(low, ct.min(ct.where(inside, t, 1.0e30), axis=1, keepdims=True))
    step = (high - low) / 255.0
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        code = ct.floor((t - low) / step + 0.5)
        ct.store(y, index=(i, j), tile=low + step * code)


@ct.kernel
def delayed(x, history, new, q, top: float, STEPS: Const, TM: Const, TN: Const):
    """The scale from the largest magnitudes of earlier steps; new history: this step's, then the earlier ones."""
    h = ct.load(history, index=(0,), shape=(STEPS,), padding_mode=ZERO)
    scale = ct.max(h) / top
    m = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
        m = ct.maximum(m, ct.abs(t))
        ct.store(q, index=(i, 0), tile=(t / scale).astype(q.dtype))
    step = ct.arange(STEPS, dtype=ct.int32)
    ct.scatter(new, (step + 1,), h)
    ct.store(new, index=(0,), tile=ct.max(m).reshape((1,)))


@ct.kernel
def delayed_in_place(x, history, q, top: float, STEPS: Const, TM: Const, TN: Const):
    """With the scale of a history that has this step's maximum in front; grid (row blocks)."""
    i = ct.bid(0)
    h = ct.load(history, index=(0,), shape=(STEPS,), padding_mode=ZERO)
    earlier = ct.where(ct.arange(STEPS, dtype=ct.int32) > 0, h, 0.0)
    inverse = top / ct.max(earlier)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ct.store(q, index=(i, 0), tile=(t * inverse).astype(q.dtype))


@ct.kernel
def copy(x, y, N: Const):
    """y begins with x."""
    ct.scatter(
        y,
        (ct.arange(N, dtype=ct.int32),),
        ct.load(x, index=(0,), shape=(N,), padding_mode=ZERO),
        mask=ct.arange(N, dtype=ct.int32) < x.shape[0],
    )


@ct.kernel
def roll(history, STEPS: Const):
    """In place: each step's maximum one place on, 0 in the first."""
    step = ct.arange(STEPS, dtype=ct.int32)
    h = ct.gather(history, (step - 1,), mask=step > 0, padding_value=0.0)
    ct.store(history, index=(0,), tile=h)


@ct.kernel
def newest(x, history, TM: Const, TN: Const):
    """The largest magnitude of x to the first place."""
    amax = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
        amax = ct.maximum(amax, ct.max(ct.abs(t), axis=1, keepdims=True))
    ct.store(history, index=(0,), tile=ct.max(amax).reshape((1,)))


# ---- with what surrounds a quantiser ---------------------------------------------------------------------------------
@ct.kernel
def rms_norm(x, w, y, eps: float, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    r = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=t * r * ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).reshape((1, TN)))


@ct.kernel
def rms_norm_f8(x, w, q, s, eps: float, top: float, TM: Const, TN: Const):
    """Norm and quantiser in one: one pass over column blocks for squares and magnitudes of x w, a second one for q."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    squares = ct.full((TM, 1), 0.0, dtype=ct.float32)
    amax = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
        squares = squares + ct.sum(t * t, axis=1, keepdims=True)
        amax = ct.maximum(amax, ct.max(ct.abs(t * wt), axis=1, keepdims=True))
    r = ct.rsqrt(squares / x.shape[1] + eps)
    ct.store(s, index=(i,), tile=(amax * r / top).reshape((TM,)))
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
        ct.store(q, index=(i, j), tile=(t * wt * (top / amax)).astype(q.dtype))


@ct.kernel
def product_f8(q, s, w, sw, y, TM: Const, TN: Const, TK: Const):
    """y = (q w) s sw, f8 operands with a scale for each row and column."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(q, axis=1, shape=(TM, TK))):
        a = ct.load(q, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    st = ct.load(s, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    swt = ct.load(sw, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    ct.store(y, index=(i, j), tile=acc * st * swt)


@ct.kernel
def linear_dynamic(x, w, sw, y, top: float, TM: Const, TN: Const, TK: Const):
    """Rows quantised on the fly: a pass for the magnitudes, a pass for the product."""
    i, j = ct.bid(0), ct.bid(1)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    amax = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for k in range(steps):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        amax = ct.maximum(amax, ct.max(ct.abs(t), axis=1, keepdims=True))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(steps):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO) * (top / amax)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a.astype(w.dtype), b, acc)
    swt = ct.load(sw, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    ct.store(y, index=(i, j), tile=acc * swt * amax / top)


@ct.kernel
def product_dequantised(q, s, w, sw, y, TM: Const, TN: Const, TK: Const):
    """int8 operands times their scales in f32, then the product."""
    i, j = ct.bid(0), ct.bid(1)
    st = ct.load(s, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    swt = ct.load(sw, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(q, axis=1, shape=(TM, TK))):
        a = ct.load(q, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.float32) * st
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.float32) * swt
        acc = ct.mma(a, b, acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def product_int8(x, w, sw, y, TM: Const, TN: Const, TK: Const):
    """Rows quantised to int8 in place, products summed in int32, scales at the end."""
    i, j = ct.bid(0), ct.bid(1)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    amax = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for k in range(steps):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        amax = ct.maximum(amax, ct.max(ct.abs(t), axis=1, keepdims=True))
    scale = amax / 127.0
    acc = ct.full((TM, TN), 0, dtype=ct.int32)
    for k in range(steps):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        a = ct.floor(t / ct.where(scale > 0.0, scale, 1.0) + 0.5).astype(ct.int8)
        acc = ct.mma(a, ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    swt = ct.load(sw, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    ct.store(y, index=(i, j), tile=acc.astype(ct.float32) * scale * swt)


F1, F2 = array(ct.float32, 1), array(ct.float32, 2)
E4, E5, I8, BF = array(ct.float8_e4m3fn, 2), array(ct.float8_e5m2, 2), array(ct.int8, 2), array(ct.bfloat16, 2)
I32, FLOAT = array(ct.int32, 1), ct.float32
KERNELS = {
    "rows_int8": (rows_int8, [F2, I8, F1, 8, 128]),
    "rows_int8_blocks": (rows_int8_blocks, [F2, I8, F1, 8, 32]),
    "rows_f8": (rows_f8, [BF, E4, F1, FLOAT, 8, 128]),
    "rows_f8_sides": (rows_f8_sides, [BF, E4, F1, FLOAT, 4, 32]),
    "tensor_amax": (tensor_amax, [F2, F1, 8, 128]),
    "tensor_quantise": (tensor_quantise, [F2, F1, E5, F1, FLOAT, 8, 64]),
    "partial_amax": (partial_amax, [F2, F2, 8, 32]),
    "partial_quantise": (partial_quantise, [F2, F2, E5, F1, FLOAT, 8, 4, 16, 32]),
    "atomic_amax": (atomic_amax, [F2, I32, 8, 32]),
    "silu": (silu, [F2, F2, 8, 64]),
    "atomic_amax_of_silu": (atomic_amax_of_silu, [F2, I32, 8, 32]),
    "bits_quantise_silu": (bits_quantise_silu, [F2, I32, E5, F1, FLOAT, 16, 32]),
    "bits_quantise": (bits_quantise, [F2, I32, E5, F1, FLOAT, 16, 32]),
    "groups_wide": (groups_wide, [F2, E4, F2, FLOAT, 16, 8, 128]),
    "groups_narrow": (groups_narrow, [F2, E4, F2, FLOAT, 16, 16]),
    "squares_strip": (squares_strip, [F2, E4, F2, FLOAT, 16, 128]),
    "squares_each": (squares_each, [F2, E4, F2, FLOAT, 16, 4]),
    "power_rows": (power_rows, [F2, F2, 32, 4, 128]),
    "power_groups": (power_groups, [F2, F2, 32, 8]),
    "affine_rows": (affine_rows, [F2, F2, 4, 128]),
    "affine_blocks": (affine_blocks, [F2, F2, 8, 32]),
    "delayed": (delayed, [F2, F1, F1, E4, FLOAT, 8, 4, 128]),
    "delayed_in_place": (delayed_in_place, [F2, F1, E4, FLOAT, 8, 8, 128]),
    "copy": (copy, [F1, F1, 8]),
    "roll": (roll, [F1, 8]),
    "newest": (newest, [F2, F1, 8, 128]),
    "rms_norm": (rms_norm, [F2, F1, F2, FLOAT, 4, 128]),
    "rows_f32_f8": (rows_f8, [F2, E4, F1, FLOAT, 8, 128]),
    "rms_norm_f8": (rms_norm_f8, [F2, F1, E4, F1, FLOAT, FLOAT, 8, 32]),
    "product_f8": (product_f8, [E4, F1, E4, F1, F2, 16, 16, 32]),
    "linear_dynamic": (linear_dynamic, [F2, E4, F1, F2, FLOAT, 8, 16, 64]),
    "product_dequantised": (product_dequantised, [I8, F1, I8, F1, F2, 16, 16, 32]),
    "product_int8": (product_int8, [F2, I8, F1, F2, 8, 8, 64]),
}

# Columns in blocks of 16, 32 and 64: ragged, whole, with one column in the last, one column.
SIZES = {"C": [100, 128, 65, 1]}
BY_16, BY_32, BY_64 = "cdiv(C, 16)", "cdiv(C, 32)", "cdiv(C, 64)"
X = buffer("f32", [37, "C"], NORMAL)
ROWS, GROUPS = {"X": X, "Q": buffer("i8", [37, "C"]), "S": buffer("f32", [37])}, {
    "X": X,
    "Q": buffer("f8e4m3fn", [37, "C"]),
    "S": buffer("f32", [37, BY_16]),
}
F8_ROWS = {**ROWS, "X": buffer("bf16", [37, "C"], NORMAL), "Q": buffer("f8e4m3fn", [37, "C"])}
LEFT = buffer("f32", [37, "C"], "{normal: {mean: -1, std: 1}}")  # the largest magnitude is negative
TENSOR = {"X": LEFT, "AMAX": buffer("f32", [1]), "Q": buffer("f8e5m2", [37, "C"]), "S": buffer("f32", [1])}
TOP = "f32 448"
PASSES = ("whole", "blocks")

PAIRS = [
    pair(
        "rows_int8",
        "int8 with a scale for each row from the whole row, and in two passes over column blocks",
        {"X": buffer("f32", [37, "C"], NORMAL), "Q": buffer("i8", [37, "C"]), "S": buffer("f32", [37])},
        [run("rows_int8", (5,), "X", "Q", "S")],
        [run("rows_int8_blocks", (5,), "X", "Q", "S")],
        ["Q", "S"],
        [
            mutant(
                "last_block",
                "rows_int8_blocks",
                "amax = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "amax = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks - 1)",
                "the last block has no part in the maximum",
            ),
            mutant(
                "no_magnitude",
                "rows_int8_blocks",
                "ct.max(ct.abs(t), axis=1",
                "ct.max(t, axis=1",
                "the largest element, not the largest magnitude",
            ),
            mutant(
                "stale",
                "rows_int8_blocks",
                "amax = ct.maximum(amax, ct.max(ct.abs(t), axis=1, keepdims=True))",
                "amax = ct.max(ct.abs(t), axis=1, keepdims=True)",
                "only the last block's maximum",
            ),
            mutant("steps", "rows_int8_blocks", "amax / 127.0", "amax / 128.0", "128 steps in place of 127"),
            mutant("truncated", "rows_int8_blocks", "scale + 0.5", "scale", "rounded down"),
        ],
        names=PASSES,
        parameters={"C": [120, 128, 65, 1]},
    ),
    pair(
        "rows_f8",
        "f8 rows of bf16 by the magnitude of the whole row, and by largest and smallest element of blocks",
        F8_ROWS,
        [run("rows_f8", (5,), "X", "Q", "S", TOP)],
        [run("rows_f8_sides", (10,), "X", "Q", "S", TOP)],
        ["Q", "S"],
        [
            mutant("one_side", "rows_f8_sides", "ct.maximum(high, -low)", "high", "negative elements do not count"),
            mutant("sign", "rows_f8_sides", "ct.maximum(high, -low)", "ct.maximum(high, low)", "low is not negated"),
            mutant(
                "first_twice",
                "rows_f8_sides",
                "index=(i, blocks - 1 - back)",
                "index=(i, blocks - 1 - back + back)",
                "the last block in place of each",
            ),
            mutant(
                "upside_down",
                "rows_f8_sides",
                "scale.reshape",
                "(1.0 / scale).reshape",
                "the scale's reciprocal is stored",
            ),
        ],
        names=PASSES,
        parameters=SIZES,
    ),
    pair(
        "tensor",
        "e5m2 with one scale for the tensor from one program, and from the maxima of blocks",
        {**TENSOR, "PARTS": buffer("f32", [5, BY_32])},
        [
            run("tensor_amax", (1,), "X", "AMAX"),
            run("tensor_quantise", (5, BY_64), "X", "AMAX", "Q", "S", "f32 57344"),
        ],
        [
            run("partial_amax", (5, BY_32), "X", "PARTS"),
            run("partial_quantise", (3, BY_32), "X", "PARTS", "Q", "S", "f32 57344"),
        ],
        ["Q", "S"],
        [
            mutant(
                "some_parts",
                "partial_quantise",
                "index=(0, 0), shape=(PM, PN)",
                "index=(i, 0), shape=(2, PN)",
                "each program has some blocks' maxima",
            ),
            mutant("sum", "partial_quantise", "amax = ct.max(", "amax = ct.sum(", "the sum of the blocks' maxima"),
            mutant("no_magnitude", "partial_amax", "ct.max(ct.abs(t))", "ct.max(t)", "the largest element of a block"),
            mutant(
                "inverse", "partial_quantise", "(t / (amax / top))", "(t * (amax / top))", "multiplied by the scale"
            ),
            launched(
                "one_column",
                "grid: [3, cdiv(C, 32)]",
                "grid: [3, max(cdiv(C - 1, 32), 1)]",
                "a last block with a single column is not quantised",
            ),
        ],
        names=PASSES,
        parameters=SIZES,
    ),
    pair(
        "tensor_atomic",
        "e5m2 with one scale for the tensor from one program, and from an atomic maximum of the bits of magnitudes",
        {**TENSOR, "BITS": buffer("i32", [1], "zeros")},
        [
            run("tensor_amax", (1,), "X", "AMAX"),
            run("tensor_quantise", (5, BY_64), "X", "AMAX", "Q", "S", "f32 57344"),
        ],
        [
            run("atomic_amax", (5, BY_32), "X", "BITS"),
            run("bits_quantise", (3, BY_32), "X", "BITS", "Q", "S", "f32 57344"),
        ],
        ["Q", "S"],
        [
            mutant("no_magnitude", "atomic_amax", "ct.max(ct.abs(t))", "ct.max(t)", "the largest element of a block"),
            mutant("sums", "atomic_amax", "ct.max(ct.abs(t))", "ct.sum(ct.abs(t))", "the largest sum of a block"),
            mutant("top", "bits_quantise", "/ top", "/ (top + 8192.0)", "another largest number"),
            launched(
                "one_column",
                "grid: [3, cdiv(C, 32)]",
                "grid: [3, max(cdiv(C - 1, 32), 1)]",
                "a last block with a single column is not quantised",
            ),
        ],
        names=("one", "atomic"),
        parameters=SIZES,
    ),
    pair(
        "silu_atomic",
        "SiLU and e5m2 with one scale in three launches, and SiLU twice with an atomic maximum of the bits of magnitudes",
        {**TENSOR, "Y": buffer("f32", [37, "C"]), "BITS": buffer("i32", [1], "zeros")},
        [
            run("silu", (5, BY_64), "X", "Y"),
            run("tensor_amax", (1,), "Y", "AMAX"),
            run("tensor_quantise", (5, BY_64), "Y", "AMAX", "Q", "S", "f32 57344"),
        ],
        [
            run("atomic_amax_of_silu", (5, BY_32), "X", "BITS"),
            run("bits_quantise_silu", (3, BY_32), "X", "BITS", "Q", "S", "f32 57344"),
        ],
        ["Q", "S"],
        [
            mutant("of_x", "atomic_amax_of_silu", "t / (1.0 + ct.exp(-t))", "t", "the largest magnitude of x"),
            mutant("sign", "bits_quantise_silu", "ct.exp(-t)", "ct.exp(t)", "the sigmoid of -x"),
            mutant("sums", "atomic_amax_of_silu", "ct.max(ct.abs", "ct.sum(ct.abs", "the largest sum of a block"),
        ],
        names=("launches", "atomic"),
        parameters=SIZES,
    ),
    pair(
        "groups",
        "e4m3 with a scale for 16 columns of a row from whole rows, and a group at a time with reciprocals",
        GROUPS,
        [run("groups_wide", (5,), "X", "Q", "S", TOP)],
        [run("groups_narrow", (3, BY_16), "X", "Q", "S", TOP)],
        ["Q", "S"],
        [
            mutant(
                "row_scale",
                "groups_narrow",
                "ct.max(ct.abs(t), axis=1, keepdims=True)",
                "ct.max(ct.abs(t)).reshape((1, 1)) + ct.full((TM, 1), 0.0, dtype=ct.float32)",
                "one scale for all rows of the block",
            ),
            mutant(
                "group",
                "groups_narrow",
                "ct.store(s, index=(i, j)",
                "ct.store(s, index=(i, (j + 1) % 7)",
                "scales of the group before",
            ),
            mutant("power", "groups_narrow", "amax / top", "amax * amax / top", "the scale of squares"),
            launched(
                "one_column",
                "grid: [3, cdiv(C, 16)]",
                "grid: [3, max(cdiv(C - 1, 16), 1)]",
                "a last group with a single column is not quantised",
            ),
        ],
        names=("rows", "groups"),
        parameters={"C": [100, 128, 97]},
    ),
    pair(
        "squares",
        "e4m3 with a scale for 16 x 16 elements from a strip of rows, and a square at a time in four passes",
        {**GROUPS, "S": buffer("f32", [3, BY_16])},
        [run("squares_strip", (3,), "X", "Q", "S", TOP)],
        [run("squares_each", (3, BY_16), "X", "Q", "S", TOP)],
        ["Q", "S"],
        [
            mutant(
                "last_rows",
                "squares_each",
                "amax = ct.full((1, SIDE), 0.0, dtype=ct.float32)\n    for r in range(part):",
                "amax = ct.full((1, SIDE), 0.0, dtype=ct.float32)\n    for r in range(part - 1):",
                "the last rows have no part in the maximum",
            ),
            mutant(
                "columns",
                "squares_each",
                "ct.max(amax, axis=1, keepdims=True) / top",
                "ct.extract(amax, (0, 0), shape=(1, 1)) / top",
                "only the first column's maximum",
            ),
            mutant(
                "turned",
                "squares_each",
                "ct.store(s, index=(i, j), tile=scale)",
                "ct.store(s, index=((i + j) % 3, j), tile=scale)",
                "scales are stored in other rows",
            ),
            launched(
                "one_column",
                "grid: [3, cdiv(C, 16)]",
                "grid: [3, max(cdiv(C - 1, 16), 1)]",
                "a last square with a single column is not quantised",
            ),
        ],
        names=("strip", "squares"),
        parameters=SIZES,
    ),
    pair(
        "powers",
        "e4m3 with scales that are powers of 2, whole rows, and a group of columns at a time",
        {"X": X, "Y": buffer("f32", [37, "C"])},
        [run("power_rows", (10,), "X", "Y")],
        [run("power_groups", (5, BY_32), "X", "Y")],
        ["Y"],
        [
            mutant("once", "power_groups", "(t * ct.exp2(-e))", "(t * ct.exp2(-e - 1.0))", "half of the scale before"),
            mutant("not_back", "power_groups", " * ct.exp2(e))", " * ct.exp2(e + 1.0))", "twice the scale afterwards"),
            mutant(
                "sums",
                "power_groups",
                ".astype(ct.float32) * ct.exp2(e)",
                ".astype(ct.float32) + e",
                "added, not scaled",
            ),
            # Not here, because casts leave payloads as they are: floor in place of ceil, or one side of the row only.
            unseen(
                "coarse",
                "power_groups",
                "ct.maximum(amax, 1.0e-4) / 448.0",
                "ct.maximum(amax, 1.0e-4) / 0.0078125",
                "a scale that is 2^15 too large: most of the bits are lost in f8",
            ),
        ],
        names=PASSES,
        parameters=SIZES,
    ),
    pair(
        "affine",
        "8 bits from the smallest to the largest of a row: whole, and in column blocks",
        {"X": X, "Y": buffer("f32", [37, "C"])},
        [run("affine_rows", (10,), "X", "Y")],
        [run("affine_blocks", (5,), "X", "Y")],
        ["Y"],
        [
            mutant("no_zero_point", "affine_blocks", "low + step * code", "step * code", "the zero point is missing"),
            mutant("steps", "affine_blocks", "/ 255.0", "/ 256.0", "256 steps in place of 255"),
            mutant(
                "masked_by_zero",
                "affine_blocks",
                "ct.where(inside, t, 1.0e30)",
                "ct.where(inside, t, -4.0)",
                "padding is the smallest element",
            ),
            mutant(
                "first_low",
                "affine_blocks",
                "low = ct.minimum(low, ct.min(ct.where(inside, t, 1.0e30), axis=1, keepdims=True))",
                "low = ct.min(ct.where(inside, t, 1.0e30), axis=1, keepdims=True)",
                "the smallest element of the last block",
            ),
        ],
        names=PASSES,
        parameters={"C": [100, 128, 65, 2]},
    ),
    pair(
        "delayed",
        "e4m3 by the largest magnitude of earlier steps with a new history, and with the history rolled in place",
        {"X": X, "H": buffer("f32", [6], "{uniform: {low: 2, high: 5}}"), "Q": buffer("f8e4m3fn", [37, "C"])}
        | {"H2": buffer("f32", [7])},
        [
            run("delayed", (1,), "X", "H", "H2", "Q", TOP),
        ],
        [
            run("copy", (1,), "H", "H2"),
            run("roll", (1,), "H2"),
            run("newest", (1,), "X", "H2"),
            run("delayed_in_place", (5,), "X", "H2", "Q", TOP),
        ],
        ["Q", "H2"],
        [
            mutant(
                "not_earlier",
                "delayed_in_place",
                "ct.arange(STEPS, dtype=ct.int32) > 0",
                "ct.arange(STEPS, dtype=ct.int32) < 1",
                "this step's magnitude, not the earlier ones'",
            ),
            mutant("not_rolled", "roll", "(step - 1,), mask", "(step - 1 + 1,), mask", "the history stays in place"),
            mutant(
                "rolled_back",
                "roll",
                "(step - 1,), mask=step > 0",
                "(step + 1,), mask=step < 6",
                "rolled the other way",
            ),
            mutant(
                "sum",
                "newest",
                "ct.max(amax)",
                "ct.sum(amax)",
                "the sum of the rows' magnitudes",
            ),
        ],
        names=("new", "in_place"),
        parameters=SIZES,
    ),
    pair(
        "rms_norm",
        "RMS norm and e4m3 with a scale for each row in two launches, and in one with the scale of x w",
        F8_ROWS | {"X": X, "W": buffer("f32", ["C"], NORMAL), "Y": buffer("f32", [37, "C"])},
        [run("rms_norm", (10,), "X", "W", "Y", "f32 1e-5"), run("rows_f32_f8", (5,), "Y", "Q", "S", TOP)],
        [run("rms_norm_f8", (5,), "X", "W", "Q", "S", "f32 1e-5", TOP)],
        ["Q", "S"],
        [
            mutant("no_norm", "rms_norm_f8", "amax * r / top", "amax / top", "the scale is that of x w"),
            mutant("weights", "rms_norm_f8", "ct.abs(t * wt)", "ct.abs(t)", "the largest magnitude of x"),
            mutant(
                "norm_twice", "rms_norm_f8", "(t * wt * (top", "(t * r * wt * (top", "normalised, though amax is not"
            ),
            mutant(
                "weight_block",
                "rms_norm_f8",
                "        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))\n        ct.store(q",
                "        wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))\n        ct.store(q",
                "always the first weights",
            ),
            mutant(
                "one_column",
                "rms_norm_f8",
                "amax = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "amax = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, TN))",
                "a last block with a single column is left out of the squares and magnitudes",
            ),
        ],
        names=("two", "fused"),
        parameters=SIZES,
    ),
    pair(
        "linear_f8",
        "rows quantised to e4m3 in a launch of their own and multiplied, and quantised in the product",
        F8_ROWS
        | {
            "X": X,
            "W": buffer("f8e4m3fn", ["C", 24], NORMAL),
            "SW": buffer("f32", [24], "{uniform: {low: 0.5, high: 2}}"),
            "Y": buffer("f32", [37, 24]),
        },
        [run("rows_f32_f8", (5,), "X", "Q", "S", TOP), run("product_f8", (3, 2), "Q", "S", "W", "SW", "Y")],
        [run("linear_dynamic", (5, 2), "X", "W", "SW", "Y", TOP)],
        ["Y"],
        [
            mutant("scale_twice", "linear_dynamic", "swt * amax / top", "swt * amax / top * amax", "amax counts twice"),
            mutant(
                "no_column_scale", "linear_dynamic", "acc * swt * amax", "acc * amax", "the columns' scales are missing"
            ),
            mutant(
                "scale_block",
                "linear_dynamic",
                "ct.load(sw, index=(j,)",
                "ct.load(sw, index=(0,)",
                "the first columns' scales",
            ),
            mutant(
                "running",
                "linear_dynamic",
                "        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO) * (top / amax)",
                "        here = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)\n"
                "        a = here * (top / ct.max(ct.abs(here), axis=1, keepdims=True))",
                "each block is scaled by its own maximum",
            ),
            mutant(
                "one_element",
                "linear_dynamic",
                "acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for k in range(steps)",
                "acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for k in range(ct.cdiv(x.shape[1] - 1, TK))",
                "a last step with a single element is skipped",
            ),
        ],
        names=("launches", "fused"),
        parameters=SIZES,
    ),
    pair(
        "linear_int8",
        "int8 rows and weights times their scales in f32, and rows quantised in a product of integers",
        ROWS
        | {
            "X": X,
            "W": buffer("i8", ["C", 24], integers(-127, 127)),
            "SW": buffer("f32", [24], "{uniform: {low: 0.001, high: 0.01}}"),
            "Y": buffer("f32", [37, 24]),
        },
        [run("rows_int8", (5,), "X", "Q", "S"), run("product_dequantised", (3, 2), "Q", "S", "W", "SW", "Y")],
        [run("product_int8", (5, 3), "X", "W", "SW", "Y")],
        ["Y"],
        [
            mutant("one_scale", "product_int8", "* scale * swt", "* scale * scale", "the row's scale for the column's"),
            mutant(
                "last_block",
                "product_int8",
                "acc = ct.full((TM, TN), 0, dtype=ct.int32)\n    for k in range(steps)",
                "acc = ct.full((TM, TN), 0, dtype=ct.int32)\n    for k in range(steps - 1)",
                "the last inner block is left out",
            ),
            mutant("not_rounded", "product_int8", "1.0) + 0.5)", "1.0))", "rounded down"),
            mutant(
                "not_added",
                "product_int8",
                "padding_mode=ZERO), acc)",
                "padding_mode=ZERO), ct.full((TM, TN), 0, dtype=ct.int32))",
                "the accumulator is reset",
            ),
            mutant(
                "one_element",
                "product_int8",
                "acc = ct.full((TM, TN), 0, dtype=ct.int32)\n    for k in range(steps)",
                "acc = ct.full((TM, TN), 0, dtype=ct.int32)\n    for k in range(ct.cdiv(x.shape[1] - 1, TK))",
                "a last step with a single element is skipped",
            ),
        ],
        names=("dequantised", "integers"),
        parameters=SIZES,
    ),
]
