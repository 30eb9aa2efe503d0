# SPDX-License-Identifier: Apache-2.0
# Small whole algorithms: transforms, sorting, counting, sparse products, simulations.
import math

import cuda.tile as ct
from export import array

Const = ct.Constant[int]
VERSIONS = ("13.4",)


@ct.kernel
def fourier_stage(re, im, out_re, out_im, span: int, T: Const):
    """One radix-2 stage: pairs at a distance, the second turned by an angle."""
    n = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    first = n // span * (2 * span) + n % span
    angle = (n % span).astype(ct.float32) * (-math.pi) / ct.astype(span, ct.float32)
    c, s = ct.cos(angle), ct.sin(angle)
    ar, ai = ct.gather(re, first), ct.gather(im, first)
    br, bi = ct.gather(re, first + span), ct.gather(im, first + span)
    tr, ti = br * c - bi * s, br * s + bi * c
    ct.scatter(out_re, first, ar + tr)
    ct.scatter(out_im, first, ai + ti)
    ct.scatter(out_re, first + span, ar - tr)
    ct.scatter(out_im, first + span, ai - ti)


@ct.kernel
def sorted_rows(x, y, N: Const):
    """A bitonic network in one tile: partners by reshape and reversed halves."""
    a = ct.load(x, index=(ct.bid(0), 0), shape=(1, N)).reshape((N,))
    lane = ct.arange(N, dtype=ct.int32)
    size = 2
    while size <= N:
        distance = size // 2
        while distance > 0:
            ct.scatter(y, (ct.bid(0), lane), a)
            other = ct.gather(y, (ct.bid(0), lane ^ distance))
            ascending = (lane & size) == 0
            lower = (lane & distance) == 0
            a = ct.where(ascending == lower, min(a, other), max(a, other))
            distance = distance // 2
        size = size * 2
    ct.scatter(y, (ct.bid(0), lane), a)


@ct.kernel
def histogram_of_bytes(x, counts, T: Const):
    """Counted by comparing with all values, added to memory once a block."""
    total = ct.zeros((16,), ct.int32)
    value = ct.arange(16, dtype=ct.int32)[None, :]
    for i in range(ct.bid(0), ct.num_tiles(x, 0, shape=(T,)), ct.num_blocks(0)):
        a = ct.load(x, index=(i,), shape=(T,)).astype(ct.int32)[:, None] >> 4
        total += ct.sum((a == value).astype(ct.int32), axis=0)
    ct.atomic_add(counts, value.reshape((16,)), total, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def sums_with_look_back(x, y, state, T: Const):
    """A running sum over blocks: each waits for the sum of the one before."""
    i = ct.bid(0)
    a = ct.cumsum(ct.load(x, index=(i,), shape=(T,)))
    before = 0
    if i > 0:
        seen = 0
        while seen == 0:
            seen = ct.atomic_or(state, (i - 1, 0), 0, memory_order=ct.MemoryOrder.ACQUIRE)
        before = ct.load(state, index=(i - 1, 1), shape=()).item()
    ct.store(state, index=(i, 1), tile=before + ct.extract(a, (T - 1,), (1,)).item())
    ct.atomic_xchg(state, (i, 0), 1, memory_order=ct.MemoryOrder.RELEASE)
    ct.store(y, index=(i,), tile=a + before)


@ct.kernel
def sparse_product(starts, columns, values, x, y, T: Const):
    """A matrix of compressed rows times a vector."""
    row = ct.bid(0)
    first, past = ct.gather(starts, row), ct.gather(starts, row + 1)
    total = ct.zeros((T,), ct.float64)
    for i in range(first, past, T):
        place = i + ct.arange(T, dtype=ct.int32)
        inside = place < past
        column = ct.gather(columns, place, mask=inside)
        total += ct.gather(values, place, mask=inside) * ct.gather(x, column, mask=inside)
    ct.scatter(y, row, ct.sum(total))


@ct.kernel
def heat(x, y, rate: float, T: Const):
    """One step on a grid: four neighbours, by tiles that overlap."""
    i, j = ct.bid(0) * T, ct.bid(1) * T
    row, column = (i + ct.arange(T, dtype=ct.int32))[:, None], (j + ct.arange(T, dtype=ct.int32))[None, :]
    centre = ct.gather(x, (row, column))
    around = ct.zeros((T, T), ct.float32)
    for step in range(-1, 2, 2):
        around += ct.gather(x, (row + step, column)) + ct.gather(x, (row, column + step))
    ct.scatter(y, (row, column), centre + rate * (around - 4.0 * centre))


@ct.kernel
def mandelbrot(y, step: float, T: Const):
    cx = (ct.bid(0) * T + ct.arange(T, dtype=ct.int32)).astype(ct.float64) * step - 2.0
    cy = ct.full((T,), 0.5, dtype=ct.float64) * ct.bid(1)
    zx, zy = ct.zeros((T,), ct.float64), ct.zeros((T,), ct.float64)
    count = ct.zeros((T,), ct.int16)
    for _ in range(50):
        inside = zx * zx + zy * zy < 4.0
        if ct.sum(inside.astype(ct.int32)) == 0:
            break
        zx, zy = ct.where(inside, zx * zx - zy * zy + cx, zx), ct.where(inside, 2.0 * zx * zy + cy, zy)
        count += inside.astype(ct.int16)
    ct.store(y, index=(ct.bid(1), ct.bid(0)), tile=count.reshape((1, T)))


@ct.kernel
def bodies(places, masses, forces, T: Const, n: int):
    """Forces between all pairs, tile by tile; places are columns x, y, z and nothing."""
    mine = ct.load(places, index=(ct.bid(0), 0), shape=(T, 4))
    total = ct.zeros((T, 4), ct.float32)
    for j in range(n):
        others = ct.load(places, index=(j, 0), shape=(T, 4))
        apart = others[None, :, :] - mine[:, None, :]
        square = ct.sum(apart * apart, axis=2) + 1e-3
        pull = ct.load(masses, index=(j,), shape=(T,))[None, :] * ct.rsqrt(square * square * square)
        total += ct.sum(apart * pull[:, :, None], axis=1)
    ct.store(forces, index=(ct.bid(0), 0), tile=total)


@ct.kernel
def option_prices(spot, strike, years, price, T: Const):
    """The normal distribution by a polynomial (Abramowitz and Stegun 26.2.17)."""
    i = ct.bid(0)
    s, k = ct.load(spot, index=(i,), shape=(T,)), ct.load(strike, index=(i,), shape=(T,))
    t = ct.load(years, index=(i,), shape=(T,))
    spread = 0.3 * ct.sqrt(t)
    d = (ct.log(s / k) + (0.02 + 0.045) * t) / spread

    def normal(v):
        u = 1.0 / (1.0 + 0.2316419 * ct.abs(v))
        poly = u * (0.31938153 + u * (-0.356563782 + u * (1.781477937 + u * (-1.821255978 + u * 1.330274429))))
        tail = 0.39894228 * ct.exp(-0.5 * v * v) * poly
        return ct.where(v < 0.0, tail, 1.0 - tail)

    ct.store(price, index=(i,), tile=s * normal(d) - k * ct.exp(-0.02 * t) * normal(d - spread))


@ct.kernel
def life(x, y, T: Const):
    """Conway's game on a torus, booleans all the way."""
    n = x.shape[0]
    row, column = (ct.bid(0) * T + ct.arange(T, dtype=ct.int32))[:, None], ct.arange(T, dtype=ct.int32)[None, :]
    count = ct.zeros((T, T), ct.int32)
    for around in range(9):
        if around != 4:
            count += ct.gather(x, ((row + around // 3 - 1 + n) % n, (column + around % 3 - 1 + T) % T), check_bounds=False).astype(ct.int32)
    alive = ct.gather(x, (row, column))
    ct.scatter(y, (row, column), (count == 3) | alive & (count == 2))


@ct.kernel
def checksum(x, y, T: Const):
    """The polynomial remainder of 32 bits (CRC), bit by bit, in each lane."""
    crc = ct.full((T,), 0xFFFFFFFF, dtype=ct.uint32)
    for i in range(ct.num_tiles(x, 0, shape=(1, T))):
        crc = crc ^ ct.load(x, index=(i, 0), shape=(1, T)).reshape((T,)).astype(ct.uint32)
        for _ in range(8):
            crc = (crc >> 1) ^ ct.where((crc & 1) == 1, ct.full((T,), 0xEDB88320, dtype=ct.uint32), 0)
    ct.store(y, index=(ct.bid(0),), tile=~crc)


F32, F64, M32, I32 = array(ct.float32, 1), array(ct.float64, 1), array(ct.float32, 2), array(ct.int32, 1)
BOOLS = array(ct.bool_, 2)
EXPORTS = {
    "fourier_stage": (fourier_stage, [F32, F32, F32, F32, ct.int32, 8]),
    "sorted_rows": (sorted_rows, [M32, M32, 16]),
    "histogram_of_bytes": (histogram_of_bytes, [array(ct.uint8, 1), I32, 32]),
    "sums_with_look_back": (sums_with_look_back, [I32, I32, array(ct.int32, 2), 16]),
    "sparse_product": (sparse_product, [I32, I32, F64, F64, F64, 8]),
    "heat": (heat, [M32, M32, ct.float32, 8]),
    "mandelbrot": (mandelbrot, [array(ct.int16, 2), ct.float64, 16]),
    "bodies": (bodies, [M32, F32, M32, 8, ct.int32]),
    "option_prices": (option_prices, [F64, F64, F64, F64, 16]),
    "life": (life, [BOOLS, BOOLS, 8]),
    "checksum": (checksum, [array(ct.uint8, 2), array(ct.uint32, 1), 8]),
}
