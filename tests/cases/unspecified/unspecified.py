# SPDX-License-Identifier: Apache-2.0
# Values that nobody specified: which of them reach a result, and which are masked away before. x has 8 rows of 50.
import cuda.tile as ct
from export import array

T = 64
ZERO = ct.PaddingMode.ZERO


def row(x, padding=ct.PaddingMode.UNDETERMINED):
    return ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=padding)


def column(y, t):
    ct.store(y, index=(ct.bid(0), 0), tile=ct.full((1, 1), 0.0, y.dtype) + t)


def seen(n):
    return ct.reshape(ct.arange(T, dtype=ct.int32) < n, (1, T))


@ct.kernel
def sum_bare(x, y):
    column(y, ct.sum(row(x), axis=1, keepdims=True))


@ct.kernel
def sum_padded(x, y):
    column(y, ct.sum(row(x, ZERO), axis=1, keepdims=True))


@ct.kernel
def sum_selected(x, y, n: int):
    """What sticks out is replaced before it is summed."""
    column(y, ct.sum(ct.where(seen(n), row(x), 0.0), axis=1, keepdims=True))


@ct.kernel
def sum_weighted(x, y, n: int):
    """Zero times what sticks out: no zero, where NaN stands there."""
    weights = ct.where(seen(n), 1.0, 0.0)
    column(y, ct.sum(weights * row(x), axis=1, keepdims=True))


@ct.kernel
def max_bare(x, y):
    column(y, ct.max(row(x), axis=1, keepdims=True))


@ct.kernel
def max_padded(x, y):
    column(y, ct.max(row(x, ct.PaddingMode.NEG_INF), axis=1, keepdims=True))


@ct.kernel
def softmax_bare(x, y, n: int):
    """The maximum is of what is seen, the sum is not."""
    t = row(x)
    m = ct.max(ct.where(seen(n), t, -float("inf")), axis=1, keepdims=True)
    column(y, ct.sum(ct.exp(t - m), axis=1, keepdims=True))


@ct.kernel
def softmax_masked(x, y, n: int):
    t = ct.where(seen(n), row(x), -float("inf"))
    m = ct.max(t, axis=1, keepdims=True)
    column(y, ct.sum(ct.exp(t - m), axis=1, keepdims=True))


@ct.kernel
def product_bare(x, w, y):
    """x @ w over a depth of 50: both operands end inside their tiles."""
    a = ct.load(x, index=(0, 0), shape=(8, T))
    b = ct.load(w, index=(0, 0), shape=(T, 16))
    ct.store(y, index=(0, 0), tile=ct.mma(a, b, ct.zeros((8, 16), ct.float32)))


@ct.kernel
def product_padded(x, w, y):
    a = ct.load(x, index=(0, 0), shape=(8, T), padding_mode=ZERO)
    b = ct.load(w, index=(0, 0), shape=(T, 16), padding_mode=ZERO)
    ct.store(y, index=(0, 0), tile=ct.mma(a, b, ct.zeros((8, 16), ct.float32)))


@ct.kernel
def product_half_padded(x, w, y):
    """Zeros in one operand do not help: the other has no value."""
    a = ct.load(x, index=(0, 0), shape=(8, T), padding_mode=ZERO)
    b = ct.load(w, index=(0, 0), shape=(T, 16))
    ct.store(y, index=(0, 0), tile=ct.mma(a, b, ct.zeros((8, 16), ct.float32)))


@ct.kernel
def relu_bare(x, y):
    """A comparison with what sticks out, whose results are not stored."""
    t = row(x)
    ct.store(y, index=(ct.bid(0), 0), tile=ct.where(t > 0.0, t, 0.0))


@ct.kernel
def relu_padded(x, y):
    ct.store(y, index=(ct.bid(0), 0), tile=ct.maximum(row(x, ZERO), 0.0))


@ct.kernel
def count_bare(x, y):
    """How many are positive: comparisons with what sticks out are counted."""
    column(y, ct.sum(ct.where(row(x) > 0.0, 1.0, 0.0), axis=1, keepdims=True))


@ct.kernel
def count_padded(x, y):
    column(y, ct.sum(ct.where(row(x, ZERO) > 0.0, 1.0, 0.0), axis=1, keepdims=True))


@ct.kernel
def integer_sum_bare(x, y):
    column(y, ct.sum(row(x), axis=1, keepdims=True))


@ct.kernel
def integer_sum_selected(x, y, n: int):
    column(y, ct.sum(ct.where(seen(n), row(x), 0), axis=1, keepdims=True))


@ct.kernel
def whole(x, q):
    """What sticks out is made an integer, which room is left for in q."""
    ct.store(q, index=(ct.bid(0), 0), tile=row(x).astype(q.dtype))


@ct.kernel
def sum_whole(q, y):
    """All 64 columns of q."""
    column(y, ct.sum(row(q).astype(ct.float32), axis=1, keepdims=True))


@ct.kernel
def sum_seen(q, y, n: int):
    column(y, ct.sum(ct.where(seen(n), row(q).astype(ct.float32), 0.0), axis=1, keepdims=True))


@ct.kernel
def copy_rows(x, y):
    ct.store(y, index=(ct.bid(0), 0), tile=row(x))


@ct.kernel
def copy_if(x, flag, y):
    """A branch on an integer."""
    if ct.load(flag, index=(0,), shape=(1,)).item() == 0:
        ct.store(y, index=(ct.bid(0), 0), tile=row(x))


@ct.kernel
def copy_row_number(x, flag, y):
    """An index that is an integer from memory, of a row that there is."""
    i = ct.load(flag, index=(0,), shape=(1,)).item() % 1 + ct.bid(0)
    ct.store(y, index=(ct.bid(0), 0), tile=ct.load(x, index=(i, 0), shape=(1, T)))


@ct.kernel
def copy_times(x, flag, y):
    """A loop whose bound is an integer from memory."""
    for _ in range(ct.load(flag, index=(0,), shape=(1,)).item() % 1 + 1):
        ct.store(y, index=(ct.bid(0), 0), tile=row(x))


@ct.kernel
def far(x, y, s: float):
    """Floats beyond the largest integer have none."""
    ct.store(y, index=(ct.bid(0), 0), tile=(row(x) * s).astype(ct.int32))


@ct.kernel
def places_bare(x, y):
    """Comparisons become integers, and nothing else here is made one: how many are large, and where the largest is."""
    t = row(x)
    large = ct.sum((t > 1.0).astype(ct.int32), axis=1, keepdims=True)
    column(y, (large * T + ct.reshape(ct.argmax(t, axis=1), (1, 1))).astype(ct.float32))


@ct.kernel
def places_padded(x, y):
    t = row(x, ct.PaddingMode.NEG_INF)
    large = ct.sum((t > 1.0).astype(ct.int32), axis=1, keepdims=True)
    column(y, (large * T + ct.reshape(ct.argmax(t, axis=1), (1, 1))).astype(ct.float32))


@ct.kernel
def count_seen(x, y, n: int):
    """False and anything is false, true or anything true: what sticks out decides nothing."""
    t = row(x)
    column(y, ct.sum(ct.where((t > 0.0) & seen(n), 1.0, 0.0), axis=1, keepdims=True))


@ct.kernel
def count_seen_otherwise(x, y, n: int):
    t = row(x)
    column(y, ct.sum(ct.where((seen(n) ^ True) | (t <= 0.0), 0.0, 1.0), axis=1, keepdims=True))


@ct.kernel
def count_all(x, y, n: int):
    """True and what sticks out is what sticks out."""
    t = row(x)
    column(y, ct.sum(ct.where((t > 0.0) & seen(2 * n), 1.0, 0.0), axis=1, keepdims=True))


F32 = [array(ct.float32, 2)]
EXPORTS = {}
for kernel in (sum_bare, sum_padded, max_bare, max_padded, relu_bare, relu_padded, count_bare, count_padded):
    EXPORTS[kernel._pyfunc.__name__] = (kernel, F32 * 2)
for kernel in (places_bare, places_padded):
    EXPORTS[kernel._pyfunc.__name__] = (kernel, F32 * 2)
for kernel in (
    sum_selected,
    sum_weighted,
    softmax_bare,
    softmax_masked,
    count_seen,
    count_seen_otherwise,
    count_all,
):
    EXPORTS[kernel._pyfunc.__name__] = (kernel, F32 * 2 + [ct.int32])
for kernel in (product_bare, product_padded, product_half_padded):
    EXPORTS[kernel._pyfunc.__name__] = (kernel, F32 * 3)
for name, kernel, dtypes, scalars in (
    ("integer_sum_bare", integer_sum_bare, (ct.int32, ct.int32), []),
    ("integer_sum_selected", integer_sum_selected, (ct.int32, ct.int32), [ct.int32]),
    ("whole_i8", whole, (ct.float32, ct.int8), []),
    ("sum_whole_i8", sum_whole, (ct.int8, ct.float32), []),
    ("sum_seen_i8", sum_seen, (ct.int8, ct.float32), [ct.int32]),
    ("copy_rows", copy_rows, (ct.float32, ct.float32), []),
    ("copy_rows_i32", copy_rows, (ct.int32, ct.int32), []),
    ("far", far, (ct.float32, ct.int32), [ct.float32]),
):
    EXPORTS[name] = (kernel, [array(t, 2) for t in dtypes] + scalars)
for kernel in (copy_if, copy_row_number, copy_times):
    EXPORTS[kernel._pyfunc.__name__] = (kernel, F32 + [array(ct.int32, 1)] + F32)
