# SPDX-License-Identifier: Apache-2.0
# Pairs that are equal as formulas, of which the variant is much less accurate: inverses, sums, statistics, small types,
# rotary embeddings, floats in parts, fast products, functions, systems, training. Each says so before it is measured.
import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, pair, run, uniform, worse
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- inverses of triangular matrices ---------------------------------------------------------------------------------
def strictly_lower(x, N: Const):
    row, column = ct.arange(N, dtype=ct.int32).reshape((N, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    return ct.where(column < row, x, 0.0)


def unit_matrix(N: Const):
    row, column = ct.arange(N, dtype=ct.int32).reshape((N, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    return ct.where(row == column, ct.full((N, N), 1.0, dtype=ct.float32), 0.0)


@ct.kernel
def inverse_serial(x, y, N: Const):
    """(I + L)^-1 row by row, by forward substitution; grid (matrices)."""
    b = ct.bid(0)
    row = ct.arange(N, dtype=ct.int32).reshape((N, 1))
    low = strictly_lower(ct.load(x, index=(b, 0, 0), shape=(1, N, N)).reshape((N, N)), N)
    inverse = unit_matrix(N)
    for i in range(1, N):
        line = ct.sum(ct.where(row == i, low, 0.0), axis=0).reshape((N, 1))
        inverse = ct.where(row == i, inverse - ct.sum(line * inverse, axis=0, keepdims=True), inverse)
    ct.store(y, index=(b, 0, 0), tile=inverse.reshape((1, N, N)))


@ct.kernel
def inverse_neumann(x, y, N: Const, DOUBLINGS: Const):
    """The same as (I - L) (I + L^2) (I + L^4) ..., the Neumann series by squaring."""
    b = ct.bid(0)
    zero = ct.full((N, N), 0.0, dtype=ct.float32)
    power = zero - strictly_lower(ct.load(x, index=(b, 0, 0), shape=(1, N, N)).reshape((N, N)), N)
    inverse = unit_matrix(N) + power
    for _ in range(DOUBLINGS):
        power = ct.mma(power, power, zero)
        inverse = ct.mma(inverse, power, inverse)
    ct.store(y, index=(b, 0, 0), tile=inverse.reshape((1, N, N)))


# ---- statistics ------------------------------------------------------------------------------------------------------
@ct.kernel
def variance_two_pass(x, v, TM: Const, TN: Const):
    i = ct.bid(0)
    n = x.shape[1]
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < n
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    centred = ct.where(inside, t - ct.sum(t, axis=1, keepdims=True) / n, 0.0)
    ct.store(v, index=(i,), tile=ct.sum(centred * centred, axis=1) / n)


@ct.kernel
def variance_one_pass(x, v, TM: Const, TN: Const):
    """E[x^2] - E[x]^2."""
    i = ct.bid(0)
    n = x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    mean = ct.sum(t, axis=1) / n
    ct.store(v, index=(i,), tile=ct.sum(t * t, axis=1) / n - mean * mean)


@ct.kernel
def channels_shifted(x, y, eps: float, TM: Const, TN: Const):
    """Batch norm without weights: sums of what is left of each channel without its first value; grid (channel blocks)."""
    j = ct.bid(0)
    n = x.shape[0]
    shift = ct.load(x, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    total = ct.full((1, TN), 0.0, dtype=ct.float32)
    squares = ct.full((1, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        inside = (k * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1)) < n
        t = ct.where(inside, ct.load(x, index=(k, j), shape=(TM, TN), padding_mode=ZERO) - shift, 0.0)
        total = total + ct.sum(t, axis=0, keepdims=True)
        squares = squares + ct.sum(t * t, axis=0, keepdims=True)
    mean = total / n
    rstd = ct.rsqrt(squares / n - mean * mean + eps)
    for k in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        t = ct.load(x, index=(k, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(y, index=(k, j), tile=(t - shift - mean) * rstd)


@ct.kernel
def channels_plain(x, y, eps: float, TM: Const, TN: Const):
    """Batch norm from the plain sums of values and squares."""
    j = ct.bid(0)
    n = x.shape[0]
    total = ct.full((1, TN), 0.0, dtype=ct.float32)
    squares = ct.full((1, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        t = ct.load(x, index=(k, j), shape=(TM, TN), padding_mode=ZERO)
        total = total + ct.sum(t, axis=0, keepdims=True)
        squares = squares + ct.sum(t * t, axis=0, keepdims=True)
    mean = total / n
    rstd = ct.rsqrt(squares / n - mean * mean + eps)
    for k in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        t = ct.load(x, index=(k, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(y, index=(k, j), tile=(t - mean) * rstd)


@ct.kernel
def slope_centred(x, y, s, TM: Const, TN: Const):
    """The slope of the least-squares line of y over x for each row; TN is the row's length; grid (row blocks)."""
    i = ct.bid(0)
    xt, yt = ct.load(x, index=(i, 0), shape=(TM, TN)), ct.load(y, index=(i, 0), shape=(TM, TN))
    xt = xt - ct.sum(xt, axis=1, keepdims=True) / TN
    yt = yt - ct.sum(yt, axis=1, keepdims=True) / TN
    ct.store(s, index=(i,), tile=ct.sum(xt * yt, axis=1) / ct.sum(xt * xt, axis=1))


@ct.kernel
def slope_sums(x, y, s, TM: Const, TN: Const):
    """(n Sxy - Sx Sy) / (n Sxx - Sx^2)."""
    i = ct.bid(0)
    xt, yt = ct.load(x, index=(i, 0), shape=(TM, TN)), ct.load(y, index=(i, 0), shape=(TM, TN))
    sx, sy = ct.sum(xt, axis=1), ct.sum(yt, axis=1)
    ct.store(s, index=(i,), tile=(TN * ct.sum(xt * yt, axis=1) - sx * sy) / (TN * ct.sum(xt * xt, axis=1) - sx * sx))


# ---- sums ------------------------------------------------------------------------------------------------------------
@ct.kernel
def sum_compensated(x, y, T: Const):
    """Kahan's sum down each column; grid (column blocks)."""
    j = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    lost = ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(x.shape[0]):
        term = ct.load(x, index=(k, j), shape=(1, T), padding_mode=ZERO) - lost
        more = total + term
        lost = (more - total) - term
        total = more
    ct.store(y, index=(j,), tile=total.reshape((T,)))


@ct.kernel
def sum_running(x, y, T: Const):
    """One accumulator for each column."""
    j = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(x.shape[0]):
        total = total + ct.load(x, index=(k, j), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(j,), tile=total.reshape((T,)))


@ct.kernel
def sum_neumaier(x, y, T: Const):
    """Kahan's sum as Neumaier improved it: also right where a term is larger than the sum so far."""
    j = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    lost = ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(x.shape[0]):
        term = ct.load(x, index=(k, j), shape=(1, T), padding_mode=ZERO)
        more = total + term
        lost = lost + ct.where(ct.abs(total) >= ct.abs(term), (total - more) + term, (term - more) + total)
        total = more
    ct.store(y, index=(j,), tile=(total + lost).reshape((T,)))


@ct.kernel
def mean_wide(x, y, T: Const):
    """The mean of each column of bf16, summed in f32; grid (column blocks)."""
    j = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(x.shape[0]):
        total = total + ct.load(x, index=(k, j), shape=(1, T), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(j,), tile=(total / x.shape[0]).reshape((T,)).astype(y.dtype))


@ct.kernel
def mean_narrow(x, y, T: Const):
    """Summed in bf16."""
    j = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.bfloat16)
    for k in range(x.shape[0]):
        total = total + ct.load(x, index=(k, j), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(j,), tile=(total.astype(ct.float32) / x.shape[0]).reshape((T,)).astype(y.dtype))


@ct.kernel
def scan_wide(x, y, TM: Const, TN: Const):
    """Prefix sums of rows of f16, in f32; grid (row blocks)."""
    i = ct.bid(0)
    ct.store(y, index=(i, 0), tile=ct.cumsum(ct.load(x, index=(i, 0), shape=(TM, TN)).astype(ct.float32), axis=1))


@ct.kernel
def scan_narrow(x, y, TM: Const, TN: Const):
    """In f16."""
    i = ct.bid(0)
    ct.store(y, index=(i, 0), tile=ct.cumsum(ct.load(x, index=(i, 0), shape=(TM, TN)), axis=1).astype(ct.float32))


@ct.kernel
def window_direct(x, y, TM: Const, TN: Const, WINDOW: Const):
    """Sums of WINDOW elements of a row up to each one; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(WINDOW):
        total = total + ct.gather(x, (row, column - k), padding_value=0)
    ct.store(y, index=(i, j), tile=total)


@ct.kernel
def prefix_sums(x, s, TM: Const, TN: Const):
    """Prefix sums of rows, block after block; grid (row blocks)."""
    i = ct.bid(0)
    carry = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(s, index=(i, j), tile=ct.cumsum(t, axis=1) + carry)
        carry = carry + ct.sum(t, axis=1, keepdims=True)


@ct.kernel
def window_of_prefixes(s, y, TM: Const, TN: Const, WINDOW: Const):
    """Differences of prefix sums."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    ct.store(y, index=(i, j), tile=ct.gather(s, (row, column)) - ct.gather(s, (row, column - WINDOW), padding_value=0))


# ---- accumulators of products ----------------------------------------------------------------------------------------
@ct.kernel
def matmul(x, y, z, TM: Const, TN: Const, TK: Const):
    """z = x y, accumulated in f32; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_f16(x, y, z, TM: Const, TN: Const, TK: Const):
    """Accumulated in f16."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float16)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_bf16(x, y, z, TM: Const, TN: Const, TK: Const):
    """The accumulator is kept in bf16 between the blocks."""
    i, j = ct.bid(0), ct.bid(1)
    zero = ct.full((TM, TN), 0.0, dtype=ct.float32)
    acc = ct.full((TM, TN), 0.0, dtype=ct.bfloat16)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = acc + ct.mma(a, b, zero).astype(ct.bfloat16)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def partial_products(x, y, p, TM: Const, TN: Const, TK: Const):
    """Split over the inner dimension: one block of it for each program; grid (row blocks, column blocks, blocks)."""
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
    b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
    acc = ct.mma(a, b, ct.full((TM, TN), 0.0, dtype=ct.float32))
    ct.store(p, index=(k, i, j), tile=acc.reshape((1, TM, TN)).astype(p.dtype))


@ct.kernel
def add_partials(p, z, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(p.shape[0]):
        total = total + ct.load(p, index=(k, i, j), shape=(1, TM, TN)).reshape((TM, TN)).astype(ct.float32)
    ct.store(z, index=(i, j), tile=total)


# ---- f8 with scales --------------------------------------------------------------------------------------------------
@ct.kernel
def linear_row_scales(x, w, y, TM: Const, TN: Const, K: Const):
    """Activations in e4m3 with a scale for each row; K is the inner dimension; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, 0), shape=(TM, K))
    scale = ct.max(ct.abs(t), axis=1, keepdims=True) / 448.0
    acc = ct.mma((t / scale).astype(ct.float8_e4m3fn), ct.load(w, index=(0, j), shape=(K, TN)), ct.zeros((TM, TN), ct.float32))
    ct.store(y, index=(i, j), tile=acc * scale)


@ct.kernel
def largest(x, s, TM: Const, TN: Const):
    """The largest magnitude of the whole matrix; one program."""
    most = ct.full((1, 1), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(TM, TN))):
        for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
            t = ct.abs(ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO))
            most = ct.maximum(most, ct.max(ct.max(t, axis=1, keepdims=True), axis=0, keepdims=True))
    ct.store(s, index=(0,), tile=most.reshape((1,)))


@ct.kernel
def linear_tensor_scale(x, w, s, y, TM: Const, TN: Const, K: Const):
    """One scale for all of them."""
    i, j = ct.bid(0), ct.bid(1)
    scale = ct.load(s, index=(0,), shape=(1,)).reshape((1, 1)) / 448.0
    t = ct.load(x, index=(i, 0), shape=(TM, K)) / scale
    acc = ct.mma(t.astype(ct.float8_e4m3fn), ct.load(w, index=(0, j), shape=(K, TN)), ct.zeros((TM, TN), ct.float32))
    ct.store(y, index=(i, j), tile=acc * scale)


@ct.kernel
def quantise_channels(w, q, s, T: Const, K: Const):
    """Weights [out, in] in e4m3, a scale for each output channel; grid (channel blocks)."""
    i = ct.bid(0)
    t = ct.load(w, index=(i, 0), shape=(T, K))
    scale = ct.max(ct.abs(t), axis=1, keepdims=True) / 448.0
    ct.store(q, index=(i, 0), tile=(t / scale).astype(ct.float8_e4m3fn))
    ct.store(s, index=(i,), tile=scale.reshape((T,)))


@ct.kernel
def quantise_all(w, largest_weight, q, s, T: Const, K: Const):
    """One scale for all channels."""
    i = ct.bid(0)
    scale = ct.load(largest_weight, index=(0,), shape=(1,)) / 448.0
    t = ct.load(w, index=(i, 0), shape=(T, K)) / scale.reshape((1, 1))
    ct.store(q, index=(i, 0), tile=t.astype(ct.float8_e4m3fn))
    ct.store(s, index=(i,), tile=ct.broadcast_to(scale, (T,)))


@ct.kernel
def product_of_quantised(q, s, x, y, TM: Const, TN: Const, K: Const):
    """Weights times tokens, [out, tokens], in f16, as for few tokens; grid (channel blocks, token blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    w = ct.load(q, index=(i, 0), shape=(TM, K)).astype(ct.float16)
    t = ct.transpose(ct.load(x, index=(j, 0), shape=(TN, K)))
    acc = ct.mma(w, t, ct.full((TM, TN), 0.0, dtype=ct.float32))
    ct.store(y, index=(i, j), tile=acc * ct.load(s, index=(i,), shape=(TM,)).reshape((TM, 1)))


@ct.kernel
def cache_tokens(k, q, s, T: Const, D: Const):
    """Keys into a cache in e4m3, a scale for each token; grid (heads, token blocks)."""
    h, i = ct.bid(0), ct.bid(1)
    t = ct.load(k, index=(h, i, 0), shape=(1, T, D))
    scale = ct.max(ct.abs(t), axis=2, keepdims=True) / 448.0
    ct.store(q, index=(h, i, 0), tile=(t / scale).astype(ct.float8_e4m3fn))
    ct.store(s, index=(h, i), tile=scale.reshape((1, T)))


@ct.kernel
def cache_heads(k, q, s, T: Const, D: Const, ALL: Const):
    """A scale for each head: the largest magnitude of its ALL tokens."""
    h, i = ct.bid(0), ct.bid(1)
    head = ct.abs(ct.load(k, index=(h, 0, 0), shape=(1, ALL, D)))
    scale = ct.max(ct.max(head, axis=2, keepdims=True), axis=1, keepdims=True) / 448.0
    t = ct.load(k, index=(h, i, 0), shape=(1, T, D))
    ct.store(q, index=(h, i, 0), tile=(t / scale).astype(ct.float8_e4m3fn))
    ct.store(s, index=(h, i), tile=ct.broadcast_to(scale.reshape((1, 1)), (1, T)))


@ct.kernel
def keys_of_cache(q, s, y, T: Const, D: Const):
    """Keys as attention gets them from the cache; grid (heads, token blocks)."""
    h, i = ct.bid(0), ct.bid(1)
    scale = ct.load(s, index=(h, i), shape=(1, T)).reshape((1, T, 1))
    ct.store(y, index=(h, i, 0), tile=ct.load(q, index=(h, i, 0), shape=(1, T, D)).astype(ct.float32) * scale)


# ---- rotary embeddings at large positions ----------------------------------------------------------------------------
@ct.kernel
def rotary_f64(x, f, y, first: ct.int32, T: Const, HALF: Const):
    """Rows turned by position times frequency, angles in f64; grid (row blocks)."""
    i = ct.bid(0)
    position = (first + i * T + ct.arange(T, dtype=ct.int32)).reshape((T, 1))
    angle = position.astype(ct.float64) * ct.load(f, index=(0,), shape=(HALF,)).reshape((1, HALF)).astype(ct.float64)
    c, s = ct.cos(angle).astype(ct.float32), ct.sin(angle).astype(ct.float32)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=a * s + b * c)


@ct.kernel
def rotary_f32(x, f, y, first: ct.int32, T: Const, HALF: Const):
    """Angles in f32."""
    i = ct.bid(0)
    position = (first + i * T + ct.arange(T, dtype=ct.int32)).reshape((T, 1))
    angle = position.astype(ct.float32) * ct.load(f, index=(0,), shape=(HALF,)).reshape((1, HALF))
    c, s = ct.cos(angle), ct.sin(angle)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=a * s + b * c)


@ct.kernel
def rotary_bf16(x, f, y, first: ct.int32, T: Const, HALF: Const):
    """Positions and angles in bf16, as a model that is bf16 throughout has them."""
    i = ct.bid(0)
    position = (first + i * T + ct.arange(T, dtype=ct.int32)).reshape((T, 1)).astype(ct.float32).astype(ct.bfloat16)
    angle = position * ct.load(f, index=(0,), shape=(HALF,)).reshape((1, HALF)).astype(ct.bfloat16)
    c, s = ct.cos(angle.astype(ct.float32)), ct.sin(angle.astype(ct.float32))
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=a * s + b * c)


@ct.kernel
def rotary_table(f, c, s, T: Const, HALF: Const):
    """Cosines and sines of each position, in the type of the table; grid (position blocks)."""
    i = ct.bid(0)
    position = (i * T + ct.arange(T, dtype=ct.int32)).reshape((T, 1))
    angle = position.astype(ct.float32) * ct.load(f, index=(0,), shape=(HALF,)).reshape((1, HALF))
    ct.store(c, index=(i, 0), tile=ct.cos(angle).astype(c.dtype))
    ct.store(s, index=(i, 0), tile=ct.sin(angle).astype(s.dtype))


@ct.kernel
def rotary_by_table(x, c, s, y, T: Const, HALF: Const):
    i = ct.bid(0)
    cos = ct.load(c, index=(i, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    sin = ct.load(s, index=(i, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=a * cos - b * sin)
    ct.store(y, index=(i, 1), tile=a * sin + b * cos)


@ct.kernel
def relative_scores(x, f, y, first: ct.int32, T: Const, HALF: Const):
    """y[i, j] = sum_k x_k cos((i - j) f_k), for tokens from `first` on; one program."""
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    apart = ((first + row) - (first + column)).astype(ct.float32)
    total = ct.full((T, T), 0.0, dtype=ct.float32)
    for k in range(HALF):
        angle = apart * ct.load(f, index=(k,), shape=(1,)).reshape((1, 1))
        total = total + ct.load(x, index=(k,), shape=(1,)).reshape((1, 1)) * ct.cos(angle)
    ct.store(y, index=(0, 0), tile=total)


@ct.kernel
def absolute_scores(x, f, y, first: ct.int32, T: Const, HALF: Const):
    """The angle of the query less that of the key."""
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    query, key = (first + row).astype(ct.float32), (first + column).astype(ct.float32)
    total = ct.full((T, T), 0.0, dtype=ct.float32)
    for k in range(HALF):
        frequency = ct.load(f, index=(k,), shape=(1,)).reshape((1, 1))
        angle = query * frequency - key * frequency
        total = total + ct.load(x, index=(k,), shape=(1,)).reshape((1, 1)) * ct.cos(angle)
    ct.store(y, index=(0, 0), tile=total)


F1, F2, F3, I32 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3), ct.int32
H2, B2, B3 = array(ct.float16, 2), array(ct.bfloat16, 2), array(ct.bfloat16, 3)
E2, E3 = array(ct.float8_e4m3fn, 2), array(ct.float8_e4m3fn, 3)
KERNELS = {
    "inverse_serial": (inverse_serial, [F3, F3, 64]),
    "inverse_neumann": (inverse_neumann, [F3, F3, 64, 5]),
    "variance_two_pass": (variance_two_pass, [F2, F1, 4, 128]),
    "variance_one_pass": (variance_one_pass, [F2, F1, 4, 128]),
    "channels_shifted": (channels_shifted, [F2, F2, ct.float32, 16, 8]),
    "channels_plain": (channels_plain, [F2, F2, ct.float32, 16, 8]),
    "slope_centred": (slope_centred, [F2, F2, F1, 8, 64]),
    "slope_sums": (slope_sums, [F2, F2, F1, 8, 64]),
    "sum_compensated": (sum_compensated, [F2, F1, 8]),
    "sum_running": (sum_running, [F2, F1, 8]),
    "sum_neumaier": (sum_neumaier, [F2, F1, 8]),
    "mean_wide": (mean_wide, [B2, F1, 16]),
    "mean_narrow": (mean_narrow, [B2, F1, 16]),
    "scan_wide": (scan_wide, [H2, F2, 4, 256]),
    "scan_narrow": (scan_narrow, [H2, F2, 4, 256]),
    "window_direct": (window_direct, [F2, F2, 4, 64, 4]),
    "prefix_sums": (prefix_sums, [F2, F2, 4, 64]),
    "window_of_prefixes": (window_of_prefixes, [F2, F2, 4, 64, 4]),
    "matmul_f16_in": (matmul, [H2, H2, F2, 16, 16, 16]),
    "matmul_f16": (matmul_f16, [H2, H2, F2, 16, 16, 16]),
    "matmul_bf16_in": (matmul, [B2, B2, F2, 16, 16, 16]),
    "matmul_bf16": (matmul_bf16, [B2, B2, F2, 16, 16, 16]),
    "partial_products": (partial_products, [B2, B2, F3, 16, 16, 16]),
    "partial_products_bf16": (partial_products, [B2, B2, B3, 16, 16, 16]),
    "add_partials": (add_partials, [F3, F2, 16, 16]),
    "add_partials_bf16": (add_partials, [B3, F2, 16, 16]),
    "linear_row_scales": (linear_row_scales, [F2, E2, F2, 8, 16, 64]),
    "largest": (largest, [F2, F1, 16, 32]),
    "linear_tensor_scale": (linear_tensor_scale, [F2, E2, F1, F2, 8, 16, 64]),
    "quantise_channels": (quantise_channels, [F2, E2, F1, 8, 64]),
    "quantise_all": (quantise_all, [F2, F1, E2, F1, 8, 64]),
    "product_of_quantised": (product_of_quantised, [E2, F1, H2, F2, 8, 8, 64]),
    "cache_tokens": (cache_tokens, [F3, E3, F2, 16, 32]),
    "cache_heads": (cache_heads, [F3, E3, F2, 16, 32, 64]),
    "keys_of_cache": (keys_of_cache, [E3, F2, F3, 16, 32]),
    "rotary_f64": (rotary_f64, [F2, F1, F2, I32, 8, 16]),
    "rotary_f32": (rotary_f32, [F2, F1, F2, I32, 8, 16]),
    "rotary_bf16": (rotary_bf16, [F2, F1, F2, I32, 8, 16]),
    "rotary_table": (rotary_table, [F1, F2, F2, 8, 16]),
    "rotary_table_bf16": (rotary_table, [F1, B2, B2, 8, 16]),
    "rotary_by_table": (rotary_by_table, [F2, F2, F2, F2, 8, 16]),
    "rotary_by_table_bf16": (rotary_by_table, [F2, B2, B2, F2, 8, 16]),
    "relative_scores": (relative_scores, [F1, F1, F2, I32, 16, 16]),
    "absolute_scores": (absolute_scores, [F1, F1, F2, I32, 16, 16]),
}


def make_inputs():
    random = np.random.Generator(np.random.PCG64(19))
    # Terms that cancel but for the small ones between them: a large number, 30 small ones, the large one again, negative.
    terms = random.uniform(0.5, 1, (64, 8))
    terms[0::32] = 2.0 ** random.integers(24, 28, (2, 8))
    terms[31::32] = -terms[0::32]
    # Rows, channels and tokens whose sizes differ by up to 2^18.
    sizes = np.exp2(-np.arange(32) % 19.0)
    outliers = random.standard_normal((32, 64)) * sizes[:, None]
    weights = random.standard_normal((32, 64)) * np.exp2(-24.0 * (np.arange(32) % 4 == 3))[:, None]
    tokens = random.standard_normal((2, 64, 32)) * np.exp2(-20.0 * (np.arange(64) % 5 > 0))[None, :, None]
    frequencies = 10000.0 ** (-np.arange(16) / 16)
    named = {"terms": terms, "outliers": outliers, "channels": weights, "tokens": tokens, "frequencies": frequencies}
    return {f"accuracy_{name}.f32": np.float32(values) for name, values in named.items()}


INPUTS = make_inputs()
EPS = "f32 1e-5"
MATRICES = {"L": buffer("f32", [2, 64, 64], uniform(0.5, 1)), "T": buffer("f32", [2, 64, 64])}
OFFSET = {"X": buffer("f32", [8, 100], uniform(999, 1001)), "V": buffer("f32", [8])}
CHANNELS = {"X": buffer("f32", [50, 24], uniform(299, 301)), "Y": buffer("f32", [50, 24])}
LINE = {"X": buffer("f32", [16, 64], uniform(1000, 1010)), "Y": buffer("f32", [16, 64], uniform(50, 60))}
HALVES = {"X": buffer("f16", [32, 256], NORMAL), "Y": buffer("f16", [256, 32], NORMAL), "Z": buffer("f32", [32, 32])}
BRAINS = {"X": buffer("bf16", [32, 256], NORMAL), "Y": buffer("bf16", [256, 32], NORMAL), "Z": buffer("f32", [32, 32])}
OUTLIERS = buffer("f32", [32, 64], given("accuracy_outliers.f32"))
TURNED = {
    "X": buffer("f32", [24, 32], NORMAL),
    "F": buffer("f32", [16], given("accuracy_frequencies.f32")),
    "Y": buffer("f32", [24, 32]),
}
SCORES = {"X": buffer("f32", [16], uniform(0.5, 1)), "F": TURNED["F"], "Y": buffer("f32", [16, 16])}
TABLES = {n: buffer(t, [24, 16]) for n, t in (("C", "f32"), ("S", "f32"), ("CB", "bf16"), ("SB", "bf16"))}

PAIRS = [
    pair(
        "neumann",
        "the inverse of a unit lower triangular matrix by forward substitution, and by a Neumann series",
        MATRICES,
        [run("inverse_serial", (2,), "L", "T")],
        [run("inverse_neumann", (2,), "L", "T")],
        ["T"],
        names=("serial", "neumann"),
        finding=worse("neumann"),
    ),
    pair(
        "variance",
        "the variance in two passes, and as E[x^2] - E[x]^2, of rows far from 0",
        OFFSET,
        [run("variance_two_pass", (2,), "X", "V")],
        [run("variance_one_pass", (2,), "X", "V")],
        ["V"],
        names=("two", "one"),
        finding=worse("one"),
    ),
    pair(
        "channels",
        "batch norm with sums of shifted values, and of plain ones, of channels far from 0",
        CHANNELS,
        [run("channels_shifted", (3,), "X", "Y", EPS)],
        [run("channels_plain", (3,), "X", "Y", EPS)],
        ["Y"],
        names=("shifted", "plain"),
        finding=worse("plain"),
    ),
    pair(
        "slope",
        "the slope of a line through points far from 0, centred, and from plain sums",
        {**LINE, "S": buffer("f32", [16])},
        [run("slope_centred", (2,), "X", "Y", "S")],
        [run("slope_sums", (2,), "X", "Y", "S")],
        ["S"],
        names=("centred", "sums"),
        finding=worse("sums"),
    ),
    pair(
        "kahan",
        "16384 terms summed by Kahan's method, and in one accumulator",
        {"X": buffer("f32", [16384, 8], uniform(0, 1)), "Y": buffer("f32", [8])},
        [run("sum_compensated", (1,), "X", "Y")],
        [run("sum_running", (1,), "X", "Y")],
        ["Y"],
        names=("kahan", "running"),
        finding=worse("running"),
    ),
    pair(
        "neumaier",
        "terms of which large ones cancel, summed by Neumaier's method, and by Kahan's",
        {"X": buffer("f32", [64, 8], given("accuracy_terms.f32")), "Y": buffer("f32", [8])},
        [run("sum_neumaier", (1,), "X", "Y")],
        [run("sum_compensated", (1,), "X", "Y")],
        ["Y"],
        names=("neumaier", "kahan"),
        finding=worse("kahan"),
    ),
    pair(
        "mean_bf16",
        "the mean of 600 numbers of bf16, summed in f32, and in bf16",
        {"X": buffer("bf16", [600, 32], uniform(0, 1)), "Y": buffer("f32", [32])},
        [run("mean_wide", (2,), "X", "Y")],
        [run("mean_narrow", (2,), "X", "Y")],
        ["Y"],
        names=("f32", "bf16"),
        finding=worse("bf16"),
    ),
    pair(
        "scan_f16",
        "prefix sums of f16, in f32, and in f16",
        {"X": buffer("f16", [8, 256], uniform(0, 1)), "Y": buffer("f32", [8, 256])},
        [run("scan_wide", (2,), "X", "Y")],
        [run("scan_narrow", (2,), "X", "Y")],
        ["Y"],
        names=("f32", "f16"),
        finding=worse("f16"),
    ),
    pair(
        "window",
        "sums over a window of four, directly, and as differences of prefix sums",
        {"X": buffer("f32", [8, 512], uniform(99, 101)), "S": buffer("f32", [8, 512]), "Y": buffer("f32", [8, 512])},
        [run("window_direct", (2, 8), "X", "Y")],
        [run("prefix_sums", (2,), "X", "S"), run("window_of_prefixes", (2, 8), "S", "Y")],
        ["Y"],
        names=("direct", "prefixes"),
        finding=worse("prefixes"),
    ),
    pair(
        "accumulator_f16",
        "a product of f16, accumulated in f32, and in f16",
        HALVES,
        [run("matmul_f16_in", (2, 2), "X", "Y", "Z")],
        [run("matmul_f16", (2, 2), "X", "Y", "Z")],
        ["Z"],
        names=("f32", "f16"),
        finding=worse("f16"),
    ),
    pair(
        "accumulator_bf16",
        "a product of bf16, accumulated in f32, and in bf16 between blocks",
        BRAINS,
        [run("matmul_bf16_in", (2, 2), "X", "Y", "Z")],
        [run("matmul_bf16", (2, 2), "X", "Y", "Z")],
        ["Z"],
        names=("f32", "bf16"),
        finding=worse("bf16"),
    ),
    pair(
        "partials_bf16",
        "split-K with its partial products in f32, and in bf16",
        {**BRAINS, "P": buffer("f32", [16, 32, 32]), "PB": buffer("bf16", [16, 32, 32])},
        [run("partial_products", (2, 2, 16), "X", "Y", "P"), run("add_partials", (2, 2), "P", "Z")],
        [run("partial_products_bf16", (2, 2, 16), "X", "Y", "PB"), run("add_partials_bf16", (2, 2), "PB", "Z")],
        ["Z"],
        names=("f32", "bf16"),
        finding=worse("bf16"),
    ),
    pair(
        "scale_of_rows",
        "activations in e4m3 with a scale for each row, and one for the tensor",
        {
            "X": OUTLIERS,
            "W": buffer("f8e4m3fn", [64, 32], NORMAL),
            "M": buffer("f32", [1]),
            "Y": buffer("f32", [32, 32]),
        },
        [run("linear_row_scales", (4, 2), "X", "W", "Y")],
        [run("largest", (1,), "X", "M"), run("linear_tensor_scale", (4, 2), "X", "W", "M", "Y")],
        ["Y"],
        names=("rows", "tensor"),
        finding=worse("tensor"),
    ),
    pair(
        "scale_of_channels",
        "weights in e4m3 with a scale for each channel, and one for the tensor",
        {
            "X": buffer("f16", [16, 64], NORMAL),
            "W": buffer("f32", [32, 64], given("accuracy_channels.f32")),
            "M": buffer("f32", [1]),
            "Q": buffer("f8e4m3fn", [32, 64]),
            "S": buffer("f32", [32]),
            "Y": buffer("f32", [32, 16]),
        },
        [run("quantise_channels", (4,), "W", "Q", "S"), run("product_of_quantised", (4, 2), "Q", "S", "X", "Y")],
        [
            run("largest", (1,), "W", "M"),
            run("quantise_all", (4,), "W", "M", "Q", "S"),
            run("product_of_quantised", (4, 2), "Q", "S", "X", "Y"),
        ],
        ["Y"],
        names=("channels", "tensor"),
        finding=worse("tensor"),
    ),
    pair(
        "scale_of_tokens",
        "a cache of keys in e4m3 with a scale for each token, and one for each head",
        {
            "K": buffer("f32", [2, 64, 32], given("accuracy_tokens.f32")),
            "Q": buffer("f8e4m3fn", [2, 64, 32]),
            "S": buffer("f32", [2, 64]),
            "Y": buffer("f32", [2, 64, 32]),
        },
        [run("cache_tokens", (2, 4), "K", "Q", "S"), run("keys_of_cache", (2, 4), "Q", "S", "Y")],
        [run("cache_heads", (2, 4), "K", "Q", "S"), run("keys_of_cache", (2, 4), "Q", "S", "Y")],
        ["Y"],
        names=("tokens", "heads"),
        finding=worse("heads"),
    ),
    pair(
        "rotary_far",
        "rotary embeddings from position 1,000,000 on, angles in f64, and in f32",
        TURNED,
        [run("rotary_f64", (3,), "X", "F", "Y", "i32 1000000")],
        [run("rotary_f32", (3,), "X", "F", "Y", "i32 1000000")],
        ["Y"],
        names=("f64", "f32"),
        finding=worse("f32"),
    ),
    pair(
        "rotary_bf16",
        "rotary embeddings from position 3001 on, angles in f32, and in bf16",
        TURNED,
        [run("rotary_f32", (3,), "X", "F", "Y", "i32 3001")],
        [run("rotary_bf16", (3,), "X", "F", "Y", "i32 3001")],
        ["Y"],
        names=("f32", "bf16"),
        finding=worse("bf16"),
    ),
    pair(
        "rotary_table",
        "rotary embeddings by a table of cosines and sines in f32, and in bf16",
        {**TURNED, **TABLES},
        [run("rotary_table", (3,), "F", "C", "S"), run("rotary_by_table", (3,), "X", "C", "S", "Y")],
        [run("rotary_table_bf16", (3,), "F", "CB", "SB"), run("rotary_by_table_bf16", (3,), "X", "CB", "SB", "Y")],
        ["Y"],
        names=("f32", "bf16"),
        finding=worse("bf16"),
    ),
    pair(
        "rotary_apart",
        "scores by how far tokens are apart, and by the difference of their angles at position 500,000",
        SCORES,
        [run("relative_scores", (1,), "X", "F", "Y", "i32 500000")],
        [run("absolute_scores", (1,), "X", "F", "Y", "i32 500000")],
        ["Y"],
        names=("apart", "difference"),
        finding=worse("difference"),
    ),
]
