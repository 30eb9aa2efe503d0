# SPDX-License-Identifier: Apache-2.0
# The same in another domain: probabilities and their logarithms, factors of matrices, norms folded into products, means of powers.
import cuda.tile as ct
from corpus import NORMAL, buffer, mutant, pair, run, uniform
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- probabilities and logarithms ------------------------------------------------------------------------------------
@ct.kernel
def sinkhorn(x, y, rounds: int, T: Const):
    """e^x with rows and columns divided by their sums in turn; one block."""
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    there = (row < x.shape[0]) & (column < x.shape[1])
    p = ct.where(there, ct.exp(ct.load(x, index=(0, 0), shape=(T, T), padding_mode=ZERO)), 0.0)
    for _ in range(rounds):
        p = p / ct.where(row < x.shape[0], ct.sum(p, axis=1, keepdims=True), 1.0)
        p = p / ct.where(column < x.shape[1], ct.sum(p, axis=0, keepdims=True), 1.0)
    ct.store(y, index=(0, 0), tile=p)


@ct.kernel
def sinkhorn_logs(x, y, rounds: int, T: Const):
    """In logarithms: potentials of rows and columns, with maxima taken off."""
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    there = (row < x.shape[0]) & (column < x.shape[1])
    xt = ct.load(x, index=(0, 0), shape=(T, T), padding_mode=ZERO)
    u, v = ct.full((T, 1), 0.0, dtype=ct.float32), ct.full((1, T), 0.0, dtype=ct.float32)
    for _ in range(rounds):
        s = ct.where(there, xt - v, -1e30)
        m = ct.max(s, axis=1, keepdims=True)
        u = ct.where(row < x.shape[0], m + ct.log(ct.sum(ct.exp(s - m), axis=1, keepdims=True)), 0.0)
        s = ct.where(there, xt - u, -1e30)
        m = ct.max(s, axis=0, keepdims=True)
        v = ct.where(column < x.shape[1], m + ct.log(ct.sum(ct.exp(s - m), axis=0, keepdims=True)), 0.0)
    ct.store(y, index=(0, 0), tile=ct.exp(xt - u - v))


@ct.kernel
def forward_scaled(a, e, y, S: Const):
    """The forward algorithm of a hidden Markov model with scaled probabilities: log of the total; grid (sequences)."""
    n = ct.bid(0)
    here = ct.arange(S, dtype=ct.int32).reshape((1, S)) < a.shape[0]
    move = ct.exp(ct.load(a, index=(0, 0), shape=(S, S), padding_mode=ZERO))
    p = ct.where(here, ct.exp(ct.load(e, index=(n, 0, 0), shape=(1, 1, S), padding_mode=ZERO).reshape((1, S))), 0.0)
    total = ct.full((1, 1), 0.0, dtype=ct.float32)
    for t in range(1, e.shape[1]):
        size = ct.sum(p, axis=1, keepdims=True)
        total = total + ct.log(size)
        p = ct.mma(p / size, move, ct.full((1, S), 0.0, dtype=ct.float32))
        et = ct.exp(ct.load(e, index=(n, t, 0), shape=(1, 1, S), padding_mode=ZERO).reshape((1, S)))
        p = ct.where(here, p * et, 0.0)
    ct.store(y, index=(n,), tile=(total + ct.log(ct.sum(p, axis=1, keepdims=True))).reshape((1,)))


@ct.kernel
def forward_logs(a, e, y, S: Const):
    """In logarithms."""
    n = ct.bid(0)
    here = ct.arange(S, dtype=ct.int32).reshape((S, 1)) < a.shape[0]
    move = ct.load(a, index=(0, 0), shape=(S, S), padding_mode=ZERO)
    q = ct.load(e, index=(n, 0, 0), shape=(1, 1, S), padding_mode=ZERO).reshape((S, 1))
    for t in range(1, e.shape[1]):
        s = ct.where(here, q + move, -float("inf"))
        m = ct.max(s, axis=0, keepdims=True)
        q = (m + ct.log(ct.sum(ct.exp(s - m), axis=0, keepdims=True))).reshape((S, 1))
        q = q + ct.load(e, index=(n, t, 0), shape=(1, 1, S), padding_mode=ZERO).reshape((S, 1))
    s = ct.where(here, q, -float("inf"))
    m = ct.max(s, axis=0, keepdims=True)
    ct.store(y, index=(n,), tile=(m + ct.log(ct.sum(ct.exp(s - m), axis=0, keepdims=True))).reshape((1,)))


# ---- linear systems: (x^T x + c) w = x^T y, at most 8 unknowns -------------------------------------------------------
@ct.kernel
def ridge_gauss(x, y, w, c: float, N: Const, D: Const):
    """By elimination without pivots; grid (systems)."""
    n = ct.bid(0)
    row, column = ct.arange(D, dtype=ct.int32).reshape((D, 1)), ct.arange(D, dtype=ct.int32).reshape((1, D))
    xt = ct.load(x, index=(n, 0, 0), shape=(1, N, D), padding_mode=ZERO).reshape((N, D))
    a = ct.mma(ct.transpose(xt), xt, ct.full((D, D), 0.0, dtype=ct.float32)) + ct.where(row == column, c, 0.0)
    yt = ct.load(y, index=(n, 0), shape=(1, N), padding_mode=ZERO).reshape((N, 1))
    b = ct.sum(xt * yt, axis=0).reshape((D, 1))
    for k in range(D):
        pivot = ct.sum(ct.where((row == k) & (column == k), a, 0.0))
        line = ct.sum(ct.where(row == k, a, 0.0), axis=0, keepdims=True) / pivot
        right = ct.sum(ct.where(row == k, b, 0.0), axis=0, keepdims=True) / pivot
        factor = ct.sum(ct.where(column == k, a, 0.0), axis=1, keepdims=True)
        a = ct.where(row == k, line, a - factor * line)
        b = ct.where(row == k, right, b - factor * right)
    ct.store(w, index=(n, 0), tile=b.reshape((1, D)))


@ct.kernel
def ridge_cholesky(x, y, w, c: float, N: Const, D: Const):
    """By a factor L with L L^T, a solve forward and one backward."""
    n = ct.bid(0)
    row, column = ct.arange(D, dtype=ct.int32).reshape((D, 1)), ct.arange(D, dtype=ct.int32).reshape((1, D))
    a, b = ct.where(row == column, c, 0.0), ct.full((D, 1), 0.0, dtype=ct.float32)
    for i in range(x.shape[1]):
        xt = ct.load(x, index=(n, i, 0), shape=(1, 1, D), padding_mode=ZERO)
        a = a + xt.reshape((D, 1)) * xt.reshape((1, D))
        b = b + xt.reshape((D, 1)) * ct.load(y, index=(n, i), shape=(1, 1))
    low = ct.full((D, D), 0.0, dtype=ct.float32)
    for k in range(D):
        pivot = ct.sqrt(ct.sum(ct.where((row == k) & (column == k), a, 0.0)))
        line = ct.where(row > k, ct.sum(ct.where(column == k, a, 0.0), axis=1, keepdims=True) / pivot, 0.0)
        low = ct.where(column == k, ct.where(row == k, pivot, line), low)
        a = a - line * line.reshape((1, D))
    for k in range(D):
        diagonal = ct.sum(ct.where((row == k) & (column == k), low, 0.0))
        z = ct.sum(ct.where(row == k, b, 0.0)) / diagonal
        below = ct.sum(ct.where((column == k) & (row > k), low, 0.0), axis=1, keepdims=True)
        b = ct.where(row == k, z, b - below * z)
    for back in range(D):
        k = D - 1 - back
        diagonal = ct.sum(ct.where((row == k) & (column == k), low, 0.0))
        z = ct.sum(ct.where(row == k, b, 0.0)) / diagonal
        above = ct.sum(ct.where((row == k) & (column < k), low, 0.0), axis=0).reshape((D, 1))
        b = ct.where(row == k, z, b - above * z)
    ct.store(w, index=(n, 0), tile=b.reshape((1, D)))


@ct.kernel
def ridge_left(x, y, w, c: float, N: Const, D: Const):
    """By the same factor column by column, each less the products of those before it."""
    n = ct.bid(0)
    row, column = ct.arange(D, dtype=ct.int32).reshape((D, 1)), ct.arange(D, dtype=ct.int32).reshape((1, D))
    zero = ct.full((D, 1), 0.0, dtype=ct.float32)
    xt = ct.load(x, index=(n, 0, 0), shape=(1, N, D), padding_mode=ZERO).reshape((N, D))
    a = ct.mma(ct.transpose(xt), xt, ct.where(row == column, c, 0.0))
    yt = ct.load(y, index=(n, 0), shape=(1, N), padding_mode=ZERO).reshape((N, 1))
    b = ct.mma(ct.transpose(xt), yt, zero)
    low, z = ct.full((D, D), 0.0, dtype=ct.float32), zero
    for k in range(D):
        mine = ct.sum(ct.where(row == k, low, 0.0), axis=0).reshape((D, 1))
        rest = ct.sum(ct.where(column == k, a, 0.0), axis=1, keepdims=True) - ct.mma(low, mine, zero)
        root = ct.rsqrt(ct.sum(ct.where(row == k, rest, 0.0)))
        z = ct.where(row == k, (b - ct.sum(mine * z)) * root, z)
        low = ct.where((column == k) & (row >= k), ct.where(row == k, 1.0 / root, rest * root), low)
    solved = zero
    for back in range(D):
        k = D - 1 - back
        mine = ct.sum(ct.where(column == k, low, 0.0), axis=1, keepdims=True)
        diagonal = ct.sum(ct.where(row == k, mine, 0.0))
        solved = ct.where(row == k, (z - ct.sum(mine * solved)) / diagonal, solved)
    ct.store(w, index=(n, 0), tile=solved.reshape((1, D)))


@ct.kernel
def ridge_diagonal(x, y, w, c: float, N: Const, D: Const):
    """By a factor L with L D L^T, without roots."""
    n = ct.bid(0)
    row, column = ct.arange(D, dtype=ct.int32).reshape((D, 1)), ct.arange(D, dtype=ct.int32).reshape((1, D))
    xt = ct.load(x, index=(n, 0, 0), shape=(1, N, D), padding_mode=ZERO).reshape((N, D))
    a = ct.mma(ct.transpose(xt), xt, ct.where(row == column, c, 0.0))
    b = ct.mma(
        ct.transpose(xt),
        ct.load(y, index=(n, 0), shape=(1, N), padding_mode=ZERO).reshape((N, 1)),
        ct.full((D, 1), 0.0, dtype=ct.float32),
    )
    low, d = ct.full((D, D), 0.0, dtype=ct.float32), ct.full((D, 1), 1.0, dtype=ct.float32)
    for k in range(D):
        pivot = ct.sum(ct.where((row == k) & (column == k), a, 0.0))
        line = ct.where(row > k, ct.sum(ct.where(column == k, a, 0.0), axis=1, keepdims=True) / pivot, 0.0)
        low, d = ct.where(column == k, line, low), ct.where(row == k, pivot, d)
        a = a - pivot * line * line.reshape((1, D))
        b = b - line * ct.sum(ct.where(row == k, b, 0.0))
    b = b / d
    for back in range(D):
        k = D - 1 - back
        b = b - ct.sum(ct.where(row == k, low, 0.0), axis=0).reshape((D, 1)) * ct.sum(ct.where(row == k, b, 0.0))
    ct.store(w, index=(n, 0), tile=b.reshape((1, D)))


# ---- norms and products ----------------------------------------------------------------------------------------------
@ct.kernel
def norm_product(x, gain, bias, w, y, eps: float, T: Const, D: Const, C: Const):
    """Layer norm of rows, then a product with w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    n = x.shape[1]
    there = ct.arange(D, dtype=ct.int32).reshape((1, D)) < n
    xt = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    xt = ct.where(there, xt - ct.sum(xt, axis=1, keepdims=True) / n, 0.0)
    xt = xt * ct.rsqrt(ct.sum(xt * xt, axis=1, keepdims=True) / n + eps)
    g = ct.load(gain, index=(0,), shape=(D,), padding_mode=ZERO).reshape((1, D))
    b = ct.load(bias, index=(0,), shape=(D,), padding_mode=ZERO).reshape((1, D))
    wt = ct.load(w, index=(0, j), shape=(D, C), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=ct.mma(xt * g + b, wt, ct.full((T, C), 0.0, dtype=ct.float32)))


@ct.kernel
def folded_gain(gain, bias, w, v, sums, offset, D: Const, C: Const):
    """v = w with rows times the gain, the sums of its columns, and bias w; grid (column blocks)."""
    j = ct.bid(0)
    wt = ct.load(w, index=(0, j), shape=(D, C), padding_mode=ZERO)
    vt = wt * ct.load(gain, index=(0,), shape=(D,), padding_mode=ZERO).reshape((D, 1))
    ct.store(v, index=(0, j), tile=vt)
    ct.store(sums, index=(j,), tile=ct.sum(vt, axis=0))
    ct.store(
        offset,
        index=(j,),
        tile=ct.sum(wt * ct.load(bias, index=(0,), shape=(D,), padding_mode=ZERO).reshape((D, 1)), axis=0),
    )


@ct.kernel
def product_norm(x, v, sums, offset, y, eps: float, T: Const, D: Const, C: Const):
    """r (x v - mean times the sums) + offset, statistics and product in one pass over blocks of the inner dimension."""
    i, j = ct.bid(0), ct.bid(1)
    n = x.shape[1]
    acc = ct.full((T, C), 0.0, dtype=ct.float32)
    total, squares = ct.full((T, 1), 0.0, dtype=ct.float32), ct.full((T, 1), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(T, D))):
        xt = ct.load(x, index=(i, k), shape=(T, D), padding_mode=ZERO)
        acc = ct.mma(xt, ct.load(v, index=(k, j), shape=(D, C), padding_mode=ZERO), acc)
        total, squares = total + ct.sum(xt, axis=1, keepdims=True), squares + ct.sum(xt * xt, axis=1, keepdims=True)
    mean = total / n
    r = 1.0 / ct.sqrt(squares / n - mean * mean + eps)
    st = ct.load(sums, index=(j,), shape=(C,), padding_mode=ZERO).reshape((1, C))
    ot = ct.load(offset, index=(j,), shape=(C,), padding_mode=ZERO).reshape((1, C))
    ct.store(y, index=(i, j), tile=(acc - mean * st) * r + ot)


@ct.kernel
def unit_clamped(x, y, eps: float, T: Const, D: Const):
    """x / max(|x|, eps); grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=xt / ct.maximum(ct.sqrt(ct.sum(xt * xt, axis=1, keepdims=True)), eps))


@ct.kernel
def unit_reciprocal(x, y, eps: float, T: Const, D: Const):
    """x min(rsqrt(x x), 1 / eps), in column blocks."""
    i = ct.bid(0)
    squares = ct.full((T, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, D))):
        xt = ct.load(x, index=(i, j), shape=(T, D), padding_mode=ZERO)
        squares = squares + xt * xt
    r = ct.minimum(ct.rsqrt(ct.sum(squares, axis=1, keepdims=True)), 1.0 / eps)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, D))):
        ct.store(y, index=(i, j), tile=r * ct.load(x, index=(i, j), shape=(T, D), padding_mode=ZERO))


# ---- means of powers, interpolation ----------------------------------------------------------------------------------
@ct.kernel
def power_mean(x, y, T: Const, D: Const):
    """(the mean of x^3)^(1/3) of rows of positive numbers; grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.exp(ct.log(ct.sum(xt * xt * xt, axis=1) / x.shape[1]) / 3.0))


@ct.kernel
def power_mean_logs(x, y, T: Const, D: Const):
    """By exponentials of 3 log x with the largest taken off, in column blocks."""
    i = ct.bid(0)
    m, total = ct.full((T, 1), -1e30, dtype=ct.float32), ct.full((T, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, D))):
        there = j * D + ct.arange(D, dtype=ct.int32).reshape((1, D)) < x.shape[1]
        s = ct.where(there, 3.0 * ct.log(ct.load(x, index=(i, j), shape=(T, D), padding_mode=ZERO)), -float("inf"))
        new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        total = total * ct.exp(m - new) + ct.sum(ct.exp(s - new), axis=1, keepdims=True)
        m = new
    logs = m + ct.log(total) - ct.log(ct.full((T, 1), 1.0, dtype=ct.float32) * x.shape[1])
    ct.store(y, index=(i,), tile=ct.exp(logs * 0.33333334).reshape((T,)))


@ct.kernel
def resize(x, y, R: Const, T: Const):
    """Twice as large by bilinear interpolation, corners apart; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1))).astype(ct.float32) * 0.5 - 0.25
    column = (j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))).astype(ct.float32) * 0.5 - 0.25
    row, column = ct.maximum(row, 0.0), ct.maximum(column, 0.0)
    top, left = ct.floor(row), ct.floor(column)
    a, b = row - top, column - left
    top, left = top.astype(ct.int32), left.astype(ct.int32)
    bottom, right = ct.minimum(top + 1, x.shape[0] - 1), ct.minimum(left + 1, x.shape[1] - 1)
    above = ct.gather(x, (top, left), padding_value=0) * (1.0 - b) + ct.gather(x, (top, right), padding_value=0) * b
    below = (
        ct.gather(x, (bottom, left), padding_value=0) * (1.0 - b) + ct.gather(x, (bottom, right), padding_value=0) * b
    )
    ct.store(y, index=(i, j), tile=above * (1.0 - a) + below * a)


@ct.kernel
def resize_parity(x, y, R: Const, T: Const):
    """By integers: three quarters of the nearest pixel and a quarter of the next one, in each direction."""
    i, j = ct.bid(0), ct.bid(1)
    row, column = (
        i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)),
        j * T + ct.arange(T, dtype=ct.int32).reshape((1, T)),
    )
    near, beside = row // 2, column // 2
    far = ct.maximum(ct.minimum(near + row % 2 * 2 - 1, x.shape[0] - 1), 0)
    aside = ct.maximum(ct.minimum(beside + column % 2 * 2 - 1, x.shape[1] - 1), 0)
    here = 0.75 * ct.gather(x, (near, beside), padding_value=0) + 0.25 * ct.gather(x, (near, aside), padding_value=0)
    there = 0.75 * ct.gather(x, (far, beside), padding_value=0) + 0.25 * ct.gather(x, (far, aside), padding_value=0)
    ct.store(y, index=(i, j), tile=0.75 * here + 0.25 * there)


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
KERNELS = {
    "sinkhorn": (sinkhorn, [F2, F2, ct.int32, 16]),
    "sinkhorn_logs": (sinkhorn_logs, [F2, F2, ct.int32, 16]),
    "forward_scaled": (forward_scaled, [F2, F3, F1, 8]),
    "forward_logs": (forward_logs, [F2, F3, F1, 8]),
    "ridge_gauss": (ridge_gauss, [F3, F2, F2, ct.float32, 32, 8]),
    "ridge_cholesky": (ridge_cholesky, [F3, F2, F2, ct.float32, 32, 8]),
    "ridge_left": (ridge_left, [F3, F2, F2, ct.float32, 32, 8]),
    "ridge_diagonal": (ridge_diagonal, [F3, F2, F2, ct.float32, 32, 8]),
    "norm_product": (norm_product, [F2, F1, F1, F2, F2, ct.float32, 8, 128, 16]),
    "folded_gain": (folded_gain, [F1, F1, F2, F2, F1, F1, 128, 16]),
    "product_norm": (product_norm, [F2, F2, F1, F1, F2, ct.float32, 4, 16, 32]),
    "unit_clamped": (unit_clamped, [F2, F2, ct.float32, 8, 128]),
    "unit_reciprocal": (unit_reciprocal, [F2, F2, ct.float32, 4, 32]),
    "power_mean": (power_mean, [F2, F1, 8, 128]),
    "power_mean_logs": (power_mean_logs, [F2, F1, 4, 32]),
    "resize": (resize, [F2, F2, 8, 16]),
    "resize_parity": (resize_parity, [F2, F2, 16, 8]),
}

SYSTEMS = {"X": buffer("f32", [3, 21, 8], NORMAL), "Y": buffer("f32", [3, 21], NORMAL), "W": buffer("f32", [3, 8])}
SEVEN = {"X": buffer("f32", [5, 21, 7], NORMAL), "Y": buffer("f32", [5, 21], NORMAL), "W": buffer("f32", [5, 7])}
# Columns in blocks of 32: ragged, whole, with one column in the last, one column.
WIDTHS = {"C": [100, 128, 97, 1]}
ROWS = {"X": buffer("f32", [7, "C"], NORMAL), "Y": buffer("f32", [7, "C"])}

PAIRS = [
    pair(
        "sinkhorn",
        "rows and columns divided by their sums in turn, and with potentials in logarithms",
        {"X": buffer("f32", [13, 11], NORMAL), "Y": buffer("f32", [13, 11])},
        [run("sinkhorn", (1,), "X", "Y", "i32 4")],
        [run("sinkhorn_logs", (1,), "X", "Y", "i32 4")],
        ["Y"],
        [
            mutant(
                "stale",
                "sinkhorn_logs",
                "s = ct.where(there, xt - u, -1e30)",
                "s = ct.where(there, xt, -1e30)",
                "columns without the rows' potential",
            ),
            mutant("once", "sinkhorn_logs", "ct.exp(xt - u - v)", "ct.exp(xt - v)", "only columns are divided"),
            mutant(
                "maximum",
                "sinkhorn_logs",
                "u = ct.where(row < x.shape[0], m + ct.log",
                "u = ct.where(row < x.shape[0], ct.log",
                "the maximum is not added again",
            ),
        ],
        names=("divided", "logs"),
    ),
    pair(
        "markov",
        "a hidden Markov model's forward algorithm with scaled probabilities, and in logarithms",
        {"A": buffer("f32", [5, 5], NORMAL), "E": buffer("f32", [7, 21, 5], NORMAL), "Y": buffer("f32", [7])},
        [run("forward_scaled", (7,), "A", "E", "Y")],
        [run("forward_logs", (7,), "A", "E", "Y")],
        ["Y"],
        [
            mutant(
                "transposed",
                "forward_logs",
                "q + move, -float",
                "q + ct.transpose(move), -float",
                "the moves are transposed",
            ),
            mutant("first", "forward_logs", "range(1, e.shape[1])", "range(e.shape[1])", "the first step twice"),
            mutant(
                "mask",
                "forward_logs",
                's = ct.where(here, q, -float("inf"))',
                "s = q",
                "states that are not there are summed up",
            ),
        ],
        names=("scaled", "logs"),
    ),
    pair(
        "cholesky",
        "ridge regression by a Cholesky factor whose columns are taken off what is left, and from those before",
        SYSTEMS,
        [run("ridge_cholesky", (3,), "X", "Y", "W", "f32 0.5")],
        [run("ridge_left", (3,), "X", "Y", "W", "f32 0.5")],
        ["W"],
        [
            mutant(
                "no_root",
                "ridge_left",
                "root = ct.rsqrt(ct.sum(ct.where(row == k, rest, 0.0)))",
                "root = 1.0 / ct.sum(ct.where(row == k, rest, 0.0))",
                "no root of the pivot",
            ),
            mutant("products", "ridge_left", " - ct.mma(low, mine, zero)", "", "columns before are not taken off"),
            mutant(
                "triangle",
                "ridge_left",
                "(column == k) & (row >= k)",
                "(column == k) & (row <= k)",
                "the other triangle",
            ),
            mutant(
                "stale",
                "ridge_left",
                "(z - ct.sum(mine * solved))",
                "(z - ct.sum(mine * z))",
                "what is not solved yet is taken off",
            ),
            mutant(
                "last",
                "ridge_left",
                "for back in range(D)",
                "for back in range(D - 1)",
                "the first unknown is not solved",
            ),
        ],
        names=("right", "left"),
    ),
    pair(
        "elimination",
        "ridge regression of 7 unknowns by elimination, and by a Cholesky factor: squares of roots are the pivots",
        SEVEN,
        [run("ridge_gauss", (5,), "X", "Y", "W", "f32 0.5")],
        [run("ridge_cholesky", (5,), "X", "Y", "W", "f32 0.5")],
        ["W"],
        [
            mutant(
                "no_root",
                "ridge_cholesky",
                "pivot = ct.sqrt(ct.sum(ct.where((row == k) & (column == k), a, 0.0)))",
                "pivot = ct.sum(ct.where((row == k) & (column == k), a, 0.0))",
                "no root of the pivot",
            ),
            mutant(
                "lost_term",
                "ridge_cholesky",
                "a = a - line * line.reshape((1, D))",
                "a = a - ct.where(row == column, 0.0, line * line.reshape((1, D)))",
                "squares are not taken off the diagonal",
            ),
            mutant(
                "last_pivot",
                "ridge_cholesky",
                "a = a - line * line.reshape((1, D))",
                "a = a - ct.where((row == 6) & (k == 5), 0.0, line * line.reshape((1, D)))",
                "the last pivot lacks the last square",
            ),
            mutant(
                "next_index",
                "ridge_cholesky",
                "above = ct.sum(ct.where((row == k) & (column < k), low, 0.0)",
                "above = ct.sum(ct.where((row == k + 1) & (column < k), low, 0.0)",
                "the next row of the factor on the way back",
            ),
            mutant(
                "last_row",
                "ridge_cholesky",
                "for i in range(x.shape[1]):",
                "for i in range(x.shape[1] - 1):",
                "the last equation is left out",
            ),
            mutant(
                "forward",
                "ridge_cholesky",
                "b = ct.where(row == k, z, b - below * z)",
                "b = ct.where(row == k, z, b - below * z * diagonal)",
                "not divided by the diagonal on the way forward",
            ),
        ],
        names=("gauss", "cholesky"),
    ),
    pair(
        "elimination_left",
        "ridge regression of 7 unknowns by elimination, and by a Cholesky factor of reciprocal roots",
        SEVEN,
        [run("ridge_gauss", (5,), "X", "Y", "W", "f32 0.5")],
        [run("ridge_left", (5,), "X", "Y", "W", "f32 0.5")],
        ["W"],
        [
            mutant(
                "root_of_diagonal",
                "ridge_left",
                "ct.where(row == k, 1.0 / root, rest * root)",
                "ct.where(row == k, root, rest * root)",
                "the reciprocal of the diagonal",
            ),
            mutant(
                "before",
                "ridge_left",
                "(b - ct.sum(mine * z)) * root",
                "(b - ct.sum(ct.where(row == k - 1, 0.0, mine * z))) * root",
                "the product with the one before is missing",
            ),
            mutant(
                "index",
                "ridge_left",
                "mine = ct.sum(ct.where(column == k, low, 0.0), axis=1, keepdims=True)",
                "mine = ct.sum(ct.where(row == k, low, 0.0), axis=0).reshape((D, 1))",
                "rows for columns on the way back",
            ),
            mutant(
                "ridge",
                "ridge_left",
                "ct.where(row == column, c, 0.0))",
                "ct.where(row == column, c * c, 0.0))",
                "the square of the ridge",
            ),
        ],
        names=("gauss", "left"),
    ),
    pair(
        "diagonal",
        "ridge regression by elimination, and by a factor with a diagonal",
        SYSTEMS,
        [run("ridge_gauss", (3,), "X", "Y", "W", "f32 0.5")],
        [run("ridge_diagonal", (3,), "X", "Y", "W", "f32 0.5")],
        ["W"],
        [
            mutant("square", "ridge_diagonal", "a - pivot * line", "a - line", "the pivot is missing in the square"),
            mutant("divide", "ridge_diagonal", "    b = b / d\n", "", "not divided by the diagonal"),
            mutant(
                "ridge",
                "ridge_diagonal",
                "ct.where(row == column, c, 0.0))",
                "ct.where(row == column, 2.0 * c, 0.0))",
                "twice the ridge",
            ),
        ],
        names=("gauss", "diagonal"),
    ),
    pair(
        "norm_product",
        "a layer norm and a product, and a product with the norm applied behind it",
        {
            "X": buffer("f32", [13, "D"], NORMAL),
            "GAIN": buffer("f32", ["D"], NORMAL),
            "BIAS": buffer("f32", ["D"], NORMAL),
            "W": buffer("f32", ["D", 40], NORMAL),
            "V": buffer("f32", ["D", 40]),
            "SUMS": buffer("f32", [40]),
            "OFFSET": buffer("f32", [40]),
            "Y": buffer("f32", [13, 40]),
        },
        [run("norm_product", (2, 3), "X", "GAIN", "BIAS", "W", "Y", "f32 1e-5")],
        [
            run("folded_gain", (3,), "GAIN", "BIAS", "W", "V", "SUMS", "OFFSET"),
            run("product_norm", (4, 2), "X", "V", "SUMS", "OFFSET", "Y", "f32 1e-5"),
        ],
        ["Y"],
        [
            mutant(
                "sums", "folded_gain", "tile=ct.sum(vt, axis=0)", "tile=ct.sum(wt, axis=0)", "sums without the gain"
            ),
            mutant("mean", "product_norm", "(acc - mean * st)", "(acc - total * st)", "the sum for the mean"),
            mutant(
                "squares",
                "product_norm",
                "squares + ct.sum(xt * xt",
                "ct.sum(xt * xt",
                "squares of the last block only",
            ),
            mutant(
                "offset",
                "product_norm",
                "(acc - mean * st) * r + ot",
                "(acc - mean * st + ot) * r",
                "the offset is scaled",
            ),
            mutant(
                "one_element",
                "product_norm",
                "ct.num_tiles(x, axis=1, shape=(T, D))",
                "ct.cdiv(x.shape[1] - 1, D)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("before", "behind"),
        parameters={"D": [50, 64, 49, 2]},
    ),
    pair(
        "clamped",
        "rows divided by the larger of their length and eps, and times the smaller of the reciprocals",
        ROWS,
        [run("unit_clamped", (1,), "X", "Y", "f32 10")],
        [run("unit_reciprocal", (2,), "X", "Y", "f32 10")],
        ["Y"],
        [
            mutant("larger", "unit_reciprocal", "r = ct.minimum", "r = ct.maximum", "the larger one"),
            mutant(
                "never",
                "unit_reciprocal",
                "r = ct.minimum(ct.rsqrt(ct.sum(squares, axis=1, keepdims=True)), 1.0 / eps)",
                "r = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True))",
                "eps is left out",
            ),
            mutant(
                "last",
                "unit_reciprocal",
                "squares = squares + xt * xt",
                "squares = xt * xt",
                "squares of the last block only",
            ),
            mutant(
                "one_column",
                "unit_reciprocal",
                "ct.float32)\n    for j in range(ct.num_tiles(x, axis=1, shape=(T, D)))",
                "ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, D))",
                "a last block with a single column is left out of the length",
            ),
        ],
        names=("length", "reciprocal"),
        parameters=WIDTHS,
    ),
    pair(
        "power_mean",
        "the third root of means of cubes, and by logarithms in column blocks",
        {"X": buffer("f32", [7, "C"], uniform(0.1, 3)), "Y": buffer("f32", [7])},
        [run("power_mean", (1,), "X", "Y")],
        [run("power_mean_logs", (2,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "count",
                "power_mean_logs",
                " - ct.log(ct.full((T, 1), 1.0, dtype=ct.float32) * x.shape[1])",
                "",
                "the sum for the mean",
            ),
            mutant("power", "power_mean_logs", "3.0 * ct.log", "2.0 * ct.log", "squares for cubes"),
            mutant("not_rescaled", "power_mean_logs", "total * ct.exp(m - new)", "total", "the sum is not rescaled"),
            mutant(
                "one_column",
                "power_mean_logs",
                "ct.num_tiles(x, axis=1, shape=(T, D))",
                "ct.cdiv(x.shape[1] - 1, D)",
                "a last block with a single column is left out of the sum",
            ),
        ],
        names=("powers", "logs"),
        parameters=WIDTHS,
    ),
    pair(
        "resize",
        "an image twice as large by weights from floors, and by three quarters and one quarter",
        {"X": buffer("f32", [9, "W"], NORMAL), "Y": buffer("f32", [18, "2 * W"])},
        [run("resize", (3, "cdiv(2 * W, 16)"), "X", "Y")],
        [run("resize_parity", (2, "cdiv(2 * W, 8)"), "X", "Y")],
        ["Y"],
        [
            mutant(
                "weights",
                "resize_parity",
                "tile=0.75 * here + 0.25 * there",
                "tile=0.25 * here + 0.75 * there",
                "the weights of rows are exchanged",
            ),
            mutant(
                "side", "resize_parity", "near + row % 2 * 2 - 1", "near - row % 2 * 2 + 1", "the row on the other side"
            ),
            mutant(
                "edge",
                "resize_parity",
                "ct.maximum(ct.minimum(beside + column % 2 * 2 - 1, x.shape[1] - 1), 0)",
                "beside + column % 2 * 2 - 1",
                "zeros beyond the edge",
            ),
        ],
        names=("floors", "parity"),
        parameters={"W": [13, 16, 9, 1]},
    ),
]
