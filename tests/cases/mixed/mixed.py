# SPDX-License-Identifier: Apache-2.0
# Small whole algorithms, each in two ways.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- matrix product with blocks in groups of rows --------------------------------------------------------------------
@ct.kernel
def matmul_rows(x, y, z, TM: Const, TN: Const, TK: Const):
    columns = ct.num_tiles(y, axis=1, shape=(TK, TN))
    i, j = ct.bid(0) // columns, ct.bid(0) % columns
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def matmul_groups(x, y, z, TM: Const, TN: Const, TK: Const, GROUP: Const):
    """The usual order for the cache: GROUP rows of blocks at a time."""
    rows = ct.num_tiles(x, axis=0, shape=(TM, TK))
    columns = ct.num_tiles(y, axis=1, shape=(TK, TN))
    in_group = GROUP * columns
    first = ct.bid(0) // in_group * GROUP
    size = min(rows - first, GROUP)
    i, j = first + ct.bid(0) % in_group % size, ct.bid(0) % in_group // size
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    for n in range(steps):
        k = steps - 1 - n
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


# ---- rotations -------------------------------------------------------------------------------------------------------
@ct.kernel
def rotate_twice(x, angles, y, T: Const):
    """Pairs of columns rotated by angles[0], then by angles[1]; grid (rows)."""
    i = ct.bid(0)
    pair = ct.load(x, index=(i, 0), shape=(1, 2 * T)).reshape((2, T))
    for k in range(2):
        t = ct.load(angles, index=(k, 0), shape=(1, T))
        a, b = ct.extract(pair, (0, 0), (1, T)), ct.extract(pair, (1, 0), (1, T))
        pair = ct.cat((a * ct.cos(t) - b * ct.sin(t), a * ct.sin(t) + b * ct.cos(t)), 0)
    ct.store(y, index=(i, 0), tile=pair.reshape((1, 2 * T)))


@ct.kernel
def rotate_by_sum(x, angles, y, T: Const):
    i = ct.bid(0)
    a, b = ct.load(x, index=(i, 0), shape=(1, T)), ct.load(x, index=(i, 1), shape=(1, T))
    t = ct.load(angles, index=(0, 0), shape=(1, T)) + ct.load(angles, index=(1, 0), shape=(1, T))
    c, s = ct.cos(t), ct.sin(t)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=a * s + b * c)


# ---- convolution -----------------------------------------------------------------------------------------------------
@ct.kernel
def convolve_gather(x, w, y, TAPS: Const, T: Const):
    """Causal convolution of each row: y[r, c] = sum over t of w[t] x[r, c - t]; grid (rows, column blocks)."""
    r, j = ct.bid(0), ct.bid(1)
    c = j * T + ct.arange(T, dtype=ct.int32)
    acc = ct.full((T,), 0.0, dtype=ct.float32)
    for t in range(TAPS):
        acc = acc + ct.gather(x, (r, c - t), padding_value=0) * ct.load(w, index=(t,), shape=(1,))
    ct.store(y, index=(r, j), tile=acc.reshape((1, T)))


@ct.kernel
def convolve_matrix(x, w, y, TAPS: Const, T: Const):
    """The same as a product with a banded matrix made of selects, for rows of length T."""
    r = ct.bid(0)
    k, c = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    band = ct.full((T, T), 0.0, dtype=ct.float32)
    for t in range(TAPS):
        band = band + ct.where(c - k == t, ct.load(w, index=(t,), shape=(1,)).reshape((1, 1)), 0.0)
    row = ct.load(x, index=(r, 0), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(r, 0), tile=ct.mma(row, band, ct.full((1, T), 0.0, dtype=ct.float32)))


# ---- sums of rectangles ----------------------------------------------------------------------------------------------
@ct.kernel
def integral_rows_first(x, y, T: Const):
    t = ct.load(x, index=(ct.bid(0), 0, 0), shape=(1, T, T))
    ct.store(y, index=(ct.bid(0), 0, 0), tile=ct.cumsum(ct.cumsum(t, axis=2), axis=1))


@ct.kernel
def integral_by_products(x, y, T: Const):
    """With triangular matrices of ones."""
    t = ct.load(x, index=(ct.bid(0), 0, 0), shape=(1, T, T)).reshape((T, T))
    r, c = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    lower, upper = ct.where(c <= r, 1.0, 0.0), ct.where(r <= c, 1.0, 0.0)
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    ct.store(y, index=(ct.bid(0), 0, 0), tile=ct.mma(lower, ct.mma(t, upper, zero), zero).reshape((1, T, T)))


# ---- cross entropy ---------------------------------------------------------------------------------------------------
@ct.kernel
def cross_entropy(x, target, y, TM: Const, TN: Const):
    """y = log sum exp(row) - row[target]; TN at least the row's length; grid (row blocks)."""
    i = ct.bid(0)
    c = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
    m = ct.max(t, axis=1, keepdims=True)
    total = ct.sum(ct.where(c < x.shape[1], ct.exp(t - m), 0.0), axis=1, keepdims=True)
    wanted = ct.load(target, index=(i,), shape=(TM,)).reshape((TM, 1))
    picked = ct.sum(ct.where(c == wanted, t, 0.0), axis=1, keepdims=True)
    ct.store(y, index=(i,), tile=(m + ct.log(total) - picked).reshape((TM,)))


@ct.kernel
def cross_entropy_online(x, target, y, TM: Const, TN: Const):
    """In column blocks, with the wanted element gathered."""
    i = ct.bid(0)
    m = ct.full((TM, 1), -float("inf"), dtype=ct.float32)
    total = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < x.shape[1]
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        total = total * ct.exp(m - m_new) + ct.sum(ct.where(inside, ct.exp(t - m_new), 0.0), axis=1, keepdims=True)
        m = m_new
    rows = i * TM + ct.arange(TM, dtype=ct.int32)
    picked = ct.gather(x, (rows, ct.load(target, index=(i,), shape=(TM,)))).astype(ct.float32)
    ct.store(y, index=(i,), tile=(m + ct.log(total)).reshape((TM,)) - picked)


# ---- dropout with a hash as random numbers ---------------------------------------------------------------------------
def hash32(v):
    v = (v ^ (v >> 16)) * 0x7FEB352D
    v = (v ^ (v >> 15)) * 0x846CA68B
    return v ^ (v >> 16)


@ct.kernel
def dropout(x, y, seed: int, threshold: int, T: Const):
    i = ct.bid(0)
    n = (i * T + ct.arange(T, dtype=ct.int32)).astype(ct.uint32) + ct.astype(seed, ct.uint32)
    keep = (hash32(n) >> 8).astype(ct.int32) >= threshold
    t = ct.load(x, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.where(keep, t + t, 0.0))


# ---- many dimensions, many carried values ----------------------------------------------------------------------------
@ct.kernel
def tensor_moves(x, y):
    t = ct.load(x, index=(0, 0, 0, 0), shape=(4, 2, 8, 16))
    u = ct.permute(t.reshape((2, 2, 2, 8, 4, 4)), (5, 0, 3, 1, 4, 2))
    u = u + ct.sum(u, axis=2, keepdims=True) - ct.max(u, axis=4, keepdims=True)
    ct.store(y, index=(0, 0, 0, 0), tile=ct.permute(u, (1, 3, 5, 2, 4, 0)).reshape((4, 2, 8, 16)))


@ct.kernel
def tensor_plain(x, y):
    """As tensor_moves, without the permutations."""
    t = ct.load(x, index=(0, 0, 0, 0), shape=(4, 2, 8, 16)).reshape((2, 2, 2, 8, 4, 4))
    u = t + ct.sum(t, axis=3, keepdims=True) - ct.max(t, axis=4, keepdims=True)
    ct.store(y, index=(0, 0, 0, 0), tile=u.reshape((4, 2, 8, 16)))


@ct.kernel
def powers_loop(x, y, n: int, T: Const):
    """Sum of x^k for k up to n, with the power, the sum and a counter carried, until the counter ends the loop."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    power, total, k = ct.full((T,), 1.0, dtype=ct.float32), ct.full((T,), 0.0, dtype=ct.float32), 0
    while k <= n:
        total, power, k = total + power, power * t, k + 1
    ct.store(y, index=(i,), tile=total)


@ct.kernel
def powers_horner(x, y, n: int, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    total = ct.full((T,), 1.0, dtype=ct.float32)
    for k in range(n):
        if k % 2 == 0:
            total = total * t + 1.0
        else:
            total = 1.0 + t * total
    ct.store(y, index=(i,), tile=total)


HALF, FLOAT, ROW, INDEX = array(ct.float16, 2), array(ct.float32, 2), array(ct.float32, 1), array(ct.int32, 1)
EXPORTS = {
    "matmul_rows": (matmul_rows, [HALF, HALF, HALF, 16, 32, 32]),
    "matmul_groups": (matmul_groups, [HALF, HALF, HALF, 32, 16, 16, 4]),
    "rotate_twice": (rotate_twice, [FLOAT, FLOAT, FLOAT, 32]),
    "rotate_by_sum": (rotate_by_sum, [FLOAT, FLOAT, FLOAT, 32]),
    "convolve_gather": (convolve_gather, [FLOAT, ROW, FLOAT, 4, 16]),
    "convolve_matrix": (convolve_matrix, [FLOAT, ROW, FLOAT, 4, 128]),
    "integral_rows_first": (integral_rows_first, [array(ct.float32, 3)] * 2 + [32]),
    "integral_by_products": (integral_by_products, [array(ct.float32, 3)] * 2 + [32]),
    "cross_entropy": (cross_entropy, [array(ct.bfloat16, 2), INDEX, ROW, 8, 512]),
    "cross_entropy_online": (cross_entropy_online, [array(ct.bfloat16, 2), INDEX, ROW, 4, 64]),
    "dropout_small": (dropout, [ROW, ROW, ct.int32, ct.int32, 32]),
    "dropout_large": (dropout, [ROW, ROW, ct.int32, ct.int32, 1024]),
    "tensor_moves": (tensor_moves, [array(ct.float32, 4)] * 2),
    "tensor_plain": (tensor_plain, [array(ct.float32, 4)] * 2),
    "powers_loop": (powers_loop, [ROW, ROW, ct.int32, 64]),
    "powers_horner": (powers_horner, [ROW, ROW, ct.int32, 64]),
}
