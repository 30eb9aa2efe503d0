# SPDX-License-Identifier: Apache-2.0
# Convolutions: direct, as products, depthwise and causal, by Winograd, transposed, strided; filters, pools and stencils.
import cuda.tile as ct
from corpus import NORMAL, buffer, launched, mutant, pair, run, uniform
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- depthwise and causal: y_t = silu(b + sum over k of w_k x_{t-3+k}), x is [batch, steps, channels] ------------------
@ct.kernel
def causal_taps(x, w, b, y, T: Const, C: Const):
    """Tap by tap; grid (step blocks, channel blocks, batch)."""
    i, j, n = ct.bid(0), ct.bid(1), ct.bid(2)
    t, c = i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), j * C + ct.arange(C, dtype=ct.int32).reshape((1, C))
    acc = ct.load(b, index=(j,), shape=(C,), padding_mode=ZERO).reshape((1, C)) + ct.full((T, C), 0.0, dtype=ct.float32)
    for k in range(4):
        acc = acc + ct.gather(w, (c, k), padding_value=0) * ct.gather(x, (n, t - 3 + k, c), padding_value=0)
    ct.store(y, index=(n, i, j), tile=(acc / (1.0 + ct.exp(-acc))).astype(y.dtype).reshape((1, T, C)))


@ct.kernel
def causal_window(x, w, b, y, last, C: Const):
    """Step by step with the last three inputs at hand, which are kept at the end; grid (channel blocks, batch)."""
    j, n = ct.bid(0), ct.bid(1)
    c = j * C + ct.arange(C, dtype=ct.int32)
    bias = ct.load(b, index=(j,), shape=(C,), padding_mode=ZERO)
    w0, w1 = ct.gather(w, (c, 0), padding_value=0), ct.gather(w, (c, 1), padding_value=0)
    w2, w3 = ct.gather(w, (c, 2), padding_value=0), ct.gather(w, (c, 3), padding_value=0)
    zero = ct.full((C,), 0.0, dtype=ct.float32)
    x0, x1, x2 = zero, zero, zero
    for t in range(x.shape[1]):
        x3 = ct.gather(x, (n, t, c), padding_value=0).astype(ct.float32)
        acc = w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3 + bias
        ct.scatter(y, (n, t, c), (acc * (1.0 / (1.0 + ct.exp(-acc)))).astype(y.dtype))
        x0, x1, x2 = x1, x2, x3
    ct.scatter(last, (n, 0, c), x0)
    ct.scatter(last, (n, 1, c), x1)
    ct.scatter(last, (n, 2, c), x2)


@ct.kernel
def causal_prompt(x, w, b, y, last, steps: int, T: Const, C: Const):
    """The first steps tap by tap, and the last three of their inputs; grid (channel blocks, batch)."""
    j, n = ct.bid(0), ct.bid(1)
    t, c = ct.arange(T, dtype=ct.int32).reshape((T, 1)), j * C + ct.arange(C, dtype=ct.int32).reshape((1, C))
    acc = ct.load(b, index=(j,), shape=(C,), padding_mode=ZERO).reshape((1, C)) + ct.full((T, C), 0.0, dtype=ct.float32)
    for k in range(4):
        acc = acc + ct.gather(w, (c, k), padding_value=0) * ct.gather(x, (n, t - 3 + k, c), padding_value=0)
    ct.scatter(y, (n, t, c), (acc / (1.0 + ct.exp(-acc))).astype(y.dtype), mask=t < steps)
    k = ct.arange(4, dtype=ct.int32).reshape((4, 1))
    ct.scatter(last, (n, k, c), ct.gather(x, (n, steps - 3 + k, c), padding_value=0).astype(last.dtype))


@ct.kernel
def causal_step(x, w, b, y, last, t: int, C: Const):
    """One step, the inputs moved up in place; grid (channel blocks, batch)."""
    j, n = ct.bid(0), ct.bid(1)
    c = j * C + ct.arange(C, dtype=ct.int32)
    x0, x1 = ct.gather(last, (n, 0, c), padding_value=0), ct.gather(last, (n, 1, c), padding_value=0)
    x2, x3 = ct.gather(last, (n, 2, c), padding_value=0), ct.gather(x, (n, t, c), padding_value=0).astype(ct.float32)
    acc = ct.gather(w, (c, 0), padding_value=0) * x0 + ct.gather(w, (c, 1), padding_value=0) * x1
    acc = acc + ct.gather(w, (c, 2), padding_value=0) * x2 + ct.gather(w, (c, 3), padding_value=0) * x3
    acc = acc + ct.load(b, index=(j,), shape=(C,), padding_mode=ZERO)
    ct.scatter(y, (n, t, c), (acc / (1.0 + ct.exp(-acc))).astype(y.dtype))
    ct.scatter(last, (n, 0, c), x1)
    ct.scatter(last, (n, 1, c), x2)
    ct.scatter(last, (n, 2, c), x3)


# ---- 3 x 3 with padding: x is [in, height, width], w [out, 9 in], y [out, pixels] --------------------------------------
@ct.kernel
def direct(x, w, y, T: Const):
    """Channel by channel and tap by tap; grid (column blocks, rows, output channels)."""
    j, i, o = ct.bid(0), ct.bid(1), ct.bid(2)
    column = j * T + ct.arange(T, dtype=ct.int32)
    acc = ct.full((T,), 0.0, dtype=ct.float32)
    for c in range(x.shape[0]):
        for a in range(3):
            for b in range(3):
                pixel = ct.gather(x, (c, i + a - 1, column + b - 1), padding_value=0).astype(ct.float32)
                acc = acc + ct.load(w, index=(o, 9 * c + 3 * a + b), shape=(1, 1)).reshape((1,)) * pixel
    ct.scatter(y, (o, i * x.shape[2] + column), acc, mask=column < x.shape[2])


@ct.kernel
def patches(x, p, T: Const, P: Const):
    """Row c 9 + 3 a + b of p: the pixels that tap (a, b) of channel c meets; grid (row blocks, pixel blocks)."""
    row = ct.bid(0) * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
    pixel = ct.bid(1) * P + ct.arange(P, dtype=ct.int32).reshape((1, P))
    width = x.shape[2]
    i, j = pixel // width + row % 9 // 3 - 1, pixel % width + row % 3 - 1
    ct.scatter(p, (row, pixel), ct.gather(x, (row // 9, i, j), padding_value=0))


@ct.kernel
def weights_times_patches(w, p, y, O: Const, T: Const, P: Const):
    """y = w p; grid (output blocks, pixel blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((O, P), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(p, axis=0, shape=(T, P))):
        wt = ct.load(w, index=(i, k), shape=(O, T), padding_mode=ZERO)
        acc = ct.mma(wt, ct.load(p, index=(k, j), shape=(T, P), padding_mode=ZERO).astype(ct.float32), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def implicit(x, w, y, O: Const, T: Const, P: Const):
    """A product whose inner index is taken apart into channel and taps; grid (output blocks, pixel blocks)."""
    o, p = ct.bid(0), ct.bid(1)
    pixel = p * P + ct.arange(P, dtype=ct.int32).reshape((1, P))
    width = x.shape[2]
    acc = ct.full((O, P), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(w, axis=1, shape=(O, T))):
        row = k * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
        i, j = pixel // width + row // 3 % 3 - 1, pixel % width + row % 3 - 1
        xt = ct.gather(x, (row // 9, i, j), padding_value=0).astype(ct.float32)
        acc = ct.mma(ct.load(w, index=(o, k), shape=(O, T), padding_mode=ZERO), xt, acc)
    ct.store(y, index=(o, p), tile=acc)


# ---- Winograd --------------------------------------------------------------------------------------------------------
@ct.kernel
def three_taps(x, g, y, T: Const):
    """y_i = g_0 x_i + g_1 x_{i+1} + g_2 x_{i+2} for each row; grid (column blocks, rows)."""
    j, i = ct.bid(0), ct.bid(1)
    column = j * T + ct.arange(T, dtype=ct.int32)
    acc = ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(3):
        acc = acc + ct.load(g, index=(k,), shape=(1,)) * ct.gather(x, (i, column + k), padding_value=0)
    ct.store(y, index=(i, j), tile=acc.reshape((1, T)))


@ct.kernel
def winograd_line(x, g, y, T: Const):
    """Two outputs with four products: F(2, 3)."""
    j, i = ct.bid(0), ct.bid(1)
    first = 2 * (j * T + ct.arange(T, dtype=ct.int32))
    g0, g1, g2 = (
        ct.load(g, index=(0,), shape=(1,)),
        ct.load(g, index=(1,), shape=(1,)),
        ct.load(g, index=(2,), shape=(1,)),
    )
    d0, d1 = ct.gather(x, (i, first), padding_value=0), ct.gather(x, (i, first + 1), padding_value=0)
    d2, d3 = ct.gather(x, (i, first + 2), padding_value=0), ct.gather(x, (i, first + 3), padding_value=0)
    m1, m4 = (d0 - d2) * g0, (d1 - d3) * g2
    m2, m3 = (d1 + d2) * ((g0 + g1 + g2) * 0.5), (d2 - d1) * ((g0 - g1 + g2) * 0.5)
    ct.scatter(y, (i, first), m1 + m2 + m3)
    ct.scatter(y, (i, first + 1), m2 - m3 - m4)


@ct.kernel
def winograd_weights(w, u, C: Const):
    """U = G g G^T, [out, in, 4, 4], with G = (1 0 0; 1/2 1/2 1/2; 1/2 -1/2 1/2; 0 0 1); grid (output channels)."""
    o = ct.bid(0)
    channel = ct.arange(C, dtype=ct.int32).reshape((C, 1, 1))
    a, b = ct.arange(4, dtype=ct.int32).reshape((1, 4, 1)), ct.arange(4, dtype=ct.int32).reshape((1, 1, 4))
    g = ct.gather(w, (o, 9 * channel + 3 * a + b), mask=(a < 3) & (b < 3), padding_value=0)
    line = (C, 1, 4)
    g0, g1, g2 = g.extract((0, 0, 0), line), g.extract((0, 1, 0), line), g.extract((0, 2, 0), line)
    g = ct.cat((ct.cat((g0, (g0 + g1 + g2) * 0.5), 1), ct.cat(((g0 - g1 + g2) * 0.5, g2), 1)), 1)
    line = (C, 4, 1)
    g0, g1, g2 = g.extract((0, 0, 0), line), g.extract((0, 0, 1), line), g.extract((0, 0, 2), line)
    g = ct.cat((ct.cat((g0, (g0 + g1 + g2) * 0.5), 2), ct.cat(((g0 - g1 + g2) * 0.5, g2), 2)), 2)
    ct.store(u, index=(o, 0, 0, 0), tile=g.reshape((1, C, 4, 4)))


@ct.kernel
def winograd_tiles(x, u, y, C: Const):
    """F(2 x 2, 3 x 3): 4 x 4 pixels to 2 x 2; grid (column pairs, row pairs, output channels)."""
    j, i, o = ct.bid(0), ct.bid(1), ct.bid(2)
    channel = ct.arange(C, dtype=ct.int32).reshape((C, 1, 1))
    row, column = ct.arange(4, dtype=ct.int32).reshape((1, 4, 1)), ct.arange(4, dtype=ct.int32).reshape((1, 1, 4))
    d = ct.gather(x, (channel, 2 * i - 1 + row, 2 * j - 1 + column), padding_value=0).astype(ct.float32)
    line = (C, 1, 4)
    d0, d1, d2, d3 = (
        d.extract((0, 0, 0), line),
        d.extract((0, 1, 0), line),
        d.extract((0, 2, 0), line),
        d.extract((0, 3, 0), line),
    )
    d = ct.cat((ct.cat((d0 - d2, d1 + d2), 1), ct.cat((d2 - d1, d1 - d3), 1)), 1)
    line = (C, 4, 1)
    d0, d1, d2, d3 = (
        d.extract((0, 0, 0), line),
        d.extract((0, 0, 1), line),
        d.extract((0, 0, 2), line),
        d.extract((0, 0, 3), line),
    )
    d = ct.cat((ct.cat((d0 - d2, d1 + d2), 2), ct.cat((d2 - d1, d1 - d3), 2)), 2)
    ut = ct.load(u, index=(o, 0, 0, 0), shape=(1, C, 4, 4), padding_mode=ZERO).reshape((C, 4, 4))
    m = ct.sum(d * ut, axis=0)
    m0, m1 = m.extract((0, 0), (1, 4)), m.extract((1, 0), (1, 4))
    m2, m3 = m.extract((2, 0), (1, 4)), m.extract((3, 0), (1, 4))
    m = ct.cat((m0 + m1 + m2, m1 - m2 - m3), 0)
    m0, m1 = m.extract((0, 0), (2, 1)), m.extract((0, 1), (2, 1))
    m2, m3 = m.extract((0, 2), (2, 1)), m.extract((0, 3), (2, 1))
    m = ct.cat((m0 + m1 + m2, m1 - m2 - m3), 1)
    row, column = ct.arange(2, dtype=ct.int32).reshape((2, 1)), ct.arange(2, dtype=ct.int32).reshape((1, 2))
    row, column = 2 * i + row, 2 * j + column
    ct.scatter(y, (o, row * x.shape[2] + column), m, mask=column < x.shape[2])


# ---- strides ---------------------------------------------------------------------------------------------------------
@ct.kernel
def upsample_scatter(x, w, y, T: Const):
    """y_{2 t + k} += w_k x_t, taps 3, channels along rows; y is zero before; grid (row blocks)."""
    i = ct.bid(0)
    row = i * T + ct.arange(T, dtype=ct.int32)
    for t in range(x.shape[1]):
        xt = ct.gather(x, (row, t), padding_value=0)
        for k in range(3):
            place = (row, 2 * t + k)
            ct.scatter(y, place, ct.gather(y, place, padding_value=0) + ct.gather(w, (row, k), padding_value=0) * xt)


@ct.kernel
def upsample_gather(x, w, y, R: Const, T: Const):
    """Each output from the inputs that reach it; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    t = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    odd = t % 2 == 1
    w0, w1 = ct.gather(w, (row, 0), padding_value=0), ct.gather(w, (row, 1), padding_value=0)
    w2 = ct.gather(w, (row, 2), padding_value=0)
    here, before = ct.gather(x, (row, t // 2), padding_value=0), ct.gather(x, (row, t // 2 - 1), padding_value=0)
    ct.store(y, index=(i, j), tile=ct.where(odd, w1 * here, w0 * here + w2 * before))


@ct.kernel
def every_second(x, w, y, R: Const, T: Const):
    """y_t = sum over k of w_k x_{2 t + k}, five taps for each row; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    t = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((R, T), 0.0, dtype=ct.float32)
    for k in range(5):
        acc = acc + ct.gather(w, (row, k), padding_value=0) * ct.gather(x, (row, 2 * t + k), padding_value=0)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def split_phases(x, even, odd, R: Const, T: Const):
    i, j = ct.bid(0), ct.bid(1)
    pairs = ct.load(x, index=(i, j), shape=(R, 2 * T), padding_mode=ZERO).reshape((R, T, 2))
    ct.store(even, index=(i, j), tile=pairs.extract((0, 0, 0), (R, T, 1)).reshape((R, T)))
    ct.store(odd, index=(i, j), tile=pairs.extract((0, 0, 1), (R, T, 1)).reshape((R, T)))


@ct.kernel
def phases(even, odd, w, y, R: Const, T: Const):
    """The even taps over even columns, the odd ones over odd columns."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    t = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((R, T), 0.0, dtype=ct.float32)
    for k in range(3):
        acc = acc + ct.gather(w, (row, 2 * k), padding_value=0) * ct.gather(even, (row, t + k), padding_value=0)
    for k in range(2):
        acc = acc + ct.gather(w, (row, 2 * k + 1), padding_value=0) * ct.gather(odd, (row, t + k), padding_value=0)
    ct.store(y, index=(i, j), tile=acc)


# ---- long filters ----------------------------------------------------------------------------------------------------
@ct.kernel
def long_filter(x, h, y, T: Const, C: Const):
    """y_t = sum over s <= t of h_{t-s} x_s, channels along rows share h; grid (step blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    t, c = i * T + ct.arange(T, dtype=ct.int32), j * C + ct.arange(C, dtype=ct.int32)
    acc = ct.full((T, C), 0.0, dtype=ct.float32)
    for s in range(x.shape[0]):
        ht = ct.gather(h, t - s, padding_value=0).reshape((T, 1))
        acc = acc + ht * ct.gather(x, (s, c), padding_value=0).reshape((1, C))
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def toeplitz(x, h, y, T: Const, C: Const):
    """By products with Toeplitz blocks up to the diagonal."""
    i, j = ct.bid(0), ct.bid(1)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((T, C), 0.0, dtype=ct.float32)
    for k in range(i + 1):
        distance = (i - k) * T + row - column
        block = ct.where(distance >= 0, ct.gather(h, distance, padding_value=0), 0.0)
        acc = ct.mma(block, ct.load(x, index=(k, j), shape=(T, C), padding_mode=ZERO), acc)
    ct.store(y, index=(i, j), tile=acc)


# ---- images: filters, pools, stencils --------------------------------------------------------------------------------
@ct.kernel
def blur(x, u, y, R: Const, T: Const):
    """5 x 5 taps u_a u_b, zeros outside; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    column = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((R, T), 0.0, dtype=ct.float32)
    for a in range(5):
        for b in range(5):
            weight = (ct.load(u, index=(a,), shape=(1,)) * ct.load(u, index=(b,), shape=(1,))).reshape((1, 1))
            acc = acc + weight * ct.gather(x, (row + a - 2, column + b - 2), padding_value=0)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def blur_rows(x, u, y, R: Const, T: Const):
    """Along rows only."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    column = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((R, T), 0.0, dtype=ct.float32)
    for b in range(5):
        acc = acc + ct.load(u, index=(b,), shape=(1,)).reshape((1, 1)) * ct.gather(
            x, (row, column + b - 2), padding_value=0
        )
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def blur_columns(x, u, y, R: Const, T: Const):
    """Along columns only, by a product with a band."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    acc = ct.full((R, T), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=0, shape=(R, T))):
        tap = k * R + ct.arange(R, dtype=ct.int32).reshape((1, R)) - row + 2
        band = ct.gather(u, tap, padding_value=0)
        acc = ct.mma(band, ct.load(x, index=(k, j), shape=(R, T), padding_mode=ZERO), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def box(x, y, R: Const, T: Const):
    """The mean of 3 x 4 pixels from each one on; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    column = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((R, T), 0.0, dtype=ct.float32)
    for a in range(3):
        for b in range(4):
            acc = acc + ct.gather(x, (row + a, column + b), padding_value=0)
    ct.store(y, index=(i, j), tile=acc / 12.0)


@ct.kernel
def integral(x, s, R: Const, T: Const):
    """s = the sums of all pixels above and to the left, itself included; one block."""
    carry = ct.full((1, T), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(R, T))):
        xt = ct.cumsum(ct.load(x, index=(i, 0), shape=(R, T), padding_mode=ZERO), axis=1)
        ct.store(s, index=(i, 0), tile=ct.cumsum(xt, axis=0) + carry)
        carry = carry + ct.sum(xt, axis=0, keepdims=True)


@ct.kernel
def box_of_integral(s, y, R: Const, T: Const):
    """From four corners."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)) - 1
    column = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T)) - 1
    whole = ct.gather(s, (row + 3, column + 4), padding_value=0)
    above, left = ct.gather(s, (row, column + 4), padding_value=0), ct.gather(s, (row + 3, column), padding_value=0)
    both = ct.gather(s, (row, column), padding_value=0)
    ct.store(y, index=(i, j), tile=(whole - above - left + both) * (1.0 / 12.0))


@ct.kernel
def jacobi(x, y, R: Const, T: Const):
    """The mean of four neighbours inside, the border as it is; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    column = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    inside = (row > 0) & (row < x.shape[0] - 1) & (column > 0) & (column < x.shape[1] - 1)
    total = ct.gather(x, (row - 1, column), padding_value=0) + ct.gather(x, (row + 1, column), padding_value=0)
    total = total + ct.gather(x, (row, column - 1), padding_value=0) + ct.gather(x, (row, column + 1), padding_value=0)
    ct.store(y, index=(i, j), tile=ct.where(inside, total * 0.25, ct.gather(x, (row, column), padding_value=0)))


@ct.kernel
def jacobi_twice(x, y, R: Const, T: Const):
    """Two steps at once: tiles of R x T with a border of 1 that is computed twice; outputs are (R - 2) x (T - 2)."""
    i, j = ct.bid(0), ct.bid(1)
    row = i * (R - 2) - 1 + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    column = j * (T - 2) - 1 + ct.arange(T, dtype=ct.int32).reshape((1, T))
    inside = (row > 0) & (row < x.shape[0] - 1) & (column > 0) & (column < x.shape[1] - 1)
    total = ct.gather(x, (row - 1, column), padding_value=0) + ct.gather(x, (row + 1, column), padding_value=0)
    total = total + ct.gather(x, (row, column - 1), padding_value=0) + ct.gather(x, (row, column + 1), padding_value=0)
    once = ct.where(inside, total * 0.25, ct.gather(x, (row, column), padding_value=0))
    a, b = ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(R, dtype=ct.int32).reshape((1, R))
    c, d = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    vertical = ct.where((a - b == 1) | (b - a == 1), 0.25, 0.0)
    horizontal = ct.where((c - d == 1) | (d - c == 1), 0.25, 0.0)
    zero = ct.full((R, T), 0.0, dtype=ct.float32)
    twice = ct.where(inside, ct.mma(vertical, once, ct.mma(once, horizontal, zero)), once)
    there = (a > 0) & (a < R - 1) & (d > 0) & (d < T - 1)
    ct.scatter(y, (row, column), twice, mask=there)


# ---- folded ----------------------------------------------------------------------------------------------------------
@ct.kernel
def depthwise(x, w, y, T: Const):
    """3 taps along each row, zeros outside; grid (column blocks, rows)."""
    j, c = ct.bid(0), ct.bid(1)
    t = j * T + ct.arange(T, dtype=ct.int32)
    acc = ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(3):
        tap = ct.load(w, index=(c, k), shape=(1, 1)).reshape((1,))
        acc = acc + tap * ct.gather(x, (c, t + k - 1), padding_value=0)
    ct.scatter(y, (c, t), acc)


@ct.kernel
def pointwise(p, x, y, O: Const, C: Const, T: Const):
    """y = p x, channels [out, in]; grid (output blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((O, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(C, T))):
        pt = ct.load(p, index=(i, c), shape=(O, C), padding_mode=ZERO)
        acc = ct.mma(pt, ct.load(x, index=(c, j), shape=(C, T), padding_mode=ZERO), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def separable(p, w, x, y, O: Const, C: Const, T: Const):
    """Both as one: tap by tap a product with p times the channels' taps."""
    i, j = ct.bid(0), ct.bid(1)
    t = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((O, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(C, T))):
        channel = c * C + ct.arange(C, dtype=ct.int32)
        pt = ct.load(p, index=(i, c), shape=(O, C), padding_mode=ZERO)
        for k in range(3):
            taps = ct.gather(w, (channel, k), padding_value=0).reshape((1, C))
            acc = ct.mma(pt * taps, ct.gather(x, (channel.reshape((C, 1)), t + k - 1), padding_value=0), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def normalised(x, mean, variance, gain, bias, y, eps: float, C: Const, T: Const):
    """Batch norm of channels along rows, with given statistics; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    m = ct.load(mean, index=(i,), shape=(C,), padding_mode=ZERO).reshape((C, 1))
    v = ct.load(variance, index=(i,), shape=(C,), padding_mode=ZERO).reshape((C, 1))
    g = ct.load(gain, index=(i,), shape=(C,), padding_mode=ZERO).reshape((C, 1))
    b = ct.load(bias, index=(i,), shape=(C,), padding_mode=ZERO).reshape((C, 1))
    xt = ct.load(x, index=(i, j), shape=(C, T), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=(xt - m) / ct.sqrt(v + eps) * g + b)


@ct.kernel
def folded_weights(p, mean, variance, gain, bias, q, offset, eps: float, O: Const, C: Const):
    """q = p times the norm's factors, offset what is left of the norm; grid (output blocks)."""
    i = ct.bid(0)
    m = ct.load(mean, index=(i,), shape=(O,), padding_mode=ZERO)
    v = ct.load(variance, index=(i,), shape=(O,), padding_mode=ZERO)
    factor = ct.load(gain, index=(i,), shape=(O,), padding_mode=ZERO) * ct.rsqrt(v + eps)
    ct.store(offset, index=(i,), tile=ct.load(bias, index=(i,), shape=(O,), padding_mode=ZERO) - m * factor)
    ct.store(q, index=(i, 0), tile=ct.load(p, index=(i, 0), shape=(O, C), padding_mode=ZERO) * factor.reshape((O, 1)))


@ct.kernel
def pointwise_offset(p, x, offset, y, O: Const, C: Const, T: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.load(offset, index=(i,), shape=(O,), padding_mode=ZERO).reshape((O, 1)) + ct.full(
        (O, T), 0.0, dtype=ct.float32
    )
    for c in range(ct.num_tiles(x, axis=0, shape=(C, T))):
        pt = ct.load(p, index=(i, c), shape=(O, C), padding_mode=ZERO)
        acc = ct.mma(pt, ct.load(x, index=(c, j), shape=(C, T), padding_mode=ZERO), acc)
    ct.store(y, index=(i, j), tile=acc)


F1, F2, F3, F4 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3), array(ct.float32, 4)
H3 = array(ct.float16, 3)
KERNELS = {
    "causal_taps": (causal_taps, [H3, F2, F1, H3, 16, 16]),
    "causal_window": (causal_window, [H3, F2, F1, H3, F3, 8]),
    "causal_prompt": (causal_prompt, [H3, F2, F1, H3, F3, ct.int32, 32, 8]),
    "causal_step": (causal_step, [H3, F2, F1, H3, F3, ct.int32, 16]),
    "direct": (direct, [H3, F2, F2, 16]),
    "patches": (patches, [H3, array(ct.float16, 2), 16, 32]),
    "weights_times_patches": (weights_times_patches, [F2, array(ct.float16, 2), F2, 8, 16, 32]),
    "implicit": (implicit, [H3, F2, F2, 8, 16, 32]),
    "three_taps": (three_taps, [F2, F1, F2, 16]),
    "winograd_line": (winograd_line, [F2, F1, F2, 8]),
    "winograd_weights": (winograd_weights, [F2, F4, 8]),
    "winograd_tiles": (winograd_tiles, [H3, F4, F2, 8]),
    "upsample_scatter": (upsample_scatter, [F2, F2, F2, 8]),
    "upsample_gather": (upsample_gather, [F2, F2, F2, 4, 16]),
    "every_second": (every_second, [F2, F2, F2, 4, 16]),
    "split_phases": (split_phases, [F2, F2, F2, 4, 16]),
    "phases": (phases, [F2, F2, F2, F2, 4, 16]),
    "long_filter": (long_filter, [F2, F1, F2, 16, 16]),
    "toeplitz": (toeplitz, [F2, F1, F2, 16, 16]),
    "blur": (blur, [F2, F1, F2, 8, 16]),
    "blur_rows": (blur_rows, [F2, F1, F2, 8, 32]),
    "blur_columns": (blur_columns, [F2, F1, F2, 8, 16]),
    "box": (box, [F2, F2, 8, 16]),
    "integral": (integral, [F2, F2, 8, 32]),
    "box_of_integral": (box_of_integral, [F2, F2, 8, 16]),
    "jacobi": (jacobi, [F2, F2, 8, 16]),
    "jacobi_twice": (jacobi_twice, [F2, F2, 8, 16]),
    "depthwise": (depthwise, [F2, F2, F2, 16]),
    "pointwise": (pointwise, [F2, F2, F2, 16, 8, 16]),
    "separable": (separable, [F2, F2, F2, F2, 8, 8, 32]),
    "normalised": (normalised, [F2, F1, F1, F1, F1, F2, ct.float32, 8, 32]),
    "folded_weights": (folded_weights, [F2, F1, F1, F1, F1, F2, F1, ct.float32, 8, 16]),
    "pointwise_offset": (pointwise_offset, [F2, F2, F1, F2, 8, 16, 16]),
}

CAUSAL = {
    "X": buffer("f16", [2, "N", 20], NORMAL),
    "W": buffer("f32", [20, 4], NORMAL),
    "B": buffer("f32", [20], NORMAL),
    "Y": buffer("f16", [2, "N", 20]),
    "LAST": buffer("f32", [2, 3, 20]),
}
TAPS = [run("causal_taps", ("cdiv(N, 16)", 2, 2), "X", "W", "B", "Y")]
WINDOW = [run("causal_window", (3, 2), "X", "W", "B", "Y", "LAST")]
IMAGE = {
    "X": buffer("f16", [5, 9, 7], NORMAL),
    "W": buffer("f32", [6, 45], NORMAL),
    "Y": buffer("f32", [6, 63]),
}
DIRECT = [run("direct", (1, 9, 6), "X", "W", "Y")]
PIXELS = {"X": buffer("f32", [19, 23], NORMAL), "Y": buffer("f32", [19, 23])}
# Channels in blocks of 8: ragged, whole, with one in the last, one.
WIDTHS = {"C": [13, 16, 9, 1]}
CHANNELS = {"X": buffer("f32", ["C", 45], NORMAL), "P": buffer("f32", [11, "C"], NORMAL), "Y": buffer("f32", [11, 45])}

PAIRS = [
    pair(
        "depthwise",
        "a causal depthwise convolution tap by tap, and step by step with a window",
        CAUSAL,
        TAPS,
        WINDOW,
        ["Y"],
        [
            mutant(
                "stale",
                "causal_window",
                "x0, x1, x2 = x1, x2, x3",
                "x0, x1, x2 = x1, x2, x2",
                "the new input is not kept",
            ),
            mutant(
                "order",
                "causal_window",
                "w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3",
                "w3 * x0 + w2 * x1 + w1 * x2 + w0 * x3",
                "the taps the wrong way round",
            ),
            mutant("bias", "causal_window", "w3 * x3 + bias", "w3 * x3", "no bias"),
            mutant(
                "batch", "causal_window", "ct.gather(x, (n, t, c)", "ct.gather(x, (0, t, c)", "always the first batch"
            ),
        ],
        names=("taps", "window"),
        parameters={"N": [21, 32, 17, 3]},
    ),
    pair(
        "depthwise_decode",
        "a causal depthwise convolution step by step, and a prompt with three steps behind it, the inputs in place",
        CAUSAL,
        WINDOW,
        [
            run("causal_prompt", (3, 2), "X", "W", "B", "Y", "LAST", "i32 N - 3"),
            *[run("causal_step", (2, 2), "X", "W", "B", "Y", "LAST", f"i32 N - {back}") for back in (3, 2, 1)],
        ],
        ["Y", "LAST"],
        [
            mutant("last", "causal_prompt", "steps - 3 + k", "steps - 4 + k", "the inputs at hand are one too early"),
            mutant(
                "order",
                "causal_step",
                "ct.scatter(last, (n, 0, c), x1)",
                "ct.scatter(last, (n, 0, c), x0)",
                "the oldest input is kept",
            ),
            mutant(
                "taps",
                "causal_step",
                "w, (c, 1), padding_value=0) * x1",
                "w, (c, 2), padding_value=0) * x1",
                "a tap twice",
            ),
            launched(
                "steps",
                "LAST, i32 N - 3]}\n    - {module: causal_step.tileirbc, grid: [2, 2], args: [X, W, B, Y, LAST, i32 N - 2]}",
                "LAST, i32 N - 2]}\n    - {module: causal_step.tileirbc, grid: [2, 2], args: [X, W, B, Y, LAST, i32 N - 3]}",
                "two steps in the wrong order",
            ),
        ],
        names=("steps", "decode"),
        parameters={"N": [21, 35, 6]},
    ),
    pair(
        "patches",
        "a convolution of 3 x 3 tap by tap, and as a product with a matrix of patches",
        {**IMAGE, "P": buffer("f16", [45, 63])},
        DIRECT,
        [run("patches", (3, 2), "X", "P"), run("weights_times_patches", (1, 2), "W", "P", "Y")],
        ["Y"],
        [
            mutant(
                "pitch", "patches", "pixel % width + row % 3 - 1", "pixel % width + row % 3", "patches are a column off"
            ),
            mutant("width", "patches", "width = x.shape[2]", "width = x.shape[1]", "height for width"),
            mutant(
                "taps",
                "patches",
                "row % 9 // 3 - 1, pixel % width + row % 3 - 1",
                "row % 3 - 1, pixel % width + row % 9 // 3 - 1",
                "taps are transposed",
            ),
            mutant(
                "last",
                "weights_times_patches",
                "range(ct.num_tiles(p, axis=0, shape=(T, P)))",
                "range(p.shape[0] // T)",
                "the last, incomplete block is left out",
            ),
        ],
        names=("direct", "patches"),
    ),
    pair(
        "implicit",
        "a convolution of 3 x 3 as a product with a matrix of patches, and with patches taken from the image",
        {**IMAGE, "P": buffer("f16", [45, 63])},
        [run("patches", (3, 2), "X", "P"), run("weights_times_patches", (1, 2), "W", "P", "Y")],
        [run("implicit", (1, 2), "X", "W", "Y")],
        ["Y"],
        [
            mutant("channel", "implicit", "row // 9, i, j", "row % 5, i, j", "another order of channels and taps"),
            mutant(
                "not_kept",
                "implicit",
                "padding_mode=ZERO), xt, acc)",
                "padding_mode=ZERO), xt, acc * 0.0)",
                "nothing is accumulated",
            ),
            mutant(
                "row", "implicit", "pixel // width + row // 3 % 3 - 1", "pixel // width + row // 3 % 3", "a row off"
            ),
            mutant("block", "implicit", "pixel = p * P + ", "pixel = ", "always the first pixels"),
        ],
        names=("patches", "implicit"),
    ),
    pair(
        "winograd_line",
        "three taps along rows, and two outputs at a time by Winograd's F(2, 3)",
        {"X": buffer("f32", [5, 37], NORMAL), "G": buffer("f32", [3], NORMAL), "Y": buffer("f32", [5, 35])},
        [run("three_taps", (3, 5), "X", "G", "Y")],
        [run("winograd_line", (3, 5), "X", "G", "Y")],
        ["Y"],
        [
            mutant("half", "winograd_line", "(g0 - g1 + g2) * 0.5", "(g0 - g1 + g2)", "a half is missing"),
            mutant("sign", "winograd_line", "m2 - m3 - m4", "m2 - m3 + m4", "a wrong sign"),
            mutant(
                "operands",
                "winograd_line",
                "(d0 - d2) * g0, (d1 - d3) * g2",
                "(d0 - d2) * g0, (d3 - d1) * g2",
                "the last difference the wrong way round",
            ),
            mutant("neighbour", "winograd_line", "first + 3)", "first + 2)", "a wrong neighbour"),
        ],
        names=("taps", "winograd"),
    ),
    pair(
        "winograd",
        "a convolution of 3 x 3 tap by tap, and by Winograd's F(2 x 2, 3 x 3) in two launches",
        {**IMAGE, "U": buffer("f32", [6, 5, 4, 4])},
        DIRECT,
        [run("winograd_weights", (6,), "W", "U"), run("winograd_tiles", (4, 5, 6), "X", "U", "Y")],
        ["Y"],
        [
            mutant(
                "weights",
                "winograd_weights",
                "ct.cat((g0, (g0 + g1 + g2) * 0.5), 2)",
                "ct.cat((g0, (g0 + g1 + g2)), 2)",
                "a half is missing in the columns",
            ),
            mutant(
                "input",
                "winograd_tiles",
                "ct.cat((d2 - d1, d1 - d3), 1)",
                "ct.cat((d1 - d2, d1 - d3), 1)",
                "a wrong sign in the rows",
            ),
            mutant("offset", "winograd_tiles", "2 * i - 1 + row", "2 * i + row", "no padding above"),
            mutant(
                "output",
                "winograd_tiles",
                "m = ct.cat((m0 + m1 + m2, m1 - m2 - m3), 1)",
                "m = ct.cat((m0 + m1 + m2, m1 - m2 + m3), 1)",
                "a wrong sign in the outputs",
            ),
        ],
        names=("direct", "winograd"),
    ),
    pair(
        "upsample",
        "a transposed convolution of stride 2 from inputs to outputs in place, and from outputs to inputs",
        {
            "X": buffer("f32", [13, 21], NORMAL),
            "W": buffer("f32", [13, 3], NORMAL),
            "Y": buffer("f32", [13, 43], "zeros"),
        },
        [run("upsample_scatter", (2,), "X", "W", "Y")],
        [run("upsample_gather", (4, 3), "X", "W", "Y")],
        ["Y"],
        [
            mutant("parity", "upsample_gather", "t % 2 == 1", "t % 2 == 0", "odd for even"),
            mutant("before", "upsample_gather", "t // 2 - 1)", "t // 2 + 1)", "the input behind for the one before"),
            mutant("tap", "upsample_gather", "w1 * here, w0 * here", "w1 * here, w1 * here", "a tap twice"),
        ],
        names=("scatter", "gather"),
    ),
    pair(
        "phases",
        "a convolution of stride 2, and of even and odd columns apart",
        {
            "X": buffer("f32", [13, 45], NORMAL),
            "W": buffer("f32", [13, 5], NORMAL),
            "EVEN": buffer("f32", [13, 23]),
            "ODD": buffer("f32", [13, 23]),
            "Y": buffer("f32", [13, 21]),
        },
        [run("every_second", (4, 2), "X", "W", "Y")],
        [run("split_phases", (4, 2), "X", "EVEN", "ODD"), run("phases", (4, 2), "EVEN", "ODD", "W", "Y")],
        ["Y"],
        [
            mutant("last_tap", "phases", "range(3)", "range(2)", "the last tap is left out"),
            mutant("taps", "phases", "2 * k + 1)", "2 * k)", "the even taps for the odd ones"),
            mutant(
                "halves",
                "split_phases",
                "reshape((R, T, 2))",
                "reshape((R, 2, T)).permute((0, 2, 1))",
                "halves for alternate columns",
            ),
        ],
        names=("direct", "phases"),
    ),
    pair(
        "toeplitz",
        "a long causal filter step by step, and by products with Toeplitz blocks",
        {"X": buffer("f32", ["N", 20], NORMAL), "H": buffer("f32", ["N"], NORMAL), "Y": buffer("f32", ["N", 20])},
        [run("long_filter", ("cdiv(N, 16)", 2), "X", "H", "Y")],
        [run("toeplitz", ("cdiv(N, 16)", 2), "X", "H", "Y")],
        ["Y"],
        [
            mutant("diagonal", "toeplitz", "range(i + 1)", "range(i)", "the blocks of the diagonal are left out"),
            mutant("sign", "toeplitz", "+ row - column", "+ column - row", "blocks are transposed"),
            mutant("block", "toeplitz", "(i - k) * T", "(i - k + 1) * T", "the filter of the next block"),
            mutant("strict", "toeplitz", "distance >= 0", "distance > 0", "without the step itself"),
            launched(
                "one_step",
                "toeplitz.tileirbc, grid: [cdiv(N, 16)",
                "toeplitz.tileirbc, grid: [max(cdiv(N - 1, 16), 1)",
                "a last block with a single step is left out",
            ),
        ],
        names=("steps", "blocks"),
        parameters={"N": [50, 64, 49, 1]},
    ),
    pair(
        "blur",
        "a blur of 5 x 5, and along rows and columns one after the other",
        {**PIXELS, "U": buffer("f32", [5], uniform(0.1, 1)), "T": buffer("f32", [19, 23])},
        [run("blur", (3, 2), "X", "U", "Y")],
        [run("blur_rows", (3, 1), "X", "U", "T"), run("blur_columns", (3, 2), "T", "U", "Y")],
        ["Y"],
        [
            mutant("centre", "blur_columns", "- row + 2", "- row + 3", "a row off"),
            mutant(
                "turned",
                "blur_columns",
                "ct.arange(R, dtype=ct.int32).reshape((1, R)) - row + 2",
                "ct.arange(R, dtype=ct.int32).reshape((1, R)) * 0 - row + 2 + k",
                "one tap for a block of rows",
            ),
            mutant(
                "edge",
                "blur_rows",
                "column + b - 2), padding",
                "ct.maximum(column + b - 2, 0)), padding",
                "the edge is repeated",
            ),
            mutant("tap", "blur_rows", "range(5)", "range(4)", "the last tap is left out"),
        ],
        names=("square", "lines"),
    ),
    pair(
        "box",
        "means of 3 x 4 pixels, and from sums of all pixels above and to the left",
        {**PIXELS, "S": buffer("f32", [19, 23]), "Y": buffer("f32", [17, 20])},
        [run("box", (3, 2), "X", "Y")],
        [run("integral", (1,), "X", "S"), run("box_of_integral", (3, 2), "S", "Y")],
        ["Y"],
        [
            mutant("corner", "box_of_integral", " + both)", ")", "the corner is taken off twice"),
            mutant("inclusive", "box_of_integral", "reshape((R, 1)) - 1", "reshape((R, 1))", "a row off"),
            mutant("count", "box_of_integral", "1.0 / 12.0", "1.0 / 9.0", "the count of 3 x 3"),
            mutant(
                "carry",
                "integral",
                "carry = carry + ct.sum",
                "carry = ct.sum",
                "only the rows of the block before are carried",
            ),
        ],
        names=("direct", "integral"),
    ),
    pair(
        "jacobi",
        "two steps of a stencil in two launches, and in one with a border that is computed twice",
        {**PIXELS, "T": buffer("f32", [19, 23])},
        [run("jacobi", (3, 2), "X", "T"), run("jacobi", (3, 2), "T", "Y")],
        [run("jacobi_twice", (4, 2), "X", "Y")],
        ["Y"],
        [
            mutant(
                "border",
                "jacobi_twice",
                "ct.mma(once, horizontal, zero)), once)",
                "ct.mma(once, horizontal, zero)), once * 0.5)",
                "the border of the second step is halved",
            ),
            mutant(
                "above",
                "jacobi_twice",
                "total = ct.gather(x, (row - 1, column)",
                "total = ct.gather(x, (row - 2, column)",
                "a wrong neighbour above in the first step",
            ),
            mutant("neighbour", "jacobi_twice", "(b - a == 1)", "(b - a == 2)", "a wrong neighbour below"),
            mutant("edge", "jacobi_twice", "(row < x.shape[0] - 1)", "(row < x.shape[0])", "the last row is not kept"),
        ],
        names=("launches", "fused"),
    ),
    pair(
        "separable",
        "a depthwise and a pointwise convolution in two launches, and as one with products of their weights",
        {**CHANNELS, "W": buffer("f32", ["C", 3], NORMAL), "T": buffer("f32", ["C", 45])},
        [run("depthwise", (3, "C"), "X", "W", "T"), run("pointwise", (1, 3), "P", "T", "Y")],
        [run("separable", (2, 2), "P", "W", "X", "Y")],
        ["Y"],
        [
            mutant("tap", "separable", "t + k - 1", "t + k", "taps are a column off"),
            mutant("channel", "separable", "channel = c * C + ", "channel = ", "always the first channels"),
            mutant("weights", "separable", "pt * taps", "pt + taps", "a sum of weights"),
            mutant(
                "one_channel",
                "separable",
                "ct.num_tiles(x, axis=0, shape=(C, T))",
                "ct.cdiv(x.shape[0] - 1, C)",
                "a last block with a single channel is skipped",
            ),
        ],
        names=("two", "one"),
        parameters=WIDTHS,
    ),
    pair(
        "folded_norm",
        "a product and a batch norm with given statistics, and with the norm folded into weights and offset",
        {
            **CHANNELS,
            **{n: buffer("f32", [11], NORMAL) for n in ("MEAN", "GAIN", "BIAS")},
            "VARIANCE": buffer("f32", [11], uniform(0.5, 2)),
            "T": buffer("f32", [11, 45]),
            "Q": buffer("f32", [11, "C"]),
            "OFFSET": buffer("f32", [11]),
        },
        [
            run("pointwise", (1, 3), "P", "X", "T"),
            run("normalised", (2, 2), "T", "MEAN", "VARIANCE", "GAIN", "BIAS", "Y", "f32 0.001"),
        ],
        [
            run("folded_weights", (2,), "P", "MEAN", "VARIANCE", "GAIN", "BIAS", "Q", "OFFSET", "f32 0.001"),
            run("pointwise_offset", (2, 3), "Q", "X", "OFFSET", "Y"),
        ],
        ["Y"],
        [
            mutant("offset", "folded_weights", " - m * factor", " - m", "the mean is not scaled"),
            mutant("eps", "folded_weights", "ct.rsqrt(v + eps)", "ct.rsqrt(v)", "no eps"),
            mutant(
                "gain",
                "folded_weights",
                "padding_mode=ZERO) * ct.rsqrt",
                "padding_mode=ZERO) / ct.rsqrt",
                "multiplied by the deviation",
            ),
            launched("last", "grid: [2], args: [P", "grid: [1], args: [P", "the last weights are never folded"),
        ],
        names=("apart", "folded"),
        parameters=WIDTHS,
    ),
]
