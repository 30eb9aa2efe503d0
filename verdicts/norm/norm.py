# SPDX-License-Identifier: Apache-2.0
# Layer norm, RMS norm and their backwards: in two passes, in one, by Welford's method, with constants.
import cuda.tile as ct
from corpus import NORMAL, buffer, given, launched, mutant, pair, run, uniform, unseen, worse
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- layer norm ------------------------------------------------------------------------------------------------------
@ct.kernel
def layer_norm(x, w, b, y, eps: float, TM: Const, TN: Const):
    """Mean first, then the variance of what is centred; TN at least the row's length; grid (row blocks)."""
    i = ct.bid(0)
    n = x.shape[1]
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < n
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    mean = ct.sum(t, axis=1, keepdims=True) / n
    centred = ct.where(inside, t - mean, 0.0)
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / n
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    bt = ct.load(b, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(i, 0), tile=(centred * ct.rsqrt(variance + eps) * wt + bt).astype(y.dtype))


@ct.kernel
def layer_norm_one_pass(x, w, b, y, eps: float, TM: Const, TN: Const):
    """The variance as mean of squares minus square of the mean, in column blocks; divided by the root."""
    i = ct.bid(0)
    n = x.shape[1]
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    total = ct.full((TM, 1), 0.0, dtype=ct.float32)
    squares = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        total = total + ct.sum(t, axis=1, keepdims=True)
        squares = squares + ct.sum(t * t, axis=1, keepdims=True)
    mean = total / n
    variance = squares / n - mean * mean
    deviation = ct.sqrt(variance + eps)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        bt = ct.load(b, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, index=(i, j), tile=((t - mean) / deviation * wt + bt).astype(y.dtype))


@ct.kernel
def layer_norm_welford(x, w, b, y, eps: float, TM: Const, TN: Const):
    """Welford's method over the columns of a block side by side, then the columns' statistics merged."""
    i = ct.bid(0)
    n = x.shape[1]
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    mean = ct.full((TM, TN), 0.0, dtype=ct.float32)
    m2 = ct.full((TM, TN), 0.0, dtype=ct.float32)
    count = ct.full((1, TN), 0.0, dtype=ct.float32)
    for j in range(blocks):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < n
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        count = count + ct.where(inside, 1.0, 0.0)
        delta = t - mean
        mean = mean + ct.where(inside, delta / count, 0.0)
        m2 = m2 + ct.where(inside, delta * (t - mean), 0.0)
    row_mean = ct.sum(mean * count, axis=1, keepdims=True) / n
    apart = mean - row_mean
    variance = ct.sum(m2 + count * apart * apart, axis=1, keepdims=True) / n
    rstd = ct.rsqrt(variance + eps)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        bt = ct.load(b, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, index=(i, j), tile=((t - row_mean) * rstd * wt + bt).astype(y.dtype))


@ct.kernel
def layer_norm_merged(x, w, b, y, eps: float, TM: Const, TN: Const):
    """Statistics of column blocks merged one after the other by Chan's formula."""
    i = ct.bid(0)
    n = x.shape[1]
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    mean = ct.full((TM, 1), 0.0, dtype=ct.float32)
    m2 = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < n
        seen, here = j * TN, min(TN, n - j * TN)
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        mean_here = ct.sum(t, axis=1, keepdims=True) / here
        centred = ct.where(inside, t - mean_here, 0.0)
        delta = mean_here - mean
        mean = mean + delta * here / (seen + here)
        m2 = m2 + ct.sum(centred * centred, axis=1, keepdims=True) + delta * delta * seen * here / (seen + here)
    rstd = 1.0 / ct.sqrt(m2 / n + eps)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        bt = ct.load(b, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, index=(i, j), tile=((t - mean) * rstd * wt + bt).astype(y.dtype))


@ct.kernel
def layer_norm_affine(x, w, b, y, inverse: float, eps: float, TM: Const, TN: Const):
    """1/N as a constant; y = x scale + shift with scale = rstd w and shift = b - mean scale."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    mean = ct.sum(t, axis=1, keepdims=True) * inverse
    centred = ct.where(inside, t - mean, 0.0)
    variance = ct.sum(centred * centred * inverse, axis=1, keepdims=True)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    bt = ct.load(b, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    scale = ct.rsqrt(variance + eps) * wt
    ct.store(y, index=(i, 0), tile=(t * scale + (bt - mean * scale)).astype(y.dtype))


# ---- RMS norm --------------------------------------------------------------------------------------------------------
@ct.kernel
def rms_norm(x, w, y, eps: float, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    rstd = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=(t * rstd * wt).astype(y.dtype))


@ct.kernel
def rms_norm_divided(x, w, y, eps: float, TM: Const, TN: Const):
    """x / sqrt in column blocks, weights first."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    squares = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        squares = squares + t * t
    root = ct.sqrt(ct.sum(squares, axis=1, keepdims=True) / x.shape[1] + eps)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, index=(i, j), tile=(wt * t / root).astype(y.dtype))


@ct.kernel
def rms_norm_sum(x, w, y, eps: float, TM: Const, TN: Const):
    """sqrt(N) x / sqrt(sum of squares + N eps)."""
    i = ct.bid(0)
    n = ct.full((1, 1), x.shape[1], dtype=ct.float32)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    r = ct.sqrt(n) * ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) + n * eps)
    ct.store(y, index=(i, 0), tile=(t * r * wt).astype(y.dtype))


@ct.kernel
def rms_norm_plus_one(x, w, y, eps: float, TM: Const, TN: Const):
    """Weights are stored less 1: y = x rstd (1 + w)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    rstd = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=(t * rstd * (1.0 + wt)).astype(y.dtype))


@ct.kernel
def rms_norm_plus_product(x, w, y, eps: float, TM: Const, TN: Const):
    """The same as h + h w with h = x / sqrt."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    h = t / ct.sqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=(h + h * wt).astype(y.dtype))


@ct.kernel
def add(x, r, s, TM: Const, TN: Const):
    """s = x + r; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    ct.store(
        s,
        index=(i, j),
        tile=(t + ct.load(r, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)).astype(s.dtype),
    )


@ct.kernel
def add_rms_norm(x, r, w, s, y, eps: float, TM: Const, TN: Const):
    """s = x + r and y = rms_norm(s) in one kernel."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    t = t + ct.load(r, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    ct.store(s, index=(i, 0), tile=t.astype(s.dtype))
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    rstd = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=(t * rstd * wt).astype(y.dtype))


@ct.kernel
def group_norm(x, y, eps: float, GROUPS: Const, SIZE: Const, TM: Const):
    """Each row in GROUPS groups of SIZE, in one tile; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, GROUPS * SIZE), padding_mode=ZERO).reshape((TM, GROUPS, SIZE))
    mean = ct.sum(t, axis=2, keepdims=True) / SIZE
    variance = ct.sum((t - mean) * (t - mean), axis=2, keepdims=True) / SIZE
    ct.store(y, index=(i, 0), tile=((t - mean) * ct.rsqrt(variance + eps)).reshape((TM, GROUPS * SIZE)))


@ct.kernel
def group_norm_blocks(x, y, eps: float, SIZE: Const, TM: Const):
    """One group at a time, from sums and sums of squares; grid (row blocks, groups)."""
    i, g = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, g), shape=(TM, SIZE), padding_mode=ZERO)
    mean = ct.sum(t, axis=1, keepdims=True) * (1.0 / SIZE)
    variance = ct.sum(t * t, axis=1, keepdims=True) * (1.0 / SIZE) - mean * mean
    ct.store(y, index=(i, g), tile=(t - mean) / ct.sqrt(variance + eps))


@ct.kernel
def group_norm_centred(x, y, eps: float, SIZE: Const, TM: Const):
    """One group at a time, centred first; grid (row blocks, groups)."""
    i, g = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, g), shape=(TM, SIZE), padding_mode=ZERO)
    mean = ct.sum(t, axis=1, keepdims=True) * (1.0 / SIZE)
    centred = t - mean
    variance = ct.sum(centred * centred, axis=1, keepdims=True) * (1.0 / SIZE)
    ct.store(y, index=(i, g), tile=centred / ct.sqrt(variance + eps))


@ct.kernel
def unit_norm(x, y, eps: float, TM: Const, TN: Const):
    """Rows of length 1: x / sqrt(sum of squares + eps)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=t / ct.sqrt(ct.sum(t * t, axis=1, keepdims=True) + eps))


@ct.kernel
def unit_norm_columns(xt, y, eps: float, TM: Const, TN: Const):
    """The same from transposed rows, by rsqrt; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(xt, index=(0, i), shape=(TN, TM), padding_mode=ZERO)
    r = t * ct.rsqrt(ct.sum(t * t, axis=0, keepdims=True) + eps)
    ct.store(y, index=(i, 0), tile=ct.transpose(r))


@ct.kernel
def transpose(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(j, i), tile=ct.transpose(ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)))


# ---- backward --------------------------------------------------------------------------------------------------------
@ct.kernel
def layer_norm_backward(x, w, dy, dx, eps: float, TM: Const, TN: Const):
    """dx = rstd (g - mean(g) - xhat mean(g xhat)) with g = dy w."""
    i = ct.bid(0)
    n = x.shape[1]
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < n
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    g = ct.load(dy, index=(i, 0), shape=(TM, TN), padding_mode=ZERO) * ct.load(
        w, index=(0,), shape=(TN,), padding_mode=ZERO
    )
    centred = ct.where(inside, t - ct.sum(t, axis=1, keepdims=True) / n, 0.0)
    rstd = ct.rsqrt(ct.sum(centred * centred, axis=1, keepdims=True) / n + eps)
    xhat = centred * rstd
    c1 = ct.sum(g * xhat, axis=1, keepdims=True) / n
    c2 = ct.sum(g, axis=1, keepdims=True) / n
    ct.store(dx, index=(i, 0), tile=rstd * (g - c2 - xhat * c1))


@ct.kernel
def layer_norm_backward_cubed(x, w, dy, dx, eps: float, TM: Const, TN: Const):
    """The same by the derivative of the variance, sums in column blocks."""
    i = ct.bid(0)
    n = x.shape[1]
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    total = ct.full((TM, 1), 0.0, dtype=ct.float32)
    squares = ct.full((TM, 1), 0.0, dtype=ct.float32)
    gradients = ct.full((TM, 1), 0.0, dtype=ct.float32)
    products = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        g = ct.load(dy, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * ct.load(
            w, index=(j,), shape=(TN,), padding_mode=ZERO
        )
        total = total + ct.sum(t, axis=1, keepdims=True)
        squares = squares + ct.sum(t * t, axis=1, keepdims=True)
        gradients = gradients + ct.sum(g, axis=1, keepdims=True)
        products = products + ct.sum(g * t, axis=1, keepdims=True)
    mean, c2 = total / n, gradients / n
    rstd = ct.rsqrt(squares / n - mean * mean + eps)
    dm = products / n - mean * c2
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        g = ct.load(dy, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * ct.load(
            w, index=(j,), shape=(TN,), padding_mode=ZERO
        )
        ct.store(dx, index=(i, j), tile=rstd * g - rstd * c2 - rstd * rstd * rstd * (t - mean) * dm)


@ct.kernel
def weight_gradient(x, dy, dw, db, eps: float, TM: Const, TN: Const):
    """dw = sum over rows of dy xhat, db = sum of dy; TM at least the rows, TN the columns; one program."""
    n = x.shape[1]
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < n
    t = ct.load(x, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    g = ct.load(dy, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    centred = ct.where(inside, t - ct.sum(t, axis=1, keepdims=True) / n, 0.0)
    xhat = centred * ct.rsqrt(ct.sum(centred * centred, axis=1, keepdims=True) / n + eps)
    ct.store(dw, index=(0,), tile=ct.sum(g * xhat, axis=0))
    ct.store(db, index=(0,), tile=ct.sum(g, axis=0))


@ct.kernel
def row_statistics(x, mean, rstd, eps: float, TM: Const, TN: Const):
    i = ct.bid(0)
    n = x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    m = ct.sum(t, axis=1) / n
    ct.store(mean, index=(i,), tile=m)
    ct.store(rstd, index=(i,), tile=1.0 / ct.sqrt(ct.sum(t * t, axis=1) / n - m * m + eps))


@ct.kernel
def weight_gradient_atomic(x, dy, mean, rstd, dw, db, T: Const):
    """The same from stored statistics: each row adds its share; dw, db are zero before; grid (rows, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    column = j * T + ct.arange(T, dtype=ct.int32)
    t = ct.load(x, index=(i, j), shape=(1, T), padding_mode=ZERO).reshape((T,))
    g = ct.load(dy, index=(i, j), shape=(1, T), padding_mode=ZERO).reshape((T,))
    m, r = ct.load(mean, index=(i,), shape=(1,)), ct.load(rstd, index=(i,), shape=(1,))
    ct.atomic_add(dw, column, g * (t - m) * r)
    ct.atomic_add(db, column, g)


@ct.kernel
def rms_norm_backward(x, w, dy, dx, eps: float, TM: Const, TN: Const):
    """dx = rstd g - rstd^3 x mean(g x) with g = dy w."""
    i = ct.bid(0)
    n = x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    g = ct.load(dy, index=(i, 0), shape=(TM, TN), padding_mode=ZERO) * ct.load(
        w, index=(0,), shape=(TN,), padding_mode=ZERO
    )
    rstd = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / n + eps)
    ct.store(dx, index=(i, 0), tile=rstd * g - rstd * rstd * rstd * t * (ct.sum(g * t, axis=1, keepdims=True) / n))


@ct.kernel
def rms_norm_backward_divided(x, w, dy, dx, eps: float, TM: Const, TN: Const):
    """The same as (g - x sum(g x) / (n v)) / sqrt(v), v the mean of squares + eps."""
    i = ct.bid(0)
    n = x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    g = ct.load(dy, index=(i, 0), shape=(TM, TN), padding_mode=ZERO) * ct.load(
        w, index=(0,), shape=(TN,), padding_mode=ZERO
    )
    v = ct.sum(t * t, axis=1, keepdims=True) / n + eps
    dot = ct.sum(t * g, axis=1, keepdims=True)
    ct.store(dx, index=(i, 0), tile=(g - t * (dot / (n * v))) / ct.sqrt(v))


BF, BV, F2, F1 = array(ct.bfloat16, 2), array(ct.bfloat16, 1), array(ct.float32, 2), array(ct.float32, 1)
NORM = [BF, BV, BV, BF, ct.float32]
NORM_F = [F2, F1, F1, F2, ct.float32]
KERNELS = {
    "layer_norm": (layer_norm, [*NORM, 4, 128]),
    "layer_norm_f32": (layer_norm, [*NORM_F, 4, 128]),
    "layer_norm_one_pass": (layer_norm_one_pass, [*NORM_F, 8, 16]),
    "layer_norm_welford": (layer_norm_welford, [*NORM, 4, 16]),
    "layer_norm_merged": (layer_norm_merged, [*NORM, 4, 32]),
    "layer_norm_affine": (layer_norm_affine, [BF, BV, BV, BF, ct.float32, ct.float32, 2, 128]),
    "rms_norm": (rms_norm, [BF, BV, BF, ct.float32, 4, 128]),
    "rms_norm_divided": (rms_norm_divided, [BF, BV, BF, ct.float32, 8, 32]),
    "rms_norm_sum": (rms_norm_sum, [BF, BV, BF, ct.float32, 4, 128]),
    "rms_norm_plus_one": (rms_norm_plus_one, [BF, BV, BF, ct.float32, 4, 128]),
    "rms_norm_plus_product": (rms_norm_plus_product, [BF, BV, BF, ct.float32, 2, 128]),
    "add": (add, [BF, BF, BF, 8, 32]),
    "add_rms_norm": (add_rms_norm, [BF, BF, BV, BF, BF, ct.float32, 4, 128]),
    "group_norm": (group_norm, [F2, F2, ct.float32, 4, 32, 4]),
    "group_norm_blocks": (group_norm_blocks, [F2, F2, ct.float32, 32, 8]),
    "group_norm_centred": (group_norm_centred, [F2, F2, ct.float32, 32, 8]),
    "unit_norm": (unit_norm, [F2, F2, ct.float32, 4, 128]),
    "unit_norm_columns": (unit_norm_columns, [F2, F2, ct.float32, 4, 128]),
    "transpose": (transpose, [F2, F2, 8, 16]),
    "layer_norm_backward": (layer_norm_backward, [F2, F1, F2, F2, ct.float32, 4, 128]),
    "layer_norm_backward_cubed": (layer_norm_backward_cubed, [F2, F1, F2, F2, ct.float32, 8, 16]),
    "weight_gradient": (weight_gradient, [F2, F2, F1, F1, ct.float32, 8, 128]),
    "row_statistics": (row_statistics, [F2, F1, F1, ct.float32, 4, 128]),
    "weight_gradient_atomic": (weight_gradient_atomic, [F2, F2, F1, F1, F1, F1, 32]),
    "rms_norm_backward": (rms_norm_backward, [F2, F1, F2, F2, ct.float32, 4, 128]),
    "rms_norm_backward_divided": (rms_norm_backward_divided, [F2, F1, F2, F2, ct.float32, 8, 128]),
}

EPS = "f32 1e-5"
X, Y = buffer("bf16", [7, 100], given("rows.bf16")), buffer("bf16", [7, 100])
XF, YF = buffer("f32", [7, 100], given("rows.f32")), buffer("f32", [7, 100])
W, B = buffer("bf16", [100], uniform(0.5, 1.5)), buffer("bf16", [100], NORMAL)
WF, BIAS = buffer("f32", [100], uniform(0.5, 1.5)), buffer("f32", [100], NORMAL)
LAYER = {"X": X, "W": W, "B": B, "Y": Y}
RMS = {"X": X, "W": W, "Y": Y}
# Rows from files have one size. Pairs named ..._sizes are the same with other contents at others: rows in blocks of 4
# and 8, columns in blocks of 16 and 32: ragged, whole, with one element in the last, two in all (one is its mean).
SIZES = {"R": [13, 9], "C": [50, 64, 33, 2]}
BY_4, BY_8 = "cdiv(R, 4)", "cdiv(R, 8)"
MATRIX, MATRIX_16 = buffer("f32", ["R", "C"], NORMAL), buffer("bf16", ["R", "C"], NORMAL)
LAYER_N = {
    "X": MATRIX_16,
    "W": buffer("bf16", ["C"], uniform(0.5, 1.5)),
    "B": buffer("bf16", ["C"], NORMAL),
    "Y": buffer("bf16", ["R", "C"]),
}
WN, ONE_COLUMN = buffer("f32", ["C"], uniform(0.5, 1.5)), "a last block with a single column is left out of the sums"
BACK = {"X": XF, "W": WF, "G": buffer("f32", [7, 100], NORMAL), "D": YF}

PAIRS = [
    pair(
        "one_pass",
        "layer norm in two passes by rsqrt, and with E[x^2] - m^2 divided by the root",
        {"X": XF, "W": WF, "B": BIAS, "Y": YF},
        [run("layer_norm_f32", (2,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_one_pass", (1,), "X", "W", "B", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "sign",
                "layer_norm_one_pass",
                "squares / n - mean * mean",
                "squares / n + mean * mean",
                "the square of the mean has the wrong sign",
            ),
            mutant(
                "no_mean",
                "layer_norm_one_pass",
                "squares / n - mean * mean",
                "squares / n",
                "the square of the mean is missing",
            ),
            mutant(
                "eps_outside",
                "layer_norm_one_pass",
                "ct.sqrt(variance + eps)",
                "(ct.sqrt(variance) + eps)",
                "eps after the root",
            ),
            mutant(
                "no_root",
                "layer_norm_one_pass",
                "ct.sqrt(variance + eps)",
                "(variance + eps)",
                "divided by the variance",
            ),
            mutant(
                "sum_of_last",
                "layer_norm_one_pass",
                "total = total + ct.sum",
                "total = ct.sum",
                "the sum of the last block only",
            ),
            mutant(
                "unbiased",
                "layer_norm_one_pass",
                "variance = squares / n - mean * mean",
                "variance = (squares - n * mean * mean) / (n - 1)",
                "the unbiased variance",
            ),
            mutant(
                "weight_block",
                "layer_norm_one_pass",
                "ct.load(w, index=(j,)",
                "ct.load(w, index=(0,)",
                "always the first weights",
            ),
            mutant(
                "bias_for_weight",
                "layer_norm_one_pass",
                "ct.load(w, index",
                "ct.load(b, index",
                "the bias in the place of weights",
            ),
            launched("eps", "f32 1e-5", "f32 1e-6", "another eps"),
        ],
        finding=worse("variant"),  # a row 0.75 + 0.001 times noise loses 19 bits of its variance
    ),
    pair(
        "welford",
        "layer norm in two passes, and by Welford's method",
        LAYER,
        [run("layer_norm", (2,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_welford", (2,), "X", "W", "B", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "new_mean_twice",
                "layer_norm_welford",
                "delta * (t - mean)",
                "(t - mean) * (t - mean)",
                "both factors relative to the new mean",
            ),
            mutant(
                "old_mean_twice",
                "layer_norm_welford",
                "delta * (t - mean)",
                "delta * delta",
                "both factors relative to the old mean",
            ),
            mutant(
                "count_late",
                "layer_norm_welford",
                "delta / count",
                "delta / ct.maximum(count - 1.0, 1.0)",
                "one count behind",
            ),
            mutant(
                "not_merged",
                "layer_norm_welford",
                "m2 + count * apart * apart",
                "m2",
                "the distances of the columns' means are missing",
            ),
            mutant(
                "merge_weight",
                "layer_norm_welford",
                "count * apart * apart",
                "apart * apart",
                "the distances lack their counts",
            ),
            mutant(
                "mean_of_means",
                "layer_norm_welford",
                "ct.sum(mean * count, axis=1, keepdims=True) / n",
                "ct.sum(mean, axis=1, keepdims=True) / TN",
                "the plain mean of the columns' means",
            ),
        ],
        names=("passes", "welford"),
    ),
    pair(
        "merged",
        "layer norm in two passes, and with statistics of blocks merged by Chan's formula",
        LAYER,
        [run("layer_norm", (2,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_merged", (2,), "X", "W", "B", "Y", EPS)],
        ["Y"],
        [
            mutant("full_blocks", "layer_norm_merged", "min(TN, n - j * TN)", "TN", "the last block counts as full"),
            mutant(
                "no_between",
                "layer_norm_merged",
                " + delta * delta * seen * here / (seen + here)",
                "",
                "the distance of the means is missing",
            ),
            mutant(
                "between_weight",
                "layer_norm_merged",
                "delta * delta * seen * here / (seen + here)",
                "delta * delta * here / (seen + here)",
                "the distance lacks one count",
            ),
            mutant(
                "mean_weight",
                "layer_norm_merged",
                "delta * here / (seen + here)",
                "delta / 2.0",
                "each block's mean counts half",
            ),
        ],
        names=("passes", "merged"),
    ),
    pair(
        "constant_n",
        "layer norm with a division by N, and with 1/N as a constant, scale and shift",
        LAYER,
        [run("layer_norm", (2,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_affine", (4,), "X", "W", "B", "Y", "f32 0.01", EPS)],
        ["Y"],
        [
            mutant(
                "shift_sign",
                "layer_norm_affine",
                "(bt - mean * scale)",
                "(bt + mean * scale)",
                "the shift has the wrong sign",
            ),
            mutant(
                "shift_unscaled", "layer_norm_affine", "(bt - mean * scale)", "(bt - mean)", "the mean is not scaled"
            ),
            mutant(
                "weight_missing",
                "layer_norm_affine",
                "(bt - mean * scale)",
                "(bt - mean * ct.rsqrt(variance + eps))",
                "the shift lacks the weight",
            ),
            mutant(
                "not_masked",
                "layer_norm_affine",
                "ct.where(inside, t - mean, 0.0)",
                "t - mean",
                "columns behind the end add to the variance",
            ),
            launched("tile_width", "f32 0.01", "f32 0.0078125", "divided by the tile's width"),
        ],
        names=("division", "constant"),
    ),
    pair(
        "rms_division",
        "RMS norm by rsqrt, and by a division in column blocks",
        RMS,
        [run("rms_norm", (2,), "X", "W", "Y", EPS)],
        [run("rms_norm_divided", (1,), "X", "W", "Y", EPS)],
        ["Y"],
        [
            mutant("multiplied", "rms_norm_divided", "wt * t / root", "wt * t * root", "multiplied by the root"),
            mutant(
                "eps_outside", "rms_norm_divided", "/ x.shape[1] + eps)", "/ x.shape[1]) + eps", "eps after the root"
            ),
            mutant("no_mean", "rms_norm_divided", " / x.shape[1] + eps", " + eps", "the sum of squares, not the mean"),
            mutant("tile_width", "rms_norm_divided", "/ x.shape[1]", "/ 128", "divided by the padded width"),
            mutant(
                "squares_of_last",
                "rms_norm_divided",
                "squares = squares + t * t",
                "squares = t * t",
                "squares of the last block only",
            ),
            mutant("no_weight", "rms_norm_divided", "wt * t / root", "t / root", "the weights are missing"),
        ],
        names=("rsqrt", "division"),
    ),
    pair(
        "rms_sum",
        "RMS norm with the mean of squares, and with sqrt(N) and the sum",
        RMS,
        [run("rms_norm", (2,), "X", "W", "Y", EPS)],
        [run("rms_norm_sum", (2,), "X", "W", "Y", EPS)],
        ["Y"],
        [
            mutant("eps_once", "rms_norm_sum", "+ n * eps", "+ eps", "eps is not scaled"),
            mutant("no_root", "rms_norm_sum", "ct.sqrt(n) * ", "n * ", "N in place of its root"),
            mutant("no_n", "rms_norm_sum", "ct.sqrt(n) * ", "", "the root of N is missing"),
        ],
        names=("mean", "sum"),
    ),
    pair(
        "rms_plus_one",
        "RMS norm with 1 + w, as a product and as a sum of products",
        RMS,
        [run("rms_norm_plus_one", (2,), "X", "W", "Y", EPS)],
        [run("rms_norm_plus_product", (4,), "X", "W", "Y", EPS)],
        ["Y"],
        [
            mutant("no_one", "rms_norm_plus_product", "h + h * wt", "h * wt", "the 1 is missing"),
            mutant(
                "unnormalised",
                "rms_norm_plus_product",
                "h + h * wt",
                "t + h * wt",
                "the row itself in place of the normalised one",
            ),
        ],
        names=("product", "sum"),
    ),
    pair(
        "residual",
        "residual and RMS norm in two launches, and in one",
        {**RMS, "R": buffer("bf16", [7, 100], NORMAL), "S": Y},
        [run("add", (1, 4), "X", "R", "S"), run("rms_norm", (2,), "S", "W", "Y", EPS)],
        [run("add_rms_norm", (2,), "X", "R", "W", "S", "Y", EPS)],
        ["S", "Y"],
        [
            mutant(
                "not_added",
                "add_rms_norm",
                "    t = t + ct.load(r, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)\n"
                "    ct.store(s, index=(i, 0), tile=t",
                "    u = t + ct.load(r, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)\n"
                "    ct.store(s, index=(i, 0), tile=u",
                "the norm of the input without residual",
            ),
            mutant(
                "twice",
                "add_rms_norm",
                "tile=t.astype(s.dtype)",
                "tile=(t + t).astype(s.dtype)",
                "the stored sum is doubled",
            ),
            mutant(
                "normalised_residual",
                "add_rms_norm",
                "t * rstd * wt",
                "t * rstd * wt + t",
                "the sum is added again after the norm",
            ),
        ],
        names=("two", "one"),
    ),
    pair(
        "groups",
        "group norm of all groups at once, and one at a time from sums of squares",
        {"X": buffer("f32", [7, 128], NORMAL), "Y": buffer("f32", [7, 128])},
        [run("group_norm", (2,), "X", "Y", EPS)],
        [run("group_norm_blocks", (1, 4), "X", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "group",
                "group_norm_blocks",
                "ct.load(x, index=(i, g)",
                "ct.load(x, index=(i, g // 2)",
                "groups are loaded twice",
            ),
            mutant("width", "group_norm_blocks", "- mean * mean", "- mean * mean * (1.0 / SIZE)", "a mean too many"),
            mutant(
                "rows",
                "group_norm_blocks",
                "ct.sum(t * t, axis=1, keepdims=True) * (1.0 / SIZE)",
                "ct.sum(t * t, axis=0, keepdims=True) * (1.0 / TM)",
                "the squares of columns",
            ),
        ],
        names=("all", "single"),
    ),
    pair(
        "groups_offset",
        "group norm of numbers far from 0, all groups at once and one at a time",
        {"X": buffer("f32", [7, 128], "{normal: {mean: 1000, std: 1}}"), "Y": buffer("f32", [7, 128])},
        [run("group_norm", (2,), "X", "Y", EPS)],
        [run("group_norm_centred", (1, 4), "X", "Y", EPS)],
        ["Y"],
        [
            unseen(
                "cancellation",
                "group_norm_centred",
                "ct.sum(centred * centred, axis=1, keepdims=True) * (1.0 / SIZE)",
                "ct.sum(t * t, axis=1, keepdims=True) * (1.0 / SIZE) - mean * mean",
                "E[x^2] - m^2 cancels",
            ),
            mutant(
                "sum",
                "group_norm_centred",
                "mean = ct.sum(t, axis=1, keepdims=True) * (1.0 / SIZE)",
                "mean = ct.max(t, axis=1, keepdims=True)",
                "the maximum for the mean",
            ),
        ],
        names=("all", "single"),
    ),
    pair(
        "unit",
        "rows of unit length by a division, and from transposed rows by rsqrt",
        {"X": XF, "XT": buffer("f32", [100, 7]), "Y": YF},
        [run("unit_norm", (2,), "X", "Y", EPS)],
        [run("transpose", (1, 7), "X", "XT"), run("unit_norm_columns", (2,), "XT", "Y", EPS)],
        ["Y"],
        [
            mutant("axis", "unit_norm_columns", "axis=0", "axis=1", "the length of columns"),
            mutant(
                "reshaped",
                "unit_norm_columns",
                "tile=ct.transpose(r)",
                "tile=r.reshape((TM, TN))",
                "reshaped, not transposed",
            ),
            mutant("eps", "unit_norm_columns", " + eps)", ")", "eps is missing"),
            mutant(
                "not_transposed",
                "transpose",
                "tile=ct.transpose(ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO))",
                "tile=ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).reshape((TN, TM))",
                "blocks reshaped, not transposed",
            ),
        ],
        names=("rows", "columns"),
    ),
    pair(
        "backward",
        "layer norm backward by normalised rows, and by the derivative of the variance in column blocks",
        BACK,
        [run("layer_norm_backward", (2,), "X", "W", "G", "D", EPS)],
        [run("layer_norm_backward_cubed", (1,), "X", "W", "G", "D", EPS)],
        ["D"],
        [
            mutant(
                "squared",
                "layer_norm_backward_cubed",
                "rstd * rstd * rstd * (t - mean)",
                "rstd * rstd * (t - mean)",
                "the square in place of the cube",
            ),
            mutant(
                "not_centred",
                "layer_norm_backward_cubed",
                "products / n - mean * c2",
                "products / n",
                "the mean is missing in the products",
            ),
            mutant(
                "no_mean_gradient",
                "layer_norm_backward_cubed",
                "rstd * g - rstd * c2 - ",
                "rstd * g - ",
                "the mean gradient is missing",
            ),
            mutant(
                "sign",
                "layer_norm_backward_cubed",
                "rstd * c2 - rstd",
                "rstd * c2 + rstd",
                "the last term has the wrong sign",
            ),
            mutant(
                "weight",
                "layer_norm_backward_cubed",
                "    mean, c2 = total / n, gradients / n",
                "    mean, c2 = total / n, gradients / (n - 1)",
                "the mean gradient of n - 1",
            ),
        ],
        names=("normalised", "cubed"),
        finding=worse("cubed"),  # as in one_pass
    ),
    pair(
        "weight_gradient",
        "layer norm's weight gradient in one program, and added by each row",
        {
            "X": XF,
            "G": buffer("f32", [7, 100], NORMAL),
            "M": buffer("f32", [7]),
            "R": buffer("f32", [7]),
            "DW": buffer("f32", [100], "zeros"),
            "DB": buffer("f32", [100], "zeros"),
        },
        [run("weight_gradient", (1,), "X", "G", "DW", "DB", EPS)],
        [
            run("row_statistics", (2,), "X", "M", "R", EPS),
            run("weight_gradient_atomic", (7, 4), "X", "G", "M", "R", "DW", "DB"),
        ],
        ["DW", "DB"],
        [
            mutant(
                "statistics_row",
                "weight_gradient_atomic",
                "ct.load(mean, index=(i,)",
                "ct.load(mean, index=(0,)",
                "the mean of the first row",
            ),
            mutant(
                "product_for_sum",
                "weight_gradient_atomic",
                "ct.atomic_add(db, column, g)",
                "ct.atomic_add(db, column, g * r)",
                "db with the factor of dw",
            ),
            launched("rows", "grid: [7, 4]", "grid: [6, 4]", "the last row is left out"),
        ],
        names=("one", "rows"),
        finding=worse("rows"),  # as in one_pass
    ),
    pair(
        "rms_backward",
        "RMS norm backward with the cube of rstd, and with divisions",
        BACK,
        [run("rms_norm_backward", (2,), "X", "W", "G", "D", EPS)],
        [run("rms_norm_backward_divided", (1,), "X", "W", "G", "D", EPS)],
        ["D"],
        [
            mutant("no_n", "rms_norm_backward_divided", "dot / (n * v)", "dot / v", "N is missing"),
            mutant(
                "eps_missing",
                "rms_norm_backward_divided",
                "dot / (n * v)",
                "dot / (n * (v - eps))",
                "eps is missing in the second term",
            ),
            mutant(
                "dot_of_squares",
                "rms_norm_backward_divided",
                "ct.sum(t * g,",
                "ct.sum(g * g,",
                "squares of gradients in the dot product",
            ),
        ],
        names=("cubed", "divided"),
    ),
    # ---- at boundary sizes ----
    pair(
        "one_pass_sizes",
        "layer norm in two passes, and with E[x^2] - m^2 in column blocks, at sizes with tails",
        {"X": MATRIX, "W": WN, "B": buffer("f32", ["C"], NORMAL), "Y": buffer("f32", ["R", "C"])},
        [run("layer_norm_f32", (BY_4,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_one_pass", (BY_8,), "X", "W", "B", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "one_column",
                "layer_norm_one_pass",
                "squares = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "squares = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(n - 1, TN))",
                ONE_COLUMN,
            ),
            launched(
                "one_row",
                "grid: [cdiv(R, 8)]",
                "grid: [cdiv(R - 1, 8)]",
                "a last block with a single row is left out",
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "welford_sizes",
        "layer norm in two passes, and by Welford's method, at sizes with tails",
        LAYER_N,
        [run("layer_norm", (BY_4,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_welford", (BY_4,), "X", "W", "B", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "one_column",
                "layer_norm_welford",
                "count = ct.full((1, TN), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "count = ct.full((1, TN), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(n - 1, TN))",
                ONE_COLUMN,
            ),
            mutant(
                "column_more", "layer_norm_welford", "reshape((1, TN)) < n", "reshape((1, TN)) <= n", "a column behind the end counts"
            ),
        ],
        names=("passes", "welford"),
        parameters={"R": [13, 9], "C": [50, 64, 33, 16]},  # fewer columns than lanes: a count of 0
    ),
    pair(
        "merged_sizes",
        "layer norm in two passes, and with statistics of blocks merged by Chan's formula, at sizes with tails",
        LAYER_N,
        [run("layer_norm", (BY_4,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_merged", (BY_4,), "X", "W", "B", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "one_column",
                "layer_norm_merged",
                "m2 = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "m2 = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(n - 1, TN))",
                ONE_COLUMN,
            ),
            mutant(
                "column_more", "layer_norm_merged", "reshape((1, TN)) < n", "reshape((1, TN)) <= n", "a column behind the end counts"
            ),
        ],
        names=("passes", "merged"),
        parameters=SIZES,
    ),
    pair(
        "rms_division_sizes",
        "RMS norm by rsqrt, and by a division in column blocks, at sizes with tails",
        {"X": MATRIX_16, "W": LAYER_N["W"], "Y": LAYER_N["Y"]},
        [run("rms_norm", (BY_4,), "X", "W", "Y", EPS)],
        [run("rms_norm_divided", (BY_8,), "X", "W", "Y", EPS)],
        ["Y"],
        [
            mutant(
                "one_column",
                "rms_norm_divided",
                "squares = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "squares = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, TN))",
                ONE_COLUMN,
            ),
            mutant(
                "padded_width",
                "rms_norm_divided",
                "keepdims=True) / x.shape[1]",
                "keepdims=True) / (blocks * TN)",
                "the mean over whole blocks",
            ),
        ],
        names=("rsqrt", "division"),
        parameters=SIZES,
    ),
    pair(
        "backward_sizes",
        "layer norm backward by normalised rows, and in column blocks, at sizes with tails",
        {"X": MATRIX, "W": WN, "G": MATRIX, "D": buffer("f32", ["R", "C"])},
        [run("layer_norm_backward", (BY_4,), "X", "W", "G", "D", EPS)],
        [run("layer_norm_backward_cubed", (BY_8,), "X", "W", "G", "D", EPS)],
        ["D"],
        [
            mutant(
                "one_column",
                "layer_norm_backward_cubed",
                "products = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "products = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(n - 1, TN))",
                ONE_COLUMN,
            ),
        ],
        names=("normalised", "cubed"),
        parameters=SIZES,
    ),
    pair(
        "weight_gradient_sizes",
        "layer norm's weight gradient in one program, and added by each row, at sizes with tails",
        {
            "X": MATRIX,
            "G": MATRIX,
            "M": buffer("f32", ["R"]),
            "R1": buffer("f32", ["R"]),
            "DW": buffer("f32", ["C"], "zeros"),
            "DB": buffer("f32", ["C"], "zeros"),
        },
        [run("weight_gradient", (1,), "X", "G", "DW", "DB", EPS)],
        [
            run("row_statistics", (BY_4,), "X", "M", "R1", EPS),
            run("weight_gradient_atomic", ("R", "cdiv(C, 32)"), "X", "G", "M", "R1", "DW", "DB"),
        ],
        ["DW", "DB"],
        [
            launched(
                "one_column",
                "grid: [R, cdiv(C, 32)]",
                "grid: [R, max(cdiv(C - 1, 32), 1)]",
                "a last block with a single column is left out",
            ),
        ],
        names=("one", "rows"),
        parameters={"R": [7, 8, 1], "C": [50, 64, 33]},
    ),
]
