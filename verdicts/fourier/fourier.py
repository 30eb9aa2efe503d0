# SPDX-License-Identifier: Apache-2.0
# Discrete Fourier, cosine and Hadamard transforms: by matrices, by radix 2 and 4, in four steps, by prime factors.
import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
# cos(pi k / 16), and the constants of the transforms of 3 and 5 points
C1, C2, C3, C4 = 0.98078528, 0.92387953, 0.83146961, 0.70710678
C5, C6, C7 = 0.55557023, 0.38268343, 0.19509032
SIN_60, SIN_72, SIN_36, ROOT_5_4 = 0.8660254, 0.95105652, 0.58778525, 0.55901699


# ---- transforms of rows: y_k = sum of x_n e^(-2 pi i n k / N), tables cos and sin of 2 pi n k / N --------------------
@ct.kernel
def by_matrix(xr, xi, cos, sin, yr, yi, R: Const, N: Const):
    """By two tables of at most N x N; grid (row blocks)."""
    i = ct.bid(0)
    zero = ct.full((R, N), 0.0, dtype=xr.dtype)
    a = ct.load(xr, index=(i, 0), shape=(R, N), padding_mode=ZERO)
    b = ct.load(xi, index=(i, 0), shape=(R, N), padding_mode=ZERO)
    c = ct.load(cos, index=(0, 0), shape=(N, N), padding_mode=ZERO)
    s = ct.load(sin, index=(0, 0), shape=(N, N), padding_mode=ZERO)
    ct.store(yr, index=(i, 0), tile=ct.mma(a, c, ct.mma(b, s, zero)))
    ct.store(yi, index=(i, 0), tile=ct.mma(b, c, zero) - ct.mma(a, s, zero))


@ct.kernel
def reverse_16(xr, xi, yr, yi, R: Const):
    """16 columns in the order of their reversed bits."""
    row = ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    k = ct.arange(16, dtype=ct.int32).reshape((1, 16))
    n = ((k & 1) << 3) | ((k & 2) << 1) | ((k & 4) >> 1) | ((k & 8) >> 3)
    ct.scatter(yr, (row, k), ct.gather(xr, (row, n), padding_value=0))
    ct.scatter(yi, (row, k), ct.gather(xi, (row, n), padding_value=0))


@ct.kernel
def stage_16(xr, xi, cos, sin, yr, yi, half: int, R: Const):
    """Butterflies at the distance half; the tables are those of N = 16."""
    row = ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    k = ct.arange(16, dtype=ct.int32).reshape((1, 16))
    upper = k // half % 2
    even, angle = k - upper * half, k % half * (8 // half)
    wr, wi = ct.gather(cos, (1, angle), padding_value=0), -ct.gather(sin, (1, angle), padding_value=0)
    ar, ai = ct.gather(xr, (row, even), padding_value=0), ct.gather(xi, (row, even), padding_value=0)
    br, bi = ct.gather(xr, (row, even + half), padding_value=0), ct.gather(xi, (row, even + half), padding_value=0)
    sign = ct.where(upper == 1, -1.0, 1.0)
    ct.scatter(yr, (row, k), ar + sign * (br * wr - bi * wi))
    ct.scatter(yi, (row, k), ai + sign * (br * wi + bi * wr))


@ct.kernel
def radix_4(xr, xi, cos, sin, yr, yi, R: Const):
    """16 = 4 x 4, no products but those with twiddle factors; grid (row blocks)."""
    i = ct.bid(0)
    a = ct.load(xr, index=(i, 0), shape=(R, 16), padding_mode=ZERO).reshape((R, 4, 4))
    b = ct.load(xi, index=(i, 0), shape=(R, 16), padding_mode=ZERO).reshape((R, 4, 4))
    line = (R, 1, 4)
    a0, a1, a2, a3 = (
        a.extract((0, 0, 0), line),
        a.extract((0, 1, 0), line),
        a.extract((0, 2, 0), line),
        a.extract((0, 3, 0), line),
    )
    b0, b1, b2, b3 = (
        b.extract((0, 0, 0), line),
        b.extract((0, 1, 0), line),
        b.extract((0, 2, 0), line),
        b.extract((0, 3, 0), line),
    )
    pr, qr, ur, vr = a0 + a2, a0 - a2, a1 + a3, a1 - a3
    pi, qi, ui, vi = b0 + b2, b0 - b2, b1 + b3, b1 - b3
    a = ct.cat((ct.cat((pr + ur, qr + vi), 1), ct.cat((pr - ur, qr - vi), 1)), 1)
    b = ct.cat((ct.cat((pi + ui, qi - vr), 1), ct.cat((pi - ui, qi + vr), 1)), 1)
    c = ct.load(cos, index=(0, 0), shape=(4, 4), padding_mode=ZERO).reshape((1, 4, 4))
    s = ct.load(sin, index=(0, 0), shape=(4, 4), padding_mode=ZERO).reshape((1, 4, 4))
    a, b = a * c + b * s, b * c - a * s
    line = (R, 4, 1)
    a0, a1, a2, a3 = (
        a.extract((0, 0, 0), line),
        a.extract((0, 0, 1), line),
        a.extract((0, 0, 2), line),
        a.extract((0, 0, 3), line),
    )
    b0, b1, b2, b3 = (
        b.extract((0, 0, 0), line),
        b.extract((0, 0, 1), line),
        b.extract((0, 0, 2), line),
        b.extract((0, 0, 3), line),
    )
    pr, qr, ur, vr = a0 + a2, a0 - a2, a1 + a3, a1 - a3
    pi, qi, ui, vi = b0 + b2, b0 - b2, b1 + b3, b1 - b3
    a = ct.cat((ct.cat((pr + ur, qr + vi), 2), ct.cat((pr - ur, qr - vi), 2)), 2)
    b = ct.cat((ct.cat((pi + ui, qi - vr), 2), ct.cat((pi - ui, qi + vr), 2)), 2)
    ct.store(yr, index=(i, 0), tile=a.permute((0, 2, 1)).reshape((R, 16)))
    ct.store(yi, index=(i, 0), tile=b.permute((0, 2, 1)).reshape((R, 16)))


@ct.kernel
def four_step(xr, xi, cos, sin, cos1, sin1, cos2, sin2, yr, yi, N1: Const, N2: Const):
    """N = N1 x N2: columns, twiddle factors, rows, transposed; grid (rows)."""
    i = ct.bid(0)
    a = ct.load(xr, index=(i, 0), shape=(1, N1 * N2)).reshape((N1, N2))
    b = ct.load(xi, index=(i, 0), shape=(1, N1 * N2)).reshape((N1, N2))
    zero = ct.full((N1, N2), 0.0, dtype=ct.float32)
    c, s = ct.load(cos1, index=(0, 0), shape=(N1, N1)), ct.load(sin1, index=(0, 0), shape=(N1, N1))
    a, b = ct.mma(c, a, ct.mma(s, b, zero)), ct.mma(c, b, zero) - ct.mma(s, a, zero)
    c, s = ct.load(cos, index=(0, 0), shape=(N1, N2)), ct.load(sin, index=(0, 0), shape=(N1, N2))
    a, b = a * c + b * s, b * c - a * s
    c, s = ct.load(cos2, index=(0, 0), shape=(N2, N2)), ct.load(sin2, index=(0, 0), shape=(N2, N2))
    a, b = ct.mma(a, c, ct.mma(b, s, zero)), ct.mma(b, c, zero) - ct.mma(a, s, zero)
    ct.store(yr, index=(i, 0), tile=ct.transpose(a).reshape((1, N1 * N2)))
    ct.store(yi, index=(i, 0), tile=ct.transpose(b).reshape((1, N1 * N2)))


@ct.kernel
def prime_factors(xr, xi, yr, yi, R: Const):
    """12 = 3 x 4 by Good and Thomas, without twiddle factors; grid (row blocks)."""
    row = ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    n = ct.arange(4, dtype=ct.int32).reshape((1, 4))
    a0, a1, a2 = (
        ct.gather(xr, (row, 3 * n), padding_value=0),
        ct.gather(xr, (row, (3 * n + 4) % 12), padding_value=0),
        ct.gather(xr, (row, (3 * n + 8) % 12), padding_value=0),
    )
    b0, b1, b2 = (
        ct.gather(xi, (row, 3 * n), padding_value=0),
        ct.gather(xi, (row, (3 * n + 4) % 12), padding_value=0),
        ct.gather(xi, (row, (3 * n + 8) % 12), padding_value=0),
    )
    ta, tb, da, db = a1 + a2, b1 + b2, (a1 - a2) * SIN_60, (b1 - b2) * SIN_60
    ma, mb = a0 - 0.5 * ta, b0 - 0.5 * tb
    a = ct.cat(
        (
            ct.cat(((a0 + ta).reshape((R, 1, 4)), (ma + db).reshape((R, 1, 4))), 1),
            ct.cat(((ma - db).reshape((R, 1, 4)), (ma - ma).reshape((R, 1, 4))), 1),
        ),
        1,
    )
    b = ct.cat(
        (
            ct.cat(((b0 + tb).reshape((R, 1, 4)), (mb - da).reshape((R, 1, 4))), 1),
            ct.cat(((mb + da).reshape((R, 1, 4)), (mb - mb).reshape((R, 1, 4))), 1),
        ),
        1,
    )
    line = (R, 4, 1)
    a0, a1, a2, a3 = (
        a.extract((0, 0, 0), line),
        a.extract((0, 0, 1), line),
        a.extract((0, 0, 2), line),
        a.extract((0, 0, 3), line),
    )
    b0, b1, b2, b3 = (
        b.extract((0, 0, 0), line),
        b.extract((0, 0, 1), line),
        b.extract((0, 0, 2), line),
        b.extract((0, 0, 3), line),
    )
    pr, qr, ur, vr = a0 + a2, a0 - a2, a1 + a3, a1 - a3
    pi, qi, ui, vi = b0 + b2, b0 - b2, b1 + b3, b1 - b3
    a = ct.cat((ct.cat((pr + ur, qr + vi), 2), ct.cat((pr - ur, qr - vi), 2)), 2)
    b = ct.cat((ct.cat((pi + ui, qi - vr), 2), ct.cat((pi - ui, qi + vr), 2)), 2)
    k1, k2 = ct.arange(4, dtype=ct.int32).reshape((1, 4, 1)), ct.arange(4, dtype=ct.int32).reshape((1, 1, 4))
    place, there = (row.reshape((R, 1, 1)), (4 * k1 + 9 * k2) % 12), (k1 < 3) & (k2 < 4)
    ct.scatter(yr, place, a, mask=there)
    ct.scatter(yi, place, b, mask=there)


@ct.kernel
def five_points(xr, xi, yr, yi, R: Const):
    """5 points by Winograd: five products for each part."""
    row = ct.bid(0) * R + ct.arange(R, dtype=ct.int32)
    a0, b0 = ct.gather(xr, (row, 0), padding_value=0), ct.gather(xi, (row, 0), padding_value=0)
    a1, b1 = ct.gather(xr, (row, 1), padding_value=0), ct.gather(xi, (row, 1), padding_value=0)
    a2, b2 = ct.gather(xr, (row, 2), padding_value=0), ct.gather(xi, (row, 2), padding_value=0)
    a3, b3 = ct.gather(xr, (row, 3), padding_value=0), ct.gather(xi, (row, 3), padding_value=0)
    a4, b4 = ct.gather(xr, (row, 4), padding_value=0), ct.gather(xi, (row, 4), padding_value=0)
    ta, tb = a1 + a4 + a2 + a3, b1 + b4 + b2 + b3
    ma, mb = a0 - 0.25 * ta, b0 - 0.25 * tb
    na, nb = ROOT_5_4 * (a1 + a4 - a2 - a3), ROOT_5_4 * (b1 + b4 - b2 - b3)
    ua, ub = SIN_72 * (a1 - a4) + SIN_36 * (a2 - a3), SIN_72 * (b1 - b4) + SIN_36 * (b2 - b3)
    va, vb = SIN_36 * (a1 - a4) - SIN_72 * (a2 - a3), SIN_36 * (b1 - b4) - SIN_72 * (b2 - b3)
    ct.scatter(yr, (row, 0), a0 + ta)
    ct.scatter(yi, (row, 0), b0 + tb)
    ct.scatter(yr, (row, 1), ma + na + ub)
    ct.scatter(yi, (row, 1), mb + nb - ua)
    ct.scatter(yr, (row, 4), ma + na - ub)
    ct.scatter(yi, (row, 4), mb + nb + ua)
    ct.scatter(yr, (row, 2), ma - na + vb)
    ct.scatter(yi, (row, 2), mb - nb - va)
    ct.scatter(yr, (row, 3), ma - na - vb)
    ct.scatter(yi, (row, 3), mb - nb + va)


# ---- of real rows ----------------------------------------------------------------------------------------------------
@ct.kernel
def real_rows(x, cos, sin, yr, yi, R: Const, N: Const):
    i = ct.bid(0)
    zero = ct.full((R, N), 0.0, dtype=ct.float32)
    a = ct.load(x, index=(i, 0), shape=(R, N), padding_mode=ZERO)
    ct.store(yr, index=(i, 0), tile=ct.mma(a, ct.load(cos, index=(0, 0), shape=(N, N)), zero))
    ct.store(yi, index=(i, 0), tile=-ct.mma(a, ct.load(sin, index=(0, 0), shape=(N, N)), zero))


@ct.kernel
def packed_rows(x, cos, sin, zr, zi, R: Const, N: Const):
    """Two real rows as one complex row: z = x_2r + i x_2r+1."""
    i = ct.bid(0)
    row, column = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    zero = ct.full((R, N), 0.0, dtype=ct.float32)
    a, b = ct.gather(x, (2 * row, column), padding_value=0), ct.gather(x, (2 * row + 1, column), padding_value=0)
    c, s = ct.load(cos, index=(0, 0), shape=(N, N)), ct.load(sin, index=(0, 0), shape=(N, N))
    ct.store(zr, index=(i, 0), tile=ct.mma(a, c, ct.mma(b, s, zero)))
    ct.store(zi, index=(i, 0), tile=ct.mma(b, c, ct.mma(-a, s, zero)))


@ct.kernel
def unpacked_rows(zr, zi, yr, yi, R: Const, N: Const):
    """(Z_k + conj Z_-k) / 2, and (Z_k - conj Z_-k) / 2i."""
    row, k = ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    other = (N - k) % N
    a, b = ct.gather(zr, (row, k), padding_value=0), ct.gather(zi, (row, k), padding_value=0)
    c, d = ct.gather(zr, (row, other), padding_value=0), ct.gather(zi, (row, other), padding_value=0)
    ct.scatter(yr, (2 * row, k), (a + c) * 0.5)
    ct.scatter(yi, (2 * row, k), (b - d) * 0.5)
    ct.scatter(yr, (2 * row + 1, k), (b + d) * 0.5)
    ct.scatter(yi, (2 * row + 1, k), (c - a) * 0.5)


@ct.kernel
def windowed_power(x, cos, sin, y, hop: int, R: Const, N: Const):
    """|DFT|^2 of frames of x with Hann's window; grid (frame blocks)."""
    i = ct.bid(0)
    frame, n = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    c, s = ct.load(cos, index=(0, 0), shape=(N, N)), ct.load(sin, index=(0, 0), shape=(N, N))
    window = 0.5 - 0.5 * ct.load(cos, index=(1, 0), shape=(1, N))
    a = ct.gather(x, frame * hop + n, padding_value=0) * window
    zero = ct.full((R, N), 0.0, dtype=ct.float32)
    yr, yi = ct.mma(a, c, zero), ct.mma(a, s, zero)
    ct.store(y, index=(i, 0), tile=yr * yr + yi * yi)


@ct.kernel
def frames(x, cos, sin, yr, yi, hop: int, R: Const, N: Const):
    """The DFT of frames without a window."""
    i = ct.bid(0)
    frame, n = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(N, dtype=ct.int32).reshape((1, N))
    a = ct.gather(x, frame * hop + n, padding_value=0)
    zero = ct.full((R, N), 0.0, dtype=ct.float32)
    ct.store(yr, index=(i, 0), tile=ct.mma(a, ct.load(cos, index=(0, 0), shape=(N, N)), zero))
    ct.store(yi, index=(i, 0), tile=-ct.mma(a, ct.load(sin, index=(0, 0), shape=(N, N)), zero))


@ct.kernel
def window_spectrum(yr, yi, y, R: Const, N: Const):
    """Hann's window as a filter of the spectrum: y_k / 2 - (y_{k-1} + y_{k+1}) / 4."""
    frame, k = (
        ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)),
        ct.arange(N, dtype=ct.int32).reshape((1, N)),
    )
    below, above = (k + N - 1) % N, (k + 1) % N
    near = ct.gather(yr, (frame, below), padding_value=0) + ct.gather(yr, (frame, above), padding_value=0)
    a = 0.5 * ct.gather(yr, (frame, k), padding_value=0) - 0.25 * near
    near = ct.gather(yi, (frame, below), padding_value=0) + ct.gather(yi, (frame, above), padding_value=0)
    b = 0.5 * ct.gather(yi, (frame, k), padding_value=0) - 0.25 * near
    ct.scatter(y, (frame, k), a * a + b * b)


# ---- convolutions ----------------------------------------------------------------------------------------------------
@ct.kernel
def causal(x, h, y, R: Const, N: Const):
    """y_t = sum over s <= t of h_s x_{t-s}; grid (row blocks)."""
    row = ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))
    t = ct.arange(N, dtype=ct.int32).reshape((1, N))
    acc = ct.full((R, N), 0.0, dtype=ct.float32)
    for s in range(h.shape[1]):
        acc = acc + ct.gather(h, (row, s), padding_value=0) * ct.gather(x, (row, t - s), padding_value=0)
    ct.store(y, index=(ct.bid(0), 0), tile=acc)


@ct.kernel
def by_spectrum(x, h, cos, sin, y, R: Const, N: Const):
    """Transforms of twice the length, a product, and back."""
    i = ct.bid(0)
    zero = ct.full((R, N), 0.0, dtype=ct.float32)
    c, s = ct.load(cos, index=(0, 0), shape=(N, N)), ct.load(sin, index=(0, 0), shape=(N, N))
    xt = ct.load(x, index=(i, 0), shape=(R, N), padding_mode=ZERO)
    ht = ct.load(h, index=(i, 0), shape=(R, N), padding_mode=ZERO)
    xr, xi = ct.mma(xt, c, zero), -ct.mma(xt, s, zero)
    hr, hi = ct.mma(ht, c, zero), -ct.mma(ht, s, zero)
    pr, pi = xr * hr - xi * hi, xr * hi + xi * hr
    yt = ct.mma(pr, c, -ct.mma(pi, s, zero)) / N
    ct.store(y, index=(i, 0), tile=yt)


# ---- cosine transforms -----------------------------------------------------------------------------------------------
@ct.kernel
def cosines_8(x, table, y, R: Const):
    """The cosine transform of 8 points: y_k = sum of x_n cos(pi (2 n + 1) k / 16)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(R, 8), padding_mode=ZERO)
    t = ct.load(table, index=(0, 0), shape=(8, 8))
    ct.store(y, index=(i, 0), tile=ct.mma(xt, ct.transpose(t), ct.full((R, 8), 0.0, dtype=ct.float32)))


@ct.kernel
def cosines_8_halves(x, y, R: Const):
    """By sums and differences of halves."""
    row = ct.bid(0) * R + ct.arange(R, dtype=ct.int32)
    x0, x7 = ct.gather(x, (row, 0), padding_value=0), ct.gather(x, (row, 7), padding_value=0)
    x1, x6 = ct.gather(x, (row, 1), padding_value=0), ct.gather(x, (row, 6), padding_value=0)
    x2, x5 = ct.gather(x, (row, 2), padding_value=0), ct.gather(x, (row, 5), padding_value=0)
    x3, x4 = ct.gather(x, (row, 3), padding_value=0), ct.gather(x, (row, 4), padding_value=0)
    s0, s1, s2, s3 = x0 + x7, x1 + x6, x2 + x5, x3 + x4
    d0, d1, d2, d3 = x0 - x7, x1 - x6, x2 - x5, x3 - x4
    ct.scatter(y, (row, 0), (s0 + s3) + (s1 + s2))
    ct.scatter(y, (row, 4), C4 * ((s0 + s3) - (s1 + s2)))
    ct.scatter(y, (row, 2), C2 * (s0 - s3) + C6 * (s1 - s2))
    ct.scatter(y, (row, 6), C6 * (s0 - s3) - C2 * (s1 - s2))
    ct.scatter(y, (row, 1), C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3)
    ct.scatter(y, (row, 3), C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3)
    ct.scatter(y, (row, 5), C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3)
    ct.scatter(y, (row, 7), C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3)


@ct.kernel
def low_pass(x, table, y, R: Const):
    """The part of x below the frequency 4: there and back."""
    i = ct.bid(0)
    zero = ct.full((R, 8), 0.0, dtype=ct.float32)
    xt = ct.load(x, index=(i, 0), shape=(R, 8), padding_mode=ZERO)
    t = ct.load(table, index=(0, 0), shape=(8, 8))
    k = ct.arange(8, dtype=ct.int32).reshape((8, 1))
    t = ct.where(k < 4, t * ct.where(k == 0, 0.35355339, 0.5), 0.0)
    ct.store(y, index=(i, 0), tile=ct.mma(ct.mma(xt, ct.transpose(t), zero), t, zero))


@ct.kernel
def less_high_pass(x, table, y, R: Const):
    """x less its part from the frequency 4 on."""
    i = ct.bid(0)
    zero = ct.full((R, 4), 0.0, dtype=ct.float32)
    xt = ct.load(x, index=(i, 0), shape=(R, 8), padding_mode=ZERO)
    t = ct.load(table, index=(1, 0), shape=(4, 8))
    high = ct.mma(xt, ct.transpose(t), zero) * 0.25
    ct.store(y, index=(i, 0), tile=xt - ct.mma(high, t, ct.full((R, 8), 0.0, dtype=ct.float32)))


# ---- Hadamard --------------------------------------------------------------------------------------------------------
@ct.kernel
def hadamard_matrix(x, y, R: Const):
    """64 columns by a matrix of signs: the parity of the bits that row and column share; grid (row blocks)."""
    i = ct.bid(0)
    row, column = ct.arange(64, dtype=ct.int32).reshape((64, 1)), ct.arange(64, dtype=ct.int32).reshape((1, 64))
    bits = row & column
    bits = bits ^ (bits >> 4)
    bits = bits ^ (bits >> 2)
    bits = bits ^ (bits >> 1)
    signs = ct.where((bits & 1) == 1, -1.0, 1.0)
    xt = ct.load(x, index=(i, 0), shape=(R, 64), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=ct.mma(xt, signs, ct.full((R, 64), 0.0, dtype=ct.float32)) / 8.0)


@ct.kernel
def hadamard_stages(x, y, R: Const):
    """In six stages of sums and differences."""
    row, column = ct.bid(0) * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(64, dtype=ct.int32)
    column = column.reshape((1, 64))
    half = 1
    for stage in range(6):
        if stage == 0:
            a = ct.gather(x, (row, column & ~half), padding_value=0)
            b = ct.gather(x, (row, column | half), padding_value=0)
        else:
            a = ct.gather(y, (row, column & ~half), padding_value=0)
            b = ct.gather(y, (row, column | half), padding_value=0)
        t = ct.where((column & half) == 0, a + b, a - b)
        ct.scatter(y, (row, column), t)
        half = half * 2
    ct.scatter(y, (row, column), ct.gather(y, (row, column), padding_value=0) * 0.125)


@ct.kernel
def hadamard_squares(x, y):
    """As H8 X H8 of 8 x 8, scaled on either side; grid (rows)."""
    i = ct.bid(0)
    row, column = ct.arange(8, dtype=ct.int32).reshape((8, 1)), ct.arange(8, dtype=ct.int32).reshape((1, 8))
    bits = row & column
    bits = (bits ^ (bits >> 1) ^ (bits >> 2)) & 1
    signs = ct.where(bits == 1, -1.0, 1.0) * 0.35355339
    zero = ct.full((8, 8), 0.0, dtype=ct.float32)
    xt = ct.load(x, index=(i, 0), shape=(1, 64)).reshape((8, 8))
    ct.store(y, index=(i, 0), tile=ct.mma(signs, ct.mma(xt, signs, zero), zero).reshape((1, 64)))


# ---- in f64 ------------------------------------------------------------------------------------------------------------
COS_PI_8, SIN_PI_8, ROOT_HALF = 0.92387953, 0.38268343, 0.70710678  # f32 in the bytecode, whatever is written


@ct.kernel
def two_eights(xr, xi, cos, sin, yr, yi, R: Const):
    """16 points from the even and the odd ones by tables of 8, and constants in f64; grid (row blocks)."""
    i = ct.bid(0)
    row, k = i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)), ct.arange(8, dtype=ct.int32).reshape((1, 8))
    c, s = ct.load(cos, index=(0, 0), shape=(8, 8)), ct.load(sin, index=(0, 0), shape=(8, 8))
    zero = ct.full((R, 8), 0.0, dtype=ct.float64)
    ar, ai = ct.gather(xr, (row, 2 * k), padding_value=0), ct.gather(xi, (row, 2 * k), padding_value=0)
    br, bi = ct.gather(xr, (row, 2 * k + 1), padding_value=0), ct.gather(xi, (row, 2 * k + 1), padding_value=0)
    ar, ai = ct.mma(ar, c, ct.mma(ai, s, zero)), ct.mma(ai, c, zero) - ct.mma(ar, s, zero)
    br, bi = ct.mma(br, c, ct.mma(bi, s, zero)), ct.mma(bi, c, zero) - ct.mma(br, s, zero)
    # cos and sin of pi k / 8: each is one of these up to its sign
    near = ct.minimum(k % 8, 8 - k)
    wr = ct.where(near == 1, ct.full((1, 8), COS_PI_8, dtype=ct.float64), ct.where(near == 3, SIN_PI_8, ROOT_HALF))
    wi = ct.where(near == 1, ct.full((1, 8), SIN_PI_8, dtype=ct.float64), ct.where(near == 3, COS_PI_8, ROOT_HALF))
    wr = ct.where(k == 0, 1.0, ct.where(k == 4, 0.0, ct.where(k > 4, -wr, wr)))
    wi = ct.where(k == 0, 0.0, ct.where(k == 4, 1.0, wi))
    tr, ti = br * wr + bi * wi, bi * wr - br * wi
    ct.scatter(yr, (row, k), ar + tr)
    ct.scatter(yi, (row, k), ai + ti)
    ct.scatter(yr, (row, k + 8), ar - tr)
    ct.scatter(yi, (row, k + 8), ai - ti)


F1, F2 = array(ct.float32, 1), array(ct.float32, 2)
SIX, TEN, SIX_F64 = [F2] * 6, [F2] * 10, [array(ct.float64, 2)] * 6
KERNELS = {
    "by_matrix": (by_matrix, [*SIX, 4, 16]),
    "by_matrix_f64": (by_matrix, [*SIX_F64, 4, 16]),
    "by_matrix_8": (by_matrix, [*SIX, 4, 8]),
    "by_matrix_32": (by_matrix, [*SIX, 4, 32]),
    "by_matrix_64": (by_matrix, [*SIX, 4, 64]),
    "reverse_16": (reverse_16, [F2, F2, F2, F2, 8]),
    "stage_16": (stage_16, [*SIX, ct.int32, 8]),
    "reverse_16_f64": (reverse_16, [*SIX_F64[:4], 4]),
    "stage_16_f64": (stage_16, [*SIX_F64, ct.int32, 8]),
    "two_eights": (two_eights, [*SIX_F64, 4]),
    "radix_4": (radix_4, [*SIX, 8]),
    "four_step_32": (four_step, [*TEN, 4, 8]),
    "four_step_64": (four_step, [*TEN, 8, 8]),
    "prime_factors": (prime_factors, [F2, F2, F2, F2, 4]),
    "five_points": (five_points, [F2, F2, F2, F2, 8]),
    "real_rows": (real_rows, [F2, F2, F2, F2, F2, 4, 16]),
    "packed_rows": (packed_rows, [F2, F2, F2, F2, F2, 4, 16]),
    "unpacked_rows": (unpacked_rows, [F2, F2, F2, F2, 2, 16]),
    "windowed_power": (windowed_power, [F1, F2, F2, F2, ct.int32, 8, 16]),
    "frames": (frames, [F1, F2, F2, F2, F2, ct.int32, 4, 16]),
    "window_spectrum": (window_spectrum, [F2, F2, F2, 4, 16]),
    "causal": (causal, [F2, F2, F2, 4, 16]),
    "by_spectrum": (by_spectrum, [F2, F2, F2, F2, F2, 4, 32]),
    "cosines_8": (cosines_8, [F2, F2, F2, 4]),
    "cosines_8_halves": (cosines_8_halves, [F2, F2, 8]),
    "low_pass": (low_pass, [F2, F2, F2, 4]),
    "less_high_pass": (less_high_pass, [F2, F2, F2, 8]),
    "hadamard_matrix": (hadamard_matrix, [F2, F2, 4]),
    "hadamard_stages": (hadamard_stages, [F2, F2, 8]),
    "hadamard_squares": (hadamard_squares, [F2, F2]),
}


def turns(n, function):
    """function of 2 pi j k / n, with exact zeros, halves and ones."""
    return np.float32(np.round(function(2 * np.pi * np.outer(range(n), range(n)) / n), 12))


def exact_turns(n, function):
    """In f64, as programs compute them from the angles of one turn: cos(pi / 2) is 6e-17."""
    return function(2 * np.pi * (np.outer(range(n), range(n)) % n) / n)


INPUTS = {
    **{f"{word}{n}.f64": exact_turns(n, f) for n in (8, 16) for word, f in (("cos", np.cos), ("sin", np.sin))},
    **{f"cos{n}.f32": turns(n, np.cos) for n in (4, 5, 8, 12, 16, 32, 64)},
    **{f"sin{n}.f32": turns(n, np.sin) for n in (4, 5, 8, 12, 16, 32, 64)},
    "dct8.f32": np.float32(np.cos(np.pi * np.outer(range(8), 2 * np.arange(8) + 1) / 16)),
}


def table(name, n, dtype="f32"):
    return buffer(dtype, [n, n], given(f"{name}{n}.{dtype}"), literal=True)


def complex_rows(rows, n, *more, dtype="f32"):
    """Rows of n points, and the tables of n and more points."""
    names = {f"{part}{m}": table(word, m, dtype) for m in (n, *more) for part, word in (("COS", "cos"), ("SIN", "sin"))}
    return {
        **{x: buffer(dtype, [rows, n], NORMAL) for x in ("XR", "XI")},
        **names,
        **{y: buffer(dtype, [rows, n]) for y in ("YR", "YI")},
    }


def matrix(kernel, rows, n):
    return [run(kernel, (rows,), "XR", "XI", f"COS{n}", f"SIN{n}", "YR", "YI")]


def stages(reverse, stage, reverse_grid):
    return [
        run(reverse, reverse_grid, "XR", "XI", "AR", "AI"),
        run(stage, (1,), "AR", "AI", "COS16", "SIN16", "BR", "BI", "i32 1"),
        run(stage, (1,), "BR", "BI", "COS16", "SIN16", "AR", "AI", "i32 2"),
        run(stage, (1,), "AR", "AI", "COS16", "SIN16", "BR", "BI", "i32 4"),
        run(stage, (1,), "BR", "BI", "COS16", "SIN16", "YR", "YI", "i32 8"),
    ]


STAGES, STAGES_F64 = stages("reverse_16", "stage_16", (1,)), stages("reverse_16_f64", "stage_16_f64", (2,))
BETWEEN = ("AR", "AI", "BR", "BI")
STAGED = {**complex_rows(7, 16), **{n: buffer("f32", [7, 16]) for n in BETWEEN}}
STAGED_F64 = {**complex_rows(7, 16, dtype="f64"), **{n: buffer("f64", [7, 16]) for n in BETWEEN}}
RESULT = ["YR", "YI"]
REAL = {"X": buffer("f32", [6, 16], NORMAL), "COS16": table("cos", 16), "SIN16": table("sin", 16)}
FRAMES = {
    "X": buffer("f32", [61], NORMAL),
    "COS16": table("cos", 16),
    "SIN16": table("sin", 16),
    "YR": buffer("f32", [10, 16]),
    "YI": buffer("f32", [10, 16]),
    "P": buffer("f32", [10, 16]),
}
SEQUENCES = {
    "X": buffer("f32", [7, 13], NORMAL),
    "H": buffer("f32", [7, 13], NORMAL),
    "COS32": table("cos", 32),
    "SIN32": table("sin", 32),
    "Y": buffer("f32", [7, 13]),
}
EIGHT = {
    "X": buffer("f32", [7, 8], NORMAL),
    "TABLE": buffer("f32", [8, 8], given("dct8.f32"), literal=True),
    "Y": buffer("f32", [7, 8]),
}
WIDE = {"X": buffer("f32", [5, 64], NORMAL), "Y": buffer("f32", [5, 64])}

PAIRS = [
    pair(
        "radix_2",
        "a Fourier transform of 16 points by its matrix, and by four launches of butterflies",
        STAGED,
        matrix("by_matrix", 2, 16),
        STAGES,
        RESULT,
        [
            mutant("sign", "stage_16", "-ct.gather(sin", "ct.gather(sin", "the twiddle factors of the inverse"),
            mutant("upper", "stage_16", "-1.0, 1.0", "1.0, -1.0", "sums and differences are exchanged"),
            mutant("angle", "stage_16", "k % half * (8 // half)", "k % half", "angles of another stage"),
            mutant(
                "product", "stage_16", "br * wi + bi * wr", "br * wi - bi * wr", "a wrong sign in the complex product"
            ),
            mutant(
                "bits", "reverse_16", "((k & 2) << 1) | ((k & 4) >> 1)", "(k & 6)", "the middle bits are not reversed"
            ),
            launched("stage", "BR, BI, i32 4]", "BR, BI, i32 2]", "a stage twice, another never"),
        ],
        names=("matrix", "stages"),
    ),
    pair(
        "stages_f64",
        "a Fourier transform of 16 points in f64 by its matrix, and by four launches of butterflies",
        STAGED_F64,
        matrix("by_matrix_f64", 2, 16),
        STAGES_F64,
        RESULT,
        [
            mutant("sign", "stage_16_f64", "-ct.gather(sin", "ct.gather(sin", "the twiddle factors of the inverse"),
            mutant("angle", "stage_16_f64", "k % half * (8 // half)", "k % half", "angles of another stage"),
            mutant("product", "stage_16_f64", "br * wr - bi * wi", "br * wr + bi * wi", "a wrong sign in the product"),
            mutant(
                "digit",
                "stage_16_f64",
                "ct.gather(cos, (1, angle), padding_value=0)",
                "ct.gather(cos, (1, angle), padding_value=0) * ct.where(angle == 1, 1.000001, 1.0)",
                "a cosine is wrong in the sixth digit",
            ),
        ],
        names=("matrix", "stages"),
    ),
    pair(
        "halves_f64",
        "a Fourier transform of 16 points in f64 in stages by a table, and as 2 x 8 with constants",
        {**STAGED_F64, "COS8": table("cos", 8, "f64"), "SIN8": table("sin", 8, "f64")},
        STAGES_F64,
        [run("two_eights", (2,), "XR", "XI", "COS8", "SIN8", "YR", "YI")],
        RESULT,
        [
            mutant("digit", "two_eights", "(1, 8), COS_PI_8, dtype", "(1, 8), 0.9238792, dtype", "a wrong digit"),
            mutant("exchanged", "two_eights", "near == 3, SIN_PI_8", "near == 3, COS_PI_8", "a cosine for a sine"),
            mutant("order", "two_eights", "(row, k + 8), ar - tr", "(row, k + 8), tr - ar", "the wrong way round"),
            mutant("quarter", "two_eights", "ct.where(k == 4, 1.0, wi)", "wi", "a quarter of a turn is none"),
        ],
        names=("stages", "halves"),
    ),
    pair(
        "radix_4",
        "a Fourier transform of 16 points in stages of 2, and as 4 x 4 without a matrix",
        STAGED,
        STAGES,
        matrix("radix_4", 1, 16),
        RESULT,
        [
            mutant(
                "twiddle",
                "radix_4",
                "a * c + b * s, b * c - a * s",
                "a * c - b * s, b * c + a * s",
                "the twiddle factors of the inverse",
            ),
            mutant(
                "stale",
                "radix_4",
                "    a, b = a * c + b * s, b * c - a * s\n",
                "    a = a * c + b * s\n    b = b * c - a * s\n",
                "the real part is replaced before it is used",
            ),
            mutant(
                "order",
                "radix_4",
                "tile=a.permute((0, 2, 1)).reshape",
                "tile=a.reshape",
                "real parts in the order of the blocks",
            ),
            mutant(
                "turn",
                "radix_4",
                "b = ct.cat((ct.cat((pi + ui, qi - vr), 1)",
                "b = ct.cat((ct.cat((pi + ui, qi + vr), 1)",
                "i for -i",
            ),
        ],
        names=("stages", "four"),
    ),
    pair(
        "four_step_32",
        "a Fourier transform of 32 points by its matrix, and as 4 x 8",
        complex_rows(5, 32, 4, 8),
        matrix("by_matrix_32", 2, 32),
        [run("four_step_32", (5,), "XR", "XI", "COS32", "SIN32", "COS4", "SIN4", "COS8", "SIN8", "YR", "YI")],
        RESULT,
        [
            mutant("no_twiddle", "four_step_32", "    a, b = a * c + b * s, b * c - a * s\n", "", "no twiddle factors"),
            mutant(
                "not_transposed",
                "four_step_32",
                "ct.transpose(b).reshape",
                "b.reshape",
                "imaginary parts are not transposed",
            ),
            mutant(
                "table",
                "four_step_32",
                "ct.load(cos, index=(0, 0), shape=(N1, N2))",
                "ct.load(cos, index=(1, 0), shape=(N1, N2))",
                "cosines of the next four rows",
            ),
        ],
        names=("matrix", "steps"),
    ),
    pair(
        "four_step_64",
        "a Fourier transform of 64 points by its matrix, and as 8 x 8",
        complex_rows(3, 64, 8),
        matrix("by_matrix_64", 1, 64),
        [run("four_step_64", (3,), "XR", "XI", "COS64", "SIN64", "COS8", "SIN8", "COS8", "SIN8", "YR", "YI")],
        RESULT,
        [
            mutant(
                "conjugate",
                "four_step_64",
                "ct.mma(b, c, zero) - ct.mma(a, s, zero)",
                "ct.mma(b, c, zero) + ct.mma(a, s, zero)",
                "the inverse in the imaginary part of the rows",
            ),
            mutant(
                "columns",
                "four_step_64",
                "ct.mma(s, b, zero)), ct.mma(c, b, zero)",
                "ct.mma(s, b, zero)), ct.mma(b, c, zero)",
                "rows for columns",
            ),
            launched("table", "COS64, SIN64", "COS64, COS64", "cosines for sines"),
        ],
        names=("matrix", "steps"),
    ),
    pair(
        "prime_factors",
        "a Fourier transform of 12 points by its matrix, and as 3 x 4 by prime factors",
        complex_rows(7, 12),
        matrix("by_matrix", 2, 12),
        [run("prime_factors", (2,), "XR", "XI", "YR", "YI")],
        RESULT,
        [
            mutant(
                "output",
                "prime_factors",
                "(4 * k1 + 9 * k2) % 12",
                "(4 * k1 + 3 * k2) % 12",
                "outputs in the order of the inputs",
            ),
            mutant("half", "prime_factors", "a0 - 0.5 * ta", "a0 + 0.5 * ta", "cos 60 for cos 120"),
            mutant(
                "sine", "prime_factors", "(b1 - b2) * SIN_60", "(b1 - b2) * 0.8660154", "a digit of the sine is wrong"
            ),
            mutant(
                "neighbour",
                "prime_factors",
                "xi, (row, (3 * n + 8) % 12)",
                "xi, (row, (3 * n + 7) % 12)",
                "a wrong input",
            ),
        ],
        names=("matrix", "factors"),
    ),
    pair(
        "five_points",
        "a Fourier transform of 5 points by its matrix, and by Winograd's",
        complex_rows(13, 5),
        matrix("by_matrix_8", 4, 5),
        [run("five_points", (2,), "XR", "XI", "YR", "YI")],
        RESULT,
        [
            mutant(
                "sines",
                "five_points",
                "SIN_72 * (a1 - a4) + SIN_36 * (a2 - a3)",
                "SIN_36 * (a1 - a4) + SIN_72 * (a2 - a3)",
                "the sines are exchanged",
            ),
            mutant("quarter", "five_points", "a0 - 0.25 * ta", "a0 - 0.2 * ta", "a fifth for a quarter"),
            mutant("root", "five_points", "ROOT_5_4 * (b1", "0.5592 * (b1", "a wrong digit in the root"),
            mutant(
                "outputs",
                "five_points",
                "ct.scatter(yr, (row, 2), ma - na + vb)",
                "ct.scatter(yr, (row, 2), ma - na - vb)",
                "an output of the inverse",
            ),
        ],
        names=("matrix", "winograd"),
    ),
    pair(
        "real_pairs",
        "Fourier transforms of real rows one by one, and two as one complex row",
        {**REAL, **{n: buffer("f32", [3, 16]) for n in ("ZR", "ZI")}, **{n: buffer("f32", [6, 16]) for n in RESULT}},
        [run("real_rows", (2,), "X", "COS16", "SIN16", "YR", "YI")],
        [
            run("packed_rows", (1,), "X", "COS16", "SIN16", "ZR", "ZI"),
            run("unpacked_rows", (2,), "ZR", "ZI", "YR", "YI"),
        ],
        RESULT,
        [
            mutant("other", "unpacked_rows", "(N - k) % N", "N - 1 - k", "the mirror is off by one"),
            mutant("conjugate", "unpacked_rows", "(b - d) * 0.5", "(b + d) * 0.5", "not conjugated"),
            mutant("swapped", "unpacked_rows", "(c - a) * 0.5", "(a - c) * 0.5", "i for 1/i"),
            mutant("half", "unpacked_rows", "(a + c) * 0.5", "(a + c)", "not halved"),
        ],
        names=("single", "pairs"),
    ),
    pair(
        "window",
        "power spectra of frames with Hann's window, and with the window as a filter of the spectrum",
        FRAMES,
        [run("windowed_power", (2,), "X", "COS16", "SIN16", "P", "i32 5")],
        [
            run("frames", (3,), "X", "COS16", "SIN16", "YR", "YI", "i32 5"),
            run("window_spectrum", (3,), "YR", "YI", "P"),
        ],
        ["P"],
        [
            mutant(
                "wrap", "window_spectrum", "(k + 1) % N", "ct.minimum(k + 1, N - 1)", "the spectrum is not periodic"
            ),
            mutant(
                "sign",
                "window_spectrum",
                "- 0.25 * near\n    near",
                "+ 0.25 * near\n    near",
                "the window turned over in the real part",
            ),
            mutant(
                "neighbour",
                "window_spectrum",
                "ct.gather(yi, (frame, below)",
                "ct.gather(yi, (frame, above)",
                "a neighbour twice",
            ),
            launched("hop", "YR, YI, i32 5", "YR, YI, i32 4", "another distance of the frames"),
        ],
        names=("window", "filter"),
    ),
    pair(
        "convolution",
        "a causal convolution as a sum, and by spectra of twice the length",
        SEQUENCES,
        [run("causal", (2,), "X", "H", "Y")],
        [run("by_spectrum", (2,), "X", "H", "COS32", "SIN32", "Y")],
        ["Y"],
        [
            mutant("scale", "by_spectrum", "/ N", "/ (N // 2)", "scaled by the length without padding"),
            mutant(
                "product", "by_spectrum", "xr * hr - xi * hi", "xr * hr + xi * hi", "a correlation in the real part"
            ),
            mutant("back", "by_spectrum", "ct.mma(pr, c, -ct.mma", "ct.mma(pr, c, ct.mma", "forwards for back"),
            mutant(
                "cross",
                "by_spectrum",
                "xr * hi + xi * hr",
                "xr * hi + xi * hi",
                "a wrong operand in the imaginary part",
            ),
        ],
        names=("sum", "spectrum"),
    ),
    pair(
        "cosines",
        "a cosine transform of 8 points by its matrix, and by sums and differences of halves",
        EIGHT,
        [run("cosines_8", (2,), "X", "TABLE", "Y")],
        [run("cosines_8_halves", (1,), "X", "Y")],
        ["Y"],
        [
            mutant("sign", "cosines_8_halves", "C3 * d0 - C7 * d1", "C3 * d0 + C7 * d1", "a wrong sign"),
            mutant(
                "constants",
                "cosines_8_halves",
                "C2 * (s0 - s3) + C6",
                "C6 * (s0 - s3) + C2",
                "two constants are exchanged",
            ),
            mutant(
                "order",
                "cosines_8_halves",
                "(row, 5), C5",
                "(row, 7), C5",
                "two outputs are exchanged",
                ("(row, 7), C7", "(row, 5), C7"),
            ),
            mutant("half", "cosines_8_halves", "x2 - x5", "x2 - x6", "a wrong neighbour"),
        ],
        names=("matrix", "halves"),
    ),
    pair(
        "low_pass",
        "the low frequencies of a cosine transform, and the row less the high ones",
        EIGHT,
        [run("low_pass", (2,), "X", "TABLE", "Y")],
        [run("less_high_pass", (1,), "X", "TABLE", "Y")],
        ["Y"],
        [
            mutant("scale", "less_high_pass", "* 0.25", "* 0.5", "scaled once, not twice"),
            mutant(
                "half",
                "less_high_pass",
                "index=(1, 0), shape=(4, 8)",
                "index=(0, 0), shape=(4, 8)",
                "the low frequencies are taken off",
            ),
            mutant("sign", "less_high_pass", "xt - ct.mma", "xt + ct.mma", "the high frequencies twice"),
        ],
        names=("low", "less_high"),
    ),
    pair(
        "hadamard",
        "a Hadamard transform of 64 columns by its matrix, and in six stages in place",
        WIDE,
        [run("hadamard_matrix", (2,), "X", "Y")],
        [run("hadamard_stages", (1,), "X", "Y")],
        ["Y"],
        [
            mutant("stages", "hadamard_stages", "range(6)", "range(5)", "the last stage is left out"),
            mutant("sign", "hadamard_stages", "a + b, a - b", "a + b, b - a", "differences the wrong way round"),
            mutant("scale", "hadamard_stages", "* 0.125", "* 0.0625", "a wrong scale"),
            mutant(
                "half",
                "hadamard_stages",
                "half = half * 2",
                "half = half * 2 - half // 16",
                "a wrong distance in the last stage",
            ),
        ],
        names=("matrix", "stages"),
    ),
    pair(
        "hadamard_squares",
        "a Hadamard transform of 64 columns in six stages, and as H X H of 8 x 8",
        WIDE,
        [run("hadamard_stages", (1,), "X", "Y")],
        [run("hadamard_squares", (5,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "one_side",
                "hadamard_squares",
                "ct.mma(signs, ct.mma(xt, signs, zero), zero)",
                "ct.mma(xt, signs, zero)",
                "one side only",
            ),
            mutant("parity", "hadamard_squares", "(bits >> 1) ^ (bits >> 2)", "(bits >> 1)", "the parity of two bits"),
            mutant("scale", "hadamard_squares", "0.35355339", "0.125", "1/8 on either side"),
        ],
        names=("stages", "squares"),
    ),
]
