# SPDX-License-Identifier: Apache-2.0
# More pairs that are equal as formulas, of which the variant is much less accurate: floats in parts, fast products,
# gradients from outputs, distances, systems of equations, decays, training in small types.
import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, integers, pair, run, uniform, worse
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- floats in parts -------------------------------------------------------------------------------------------------
def parts(x, dtype):
    """A tile of f32 as a part of another type, and what is left of it."""
    high = x.astype(dtype)
    return high, x - high.astype(ct.float32)


@ct.kernel
def matmul_bf16_six(x, y, z, TM: Const, TN: Const, TK: Const):
    """A product of f32 by three parts of bf16 each, the six largest of their products; grid (row, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a0, rest = parts(ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO), ct.bfloat16)
        a1, rest = parts(rest, ct.bfloat16)
        a2 = rest.astype(ct.bfloat16)
        b0, rest = parts(ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), ct.bfloat16)
        b1, rest = parts(rest, ct.bfloat16)
        b2 = rest.astype(ct.bfloat16)
        acc = ct.mma(a0, b0, ct.mma(a0, b1, ct.mma(a1, b0, ct.mma(a1, b1, ct.mma(a0, b2, ct.mma(a2, b0, acc))))))
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_bf16_three(x, y, z, TM: Const, TN: Const, TK: Const):
    """Two parts each, three products."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a0, a1 = parts(ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO), ct.bfloat16)
        b0, b1 = parts(ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), ct.bfloat16)
        acc = ct.mma(a0, b0, ct.mma(a0, b1.astype(ct.bfloat16), ct.mma(a1.astype(ct.bfloat16), b0, acc)))
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_bf16_one(x, y, z, TM: Const, TN: Const, TK: Const):
    """Rounded to bf16."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.bfloat16)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.bfloat16)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_tf32_three(x, y, z, TM: Const, TN: Const, TK: Const):
    """Two parts of tf32 each, three products."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a0, a1 = parts(ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO), ct.tfloat32)
        b0, b1 = parts(ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), ct.tfloat32)
        acc = ct.mma(a0, b1.astype(ct.tfloat32), ct.mma(a1.astype(ct.tfloat32), b0, acc))
        acc = ct.mma(a0, b0, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_tf32(x, y, z, TM: Const, TN: Const, TK: Const):
    """Rounded to tf32."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.tfloat32)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.tfloat32)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_f16_scaled(x, y, z, TM: Const, TN: Const, TK: Const):
    """Two parts of f16 each; the lower ones 2048 times as large, so that they are not subnormal."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    small = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a0, a1 = parts(ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO), ct.float16)
        b0, b1 = parts(ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), ct.float16)
        small = ct.mma(a0, (b1 * 2048.0).astype(ct.float16), small)
        small = ct.mma((a1 * 2048.0).astype(ct.float16), b0, small)
        acc = ct.mma(a0, b0, acc)
    ct.store(z, index=(i, j), tile=acc + small / 2048.0)


@ct.kernel
def matmul_f16_unscaled(x, y, z, TM: Const, TN: Const, TK: Const):
    """The lower parts as they are."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a0, a1 = parts(ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO), ct.float16)
        b0, b1 = parts(ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), ct.float16)
        acc = ct.mma(a0, b0, ct.mma(a0, b1.astype(ct.float16), ct.mma(a1.astype(ct.float16), b0, acc)))
    ct.store(z, index=(i, j), tile=acc)


def halves(x):
    """Veltkamp's splitting: 12 bits, and the rest."""
    big = x * 4097.0
    high = big - (big - x)
    return high, x - high


@ct.kernel
def dot_twofold(x, y, s, T: Const):
    """Dot products of columns as if in twice the precision: Dekker's products, Knuth's sums; grid (column blocks)."""
    j = ct.bid(0)
    total, lost = ct.full((1, T), 0.0, dtype=ct.float32), ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(x.shape[0]):
        a, b = ct.load(x, index=(k, j), shape=(1, T)), ct.load(y, index=(k, j), shape=(1, T))
        product = a * b
        a0, a1 = halves(a)
        b0, b1 = halves(b)
        below = a1 * b1 - (((product - a0 * b0) - a1 * b0) - a0 * b1)
        more = total + product
        part = more - total
        lost = lost + (((total - (more - part)) + (product - part)) + below)
        total = more
    ct.store(s, index=(j,), tile=(total + lost).reshape((T,)))


@ct.kernel
def dot_running(x, y, s, T: Const):
    j = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(x.shape[0]):
        total = total + ct.load(x, index=(k, j), shape=(1, T)) * ct.load(y, index=(k, j), shape=(1, T))
    ct.store(s, index=(j,), tile=total.reshape((T,)))


# ---- fast products ---------------------------------------------------------------------------------------------------
@ct.kernel
def three_taps(x, g, y, T: Const):
    """y_t = g_0 x_t + g_1 x_(t+1) + g_2 x_(t+2) along rows; grid (column blocks, rows)."""
    j, i = ct.bid(0), ct.bid(1)
    column = j * T + ct.arange(T, dtype=ct.int32)
    total = ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(3):
        total = total + ct.gather(x, (i, column + k), padding_value=0).astype(ct.float32) * ct.load(
            g, index=(k,), shape=(1,)
        )
    ct.scatter(y, (i, column), total)


@ct.kernel
def winograd_four(x, g, y, T: Const):
    """Four outputs with six products, F(4, 3), factors in f16; grid (column blocks, rows)."""
    j, i = ct.bid(0), ct.bid(1)
    first = 4 * (j * T + ct.arange(T, dtype=ct.int32))
    g0, g1, g2 = (
        ct.load(g, index=(0,), shape=(1,)),
        ct.load(g, index=(1,), shape=(1,)),
        ct.load(g, index=(2,), shape=(1,)),
    )
    d0 = ct.gather(x, (i, first), padding_value=0).astype(ct.float32)
    d1 = ct.gather(x, (i, first + 1), padding_value=0).astype(ct.float32)
    d2 = ct.gather(x, (i, first + 2), padding_value=0).astype(ct.float32)
    d3 = ct.gather(x, (i, first + 3), padding_value=0).astype(ct.float32)
    d4 = ct.gather(x, (i, first + 4), padding_value=0).astype(ct.float32)
    d5 = ct.gather(x, (i, first + 5), padding_value=0).astype(ct.float32)
    m0 = (4 * d0 - 5 * d2 + d4).astype(ct.float16) * (g0 / 4).astype(ct.float16)
    m1 = (d3 + d4 - 4 * d1 - 4 * d2).astype(ct.float16) * ((g0 + g1 + g2) / -6).astype(ct.float16)
    m2 = (4 * d1 - 4 * d2 - d3 + d4).astype(ct.float16) * ((g1 - g0 - g2) / 6).astype(ct.float16)
    m3 = (2 * d3 - 2 * d1 - d2 + d4).astype(ct.float16) * (g0 / 24 + g1 / 12 + g2 / 6).astype(ct.float16)
    m4 = (2 * d1 - d2 - 2 * d3 + d4).astype(ct.float16) * (g0 / 24 - g1 / 12 + g2 / 6).astype(ct.float16)
    m5 = (4 * d1 - 5 * d3 + d5).astype(ct.float16) * g2.astype(ct.float16)
    m0, m1, m2 = m0.astype(ct.float32), m1.astype(ct.float32), m2.astype(ct.float32)
    m3, m4, m5 = m3.astype(ct.float32), m4.astype(ct.float32), m5.astype(ct.float32)
    ct.scatter(y, (i, first), m0 + m1 + m2 + m3 + m4)
    ct.scatter(y, (i, first + 1), m1 - m2 + 2 * m3 - 2 * m4)
    ct.scatter(y, (i, first + 2), m1 + m2 + 4 * m3 + 4 * m4)
    ct.scatter(y, (i, first + 3), m1 - m2 + 8 * m3 - 8 * m4 + m5)


@ct.kernel
def winograd_six(x, g, y, T: Const):
    """Six outputs with eight products, F(6, 3), in f32."""
    j, i = ct.bid(0), ct.bid(1)
    first = 6 * (j * T + ct.arange(T, dtype=ct.int32))
    g0, g1, g2 = (
        ct.load(g, index=(0,), shape=(1,)),
        ct.load(g, index=(1,), shape=(1,)),
        ct.load(g, index=(2,), shape=(1,)),
    )
    d0, d1 = ct.gather(x, (i, first), padding_value=0), ct.gather(x, (i, first + 1), padding_value=0)
    d2, d3 = ct.gather(x, (i, first + 2), padding_value=0), ct.gather(x, (i, first + 3), padding_value=0)
    d4, d5 = ct.gather(x, (i, first + 4), padding_value=0), ct.gather(x, (i, first + 5), padding_value=0)
    d6, d7 = ct.gather(x, (i, first + 6), padding_value=0), ct.gather(x, (i, first + 7), padding_value=0)
    m0 = (d0 - d6 + (d4 - d2) * 5.25) * g0
    even, odd = d2 + d6 - d4 * 4.25, d1 + d5 - d3 * 4.25
    m1, m2 = (even + odd) * ((g0 + g1 + g2) * -2 / 9), (even - odd) * ((g0 - g1 + g2) * -2 / 9)
    even, odd = d6 + d2 * 0.25 - d4 * 1.25, d1 * 0.5 - d3 * 2.5 + d5 * 2.0
    m3, m4 = (even + odd) * ((g0 + 2 * g1 + 4 * g2) / 90), (even - odd) * ((g0 - 2 * g1 + 4 * g2) / 90)
    even, odd = d6 + d2 * 4.0 - d4 * 5.0, d1 * 2.0 - d3 * 2.5 + d5 * 0.5
    m5, m6 = (even + odd) * ((4 * g0 + 2 * g1 + g2) * 8 / 45), (even - odd) * ((4 * g0 - 2 * g1 + g2) * 8 / 45)
    m7 = (d7 - d1 + (d3 - d5) * 5.25) * g2
    ct.scatter(y, (i, first), m0 + m1 + m2 + m3 + m4 + m5 + m6)
    ct.scatter(y, (i, first + 1), m1 - m2 + 2 * (m3 - m4) + (m5 - m6) / 2)
    ct.scatter(y, (i, first + 2), m1 + m2 + 4 * (m3 + m4) + (m5 + m6) / 4)
    ct.scatter(y, (i, first + 3), m1 - m2 + 8 * (m3 - m4) + (m5 - m6) / 8)
    ct.scatter(y, (i, first + 4), m1 + m2 + 16 * (m3 + m4) + (m5 + m6) / 16)
    ct.scatter(y, (i, first + 5), m1 - m2 + 32 * (m3 - m4) + (m5 - m6) / 32 + m7)


@ct.kernel
def complex_four(ar, ai, br, bi, re, im, N: Const, K: Const):
    """A complex product by four real ones; one program."""
    zero = ct.full((N, N), 0.0, dtype=ct.float32)
    a, b = ct.load(ar, index=(0, 0), shape=(N, K)), ct.load(ai, index=(0, 0), shape=(N, K))
    c, d = ct.load(br, index=(0, 0), shape=(K, N)), ct.load(bi, index=(0, 0), shape=(K, N))
    ct.store(re, index=(0, 0), tile=ct.mma(a, c, zero) - ct.mma(b, d, zero))
    ct.store(im, index=(0, 0), tile=ct.mma(a, d, ct.mma(b, c, zero)))


@ct.kernel
def complex_three(ar, ai, br, bi, re, im, N: Const, K: Const):
    """By three: the imaginary part is (a + b) (c + d) - a c - b d."""
    zero = ct.full((N, N), 0.0, dtype=ct.float32)
    a, b = ct.load(ar, index=(0, 0), shape=(N, K)), ct.load(ai, index=(0, 0), shape=(N, K))
    c, d = ct.load(br, index=(0, 0), shape=(K, N)), ct.load(bi, index=(0, 0), shape=(K, N))
    ac, bd = ct.mma(a, c, zero), ct.mma(b, d, zero)
    ct.store(re, index=(0, 0), tile=ac - bd)
    ct.store(im, index=(0, 0), tile=ct.mma(a + b, c + d, zero) - ac - bd)


@ct.kernel
def product_of_quarters(x, y, z, T: Const):
    """A product of 2 by 2 blocks, eight products; grid (2, 2)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((T, T), 0.0, dtype=ct.float32)
    for k in range(2):
        acc = ct.mma(ct.load(x, index=(i, k), shape=(T, T)), ct.load(y, index=(k, j), shape=(T, T)), acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def strassen(x, y, z, T: Const):
    """By Strassen's seven; one program."""
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    a, b = ct.load(x, index=(0, 0), shape=(T, T)), ct.load(x, index=(0, 1), shape=(T, T))
    c, d = ct.load(x, index=(1, 0), shape=(T, T)), ct.load(x, index=(1, 1), shape=(T, T))
    e, f = ct.load(y, index=(0, 0), shape=(T, T)), ct.load(y, index=(0, 1), shape=(T, T))
    g, h = ct.load(y, index=(1, 0), shape=(T, T)), ct.load(y, index=(1, 1), shape=(T, T))
    m1, m2, m3 = ct.mma(a + d, e + h, zero), ct.mma(c + d, e, zero), ct.mma(a, f - h, zero)
    m4, m5 = ct.mma(d, g - e, zero), ct.mma(a + b, h, zero)
    m6, m7 = ct.mma(c - a, e + f, zero), ct.mma(b - d, g + h, zero)
    ct.store(z, index=(0, 0), tile=m1 + m4 - m5 + m7)
    ct.store(z, index=(0, 1), tile=m3 + m5)
    ct.store(z, index=(1, 0), tile=m2 + m4)
    ct.store(z, index=(1, 1), tile=m1 - m2 + m3 + m6)


# ---- functions and their gradients -----------------------------------------------------------------------------------
@ct.kernel
def loss_softplus(x, y, T: Const):
    """-log(1 - sigmoid(x)) as softplus; grid (blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=t + ct.log(1.0 + ct.exp(-t)))


@ct.kernel
def loss_of_probability(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    p = 1.0 / (1.0 + ct.exp(-t))
    ct.store(y, index=(i,), tile=-ct.log(1.0 - p))


@ct.kernel
def elu_by_tanh(x, y, T: Const):
    """exp(x) - 1 below 0, as tanh(x / 2) (exp(x) + 1)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.where(t > 0, t, ct.tanh(0.5 * t) * (ct.exp(t) + 1.0)))


@ct.kernel
def elu_by_exp(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.where(t > 0, t, ct.exp(t) - 1.0))


@ct.kernel
def tanh_gradient(x, g, y, T: Const):
    """g / cosh(x)^2."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    e = ct.exp(t) + ct.exp(-t)
    ct.store(y, index=(i,), tile=ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO) * (4.0 / (e * e)))


@ct.kernel
def tanh_gradient_of_output(x, g, y, T: Const):
    """g (1 - tanh(x)^2)."""
    i = ct.bid(0)
    t = ct.tanh(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO))
    ct.store(y, index=(i,), tile=ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO) * (1.0 - t * t))


@ct.kernel
def gate_gradient(x, u, g, y, T: Const):
    """The gradient of u sigmoid(x) by x, from sigmoids of x and -x."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    up = ct.load(u, index=(i,), shape=(T,), padding_mode=ZERO) * ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=up / ((1.0 + ct.exp(-t)) * (1.0 + ct.exp(t))))


@ct.kernel
def gate_gradient_of_output(x, u, g, y, T: Const):
    """u g s (1 - s) from the sigmoid s."""
    i = ct.bid(0)
    s = 1.0 / (1.0 + ct.exp(-ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)))
    up = ct.load(u, index=(i,), shape=(T,), padding_mode=ZERO) * ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=up * (s * (1.0 - s)))


@ct.kernel
def power_of_difference(x, y, T: Const):
    """(x - 1)^6."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) - 1.0
    square = t * t
    ct.store(y, index=(i,), tile=square * square * square)


@ct.kernel
def power_expanded(x, y, T: Const):
    """By Horner's rule from its coefficients."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=((((((t - 6.0) * t + 15.0) * t - 20.0) * t + 15.0) * t - 6.0) * t) + 1.0)


@ct.kernel
def blend_shares(a, b, t, y, T: Const):
    """(1 - t) a + t b."""
    i = ct.bid(0)
    share = ct.load(t, index=(i,), shape=(T,), padding_mode=ZERO)
    at, bt = ct.load(a, index=(i,), shape=(T,), padding_mode=ZERO), ct.load(b, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=(1.0 - share) * at + share * bt)


@ct.kernel
def blend_step(a, b, t, y, T: Const):
    """a + t (b - a)."""
    i = ct.bid(0)
    share = ct.load(t, index=(i,), shape=(T,), padding_mode=ZERO)
    at, bt = ct.load(a, index=(i,), shape=(T,), padding_mode=ZERO), ct.load(b, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=at + share * (bt - at))


@ct.kernel
def parallax(z, w, y, T: Const):
    """1 / z - 1 / w as (w - z) / (z w)."""
    i = ct.bid(0)
    zt, wt = ct.load(z, index=(i,), shape=(T,)), ct.load(w, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=(wt - zt) / (zt * wt))


@ct.kernel
def parallax_of_reciprocals(z, w, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=1.0 / ct.load(z, index=(i,), shape=(T,)) - 1.0 / ct.load(w, index=(i,), shape=(T,)))


# ---- distances and systems -------------------------------------------------------------------------------------------
@ct.kernel
def distances(x, y, d, T: Const, D: Const):
    """Squared distances of all rows of x from all of y; grid (row blocks of x, of y)."""
    i, j = ct.bid(0), ct.bid(1)
    apart = ct.load(x, index=(i, 0), shape=(T, D)).reshape((T, 1, D)) - ct.load(y, index=(j, 0), shape=(T, D)).reshape(
        (1, T, D)
    )
    ct.store(d, index=(i, j), tile=ct.sum(apart * apart, axis=2))


@ct.kernel
def distances_expanded(x, y, d, T: Const, D: Const):
    """|x|^2 + |y|^2 - 2 x y."""
    i, j = ct.bid(0), ct.bid(1)
    xt, yt = ct.load(x, index=(i, 0), shape=(T, D)), ct.load(y, index=(j, 0), shape=(T, D))
    products = ct.mma(xt, ct.transpose(yt), ct.full((T, T), 0.0, dtype=ct.float32))
    lengths = ct.sum(xt * xt, axis=1, keepdims=True) + ct.sum(yt * yt, axis=1).reshape((1, T))
    ct.store(d, index=(i, j), tile=lengths - 2.0 * products)


@ct.kernel
def fit_orthogonal(a, b, r, x, T: Const, N: Const):
    """Least squares in two unknowns, the second column made orthogonal to the first; grid (row blocks of problems)."""
    i = ct.bid(0)
    at, bt = ct.load(a, index=(i, 0), shape=(T, N)), ct.load(b, index=(i, 0), shape=(T, N))
    rt = ct.load(r, index=(i, 0), shape=(T, N))
    length = ct.sum(at * at, axis=1, keepdims=True)
    rest = bt - ct.sum(at * bt, axis=1, keepdims=True) / length * at
    left = rt - ct.sum(at * rt, axis=1, keepdims=True) / length * at
    second = ct.sum(rest * left, axis=1, keepdims=True) / ct.sum(rest * rest, axis=1, keepdims=True)
    first = ct.sum(at * (rt - second * bt), axis=1, keepdims=True) / length
    ct.store(x, index=(i, 0), tile=ct.cat((first, second), 1))


@ct.kernel
def fit_normal(a, b, r, x, T: Const, N: Const):
    """By the normal equations and Cramer's rule."""
    i = ct.bid(0)
    at, bt = ct.load(a, index=(i, 0), shape=(T, N)), ct.load(b, index=(i, 0), shape=(T, N))
    rt = ct.load(r, index=(i, 0), shape=(T, N))
    aa, ab = ct.sum(at * at, axis=1, keepdims=True), ct.sum(at * bt, axis=1, keepdims=True)
    bb = ct.sum(bt * bt, axis=1, keepdims=True)
    ar, br = ct.sum(at * rt, axis=1, keepdims=True), ct.sum(bt * rt, axis=1, keepdims=True)
    determinant = aa * bb - ab * ab
    ct.store(x, index=(i, 0), tile=ct.cat(((bb * ar - ab * br) / determinant, (aa * br - ab * ar) / determinant), 1))


@ct.kernel
def orthogonal_modified(x, y, T: Const, N: Const):
    """Columns 0 to 3 of rows of [4, N] by modified Gram-Schmidt, not normalised; grid (problems)."""
    i = ct.bid(0)
    a, b = ct.load(x, index=(i, 0, 0), shape=(1, 1, N)), ct.load(x, index=(i, 1, 0), shape=(1, 1, N))
    c, d = ct.load(x, index=(i, 2, 0), shape=(1, 1, N)), ct.load(x, index=(i, 3, 0), shape=(1, 1, N))
    aa = ct.sum(a * a, axis=2, keepdims=True)
    b, c, d = (
        b - ct.sum(a * b, axis=2, keepdims=True) / aa * a,
        c - ct.sum(a * c, axis=2, keepdims=True) / aa * a,
        d - ct.sum(a * d, axis=2, keepdims=True) / aa * a,
    )
    bb = ct.sum(b * b, axis=2, keepdims=True)
    c, d = c - ct.sum(b * c, axis=2, keepdims=True) / bb * b, d - ct.sum(b * d, axis=2, keepdims=True) / bb * b
    d = d - ct.sum(c * d, axis=2, keepdims=True) / ct.sum(c * c, axis=2, keepdims=True) * c
    ct.store(y, index=(i, 0, 0), tile=ct.cat((ct.cat((a, b), 1), ct.cat((c, d), 1)), 1))


@ct.kernel
def orthogonal_classical(x, y, T: Const, N: Const):
    """By classical Gram-Schmidt: all products with the columns as they came."""
    i = ct.bid(0)
    a, b = ct.load(x, index=(i, 0, 0), shape=(1, 1, N)), ct.load(x, index=(i, 1, 0), shape=(1, 1, N))
    c, d = ct.load(x, index=(i, 2, 0), shape=(1, 1, N)), ct.load(x, index=(i, 3, 0), shape=(1, 1, N))
    aa = ct.sum(a * a, axis=2, keepdims=True)
    b = b - ct.sum(a * b, axis=2, keepdims=True) / aa * a
    bb = ct.sum(b * b, axis=2, keepdims=True)
    c = c - ct.sum(a * c, axis=2, keepdims=True) / aa * a - ct.sum(b * c, axis=2, keepdims=True) / bb * b
    cc = ct.sum(c * c, axis=2, keepdims=True)
    d = (
        d
        - ct.sum(a * d, axis=2, keepdims=True) / aa * a
        - ct.sum(b * d, axis=2, keepdims=True) / bb * b
        - ct.sum(c * d, axis=2, keepdims=True) / cc * c
    )
    ct.store(y, index=(i, 0, 0), tile=ct.cat((ct.cat((a, b), 1), ct.cat((c, d), 1)), 1))


# ---- decays and probabilities ----------------------------------------------------------------------------------------
@ct.kernel
def decays_of_segments(a, y, N: Const):
    """y[i, j] = exp(a_(j+1) + ... + a_i) for j <= i, the sums one by one; grid (heads)."""
    h = ct.bid(0)
    row, column = ct.arange(N, dtype=ct.int32).reshape((N, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    log = ct.load(a, index=(h, 0), shape=(1, N)).reshape((N, 1))
    sums = ct.cumsum(ct.where(row > column, log, 0.0), axis=0)
    ct.store(y, index=(h, 0, 0), tile=ct.where(row >= column, ct.exp(sums), 0.0).reshape((1, N, N)))


@ct.kernel
def decays_of_prefixes(a, y, N: Const):
    """From differences of prefix sums."""
    h = ct.bid(0)
    row, column = ct.arange(N, dtype=ct.int32).reshape((N, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    prefix = ct.cumsum(ct.load(a, index=(h, 0), shape=(1, N)), axis=1)
    sums = prefix.reshape((N, 1)) - prefix
    seen = row >= column
    ct.store(y, index=(h, 0, 0), tile=ct.where(seen, ct.exp(ct.where(seen, sums, 0.0)), 0.0).reshape((1, N, N)))


@ct.kernel
def gated_scores(q, k, a, y, T: Const, D: Const):
    """Gated linear attention in a chunk: y[i, j] = sum_d q_id k_jd exp(g_id - g_jd), g the prefix sums of a; one program."""
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    g = ct.cumsum(ct.load(a, index=(0, 0), shape=(T, D)).astype(ct.float32), axis=0)
    qt, kt = ct.load(q, index=(0, 0), shape=(T, D)).astype(ct.float32), ct.load(k, index=(0, 0), shape=(T, D))
    decay = ct.where((row >= column).reshape((T, T, 1)), g.reshape((T, 1, D)) - g.reshape((1, T, D)), 0.0)
    products = qt.reshape((T, 1, D)) * kt.astype(ct.float32).reshape((1, T, D)) * ct.exp(decay)
    ct.store(y, index=(0, 0), tile=ct.where(row >= column, ct.sum(products, axis=2), 0.0))


@ct.kernel
def gated_scores_factored(q, k, a, y, T: Const, D: Const):
    """As one product of q exp(g) and k exp(-g), in bf16."""
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    g = ct.cumsum(ct.load(a, index=(0, 0), shape=(T, D)).astype(ct.float32), axis=0)
    qt = ct.load(q, index=(0, 0), shape=(T, D)).astype(ct.float32) * ct.exp(g)
    kt = ct.load(k, index=(0, 0), shape=(T, D)).astype(ct.float32) * ct.exp(-g)
    scores = ct.mma(qt.astype(ct.bfloat16), ct.transpose(kt.astype(ct.bfloat16)), ct.full((T, T), 0.0, dtype=ct.float32))
    ct.store(y, index=(0, 0), tile=ct.where(row >= column, scores, 0.0))


@ct.kernel
def markov_scaled(p, e, y, S: Const):
    """The logarithm of a sequence's probability, states scaled to a sum of 1 at each step; grid (sequences)."""
    b = ct.bid(0)
    step = ct.load(p, index=(0, 0), shape=(S, S))
    state = ct.full((1, S), 1.0 / S, dtype=ct.float32)
    total = ct.full((1, 1), 0.0, dtype=ct.float32)
    for t in range(e.shape[1]):
        state = ct.sum(state.reshape((S, 1)) * step, axis=0, keepdims=True) * ct.load(
            e, index=(b, t, 0), shape=(1, 1, S)
        ).reshape((1, S))
        share = ct.sum(state, axis=1, keepdims=True)
        state = state / share
        total = total + ct.log(share)
    ct.store(y, index=(b,), tile=total.reshape((1,)))


@ct.kernel
def markov_plain(p, e, y, S: Const):
    """With the probabilities as they are."""
    b = ct.bid(0)
    step = ct.load(p, index=(0, 0), shape=(S, S))
    state = ct.full((1, S), 1.0 / S, dtype=ct.float32)
    for t in range(e.shape[1]):
        state = ct.sum(state.reshape((S, 1)) * step, axis=0, keepdims=True) * ct.load(
            e, index=(b, t, 0), shape=(1, 1, S)
        ).reshape((1, S))
    ct.store(y, index=(b,), tile=ct.log(ct.sum(state, axis=1)))


@ct.kernel
def logsumexp(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    most = ct.max(t, axis=1, keepdims=True)
    total = ct.sum(ct.exp(t - most), axis=1, keepdims=True)
    ct.store(y, index=(i,), tile=(most + ct.log(total)).reshape((TM,)))


@ct.kernel
def logsumexp_plain(x, y, TM: Const, TN: Const):
    """Without the maximum."""
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.log(ct.sum(ct.exp(ct.load(x, index=(i, 0), shape=(TM, TN))), axis=1)))


@ct.kernel
def softmax(x, y, TM: Const, TN: Const):
    """Softmax of rows of f16 in f32; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN)).astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_half(x, y, TM: Const, TN: Const):
    """Exponentials and their sum in f16."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    e = ct.exp((t - ct.max(t, axis=1, keepdims=True)).astype(ct.float32)).astype(ct.float16)
    ct.store(y, index=(i, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(ct.float32))


@ct.kernel
def attention_f16(s, v, y, TM: Const, N: Const, D: Const):
    """Softmax of scores times values, probabilities in f16; grid (query blocks)."""
    i = ct.bid(0)
    t = ct.load(s, index=(i, 0), shape=(TM, N))
    p = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    values = ct.load(v, index=(0, 0), shape=(N, D)).astype(ct.float16)
    acc = ct.mma(p.astype(ct.float16), values, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(y, index=(i, 0), tile=acc / ct.sum(p, axis=1, keepdims=True))


@ct.kernel
def attention_f8(s, v, y, TM: Const, N: Const, D: Const):
    """Probabilities in e4m3."""
    i = ct.bid(0)
    t = ct.load(s, index=(i, 0), shape=(TM, N))
    p = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    values = ct.load(v, index=(0, 0), shape=(N, D))
    acc = ct.mma(p.astype(ct.float8_e4m3fn), values, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(y, index=(i, 0), tile=acc / ct.sum(p, axis=1, keepdims=True))


# ---- training in small types -----------------------------------------------------------------------------------------
@ct.kernel
def average_f32(v, g, y, T: Const):
    """The running average of squares over all steps, kept in f32; grid (blocks)."""
    j = ct.bid(0)
    state = ct.load(v, index=(j,), shape=(T,)).astype(ct.float32)
    for k in range(g.shape[0]):
        t = ct.load(g, index=(k, j), shape=(1, T)).reshape((T,))
        state = 0.999 * state + 0.001 * (t * t)
    ct.store(y, index=(j,), tile=state)


@ct.kernel
def average_bf16(v, g, y, T: Const):
    """Kept in bf16, which is too coarse for a thousandth."""
    j = ct.bid(0)
    state = ct.load(v, index=(j,), shape=(T,))
    for k in range(g.shape[0]):
        t = ct.load(g, index=(k, j), shape=(1, T)).reshape((T,))
        state = (0.999 * state.astype(ct.float32) + 0.001 * (t * t)).astype(ct.bfloat16)
    ct.store(y, index=(j,), tile=state.astype(ct.float32))


@ct.kernel
def descent_master(w, g, y, rate: float, T: Const):
    """Steps of gradient descent with momentum on weights of f32, of which the result is bf16; grid (blocks)."""
    j = ct.bid(0)
    weights = ct.load(w, index=(j,), shape=(T,)).astype(ct.float32)
    speed = ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(g.shape[0]):
        speed = 0.5 * speed + ct.load(g, index=(k, j), shape=(1, T)).reshape((T,))
        weights = weights - rate * speed
    ct.store(y, index=(j,), tile=weights.astype(y.dtype))


@ct.kernel
def descent_bf16(w, g, y, rate: float, T: Const):
    """On weights of bf16, without a master copy."""
    j = ct.bid(0)
    weights = ct.load(w, index=(j,), shape=(T,))
    speed = ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(g.shape[0]):
        speed = 0.5 * speed + ct.load(g, index=(k, j), shape=(1, T)).reshape((T,))
        weights = (weights.astype(ct.float32) - rate * speed).astype(ct.bfloat16)
    ct.store(y, index=(j,), tile=weights.astype(y.dtype))


@ct.kernel
def loss_gradient(p, g, share: float, T: Const, N: Const):
    """The gradient of a mean loss, stored in f16; grid (row blocks)."""
    i = ct.bid(0)
    ct.store(g, index=(i, 0), tile=(ct.load(p, index=(i, 0), shape=(T, N)) * share).astype(g.dtype))


@ct.kernel
def input_gradient(g, w, y, share: float, T: Const, N: Const):
    """dX = share G W^T for W [N, N]; grid (row blocks)."""
    i = ct.bid(0)
    wt = ct.transpose(ct.load(w, index=(0, 0), shape=(N, N)))
    acc = ct.mma(ct.load(g, index=(i, 0), shape=(T, N)), wt, ct.full((T, N), 0.0, dtype=ct.float32))
    ct.store(y, index=(i, 0), tile=acc * share)


@ct.kernel
def dequantised(q, z, s, y, T: Const, N: Const):
    """(q - z) s for each row; f16; grid (row blocks)."""
    i = ct.bid(0)
    zero = ct.load(z, index=(i,), shape=(T,)).reshape((T, 1))
    scale = ct.load(s, index=(i,), shape=(T,)).reshape((T, 1))
    ct.store(y, index=(i, 0), tile=(ct.load(q, index=(i, 0), shape=(T, N)) - zero).astype(ct.float16) * scale)


@ct.kernel
def dequantised_folded(q, z, s, y, T: Const, N: Const):
    """q s - (z s)."""
    i = ct.bid(0)
    zero = ct.load(z, index=(i,), shape=(T,)).reshape((T, 1)).astype(ct.float16)
    scale = ct.load(s, index=(i,), shape=(T,)).reshape((T, 1))
    ct.store(y, index=(i, 0), tile=ct.load(q, index=(i, 0), shape=(T, N)).astype(ct.float16) * scale - zero * scale)


@ct.kernel
def orthogonalised(x, y, N: Const, STEPS: Const):
    """Muon's Newton-Schulz steps in f32, for a matrix divided by its length; one program."""
    t = ct.load(x, index=(0, 0), shape=(N, N))
    zero = ct.full((N, N), 0.0, dtype=ct.float32)
    for _ in range(STEPS):
        a = ct.mma(t, ct.transpose(t), zero)
        b = -4.775 * a + 2.0315 * ct.mma(a, a, zero)
        t = 3.4445 * t + ct.mma(b, t, zero)
    ct.store(y, index=(0, 0), tile=t)


@ct.kernel
def orthogonalised_bf16(x, y, N: Const, STEPS: Const):
    """Operands in bf16."""
    t = ct.load(x, index=(0, 0), shape=(N, N))
    zero = ct.full((N, N), 0.0, dtype=ct.float32)
    for _ in range(STEPS):
        h = t.astype(ct.bfloat16)
        a = ct.mma(h, ct.transpose(h), zero)
        b = -4.775 * a + 2.0315 * ct.mma(a.astype(ct.bfloat16), a.astype(ct.bfloat16), zero)
        t = 3.4445 * h.astype(ct.float32) + ct.mma(b.astype(ct.bfloat16), h, zero)
    ct.store(y, index=(0, 0), tile=t)


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
H1, H2, B1, B2, E2 = array(ct.float16, 1), array(ct.float16, 2), array(ct.bfloat16, 1), array(ct.bfloat16, 2), array(ct.float8_e4m3fn, 2)
I1, I2 = array(ct.int32, 1), array(ct.int32, 2)
PRODUCT = [F2, F2, F2, 16, 16, 16]
KERNELS = {
    "matmul_bf16_six": (matmul_bf16_six, PRODUCT),
    "matmul_bf16_three": (matmul_bf16_three, PRODUCT),
    "matmul_bf16_one": (matmul_bf16_one, PRODUCT),
    "matmul_tf32_three": (matmul_tf32_three, PRODUCT),
    "matmul_tf32": (matmul_tf32, PRODUCT),
    "matmul_f16_scaled": (matmul_f16_scaled, PRODUCT),
    "matmul_f16_unscaled": (matmul_f16_unscaled, PRODUCT),
    "dot_twofold": (dot_twofold, [F2, F2, F1, 16]),
    "dot_running": (dot_running, [F2, F2, F1, 16]),
    "three_taps": (three_taps, [F2, F1, F2, 16]),
    "three_taps_f16": (three_taps, [H2, F1, F2, 16]),
    "winograd_four": (winograd_four, [H2, F1, F2, 8]),
    "winograd_six": (winograd_six, [F2, F1, F2, 8]),
    "complex_four": (complex_four, [F2, F2, F2, F2, F2, F2, 16, 32]),
    "complex_three": (complex_three, [F2, F2, F2, F2, F2, F2, 16, 32]),
    "product_of_quarters": (product_of_quarters, [F2, F2, F2, 16]),
    "strassen": (strassen, [F2, F2, F2, 16]),
    "loss_softplus": (loss_softplus, [F1, F1, 64]),
    "loss_of_probability": (loss_of_probability, [F1, F1, 64]),
    "elu_by_tanh": (elu_by_tanh, [F1, F1, 64]),
    "elu_by_exp": (elu_by_exp, [F1, F1, 64]),
    "tanh_gradient": (tanh_gradient, [F1, F1, F1, 64]),
    "tanh_gradient_of_output": (tanh_gradient_of_output, [F1, F1, F1, 64]),
    "gate_gradient": (gate_gradient, [F1, F1, F1, F1, 64]),
    "gate_gradient_of_output": (gate_gradient_of_output, [F1, F1, F1, F1, 64]),
    "power_of_difference": (power_of_difference, [F1, F1, 64]),
    "power_expanded": (power_expanded, [F1, F1, 64]),
    "blend_shares": (blend_shares, [F1, F1, F1, F1, 64]),
    "blend_step": (blend_step, [F1, F1, F1, F1, 64]),
    "parallax": (parallax, [F1, F1, F1, 64]),
    "parallax_of_reciprocals": (parallax_of_reciprocals, [F1, F1, F1, 64]),
    "distances": (distances, [F2, F2, F2, 8, 32]),
    "distances_expanded": (distances_expanded, [F2, F2, F2, 16, 32]),
    "fit_orthogonal": (fit_orthogonal, [F2, F2, F2, F2, 4, 32]),
    "fit_normal": (fit_normal, [F2, F2, F2, F2, 4, 32]),
    "orthogonal_modified": (orthogonal_modified, [F3, F3, 4, 32]),
    "orthogonal_classical": (orthogonal_classical, [F3, F3, 4, 32]),
    "decays_of_segments": (decays_of_segments, [F2, F3, 32]),
    "decays_of_prefixes": (decays_of_prefixes, [F2, F3, 32]),
    "gated_scores": (gated_scores, [B2, B2, B2, F2, 16, 16]),
    "gated_scores_factored": (gated_scores_factored, [B2, B2, B2, F2, 16, 16]),
    "markov_scaled": (markov_scaled, [F2, F3, F1, 8]),
    "markov_plain": (markov_plain, [F2, F3, F1, 8]),
    "logsumexp": (logsumexp, [F2, F1, 4, 64]),
    "logsumexp_plain": (logsumexp_plain, [F2, F1, 4, 64]),
    "softmax": (softmax, [H2, F2, 4, 128]),
    "softmax_half": (softmax_half, [H2, F2, 4, 128]),
    "attention_f16": (attention_f16, [F2, E2, F2, 16, 64, 16]),
    "attention_f8": (attention_f8, [F2, E2, F2, 16, 64, 16]),
    "average_f32": (average_f32, [B1, F2, F1, 32]),
    "average_bf16": (average_bf16, [B1, F2, F1, 32]),
    "descent_master": (descent_master, [B1, F2, B1, ct.float32, 32]),
    "descent_bf16": (descent_bf16, [B1, F2, B1, ct.float32, 32]),
    "loss_gradient": (loss_gradient, [F2, H2, ct.float32, 8, 32]),
    "input_gradient": (input_gradient, [H2, H2, F2, ct.float32, 8, 32]),
    "dequantised": (dequantised, [I2, I1, H1, H2, 8, 64]),
    "dequantised_folded": (dequantised_folded, [I2, I1, H1, H2, 8, 64]),
    "orthogonalised": (orthogonalised, [F2, F2, 16, 3]),
    "orthogonalised_bf16": (orthogonalised_bf16, [F2, F2, 16, 3]),
}


def make_inputs():
    random = np.random.Generator(np.random.PCG64(20))
    # Dot products whose second half cancels the first but for a 4096th.
    a, b, c = (random.uniform(0.5, 1, (32, 16)) for _ in range(3))
    x, y = np.concatenate((a, a)), np.concatenate((b, -b + c / 4096))
    # Blocks of which one is much larger.
    blocks = [random.standard_normal((32, 32)) for _ in range(2)]
    for block in blocks:
        block[:16, :16] *= 1000
    # Columns that are nearly the same; what is to be fitted is near to both.
    column = random.uniform(0.5, 1, (16, 32))
    second = column + 1e-3 * random.standard_normal((16, 32))
    fitted = 2 * column - second + 1e-3 * random.standard_normal((16, 32))
    vectors = 1 + 1e-3 * random.standard_normal((8, 4, 32))
    # Logarithms of decays: some tokens forget nearly all.
    decays = -random.uniform(0.01, 0.1, (4, 32))
    decays[:, 5:20:3] = -random.uniform(300, 900, (4, 5))
    squares = random.standard_normal((16, 16))
    squares /= np.linalg.norm(squares)
    chances = random.uniform(0.1, 1, (8, 8))
    chances /= chances.sum(axis=1, keepdims=True)
    named = {
        "x": x,
        "y": y,
        "a": blocks[0],
        "b": blocks[1],
        "column": column,
        "second": second,
        "fitted": fitted,
        "vectors": vectors,
        "decays": decays,
        "square": squares,
        "chances": chances,
    }
    return {f"cancellation_{name}.f32": np.float32(values) for name, values in named.items()}


INPUTS = make_inputs()


def f32(name, *shape):
    return buffer("f32", shape, given(f"cancellation_{name}.f32"))


SQUARES = {n: buffer("f32", [32, 32], NORMAL) for n in "XY"} | {"Z": buffer("f32", [32, 32])}
SMALL = {n: buffer("f32", [32, 32], uniform(0.001, 0.002)) for n in "XY"} | {"Z": buffer("f32", [32, 32])}
COLUMNS = {"X": f32("x", 64, 16), "Y": f32("y", 64, 16), "S": buffer("f32", [16])}
TAPS = {"G": buffer("f32", [3], NORMAL), "Y": buffer("f32", [5, 48])}
NEAR_REAL = {
    "A": buffer("f32", [16, 32], uniform(0.5, 1)),
    "B": buffer("f32", [16, 32], uniform(-0.0001, 0.0001)),
    "C": buffer("f32", [32, 16], uniform(0.5, 1)),
    "D": buffer("f32", [32, 16], uniform(-0.0001, 0.0001)),
    "RE": buffer("f32", [16, 16]),
    "IM": buffer("f32", [16, 16]),
}
BLOCKS = {"X": f32("a", 32, 32), "Y": f32("b", 32, 32), "Z": buffer("f32", [32, 32])}
N = 256
FLAT, GRADIENT = buffer("f32", [N]), buffer("f32", [N], NORMAL)
FIT = {n: f32(name, 16, 32) for n, name in (("A", "column"), ("B", "second"), ("R", "fitted"))}
GATED = {n: buffer("bf16", [16, 16], NORMAL) for n in "QK"}
ATTENTION = {
    "S": buffer("f32", [32, 64], NORMAL),
    "V": buffer("f8e4m3fn", [64, 16], uniform(0.5, 2)),
    "Y": buffer("f32", [32, 16]),
}
DESCENT = {
    "W": buffer("bf16", [64], uniform(0.5, 1)),
    "G": buffer("f32", [128, 64], uniform(0.5, 1)),
    "Y": buffer("bf16", [64]),
}
LOSS = {
    "P": buffer("f32", [16, 32], uniform(-0.002, 0.002)),
    "G": buffer("f16", [16, 32]),
    "W": buffer("f16", [32, 32], NORMAL),
    "Y": buffer("f32", [16, 32]),
}
QUANTISED = {
    "Q": buffer("i32", [16, 64], integers(125, 131)),
    "Z": buffer("i32", [16], integers(127, 129)),
    "S": buffer("f16", [16], uniform(0.01, 0.02)),
    "Y": buffer("f16", [16, 64]),
}


def single(name, title, buffers, reference, variant, compare, names, grid, *arguments):
    """A pair of one launch each with the same grid and arguments, of which the variant is worse."""
    launches = [run(reference, grid, *arguments)], [run(variant, grid, *arguments)]
    return pair(name, title, buffers, *launches, compare, names=names, finding=worse(names[1]))


PAIRS = [
    single(
        "six_of_bf16",
        "a product of f32 by three parts of bf16, and by two",
        SQUARES,
        "matmul_bf16_six",
        "matmul_bf16_three",
        ["Z"],
        ("six", "three"),
        (2, 2),
        *"XYZ",
    ),
    single(
        "three_of_bf16",
        "a product of f32 by two parts of bf16, and rounded to bf16",
        SQUARES,
        "matmul_bf16_three",
        "matmul_bf16_one",
        ["Z"],
        ("three", "one"),
        (2, 2),
        *"XYZ",
    ),
    single(
        "three_of_tf32",
        "a product of f32 by two parts of tf32, and rounded to tf32",
        SQUARES,
        "matmul_tf32_three",
        "matmul_tf32",
        ["Z"],
        ("three", "one"),
        (2, 2),
        *"XYZ",
    ),
    single(
        "parts_of_f16",
        "a product of small f32 by two parts of f16, lower ones scaled, and as they are",
        SMALL,
        "matmul_f16_scaled",
        "matmul_f16_unscaled",
        ["Z"],
        ("scaled", "unscaled"),
        (2, 2),
        *"XYZ",
    ),
    single(
        "dot_twofold",
        "dot products that nearly cancel, in twice the precision, and in one accumulator",
        COLUMNS,
        "dot_twofold",
        "dot_running",
        ["S"],
        ("twofold", "running"),
        (1,),
        *"XYS",
    ),
    pair(
        "winograd_f16",
        "three taps along rows, and four outputs at a time by Winograd's F(4, 3) in f16",
        {"X": buffer("f16", [5, 50], NORMAL), **TAPS},
        [run("three_taps_f16", (3, 5), "X", "G", "Y")],
        [run("winograd_four", (2, 5), "X", "G", "Y")],
        ["Y"],
        names=("taps", "winograd"),
        finding=worse("winograd"),
    ),
    pair(
        "winograd_six",
        "three taps along rows, and six outputs at a time by Winograd's F(6, 3) in f32",
        {"X": buffer("f32", [5, 50], NORMAL), **TAPS},
        [run("three_taps", (3, 5), "X", "G", "Y")],
        [run("winograd_six", (1, 5), "X", "G", "Y")],  # ten times the error, so that it is not called worse
        ["Y"],
        names=("taps", "winograd"),
    ),
    single(
        "complex",
        "a complex product by four real ones, and by three, of nearly real numbers",
        NEAR_REAL,
        "complex_four",
        "complex_three",
        ["RE", "IM"],
        ("four", "three"),
        (1,),
        *("A", "B", "C", "D", "RE", "IM"),
    ),
    pair(
        "strassen",
        "a product of blocks, one of them large, by eight products, and by Strassen's seven",
        BLOCKS,
        [run("product_of_quarters", (2, 2), *"XYZ")],
        [run("strassen", (1,), *"XYZ")],
        ["Z"],
        names=("eight", "seven"),
        finding=worse("seven"),
    ),
    single(
        "log_of_rest",
        "-log(1 - sigmoid(x)) as softplus, and from the probability",
        {"X": buffer("f32", [N], uniform(2, 15)), "Y": FLAT},
        "loss_softplus",
        "loss_of_probability",
        ["Y"],
        ("softplus", "probability"),
        (4,),
        *"XY",
    ),
    single(
        "elu",
        "ELU near 0 by tanh, and as exp(x) - 1",
        {"X": buffer("f32", [N], uniform(-0.001, 0)), "Y": FLAT},
        "elu_by_tanh",
        "elu_by_exp",
        ["Y"],
        ("tanh", "exp"),
        (4,),
        *"XY",
    ),
    single(
        "tanh_gradient",
        "the gradient of tanh by cosh, and as 1 - y^2",
        {"X": buffer("f32", [N], uniform(3, 7)), "G": GRADIENT, "Y": FLAT},
        "tanh_gradient",
        "tanh_gradient_of_output",
        ["Y"],
        ("cosh", "output"),
        (4,),
        *"XGY",
    ),
    single(
        "gate_gradient",
        "the gradient of a gate by exp of x and -x, and as s (1 - s)",
        {"X": buffer("f32", [N], uniform(4, 14)), "U": GRADIENT, "G": GRADIENT, "Y": FLAT},
        "gate_gradient",
        "gate_gradient_of_output",
        ["Y"],
        ("both", "output"),
        (4,),
        *"XUGY",
    ),
    single(
        "polynomial",
        "(x - 1)^6 near 1 as a power, and expanded",
        {"X": buffer("f32", [N], uniform(0.9, 1.1)), "Y": FLAT},
        "power_of_difference",
        "power_expanded",
        ["Y"],
        ("power", "expanded"),
        (4,),
        *"XY",
    ),
    single(
        "blend",
        "a blend near its far end, as (1 - t) a + t b, and as a + t (b - a)",
        {
            "A": buffer("f32", [N], uniform(100000, 200000)),
            "B": buffer("f32", [N], uniform(1, 2)),
            "T": buffer("f32", [N], uniform(0.99999, 1)),
            "Y": FLAT,
        },
        "blend_shares",
        "blend_step",
        ["Y"],
        ("shares", "step"),
        (4,),
        *"ABTY",
    ),
    single(
        "parallax",
        "the difference of two reciprocals, as one quotient, and as it stands",
        {"Z": buffer("f32", [N], uniform(1000, 1001)), "W": buffer("f32", [N], uniform(1002, 1003)), "Y": FLAT},
        "parallax",
        "parallax_of_reciprocals",
        ["Y"],
        ("quotient", "reciprocals"),
        (4,),
        *"ZWY",
    ),
    pair(
        "distances",
        "squared distances of points far from 0, directly, and as |x|^2 + |y|^2 - 2 x y",
        {n: buffer("f32", [16, 32], uniform(100, 101)) for n in "XY"} | {"D": buffer("f32", [16, 16])},
        [run("distances", (2, 2), *"XYD")],
        [run("distances_expanded", (1, 1), *"XYD")],
        ["D"],
        names=("direct", "expanded"),
        finding=worse("expanded"),
    ),
    single(
        "least_squares",
        "least squares with nearly equal columns, made orthogonal, and by normal equations",
        {**FIT, "X": buffer("f32", [16, 2])},
        "fit_orthogonal",
        "fit_normal",
        ["X"],
        ("orthogonal", "normal"),
        (4,),
        *"ABRX",
    ),
    single(
        "gram_schmidt",
        "four nearly equal vectors by modified Gram-Schmidt, and by classical",
        {"X": f32("vectors", 8, 4, 32), "Y": buffer("f32", [8, 4, 32])},
        "orthogonal_modified",
        "orthogonal_classical",
        ["Y"],
        ("modified", "classical"),
        (8,),
        *"XY",
    ),
    single(
        "segments",
        "decays of a state-space model from sums of segments, and from differences of prefix sums",
        {"A": f32("decays", 4, 32), "Y": buffer("f32", [4, 32, 32])},
        "decays_of_segments",
        "decays_of_prefixes",
        ["Y"],
        ("segments", "prefixes"),
        (4,),
        *"AY",
    ),
    single(
        "gated",
        "gated linear attention with decays of pairs, and factored in bf16",
        {**GATED, "A": buffer("bf16", [16, 16], uniform(-1, 0)), "Y": buffer("f32", [16, 16])},
        "gated_scores",
        "gated_scores_factored",
        ["Y"],
        ("pairs", "factored"),
        (1,),
        *"QKAY",
    ),
    single(
        "markov",
        "the likelihood of a hidden Markov model, scaled at each step, and with plain probabilities",
        {"P": f32("chances", 8, 8), "E": buffer("f32", [4, 48, 8], uniform(0.01, 0.1)), "Y": buffer("f32", [4])},
        "markov_scaled",
        "markov_plain",
        ["Y"],
        ("scaled", "plain"),
        (4,),
        *"PEY",
    ),
    single(
        "logsumexp_low",
        "log-sum-exp of rows near -100, with the maximum, and without",
        {"X": buffer("f32", [16, 64], uniform(-103, -96)), "Y": buffer("f32", [16])},
        "logsumexp",
        "logsumexp_plain",
        ["Y"],
        ("maximum", "plain"),
        (4,),
        *"XY",
    ),
    single(
        "softmax_f16",
        "softmax of f16 in f32, and with exponentials and sum in f16",
        {"X": buffer("f16", [8, 128], NORMAL), "Y": buffer("f32", [8, 128])},
        "softmax",
        "softmax_half",
        ["Y"],
        ("f32", "f16"),
        (2,),
        *"XY",
    ),
    single(
        "attention_f8",
        "attention with probabilities in f16, and in e4m3",
        ATTENTION,
        "attention_f16",
        "attention_f8",
        ["Y"],
        ("f16", "f8"),
        (2,),
        *"SVY",
    ),
    single(
        "average_bf16",
        "a running average of squares over 300 steps, kept in f32, and in bf16",
        {
            "V": buffer("bf16", [64], uniform(1, 2)),
            "G": buffer("f32", [300, 64], uniform(0, 0.1)),
            "Y": buffer("f32", [64]),
        },
        "average_f32",
        "average_bf16",
        ["Y"],
        ("f32", "bf16"),
        (2,),
        *"VGY",
    ),
    single(
        "descent_bf16",
        "128 small steps on weights of f32, rounded at the end, and on weights of bf16",
        DESCENT,
        "descent_master",
        "descent_bf16",
        ["Y"],
        ("master", "bf16"),
        (2,),
        *("W", "G", "Y", "f32 0.0005"),
    ),
    pair(
        "loss_scale",
        "gradients through f16 with the loss scaled, and as they are",
        LOSS,
        [run("loss_gradient", (2,), "P", "G", "f32 1.0"), run("input_gradient", (2,), *"GWY", "f32 0.000244140625")],
        [run("loss_gradient", (2,), "P", "G", "f32 0.000244140625"), run("input_gradient", (2,), *"GWY", "f32 1.0")],
        ["Y"],
        names=("scaled", "unscaled"),
        finding=worse("unscaled"),
    ),
    single(
        "zero_point",
        "integers near their zero point as (q - z) s, and as q s - z s in f16",
        QUANTISED,
        "dequantised",
        "dequantised_folded",
        ["Y"],
        ("difference", "folded"),
        (2,),
        *"QZSY",
    ),
    single(
        "muon",
        "three steps of Newton and Schulz in f32, and in bf16",
        {"X": f32("square", 16, 16), "Y": buffer("f32", [16, 16])},
        "orthogonalised",
        "orthogonalised_bf16",
        ["Y"],
        ("f32", "bf16"),
        (1,),
        *"XY",
    ),
]
