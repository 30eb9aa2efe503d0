# SPDX-License-Identifier: Apache-2.0
# Steps of optimizers in place: AdamW late in training, Lion, Adafactor, clipping, AMSGrad, LAMB, Muon, averages.
import cuda.tile as ct
from corpus import NORMAL, buffer, launched, mutant, pair, run, uniform
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- AdamW, corrections from the number of the step ------------------------------------------------------------------
@ct.kernel
def adamw_step(p, g, m, v, k: int, step: int, lr: float, b1: float, b2: float, eps: float, decay: float, T: Const):
    """One step with gradient k, the corrections 1 - b^step by powers; grid (blocks)."""
    i = ct.bid(0)
    one = ct.full((1,), 1.0, dtype=ct.float32)
    count = ct.full((1,), step, dtype=ct.float32)
    c1, c2 = 1.0 - (one * b1) ** count, 1.0 - (one * b2) ** count
    gt = ct.load(g, index=(k, i), shape=(1, T), padding_mode=ZERO).reshape((T,))
    mt = b1 * ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - b1) * gt
    vt = b2 * ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - b2) * gt * gt
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO) * (1.0 - lr * decay)
    ct.store(m, index=(i,), tile=mt)
    ct.store(v, index=(i,), tile=vt)
    ct.store(p, index=(i,), tile=pt - lr * (mt / c1) / (ct.sqrt(vt / c2) + eps))


@ct.kernel
def adamw_steps(p, g, m, v, first: int, lr: float, b1: float, b2: float, eps: float, decay: float, T: Const):
    """All steps of g at once, the powers of b1 and b2 carried along."""
    i = ct.bid(0)
    q1, q2 = ct.full((1,), 1.0, dtype=ct.float32), ct.full((1,), 1.0, dtype=ct.float32)
    for _ in range(first - 1):
        q1, q2 = q1 * b1, q2 * b2
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO)
    vt = ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO)
    for k in range(g.shape[0]):
        q1, q2 = q1 * b1, q2 * b2
        gt = ct.load(g, index=(k, i), shape=(1, T), padding_mode=ZERO).reshape((T,))
        mt = mt + (1.0 - b1) * (gt - mt)
        vt = vt + (1.0 - b2) * (gt * gt - vt)
        root = ct.sqrt(1.0 - q2)
        pt = pt - lr * decay * pt - (lr * root / (1.0 - q1)) * mt / (ct.sqrt(vt) + eps * root)
    ct.store(p, index=(i,), tile=pt)
    ct.store(m, index=(i,), tile=mt)
    ct.store(v, index=(i,), tile=vt)


# ---- Lion ------------------------------------------------------------------------------------------------------------
@ct.kernel
def lion(p, g, m, lr: float, b1: float, b2: float, decay: float, T: Const):
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO)
    c = b1 * mt + (1.0 - b1) * gt
    sign = ct.where(c > 0.0, 1.0, ct.where(c < 0.0, -1.0, 0.0))
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(p, index=(i,), tile=pt * (1.0 - lr * decay) - lr * sign)
    ct.store(m, index=(i,), tile=b2 * mt + (1.0 - b2) * gt)


@ct.kernel
def lion_lerp(p, g, m, lr: float, b1: float, b2: float, decay: float, T: Const):
    """By interpolations, the sign as c / |c|."""
    i = ct.bid(0)
    mt = ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    c = gt + b1 * (mt - gt)
    size = ct.abs(c)
    sign = c / ct.where(size > 0.0, size, 1.0)
    ct.store(p, index=(i,), tile=pt - lr * (sign + decay * pt))
    ct.store(m, index=(i,), tile=gt + b2 * (mt - gt))


# ---- Adafactor -------------------------------------------------------------------------------------------------------
@ct.kernel
def row_means(g, r, beta: float, eps: float, T: Const, D: Const):
    """r = beta r + (1 - beta) the means of rows of g^2 + eps; grid (row blocks)."""
    i = ct.bid(0)
    total = ct.full((T,), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(g, axis=1, shape=(T, D))):
        gt = ct.load(g, index=(i, j), shape=(T, D), padding_mode=ZERO)
        total = total + ct.sum(gt * gt, axis=1)
    rt = ct.load(r, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(r, index=(i,), tile=beta * rt + (1.0 - beta) * (total / g.shape[1] + eps))


@ct.kernel
def column_means(g, c, beta: float, eps: float, T: Const, D: Const):
    j = ct.bid(0)
    total = ct.full((D,), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(g, axis=0, shape=(T, D))):
        gt = ct.load(g, index=(i, j), shape=(T, D), padding_mode=ZERO)
        total = total + ct.sum(gt * gt, axis=0)
    old = ct.load(c, index=(j,), shape=(D,), padding_mode=ZERO)
    ct.store(c, index=(j,), tile=beta * old + (1.0 - beta) * (total / g.shape[0] + eps))


@ct.kernel
def factored_step(p, g, r, c, lr: float, R: Const, T: Const, D: Const):
    """p -= lr g / sqrt(r c / mean r); R at least the number of rows; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    mean = ct.sum(ct.load(r, index=(0,), shape=(R,), padding_mode=ZERO)) / r.shape[0]
    rt = ct.load(r, index=(i,), shape=(T,), padding_mode=ZERO).reshape((T, 1))
    v = rt * ct.load(c, index=(j,), shape=(D,), padding_mode=ZERO).reshape((1, D)) / mean
    gt = ct.load(g, index=(i, j), shape=(T, D), padding_mode=ZERO)
    pt = ct.load(p, index=(i, j), shape=(T, D), padding_mode=ZERO)
    ct.store(p, index=(i, j), tile=pt - lr * gt * ct.rsqrt(v))


@ct.kernel
def adafactor(p, g, r, c, lr: float, beta: float, eps: float, T: Const, D: Const):
    """All in one block, with a root for rows and one for columns."""
    rows, columns = g.shape[0], g.shape[1]
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(D, dtype=ct.int32).reshape((1, D))
    gt = ct.load(g, index=(0, 0), shape=(T, D), padding_mode=ZERO)
    squares = ct.where((row < rows) & (column < columns), gt * gt + eps, 0.0)
    rt = ct.load(r, index=(0,), shape=(T,), padding_mode=ZERO).reshape((T, 1))
    rt = ct.where(row < rows, rt + (1.0 - beta) * (ct.sum(squares, axis=1, keepdims=True) / columns - rt), 0.0)
    old = ct.load(c, index=(0,), shape=(D,), padding_mode=ZERO).reshape((1, D))
    new = old + (1.0 - beta) * (ct.sum(squares, axis=0, keepdims=True) / rows - old)
    ct.store(r, index=(0,), tile=rt.reshape((T,)))
    ct.store(c, index=(0,), tile=new.reshape((D,)))
    by_row = ct.rsqrt(rt / (ct.sum(rt, axis=0, keepdims=True) / rows))
    step = gt * by_row * ct.rsqrt(new)
    ct.store(p, index=(0, 0), tile=ct.load(p, index=(0, 0), shape=(T, D), padding_mode=ZERO) - lr * step)


# ---- clipping --------------------------------------------------------------------------------------------------------
@ct.kernel
def square_sums(g, sums, T: Const):
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(sums, index=(i,), tile=ct.sum(gt * gt).reshape((1,)))


@ct.kernel
def clipped_step(p, g, sums, lr: float, limit: float, B: Const, T: Const):
    """p -= lr g min(1, limit / (|g| + eps)), |g| from the sums of B or fewer blocks."""
    i = ct.bid(0)
    norm = ct.sqrt(ct.sum(ct.load(sums, index=(0,), shape=(B,), padding_mode=ZERO)))
    factor = ct.minimum(1.0, limit / (norm + 1e-6))
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO) * factor
    ct.store(p, index=(i,), tile=ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO) - lr * gt)


@ct.kernel
def clipped_step_whole(p, g, lr: float, limit: float, T: Const):
    """Every block sums up all of g; limit / max(limit, |g| + eps)."""
    i = ct.bid(0)
    acc = ct.full((T,), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(g, axis=0, shape=(T,))):
        gt = ct.load(g, index=(j,), shape=(T,), padding_mode=ZERO)
        acc = acc + gt * gt
    below = ct.maximum(limit, ct.sqrt(ct.sum(acc)) + 1e-6)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(p, index=(i,), tile=ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO) - gt * (lr * limit / below))


# ---- AMSGrad and an average of the weights ---------------------------------------------------------------------------
@ct.kernel
def amsgrad(p, g, m, v, top, lr: float, b1: float, b2: float, eps: float, T: Const):
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = b1 * ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - b1) * gt
    vt = b2 * ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - b2) * gt * gt
    most = ct.maximum(ct.load(top, index=(i,), shape=(T,), padding_mode=ZERO), vt)
    ct.store(m, index=(i,), tile=mt)
    ct.store(v, index=(i,), tile=vt)
    ct.store(top, index=(i,), tile=most)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(p, index=(i,), tile=pt - lr * mt / (ct.sqrt(most) + eps))


@ct.kernel
def averaged(p, e, rate: float, T: Const):
    i = ct.bid(0)
    et = ct.load(e, index=(i,), shape=(T,), padding_mode=ZERO) * rate
    ct.store(e, index=(i,), tile=et + ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO) * (1.0 - rate))


@ct.kernel
def amsgrad_averaged(p, g, m, v, top, e, lr: float, b1: float, b2: float, eps: float, rate: float, T: Const):
    """Both at once, the larger one by a select."""
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO)
    vt = ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO)
    mt, vt = mt - (1.0 - b1) * (mt - gt), vt - (1.0 - b2) * (vt - gt * gt)
    before = ct.load(top, index=(i,), shape=(T,), padding_mode=ZERO)
    most = ct.where(vt > before, vt, before)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO) - lr * mt * (1.0 / (ct.sqrt(most) + eps))
    ct.store(p, index=(i,), tile=pt)
    ct.store(m, index=(i,), tile=mt)
    ct.store(v, index=(i,), tile=vt)
    ct.store(top, index=(i,), tile=most)
    et = ct.load(e, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(e, index=(i,), tile=pt + rate * (et - pt))


# ---- LAMB: rows are layers -------------------------------------------------------------------------------------------
@ct.kernel
def lamb(p, m, v, lr: float, eps: float, decay: float, T: Const, D: Const):
    """p -= lr |p| / |u| u with u = m / (sqrt(v) + eps) + decay p; grid (row blocks)."""
    i = ct.bid(0)
    pt = ct.load(p, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    vt = ct.load(v, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    u = ct.load(m, index=(i, 0), shape=(T, D), padding_mode=ZERO) / (ct.sqrt(vt) + eps) + decay * pt
    ratio = ct.sqrt(ct.sum(pt * pt, axis=1, keepdims=True)) / ct.sqrt(ct.sum(u * u, axis=1, keepdims=True))
    ct.store(p, index=(i, 0), tile=pt - lr * ratio * u)


@ct.kernel
def lamb_updates(p, m, v, u, sums, eps: float, decay: float, T: Const, D: Const):
    """The updates, and what each column block adds to the squares of both; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    pt = ct.load(p, index=(i, j), shape=(T, D), padding_mode=ZERO)
    vt = ct.load(v, index=(i, j), shape=(T, D), padding_mode=ZERO)
    ut = ct.load(m, index=(i, j), shape=(T, D), padding_mode=ZERO) / (ct.sqrt(vt) + eps) + decay * pt
    row = i * T + ct.arange(T, dtype=ct.int32)
    ct.store(u, index=(i, j), tile=ut)
    ct.atomic_add(sums, (0, row), ct.sum(pt * pt, axis=1))
    ct.atomic_add(sums, (1, row), ct.sum(ut * ut, axis=1))


@ct.kernel
def lamb_step(p, u, sums, lr: float, T: Const, D: Const):
    i, j = ct.bid(0), ct.bid(1)
    squares = ct.load(sums, index=(0, i), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
    of_update = ct.load(sums, index=(1, i), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
    ut = ct.load(u, index=(i, j), shape=(T, D), padding_mode=ZERO)
    pt = ct.load(p, index=(i, j), shape=(T, D), padding_mode=ZERO)
    ct.store(p, index=(i, j), tile=pt - lr * ct.sqrt(squares / of_update) * ut)


# ---- Muon: one step of Newton and Schulz -----------------------------------------------------------------------------
@ct.kernel
def orthogonalised(g, y, a: float, b: float, c: float, T: Const, D: Const):
    """y = a X + (b A + c A^2) X with X = g / |g|, A = X X^T, in one block."""
    x = ct.load(g, index=(0, 0), shape=(T, D), padding_mode=ZERO)
    x = x / (ct.sqrt(ct.sum(x * x)) + 1e-7)
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    gram = ct.mma(x, ct.transpose(x), zero)
    gram = b * gram + c * ct.mma(gram, gram, zero)
    ct.store(y, index=(0, 0), tile=a * x + ct.mma(gram, x, ct.full((T, D), 0.0, dtype=ct.float32)))


@ct.kernel
def scaled_by_length(g, x, T: Const, D: Const):
    """x = g / |g|, the squares summed up by each block; grid (row blocks)."""
    squares = ct.full((T, D), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(g, axis=0, shape=(T, D))):
        gt = ct.load(g, index=(i, 0), shape=(T, D), padding_mode=ZERO)
        squares = squares + gt * gt
    i = ct.bid(0)
    below = ct.sqrt(ct.sum(squares)) + 1e-7
    ct.store(x, index=(i, 0), tile=ct.load(g, index=(i, 0), shape=(T, D), padding_mode=ZERO) / below)


@ct.kernel
def times_gram(x, s, y, alpha: float, beta: float, T: Const, D: Const):
    """y = alpha s + beta X (X^T s), row blocks by row blocks; grid (row blocks)."""
    i = ct.bid(0)
    inner = ct.full((D, D), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=0, shape=(T, D))):
        xt = ct.load(x, index=(k, 0), shape=(T, D), padding_mode=ZERO)
        inner = ct.mma(ct.transpose(xt), ct.load(s, index=(k, 0), shape=(T, D), padding_mode=ZERO), inner)
    xt = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    st = ct.load(s, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=ct.mma(xt, beta * inner, alpha * st))


@ct.kernel
def combined(x, s, t, y, a: float, b: float, c: float, T: Const, D: Const):
    """y = a x + b s + c t."""
    i = ct.bid(0)
    st = b * ct.load(s, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    st = st + c * ct.load(t, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=a * ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO) + st)


# ---- gradients added up, averages in closed form ---------------------------------------------------------------------
@ct.kernel
def accumulate(g, acc, k: int, share: float, T: Const):
    """acc += share g[k], g in f16."""
    i = ct.bid(0)
    gt = ct.load(g, index=(k, i), shape=(1, T), padding_mode=ZERO).reshape((T,)).astype(ct.float32)
    ct.store(acc, index=(i,), tile=ct.load(acc, index=(i,), shape=(T,), padding_mode=ZERO) + gt * share)


@ct.kernel
def momentum_step(p, acc, m, lr: float, mu: float, decay: float, T: Const):
    """m = mu m + acc + decay p, p -= lr m, and acc is cleared."""
    i = ct.bid(0)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = mu * ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO) + decay * pt
    mt = mt + ct.load(acc, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(m, index=(i,), tile=mt)
    ct.store(p, index=(i,), tile=pt - lr * mt)
    ct.store(acc, index=(i,), tile=ct.full((T,), 0.0, dtype=ct.float32))


@ct.kernel
def momentum_of_mean(p, g, m, lr: float, mu: float, decay: float, K: Const, T: Const):
    """The mean of all gradients at once; K at least their number."""
    i = ct.bid(0)
    gt = ct.load(g, index=(0, i), shape=(K, T), padding_mode=ZERO).astype(ct.float32)
    mean = ct.sum(gt, axis=0) / g.shape[0]
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = mu * ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO) + mean + decay * pt
    ct.store(m, index=(i,), tile=mt)
    ct.store(p, index=(i,), tile=pt - lr * mt)


@ct.kernel
def average_steps(p, e, rate: float, steps: int, T: Const):
    """e = rate e + (1 - rate) p, steps times."""
    i = ct.bid(0)
    et = ct.load(e, index=(i,), shape=(T,), padding_mode=ZERO)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    for _ in range(steps):
        et = rate * et + (1.0 - rate) * pt
    ct.store(e, index=(i,), tile=et)


@ct.kernel
def average_closed(p, e, rate: float, steps: int, T: Const):
    """p + rate^steps (e - p)."""
    i = ct.bid(0)
    power = (ct.full((1,), 1.0, dtype=ct.float32) * rate) ** ct.full((1,), steps, dtype=ct.float32)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(e, index=(i,), tile=pt + power * (ct.load(e, index=(i,), shape=(T,), padding_mode=ZERO) - pt))


@ct.kernel
def centred(p, g, v, mean, lr: float, beta: float, eps: float, T: Const):
    """RMSProp less the square of the mean gradient."""
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    vt = beta * ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - beta) * gt * gt
    at = beta * ct.load(mean, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - beta) * gt
    ct.store(v, index=(i,), tile=vt)
    ct.store(mean, index=(i,), tile=at)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(p, index=(i,), tile=pt - lr * gt / ct.sqrt(vt - at * at + eps))


@ct.kernel
def centred_variance(p, g, v, mean, lr: float, beta: float, eps: float, T: Const):
    """The variance itself by the step's difference to the mean: beta (w + (1 - beta) (g - a)^2); v = w + a^2."""
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    before = ct.load(mean, index=(i,), shape=(T,), padding_mode=ZERO)
    d = gt - before
    w = ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO) - before * before
    w = beta * (w + (1.0 - beta) * d * d)
    at = before + (1.0 - beta) * d
    ct.store(v, index=(i,), tile=w + at * at)
    ct.store(mean, index=(i,), tile=at)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(p, index=(i,), tile=pt - gt * (lr * ct.rsqrt(w + eps)))


F1, F2, H2 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float16, 2)
FLOATS = [ct.float32] * 5
KERNELS = {
    "adamw_step": (adamw_step, [F1, F2, F1, F1, ct.int32, ct.int32, *FLOATS, 128]),
    "adamw_steps": (adamw_steps, [F1, F2, F1, F1, ct.int32, *FLOATS, 256]),
    "lion": (lion, [F1, F1, F1, *FLOATS[:4], 256]),
    "lion_lerp": (lion_lerp, [F1, F1, F1, *FLOATS[:4], 128]),
    "row_means": (row_means, [F2, F1, *FLOATS[:2], 8, 8]),
    "column_means": (column_means, [F2, F1, *FLOATS[:2], 8, 16]),
    "factored_step": (factored_step, [F2, F2, F1, F1, ct.float32, 32, 8, 16]),
    "adafactor": (adafactor, [F2, F2, F1, F1, *FLOATS[:3], 32, 32]),
    "square_sums": (square_sums, [F1, F1, 64]),
    "clipped_step": (clipped_step, [F1, F1, F1, *FLOATS[:2], 16, 256]),
    "clipped_step_whole": (clipped_step_whole, [F1, F1, *FLOATS[:2], 128]),
    "amsgrad": (amsgrad, [F1, F1, F1, F1, F1, *FLOATS[:4], 256]),
    "averaged": (averaged, [F1, F1, ct.float32, 256]),
    "amsgrad_averaged": (amsgrad_averaged, [F1, F1, F1, F1, F1, F1, *FLOATS, 128]),
    "lamb": (lamb, [F2, F2, F2, *FLOATS[:3], 4, 128]),
    "lamb_updates": (lamb_updates, [F2, F2, F2, F2, F2, *FLOATS[:2], 4, 32]),
    "lamb_step": (lamb_step, [F2, F2, F2, ct.float32, 8, 64]),
    "orthogonalised": (orthogonalised, [F2, F2, *FLOATS[:3], 32, 16]),
    "scaled_by_length": (scaled_by_length, [F2, F2, 8, 16]),
    "times_gram": (times_gram, [F2, F2, F2, *FLOATS[:2], 8, 16]),
    "combined": (combined, [F2, F2, F2, F2, *FLOATS[:3], 16, 16]),
    "accumulate": (accumulate, [H2, F1, ct.int32, ct.float32, 256]),
    "momentum_step": (momentum_step, [F1, F1, F1, *FLOATS[:3], 256]),
    "momentum_of_mean": (momentum_of_mean, [F1, H2, F1, *FLOATS[:3], 4, 128]),
    "average_steps": (average_steps, [F1, F1, ct.float32, ct.int32, 256]),
    "average_closed": (average_closed, [F1, F1, ct.float32, ct.int32, 128]),
    "centred": (centred, [F1, F1, F1, F1, *FLOATS[:3], 256]),
    "centred_variance": (centred_variance, [F1, F1, F1, F1, *FLOATS[:3], 128]),
}

# Elements in blocks of 128 and 256, rows of 8, columns of 16, 32 and 64: ragged, whole, one in the last, one.
MANY, WIDTHS = {"N": [700, 768, 513, 1]}, {"C": [100, 128, 97, 1]}
SQUARES, HEIGHTS = {"ROWS": [27, 25], "COLUMNS": [21, 32, 17, 1]}, {"N": [27, 32, 25, 1]}
BY_8, BY_128, BY_256 = "cdiv(N, 8)", "cdiv(N, 128)", "cdiv(N, 256)"
N = buffer("f32", ["N"], NORMAL)
POSITIVE = buffer("f32", ["N"], uniform(0.01, 2))
RATES = ["f32 0.01", "f32 0.9", "f32 0.99", "f32 1e-6", "f32 0.1"]
FACTORED = {
    **{n: buffer("f32", ["ROWS", "COLUMNS"], NORMAL) for n in "PG"},
    "R": buffer("f32", ["ROWS"], uniform(0.5, 2)),
    "C": buffer("f32", ["COLUMNS"], uniform(0.5, 2)),
}
LAYERS = {
    "P": buffer("f32", [7, "C"], NORMAL),
    "M": buffer("f32", [7, "C"], NORMAL),
    "V": buffer("f32", [7, "C"], uniform(0.01, 2)),
    "U": buffer("f32", [7, "C"]),
    "SUMS": buffer("f32", [2, 7], "zeros"),
}
SQUARE = {"G": buffer("f32", ["N", 13], NORMAL), **{n: buffer("f32", ["N", 13]) for n in ("X", "S", "T", "Y")}}
SCHULZ = ["f32 3.4445", "f32 -4.775", "f32 2.0315"]
BATCHES = {
    "P": N,
    "G": buffer("f16", [3, "N"], NORMAL),
    "M": N,
    "ACC": buffer("f32", ["N"], "zeros"),
}

PAIRS = [
    pair(
        "adamw",
        "three steps of AdamW from the 71st on with powers of the betas, and at once with powers carried along",
        {"P": N, "G": buffer("f32", [3, "N"], NORMAL), "M": N, "V": POSITIVE},
        [run("adamw_step", (BY_128,), "P", "G", "M", "V", f"i32 {k}", f"i32 {71 + k}", *RATES) for k in range(3)],
        [run("adamw_steps", (BY_256,), "P", "G", "M", "V", "i32 71", *RATES)],
        ["P", "M", "V"],
        [
            mutant("powers", "adamw_steps", "range(first - 1)", "range(first)", "corrections of the next step"),
            mutant(
                "not_carried",
                "adamw_steps",
                "        q1, q2 = q1 * b1, q2 * b2\n        gt",
                "        gt",
                "the same corrections in all steps",
            ),
            mutant("eps", "adamw_steps", "eps * root", "eps", "eps is not scaled"),
            mutant("moment", "adamw_steps", "(gt - mt)\n", "(gt + mt)\n", "a wrong sign in the first moment"),
            mutant(
                "decay", "adamw_steps", "pt - lr * decay * pt", "pt - decay * pt", "the decay is not scaled by the rate"
            ),
            launched(
                "one_element",
                "grid: [cdiv(N, 256)]",
                "grid: [max(cdiv(N - 1, 256), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("powers", "carried"),
        parameters=MANY,
    ),
    pair(
        "lion",
        "a step of Lion, and by interpolations with the sign as a quotient",
        {"P": N, "G": N, "M": N},
        [run("lion", (BY_256,), "P", "G", "M", "f32 0.01", "f32 0.9", "f32 0.99", "f32 0.1")],
        [run("lion_lerp", (BY_128,), "P", "G", "M", "f32 0.01", "f32 0.9", "f32 0.99", "f32 0.1")],
        ["P", "M"],
        [
            mutant("beta", "lion_lerp", "gt + b2 * (mt - gt)", "gt + b1 * (mt - gt)", "b1 for b2 in the moment"),
            mutant(
                "update", "lion_lerp", "size = ct.abs(c)", "size = ct.abs(gt)", "the size of the gradient for that of c"
            ),
            mutant("decay", "lion_lerp", "(sign + decay * pt)", "(sign - decay * pt)", "a wrong sign of the decay"),
            launched("swapped", "f32 0.9, f32 0.99", "f32 0.99, f32 0.9", "the betas are swapped"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("selects", "quotient"),
        parameters=MANY,
    ),
    pair(
        "adafactor",
        "a step of Adafactor in three launches, and in one block with two roots",
        FACTORED,
        [
            run("row_means", ("cdiv(ROWS, 8)",), "G", "R", "f32 0.9", "f32 1e-3"),
            run("column_means", ("cdiv(COLUMNS, 16)",), "G", "C", "f32 0.9", "f32 1e-3"),
            run("factored_step", ("cdiv(ROWS, 8)", "cdiv(COLUMNS, 16)"), "P", "G", "R", "C", "f32 0.01"),
        ],
        [run("adafactor", (1,), "P", "G", "R", "C", "f32 0.01", "f32 0.9", "f32 1e-3")],
        ["P", "R", "C"],
        [
            mutant(
                "mean",
                "adafactor",
                "ct.sum(rt, axis=0, keepdims=True) / rows)",
                "ct.sum(rt, axis=0, keepdims=True))",
                "the sum of rows for their mean",
            ),
            mutant(
                "columns",
                "adafactor",
                "ct.sum(squares, axis=0, keepdims=True) / rows",
                "ct.sum(squares, axis=0, keepdims=True) / columns",
                "divided by the number of columns",
            ),
            mutant("root", "adafactor", "ct.rsqrt(new)", "ct.rsqrt(old)", "the old statistics of columns"),
            mutant("eps", "adafactor", "gt * gt + eps, 0.0)", "gt * gt, 0.0)", "no eps"),
        ],
        names=("three", "one"),
        parameters=SQUARES,
    ),
    pair(
        "clipped",
        "a step with clipped gradients from sums of blocks, and with all of them summed up by each block",
        {"P": N, "G": N, "SUMS": buffer("f32", ["cdiv(N, 64)"])},
        [
            run("square_sums", ("cdiv(N, 64)",), "G", "SUMS"),
            run("clipped_step", (BY_256,), "P", "G", "SUMS", "f32 0.1", "f32 1.5"),
        ],
        [run("clipped_step_whole", (BY_128,), "P", "G", "f32 0.1", "f32 1.5")],
        ["P"],
        [
            mutant("limit", "clipped_step_whole", "lr * limit / below", "lr / below", "scaled to length 1"),
            mutant(
                "last",
                "clipped_step_whole",
                "range(ct.num_tiles(g, axis=0, shape=(T,)))",
                "range(g.shape[0] // T)",
                "the last, incomplete block is not in the norm",
            ),
            mutant("no_root", "clipped_step_whole", "ct.sqrt(ct.sum(acc))", "ct.sum(acc)", "the square of the norm"),
            mutant(
                "one_element",
                "clipped_step_whole",
                "ct.num_tiles(g, axis=0, shape=(T,))",
                "ct.cdiv(g.shape[0] - 1, T)",
                "a last block with a single element is not in the norm",
            ),
        ],
        names=("sums", "whole"),
        parameters=MANY,
    ),
    pair(
        "amsgrad",
        "AMSGrad and an average of the weights in two launches, and in one",
        {"P": N, "G": N, "M": N, "V": POSITIVE, "TOP": POSITIVE, "E": N},
        [
            run("amsgrad", (BY_256,), "P", "G", "M", "V", "TOP", *RATES[:4]),
            run("averaged", (BY_256,), "P", "E", "f32 0.999"),
        ],
        [run("amsgrad_averaged", (BY_128,), "P", "G", "M", "V", "TOP", "E", *RATES[:4], "f32 0.999")],
        ["P", "M", "V", "TOP", "E"],
        [
            mutant("stale", "amsgrad_averaged", "ct.sqrt(most)", "ct.sqrt(before)", "the largest before this step"),
            mutant("least", "amsgrad_averaged", "vt > before", "vt < before", "the smaller one"),
            mutant(
                "old",
                "amsgrad_averaged",
                "tile=pt + rate * (et - pt)",
                "tile=et + rate * (pt - et)",
                "rate for 1 - rate",
            ),
            mutant(
                "top",
                "amsgrad_averaged",
                "ct.store(top, index=(i,), tile=most)",
                "ct.store(top, index=(i,), tile=vt)",
                "the largest is not kept",
            ),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("two", "one"),
        parameters=MANY,
    ),
    pair(
        "lamb",
        "a step of LAMB row by row, and in column blocks with squares added by atomics",
        LAYERS,
        [run("lamb", (2,), "P", "M", "V", "f32 0.01", "f32 1e-3", "f32 0.1")],
        [
            run("lamb_updates", (2, "cdiv(C, 32)"), "P", "M", "V", "U", "SUMS", "f32 1e-3", "f32 0.1"),
            run("lamb_step", (1, "cdiv(C, 64)"), "P", "U", "SUMS", "f32 0.01"),
        ],
        ["P"],
        [
            mutant(
                "inverse", "lamb_step", "squares / of_update", "of_update / squares", "the ratio the wrong way round"
            ),
            mutant(
                "no_root", "lamb_step", "ct.sqrt(squares / of_update)", "squares / of_update", "the square of the ratio"
            ),
            mutant("decay", "lamb_updates", " + decay * pt\n", "\n", "no decay in the update"),
            launched(
                "last",
                "grid: [2, cdiv(C, 32)]",
                "grid: [2, max(cdiv(C, 32) - 1, 1)]",
                "the last columns have no update",
            ),
            launched(
                "not_added",
                "grid: [2, cdiv(C, 32)]",
                "grid: [2, max(cdiv(C - 1, 32), 1)]",
                "a last block with a single column has no update",
            ),
        ],
        names=("rows", "blocks"),
        parameters=WIDTHS,
    ),
    pair(
        "muon",
        "a step of Newton and Schulz in one block, and with products from the right in four launches",
        SQUARE,
        [run("orthogonalised", (1,), "G", "Y", *SCHULZ)],
        [
            run("scaled_by_length", (BY_8,), "G", "X"),
            run("times_gram", (BY_8,), "X", "X", "S", "f32 0", "f32 1"),
            run("times_gram", (BY_8,), "X", "S", "T", "f32 0", "f32 1"),
            run("combined", ("cdiv(N, 16)",), "X", "S", "T", "Y", *SCHULZ),
        ],
        ["Y"],
        [
            launched("power", "args: [X, S, T, f32 0", "args: [X, X, T, f32 0", "A X twice, A^2 X never"),
            launched("coefficient", "f32 2.0315]", "f32 2.0316]", "a wrong digit"),
            mutant(
                "block",
                "times_gram",
                "xt = ct.load(x, index=(i, 0)",
                "xt = ct.load(x, index=(0, 0)",
                "always the first rows",
            ),
            mutant(
                "length",
                "scaled_by_length",
                "squares = squares + gt * gt",
                "squares = gt * gt",
                "the length of the last rows",
            ),
            mutant(
                "one_row",
                "scaled_by_length",
                "ct.num_tiles(g, axis=0, shape=(T, D))",
                "ct.cdiv(g.shape[0] - 1, T)",
                "a last block with a single row is not in the length",
            ),
            mutant(
                "one_row_less",
                "times_gram",
                "ct.num_tiles(x, axis=0, shape=(T, D))",
                "ct.cdiv(x.shape[0] - 1, T)",
                "a last block with a single row is skipped",
            ),
        ],
        names=("one", "four"),
        parameters=HEIGHTS,
    ),
    pair(
        "accumulated",
        "a step with the mean of three gradients, and with gradients added up in place one by one",
        BATCHES,
        [run("momentum_of_mean", (BY_128,), "P", "G", "M", "f32 0.01", "f32 0.9", "f32 0.1")],
        [
            *[run("accumulate", (BY_256,), "G", "ACC", f"i32 {k}", "f32 0.33333334") for k in range(3)],
            run("momentum_step", (BY_256,), "P", "ACC", "M", "f32 0.01", "f32 0.9", "f32 0.1"),
        ],
        ["P", "M"],
        [
            launched("twice", "ACC, i32 2, ", "ACC, i32 1, ", "a gradient twice, the last one never"),
            launched("scale", "ACC, i32 2, f32 0.33333334", "ACC, i32 2, f32 1", "the last gradient is not scaled"),
            mutant(
                "overwritten",
                "accumulate",
                "padding_mode=ZERO) + gt",
                "padding_mode=ZERO) * 0.0 + gt",
                "only the last gradient is kept",
            ),
            mutant(
                "old",
                "momentum_step",
                "tile=pt - lr * mt",
                "tile=pt - lr * ct.load(acc, index=(i,), shape=(T,), padding_mode=ZERO)",
                "the step without momentum",
            ),
            launched(
                "one_element",
                "ACC, i32 2, f32 0.33333334]}\n    - {module: momentum_step.tileirbc, grid: [cdiv(N, 256)]",
                "ACC, i32 2, f32 0.33333334]}\n    - {module: momentum_step.tileirbc, grid: [max(cdiv(N - 1, 256), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("mean", "added"),
        parameters=MANY,
    ),
    pair(
        "average",
        "an average of weights over 100 steps, and in closed form with a power",
        {"P": N, "E": N},
        [run("average_steps", (BY_256,), "P", "E", "f32 0.98", "i32 100")],
        [run("average_closed", (BY_128,), "P", "E", "f32 0.98", "i32 100")],
        ["E"],
        [
            launched("steps", "i32 100", "i32 101", "one step more"),
            mutant("sign", "average_closed", "- pt))", "+ pt))", "a wrong sign"),
            mutant("power", "average_closed", "* rate) **", "* (1.0 - rate)) **", "1 - rate for rate"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("steps", "closed"),
        parameters=MANY,
    ),
    pair(
        "centred",
        "RMSProp less the mean's square, and by the variance's own recurrence",
        {"P": N, "G": N, "V": buffer("f32", ["N"], uniform(1, 3)), "MEAN": buffer("f32", ["N"], uniform(-0.5, 0.5))},
        [run("centred", (BY_256,), "P", "G", "V", "MEAN", "f32 0.01", "f32 0.9", "f32 1e-3")],
        [run("centred_variance", (BY_128,), "P", "G", "V", "MEAN", "f32 0.01", "f32 0.9", "f32 1e-3")],
        ["P", "V", "MEAN"],
        [
            mutant(
                "beta",
                "centred_variance",
                "w = beta * (w + (1.0 - beta) * d * d)",
                "w = beta * w + (1.0 - beta) * d * d",
                "beta is missing in the square",
            ),
            mutant("stale", "centred_variance", "tile=w + at * at", "tile=w + before * before", "the old mean"),
            mutant("gradient", "centred_variance", "pt - gt * (lr", "pt - d * (lr", "the difference for the gradient"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("squares", "variance"),
        parameters=MANY,
    ),
]
