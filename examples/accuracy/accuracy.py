# SPDX-License-Identifier: Apache-2.0
# Pairs that are the same formula, of which one variant computes worse: docs/accuracy-of-kernels.md works through them.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


# ---- softmax with its maximum subtracted, and without ----------------------------------------------------------------


@ct.kernel
def softmax(x, y, TM: Const, TN: Const):
    """Rows of TN elements; grid (row blocks)."""
    i = ct.bid(0)
    s = ct.load(x, index=(i, 0), shape=(TM, TN))
    e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_bare(x, y, TM: Const, TN: Const):
    """As softmax, for scores that are said to be small."""
    i = ct.bid(0)
    s = ct.load(x, index=(i, 0), shape=(TM, TN))
    e = ct.exp(s)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


# ---- (I + L) X = B, L what is below the diagonal of a matrix: row by row, and by the series of powers of -L ------------


@ct.kernel
def solve_rows(l, b, x, T: Const, N: Const):
    """One program: L is T x T, B and X are T x N. Row i of X is that of B minus those above, as row i of L weighs them."""
    rows = ct.arange(T, dtype=ct.int32).reshape((T, 1))
    done = ct.zeros((T, N), dtype=ct.float32)
    for i in range(T):
        weights = ct.where(rows < i, ct.load(l, index=(i, 0), shape=(1, T)).reshape((T, 1)), 0.0)
        row = ct.load(b, index=(i, 0), shape=(1, N)) - ct.sum(weights * done, axis=0, keepdims=True)
        done = ct.where(rows == i, row, done)
    ct.store(x, index=(0, 0), tile=done)


@ct.kernel
def solve_series(l, b, x, T: Const, N: Const, LOG: Const):
    """As solve_rows for T = 2^LOG: (I + L)^-1 = (I - L) (I + L^2) (I + L^4) ... since L^T is 0."""
    rows, columns = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    power = ct.where(rows > columns, ct.load(l, index=(0, 0), shape=(T, T)), 0.0)
    done = ct.load(b, index=(0, 0), shape=(T, N))
    done = done - power @ done
    for _ in range(LOG - 1):
        power = power @ power
        done = done + power @ done
    ct.store(x, index=(0, 0), tile=done)


# ---- a matrix product with an f32 accumulator, and with one of f16 ----------------------------------------------------


@ct.kernel
def matmul(a, b, c, TM: Const, TN: Const, TK: Const):
    """Grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(TM, TK))):
        acc = ct.mma(ct.load(a, index=(i, k), shape=(TM, TK)), ct.load(b, index=(k, j), shape=(TK, TN)), acc)
    ct.store(c, index=(i, j), tile=acc.astype(ct.float16))


@ct.kernel
def matmul_half(a, b, c, TM: Const, TN: Const, TK: Const):
    """As matmul, which is faster on some GPUs."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), dtype=ct.float16)
    for k in range(ct.num_tiles(a, axis=1, shape=(TM, TK))):
        acc = ct.mma(ct.load(a, index=(i, k), shape=(TM, TK)), ct.load(b, index=(k, j), shape=(TK, TN)), acc)
    ct.store(c, index=(i, j), tile=acc)


FLOAT, HALF = array(ct.float32, 2), array(ct.float16, 2)
EXPORTS = {
    "softmax": (softmax, [FLOAT, FLOAT, 4, 256]),
    "softmax_bare": (softmax_bare, [FLOAT, FLOAT, 4, 256]),
    "solve_rows": (solve_rows, [FLOAT, FLOAT, FLOAT, 64, 32]),
    "solve_series": (solve_series, [FLOAT, FLOAT, FLOAT, 64, 32, 6]),
    "matmul": (matmul, [HALF, HALF, HALF, 32, 32, 32]),
    "matmul_half": (matmul_half, [HALF, HALF, HALF, 32, 32, 32]),
}
