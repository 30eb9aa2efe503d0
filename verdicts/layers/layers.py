# SPDX-License-Identifier: Apache-2.0
# Layers and what is between them: embeddings and their gradient, dropout by masks, adapters, statistics, images,
# pooling, histograms, running extremes, quaternions, losses.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO, NEG_INF = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF


# ---- embeddings ------------------------------------------------------------------------------------------------------
@ct.kernel
def embed(table, word, position, y, TM: Const, TN: Const):
    """y = table[word] + position, rows gathered; grid (row blocks)."""
    i = ct.bid(0)
    row = i * TM + ct.arange(TM, dtype=ct.int32)
    w = ct.gather(word, (row,), padding_value=0).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.gather(table, (w, column), padding_value=0.0)
    ct.store(y, index=(i, 0), tile=t + ct.load(position, index=(i, 0), shape=(TM, TN), padding_mode=ZERO))


@ct.kernel
def embed_one_hot(table, word, position, y, TM: Const, TN: Const, TK: Const):
    """The same as a product of one-hot rows with the table, in blocks of words."""
    i, j = ct.bid(0), ct.bid(1)
    w = ct.load(word, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    acc = ct.load(position, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    for k in range(ct.cdiv(table.shape[0], TK)):
        one = ct.where(w == k * TK + ct.arange(TK, dtype=ct.int32).reshape((1, TK)), 1.0, 0.0)
        acc = ct.mma(one, ct.load(table, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def clear(x, TM: Const, TN: Const):
    """x = 0; grid (row blocks)."""
    ct.store(x, index=(ct.bid(0), 0), tile=ct.full((TM, TN), 0.0, dtype=x.dtype))


@ct.kernel
def clear_counts(x, TM: Const):
    ct.store(x, index=(ct.bid(0),), tile=ct.full((TM,), 0, dtype=x.dtype))


@ct.kernel
def embed_backward(dy, word, dtable, TM: Const, TN: Const):
    """dtable[word] += dy by atomics; dtable is zero before; grid (row blocks)."""
    i = ct.bid(0)
    row = i * TM + ct.arange(TM, dtype=ct.int32)
    inside = row < dy.shape[0]
    w = ct.where(inside, ct.gather(word, (row,), mask=inside, padding_value=0), -1).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    ct.atomic_add(dtable, (w, column), ct.load(dy, index=(i, 0), shape=(TM, TN), padding_mode=ZERO))


@ct.kernel
def embed_backward_one_hot(dy, word, dtable, TM: Const, TN: Const, TK: Const):
    """The same as a product of one-hot columns; grid (word blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(dy.shape[0], TK)):
        w = ct.load(word, index=(k,), shape=(TK,), padding_mode=ZERO).reshape((1, TK))
        one = ct.where(w == i * TM + ct.arange(TM, dtype=ct.int32).reshape((TM, 1)), 1.0, 0.0)
        acc = ct.mma(one, ct.load(dy, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(dtable, index=(i, j), tile=acc)


@ct.kernel
def histogram(x, counts, low: float, width: float, BINS: Const, TM: Const):
    """Each element's bin by a division, counted by atomics; counts are zero before; grid (blocks)."""
    i = ct.bid(0)
    inside = i * TM + ct.arange(TM, dtype=ct.int32) < x.shape[0]
    t = ct.load(x, index=(i,), shape=(TM,), padding_mode=ZERO)
    place = ct.minimum(ct.maximum(ct.floor((t - low) / width), 0.0), BINS - 1.0).astype(ct.int32)
    ct.atomic_add(counts, (ct.where(inside, place, BINS),), 1)


@ct.kernel
def histogram_compared(x, counts, low: float, width: float, BINS: Const, TM: Const):
    """Each bin counts the elements at or above its lower edge, less those at or above its upper; one program."""
    edge = low + width * ct.arange(BINS, dtype=ct.int32).astype(ct.float32).reshape((BINS, 1))
    last = ct.arange(BINS, dtype=ct.int32).reshape((BINS, 1)) == BINS - 1
    first = ct.arange(BINS, dtype=ct.int32).reshape((BINS, 1)) == 0
    total = ct.full((BINS,), 0, dtype=ct.int32)
    for i in range(ct.cdiv(x.shape[0], TM)):
        inside = (i * TM + ct.arange(TM, dtype=ct.int32) < x.shape[0]).reshape((1, TM))
        t = ct.load(x, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((1, TM))
        here = inside & (first | (t >= edge)) & (last | (t < edge + width))
        total = total + ct.sum(ct.where(here, 1, 0), axis=1)
    ct.store(counts, index=(0,), tile=total)


# ---- residual, dropout, adapters -------------------------------------------------------------------------------------
@ct.kernel
def dropout(x, kept, residual, y, share: float, TM: Const, TN: Const):
    """y = residual + x / (1 - share) where kept."""
    i = ct.bid(0)
    k = ct.load(kept, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    t = ct.where(k != 0, ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO) / (1.0 - share), 0.0)
    ct.store(y, index=(i, 0), tile=t + ct.load(residual, index=(i, 0), shape=(TM, TN), padding_mode=ZERO))


@ct.kernel
def layer_norm(x, w, b, y, eps: float, TM: Const, TN: Const):
    i = ct.bid(0)
    n = x.shape[1]
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < n
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    d = ct.where(inside, t - ct.sum(t, axis=1, keepdims=True) / n, 0.0)
    r = ct.rsqrt(ct.sum(d * d, axis=1, keepdims=True) / n + eps)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    bt = ct.load(b, index=(0,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    ct.store(y, index=(i, 0), tile=d * r * wt + bt)


@ct.kernel
def dropout_layer_norm(x, kept, residual, w, b, y, scale: float, eps: float, TM: Const, TN: Const):
    """All in one, in column blocks: the residual is updated in place and its sums taken on the way."""
    i = ct.bid(0)
    n = x.shape[1]
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    s1 = ct.full((TM, 1), 0.0, dtype=ct.float32)
    s2 = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        k = ct.load(kept, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * k * scale
        t = t + ct.load(residual, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(residual, index=(i, j), tile=t)
        s1 = s1 + ct.sum(t, axis=1, keepdims=True)
        s2 = s2 + ct.sum(t * t, axis=1, keepdims=True)
    mean = s1 / n
    r = ct.rsqrt(s2 / n - mean * mean + eps)
    for j in range(blocks):
        t = ct.load(residual, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
        bt = ct.load(b, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
        ct.store(y, index=(i, j), tile=(t - mean) * r * wt + bt)


@ct.kernel
def adapter(x, w, a, b, y, alpha: float, RANK: Const, TM: Const, TN: Const, TK: Const):
    """y = x w + alpha / RANK (x a) b; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    low = ct.full((TM, RANK), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TK)):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(t, ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
        low = ct.mma(t, ct.load(a, index=(k, 0), shape=(TK, RANK), padding_mode=ZERO), low)
    bt = ct.load(b, index=(0, j), shape=(RANK, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=ct.mma(low * (alpha / RANK), bt, acc))


@ct.kernel
def merge_adapter(w, a, b, scale: float, RANK: Const, TM: Const, TN: Const):
    """w += scale a b, in place; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    at = ct.load(a, index=(i, 0), shape=(TM, RANK), padding_mode=ZERO) * scale
    bt = ct.load(b, index=(0, j), shape=(RANK, TN), padding_mode=ZERO)
    wt = ct.load(w, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(w, index=(i, j), tile=ct.mma(at, bt, wt))


@ct.kernel
def product(x, w, y, TM: Const, TN: Const, TK: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TK)):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(t, ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def adapters_each(x, w, a, b, which, y, TK: Const, TR: Const, TN: Const):
    """Each row has its own adapter (or none, -1), y = x w + (x a[which]) b[which]; grid (rows)."""
    row = ct.bid(0)
    n = ct.load(which, index=(row,), shape=(1,)).item()
    t = ct.load(x, index=(row, 0), shape=(1, TK), padding_mode=ZERO)
    y_t = ct.sum(
        t.reshape((TK, 1)) * ct.load(w, index=(0, 0), shape=(TK, TN), padding_mode=ZERO), axis=0, keepdims=True
    )
    if n >= 0:
        at = ct.load(a, index=(n, 0, 0), shape=(1, TK, TR), padding_mode=ZERO).reshape((TK, TR))
        bt = ct.load(b, index=(n, 0, 0), shape=(1, TR, TN), padding_mode=ZERO).reshape((TR, TN))
        low = ct.sum(t.reshape((TK, 1)) * at, axis=0)
        y_t = y_t + ct.sum(low.reshape((TR, 1)) * bt, axis=0, keepdims=True)
    ct.store(y, index=(row, 0), tile=y_t)


@ct.kernel
def adapters_masked(x, w, a, b, which, y, TM: Const, TK: Const, TR: Const, TN: Const):
    """All adapters for a block of rows, the low-rank middle masked; grid (row blocks)."""
    i = ct.bid(0)
    n = ct.load(which, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    t = ct.load(x, index=(i, 0), shape=(TM, TK), padding_mode=ZERO)
    wt = ct.load(w, index=(0, 0), shape=(TK, TN), padding_mode=ZERO)
    acc = ct.mma(t, wt, ct.full((TM, TN), 0.0, dtype=ct.float32))
    for e in range(a.shape[0]):
        at = ct.load(a, index=(e, 0, 0), shape=(1, TK, TR), padding_mode=ZERO).reshape((TK, TR))
        bt = ct.load(b, index=(e, 0, 0), shape=(1, TR, TN), padding_mode=ZERO).reshape((TR, TN))
        low = ct.mma(t, at, ct.full((TM, TR), 0.0, dtype=ct.float32))
        acc = ct.mma(ct.where(n == e, low, 0.0), bt, acc)
    ct.store(y, index=(i, 0), tile=acc)


# ---- statistics of channels ------------------------------------------------------------------------------------------
@ct.kernel
def batch_norm(x, y, running, momentum: float, eps: float, TM: Const, TN: Const):
    """Normalised over rows, each column by itself, in two passes; running [mean, variance] blended with the new ones,
    the variance there over rows - 1; grid (column blocks)."""
    j = ct.bid(0)
    rows = x.shape[0]
    inside = ct.arange(TM, dtype=ct.int32).reshape((TM, 1)) < rows
    t = ct.load(x, index=(0, j), shape=(TM, TN), padding_mode=ZERO)
    mean = ct.sum(t, axis=0, keepdims=True) / rows
    d = ct.where(inside, t - mean, 0.0)
    squares = ct.sum(d * d, axis=0, keepdims=True)
    ct.store(y, index=(0, j), tile=d * ct.rsqrt(squares / rows + eps))
    old_mean = ct.load(running, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    old_variance = ct.load(running, index=(1, j), shape=(1, TN), padding_mode=ZERO)
    ct.store(running, index=(0, j), tile=old_mean * (1.0 - momentum) + mean * momentum)
    ct.store(running, index=(1, j), tile=old_variance * (1.0 - momentum) + squares / (rows - 1) * momentum)


@ct.kernel
def batch_norm_merged(x, y, running, momentum: float, eps: float, TM: Const, TN: Const):
    """In blocks of rows: each block's mean and squares merged into those before (Chan); the last is a partial one."""
    j = ct.bid(0)
    rows = x.shape[0]
    blocks = ct.num_tiles(x, axis=0, shape=(TM, TN))
    count = ct.full((1, 1), 0.0, dtype=ct.float32)
    mean = ct.full((1, TN), 0.0, dtype=ct.float32)
    squares = ct.full((1, TN), 0.0, dtype=ct.float32)
    for i in range(blocks):
        here = min(TM, rows - i * TM)
        n = here * ct.full((1, 1), 1.0, dtype=ct.float32)
        inside = ct.arange(TM, dtype=ct.int32).reshape((TM, 1)) < here
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        m = ct.sum(t, axis=0, keepdims=True) / n
        d = ct.where(inside, t - m, 0.0)
        delta = m - mean
        total = count + n
        squares = squares + ct.sum(d * d, axis=0, keepdims=True) + delta * delta * (count * n / total)
        mean = mean + delta * (n / total)
        count = total
    r = 1.0 / ct.sqrt(squares / rows + eps)
    for i in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        ct.store(y, index=(i, j), tile=(t - mean) * r)
    old_mean = ct.load(running, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    old_variance = ct.load(running, index=(1, j), shape=(1, TN), padding_mode=ZERO)
    ct.store(running, index=(0, j), tile=old_mean + momentum * (mean - old_mean))
    ct.store(running, index=(1, j), tile=old_variance + momentum * (squares / (count - 1.0) - old_variance))


@ct.kernel
def group_norm(x, y, eps: float, CHANNELS: Const, TP: Const):
    """Groups of CHANNELS channels of [sample, channel, pixel]: all pixels at once; grid (samples, groups)."""
    i, g = ct.bid(0), ct.bid(1)
    n = CHANNELS * x.shape[2]
    inside = ct.arange(TP, dtype=ct.int32).reshape((1, 1, TP)) < x.shape[2]
    t = ct.load(x, index=(i, g, 0), shape=(1, CHANNELS, TP), padding_mode=ZERO)
    d = ct.where(inside, t - ct.sum(t) / n, 0.0)
    ct.store(y, index=(i, g, 0), tile=d * ct.rsqrt(ct.sum(d * d) / n + eps))


@ct.kernel
def group_norm_welford(x, y, eps: float, CHANNELS: Const, TP: Const):
    """Channel by channel and block by block of pixels, each lane with its own Welford, merged at the end."""
    i, g = ct.bid(0), ct.bid(1)
    pixels = x.shape[2]
    count = ct.full((1, 1, TP), 0.0, dtype=ct.float32)
    mean = ct.full((1, 1, TP), 0.0, dtype=ct.float32)
    squares = ct.full((1, 1, TP), 0.0, dtype=ct.float32)
    for c in range(CHANNELS):
        for j in range(ct.cdiv(pixels, TP)):
            inside = (j * TP + ct.arange(TP, dtype=ct.int32)).reshape((1, 1, TP)) < pixels
            t = ct.load(x, index=(i, g * CHANNELS + c, j), shape=(1, 1, TP), padding_mode=ZERO)
            more = ct.where(inside, count + 1.0, count)
            delta = ct.where(inside, t - mean, 0.0)
            mean = mean + delta / ct.maximum(more, 1.0)
            squares = squares + delta * ct.where(inside, t - mean, 0.0)
            count = more
    n = CHANNELS * pixels
    middle = ct.sum(mean * count) / n
    variance = (ct.sum(squares) + ct.sum(count * (mean - middle) * (mean - middle))) / n
    r = 1.0 / ct.sqrt(variance + eps)
    for c in range(CHANNELS):
        for j in range(ct.cdiv(pixels, TP)):
            t = ct.load(x, index=(i, g * CHANNELS + c, j), shape=(1, 1, TP), padding_mode=ZERO)
            ct.store(y, index=(i, g * CHANNELS + c, j), tile=(t - middle) * r)


# ---- images ----------------------------------------------------------------------------------------------------------
@ct.kernel
def bilinear(x, y, FACTOR: Const, TM: Const, TN: Const):
    """FACTOR times as many rows and columns, four neighbours gathered; edges repeated; grid (row, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    v = ct.maximum((row.astype(ct.float32) + 0.5) / FACTOR - 0.5, 0.0)
    u = ct.maximum((column.astype(ct.float32) + 0.5) / FACTOR - 0.5, 0.0)
    v0, u0 = ct.floor(v).astype(ct.int32), ct.floor(u).astype(ct.int32)
    v1, u1 = ct.minimum(v0 + 1, x.shape[0] - 1), ct.minimum(u0 + 1, x.shape[1] - 1)
    fv, fu = v - ct.floor(v), u - ct.floor(u)
    a, b = ct.gather(x, (v0, u0)), ct.gather(x, (v0, u1))
    c, d = ct.gather(x, (v1, u0)), ct.gather(x, (v1, u1))
    top, bottom = a + fu * (b - a), c + fu * (d - c)
    ct.store(y, index=(i, j), tile=top + fv * (bottom - top))


@ct.kernel
def hats(w, FACTOR: Const, TM: Const, TN: Const):
    """w[r, s] = max(0, 1 - |(r + 1/2) / FACTOR - 1/2 - s|), places clipped to the edges; grid (row blocks)."""
    i = ct.bid(0)
    n = w.shape[1]
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1)).astype(ct.float32)
    source = ct.arange(TN, dtype=ct.int32).reshape((1, TN)).astype(ct.float32)
    place = ct.minimum(ct.maximum((row + 0.5) / FACTOR - 0.5, 0.0), n - 1.0)
    ct.store(w, index=(i, 0), tile=ct.maximum(1.0 - ct.abs(place - source), 0.0))


@ct.kernel
def product_turned(x, w, y, TM: Const, TN: Const, TK: Const):
    """y = x w^T."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TK)):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        wt = ct.load(w, index=(j, k), shape=(TN, TK), padding_mode=ZERO)
        acc = ct.mma(t, ct.transpose(wt), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def nearest(x, y, FACTOR: Const, TM: Const, TN: Const):
    """Each element repeated FACTOR times both ways, gathered."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    ct.store(y, index=(i, j), tile=ct.gather(x, (row // FACTOR, column // FACTOR)))


@ct.kernel
def nearest_wide(x, y, FACTOR: Const, TM: Const, TN: Const):
    """The same: a tile of x made wider and stored for each of FACTOR rows; y is [rows, FACTOR, columns, FACTOR]."""
    i, j, repeat = ct.bid(0), ct.bid(1), ct.bid(2)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).reshape((TM, 1, TN, 1))
    ct.store(y, index=(i, repeat, j, 0), tile=ct.broadcast_to(t, (TM, 1, TN, FACTOR)))


@ct.kernel
def sums_of_repeats(y, s, FACTOR: Const, TM: Const, TN: Const):
    """s = y times (its flat place + 1), in rows and columns, to compare both layouts."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    place = (row * y.shape[1] + column + 1).astype(ct.float32)
    ct.store(s, index=(i, j), tile=place * ct.load(y, index=(i, j), shape=(TM, TN), padding_mode=ZERO))


@ct.kernel
def sums_of_repeats_4(y, s, FACTOR: Const, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    t = ct.gather(y, (row // FACTOR, row % FACTOR, column // FACTOR, column % FACTOR))
    ct.store(s, index=(i, j), tile=t * (row * s.shape[1] + column + 1).astype(ct.float32))


# ---- along rows ------------------------------------------------------------------------------------------------------
@ct.kernel
def running_extremes(x, high, low, TM: Const, TN: Const):
    """The largest and the smallest element up to each one; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ct.store(high, index=(i, 0), tile=ct.scan(t, 1, lambda a, b: ct.maximum(a, b), -math.inf))
    ct.store(low, index=(i, 0), tile=ct.scan(t, 1, lambda a, b: ct.minimum(a, b), math.inf))


@ct.kernel
def running_extremes_blocks(x, high, low, TM: Const, TN: Const):
    """In column blocks with carries; within a block by masks, every element against all before it."""
    i = ct.bid(0)
    place = ct.arange(TN, dtype=ct.int32)
    seen = place.reshape((1, 1, TN)) <= place.reshape((1, TN, 1))
    most = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    least = ct.full((TM, 1), math.inf, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        all_of_it = t.reshape((TM, 1, TN))
        up = ct.maximum(most, ct.max(ct.where(seen, all_of_it, -math.inf), axis=2))
        down = ct.minimum(least, ct.min(ct.where(seen, all_of_it, math.inf), axis=2))
        ct.store(high, index=(i, j), tile=up)
        ct.store(low, index=(i, j), tile=down)
        most = ct.maximum(most, ct.max(t, axis=1, keepdims=True))
        least = ct.minimum(least, ct.min(t, axis=1, keepdims=True))


@ct.kernel
def quaternions(p, q, r, TM: Const):
    """Products of quaternions [n, 4] by parts; grid (blocks)."""
    i = ct.bid(0)
    a = ct.load(p, index=(i, 0), shape=(TM, 1), padding_mode=ZERO)
    b = ct.load(p, index=(i, 1), shape=(TM, 1), padding_mode=ZERO)
    c = ct.load(p, index=(i, 2), shape=(TM, 1), padding_mode=ZERO)
    d = ct.load(p, index=(i, 3), shape=(TM, 1), padding_mode=ZERO)
    e = ct.load(q, index=(i, 0), shape=(TM, 1), padding_mode=ZERO)
    f = ct.load(q, index=(i, 1), shape=(TM, 1), padding_mode=ZERO)
    g = ct.load(q, index=(i, 2), shape=(TM, 1), padding_mode=ZERO)
    h = ct.load(q, index=(i, 3), shape=(TM, 1), padding_mode=ZERO)
    ct.store(r, index=(i, 0), tile=a * e - b * f - c * g - d * h)
    ct.store(r, index=(i, 1), tile=a * f + b * e + c * h - d * g)
    ct.store(r, index=(i, 2), tile=a * g - b * h + c * e + d * f)
    ct.store(r, index=(i, 3), tile=a * h + b * g - c * f + d * e)


@ct.kernel
def quaternions_eight(p, q, r, TM: Const):
    """The same with eight multiplications of sums and four more."""
    i = ct.bid(0)
    t = ct.load(p, index=(i, 0), shape=(TM, 4), padding_mode=ZERO)
    u = ct.load(q, index=(i, 0), shape=(TM, 4), padding_mode=ZERO)
    a, b = ct.extract(t, (0, 0), shape=(TM, 1)), ct.extract(t, (0, 1), shape=(TM, 1))
    c, d = ct.extract(t, (0, 2), shape=(TM, 1)), ct.extract(t, (0, 3), shape=(TM, 1))
    e, f = ct.extract(u, (0, 0), shape=(TM, 1)), ct.extract(u, (0, 1), shape=(TM, 1))
    g, h = ct.extract(u, (0, 2), shape=(TM, 1)), ct.extract(u, (0, 3), shape=(TM, 1))
    s1, s2 = (d + b) * (f + g), (d - b) * (f - g)
    s3, s4 = (a + c) * (e - h), (a - c) * (e + h)
    s = s1 + s3 + s4
    half = (s2 + s) * 0.5
    out = ct.cat(
        (
            ct.cat((half - s1 + (d - c) * (g - h), half - s + (b + a) * (f + e)), axis=1),
            ct.cat((half - s4 + (a - b) * (g + h), half - s3 + (d + c) * (e - f)), axis=1),
        ),
        axis=1,
    )
    ct.store(r, index=(i, 0), tile=out)


@ct.kernel
def similarities(x, y, z, TM: Const, TN: Const):
    """Cosine similarity of rows of x with rows of y: both made of unit length first, whole rows."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    b = ct.load(y, index=(j, 0), shape=(TM, TN), padding_mode=ZERO)
    a = a / ct.sqrt(ct.sum(a * a, axis=1, keepdims=True) + 1.0e-6)
    b = b / ct.sqrt(ct.sum(b * b, axis=1, keepdims=True) + 1.0e-6)
    ct.store(z, index=(i, j), tile=ct.mma(a, ct.transpose(b), ct.full((TM, TM), 0.0, dtype=ct.float32)))


@ct.kernel
def similarities_blocks(x, y, z, TM: Const, TN: Const):
    """Product and sums of squares in one pass over column blocks, scaled afterwards."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TM), 0.0, dtype=ct.float32)
    xx = ct.full((TM, 1), 0.0, dtype=ct.float32)
    yy = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        a = ct.load(x, index=(i, k), shape=(TM, TN), padding_mode=ZERO)
        b = ct.load(y, index=(j, k), shape=(TM, TN), padding_mode=ZERO)
        acc = ct.mma(a, ct.transpose(b), acc)
        xx = xx + ct.sum(a * a, axis=1, keepdims=True)
        yy = yy + ct.sum(b * b, axis=1, keepdims=True)
    ct.store(z, index=(i, j), tile=acc * ct.rsqrt(xx + 1.0e-6) * ct.transpose(ct.rsqrt(yy + 1.0e-6)))


F1, F2, F3, F4 = (array(ct.float32, rank) for rank in (1, 2, 3, 4))
I1, I2, FLOAT = array(ct.int32, 1), array(ct.int8, 2), ct.float32
KERNELS = {
    "embed": (embed, [F2, I1, F2, F2, 8, 32]),
    "embed_one_hot": (embed_one_hot, [F2, I1, F2, F2, 16, 16, 16]),
    "clear": (clear, [F2, 8, 32]),
    "clear_counts": (clear_counts, [I1, 8]),
    "embed_backward": (embed_backward, [F2, I1, F2, 8, 32]),
    "embed_backward_one_hot": (embed_backward_one_hot, [F2, I1, F2, 8, 16, 16]),
    "histogram": (histogram, [F1, I1, FLOAT, FLOAT, 16, 32]),
    "histogram_compared": (histogram_compared, [F1, I1, FLOAT, FLOAT, 16, 64]),
    "dropout": (dropout, [F2, I2, F2, F2, FLOAT, 4, 64]),
    "layer_norm": (layer_norm, [F2, F1, F1, F2, FLOAT, 4, 64]),
    "dropout_layer_norm": (dropout_layer_norm, [F2, I2, F2, F1, F1, F2, FLOAT, FLOAT, 8, 16]),
    "adapter": (adapter, [F2, F2, F2, F2, F2, FLOAT, 4, 16, 16, 16]),
    "merge_adapter": (merge_adapter, [F2, F2, F2, FLOAT, 4, 8, 32]),
    "product": (product, [F2, F2, F2, 8, 32, 32]),
    "adapters_each": (adapters_each, [F2, F2, F3, F3, I1, F2, 64, 4, 32]),
    "adapters_masked": (adapters_masked, [F2, F2, F3, F3, I1, F2, 8, 64, 4, 32]),
    "batch_norm": (batch_norm, [F2, F2, F2, FLOAT, FLOAT, 64, 8]),
    "batch_norm_merged": (batch_norm_merged, [F2, F2, F2, FLOAT, FLOAT, 16, 16]),
    "group_norm": (group_norm, [F3, F3, FLOAT, 4, 64]),
    "group_norm_welford": (group_norm_welford, [F3, F3, FLOAT, 4, 16]),
    "bilinear": (bilinear, [F2, F2, 2, 8, 16]),
    "hats": (hats, [F2, 2, 8, 32]),
    "product_rows": (product, [F2, F2, F2, 8, 16, 16]),
    "product_turned": (product_turned, [F2, F2, F2, 8, 16, 16]),
    "nearest": (nearest, [F2, F2, 4, 8, 16]),
    "nearest_wide": (nearest_wide, [F2, F4, 4, 4, 8]),
    "sums_of_repeats": (sums_of_repeats, [F2, F2, 4, 8, 16]),
    "sums_of_repeats_4": (sums_of_repeats_4, [F4, F2, 4, 8, 16]),
    "running_extremes": (running_extremes, [F2, F2, F2, 4, 64]),
    "running_extremes_blocks": (running_extremes_blocks, [F2, F2, F2, 8, 16]),
    "quaternions": (quaternions, [F2, F2, F2, 16]),
    "quaternions_eight": (quaternions_eight, [F2, F2, F2, 8]),
    "similarities": (similarities, [F2, F2, F2, 8, 64]),
    "similarities_blocks": (similarities_blocks, [F2, F2, F2, 16, 16]),
}

WORDS = {
    "TABLE": buffer("f32", ["V", 24], NORMAL),
    "WORD": buffer("i32", [37], integers(0, "V - 1")),
    "POSITION": buffer("f32", [37, 24], NORMAL),
    "Y": buffer("f32", [37, 24]),
}
# Rows in blocks of 4 and 8, columns and inner steps in blocks of 16 and 32: ragged, whole, one in the last, one.
SIZES, DEPTHS = {"ROWS": [21, 17], "COLUMNS": [50, 64, 33, 2]}, {"D": [40, 64, 33, 1]}
WIDTHS = {"W": [21, 32, 17, 1]}
BY_4, BY_8 = "cdiv(ROWS, 4)", "cdiv(ROWS, 8)"
NORMED = {
    "X": buffer("f32", ["ROWS", "COLUMNS"], NORMAL),
    "KEPT": buffer("i8", ["ROWS", "COLUMNS"], integers(0, 1)),
    "R": buffer("f32", ["ROWS", "COLUMNS"], NORMAL),
    "W": buffer("f32", ["COLUMNS"], NORMAL),
    "B": buffer("f32", ["COLUMNS"], NORMAL),
    "Y": buffer("f32", ["ROWS", "COLUMNS"]),
}
ADAPTED = {
    "X": buffer("f32", [21, "D"], NORMAL),
    "W": buffer("f32", ["D", 27], NORMAL),
    "A": buffer("f32", ["D", 4], NORMAL),
    "B": buffer("f32", [4, 27], NORMAL),
    "Y": buffer("f32", [21, 27]),
}
IMAGE = buffer("f32", [13, "W"], NORMAL)
ROWS = {"X": buffer("f32", ["ROWS", "COLUMNS"], NORMAL)}

PAIRS = [
    pair(
        "embedding",
        "rows of a table gathered, and multiplied by one-hot rows",
        WORDS,
        [run("embed", (5,), "TABLE", "WORD", "POSITION", "Y")],
        [run("embed_one_hot", (3, 2), "TABLE", "WORD", "POSITION", "Y")],
        ["Y"],
        [
            mutant(
                "last_words",
                "embed_one_hot",
                "range(ct.cdiv(table.shape[0], TK))",
                "range(table.shape[0] // TK)",
                "the last words have no row",
            ),
            mutant("next_word", "embed_one_hot", "w == k * TK", "w + 1 == k * TK", "the next word's row"),
            mutant(
                "no_position",
                "embed_one_hot",
                "acc = ct.load(position, index=(i, j)",
                "acc = ct.load(position, index=(0, j)",
                "always the first positions",
            ),
        ],
        names=("gathered", "one_hot"),
        parameters={"V": [43, 48, 33, 1]},
    ),
    pair(
        "embedding_backward",
        "the gradient of a table by one-hot products, and added by atomics",
        {
            "DY": buffer("f32", ["N", 24], NORMAL),
            "WORD": buffer("i32", ["N"], integers(0, 42)),
            "DT": buffer("f32", [43, 24]),
        },
        [run("embed_backward_one_hot", (6, 2), "DY", "WORD", "DT")],
        [run("clear", (6,), "DT"), run("embed_backward", ("cdiv(N, 8)",), "DY", "WORD", "DT")],
        ["DT"],
        [
            mutant(
                "replaced",
                "embed_backward",
                "ct.atomic_add(dtable,",
                "ct.atomic_xchg(dtable,",
                "a word's last row only",
            ),
            mutant(
                "last_rows",
                "embed_backward",
                "inside = row < dy.shape[0]",
                "inside = row < dy.shape[0] // TM * TM",
                "the last rows do not count",
            ),
            mutant(
                "same_word",
                "embed_backward",
                "ct.gather(word, (row,)",
                "ct.gather(word, (row // 2 * 2,)",
                "each second row goes to the word before",
            ),
            launched(
                "not_cleared",
                "    - {module: clear.tileirbc, grid: [6], args: [DT]}\n",
                "",
                "added to what was in memory",
            ),
            launched("cleared_in_part", "grid: [6]", "grid: [5]", "the last words are not cleared"),
            launched(
                "one_word",
                "embed_backward.tileirbc, grid: [cdiv(N, 8)]",
                "embed_backward.tileirbc, grid: [max(cdiv(N - 1, 8), 1)]",
                "a last block with a single word is left out",
            ),
        ],
        names=("one_hot", "atomics"),
        parameters={"N": [37, 48, 33, 1]},
    ),
    pair(
        "histogram",
        "bins by comparisons with their edges, and by a division and atomics",
        {"X": buffer("f32", ["N"], NORMAL), "C": buffer("i32", [16])},
        [run("histogram_compared", (1,), "X", "C", "f32 -2", "f32 0.25")],
        [run("clear_counts", (2,), "C"), run("histogram", ("cdiv(N, 32)",), "X", "C", "f32 -2", "f32 0.25")],
        ["C"],
        [
            mutant("tail", "histogram", "ct.where(inside, place, BINS)", "place", "zeros behind the end are counted"),
            mutant(
                "no_lower_bound",
                "histogram",
                "ct.maximum(ct.floor((t - low) / width), 0.0)",
                "ct.floor((t - low) / width)",
                "elements below the first bin are lost",
            ),
            mutant("rounded", "histogram", "/ width)", "/ width + 0.5)", "rounded to the nearest edge"),
            launched("cleared_in_part", "grid: [2]", "grid: [1]", "half of the counts is not cleared"),
        ],
        names=("compared", "atomics"),
        parameters={"N": [300, 320, 257, 1]},
    ),
    pair(
        "dropout_norm",
        "dropout by a mask, residual and layer norm in two launches, and in one with the residual updated in place",
        NORMED | {"R2": buffer("f32", ["ROWS", "COLUMNS"])},
        [
            run("dropout", (BY_4,), "X", "KEPT", "R", "R2", "f32 0.1"),
            run("layer_norm", (BY_4,), "R2", "W", "B", "Y", "f32 1e-5"),
        ],
        [run("dropout_layer_norm", (BY_8,), "X", "KEPT", "R", "W", "B", "Y", "f32 1.1111112", "f32 1e-5")],
        ["Y"],
        [
            mutant("kept", "dropout_layer_norm", "* k * scale", "* (1.0 - k) * scale", "what is kept is dropped"),
            mutant("not_scaled", "dropout_layer_norm", "* k * scale", "* k", "what is kept is not scaled"),
            mutant(
                "not_stored",
                "dropout_layer_norm",
                "ct.store(residual, index=(i, j), tile=t)",
                "ct.store(residual, index=(i, j), tile=ct.load(residual, index=(i, j), shape=(TM, TN), padding_mode=ZERO))",
                "the residual is not updated",
            ),
            mutant(
                "mean_missing",
                "dropout_layer_norm",
                "s2 / n - mean * mean",
                "s2 / n",
                "the variance lacks the mean's square",
            ),
            mutant(
                "kept_block",
                "dropout_layer_norm",
                "ct.load(kept, index=(i, j)",
                "ct.load(kept, index=(i, 0)",
                "always the first block of the mask",
            ),
            mutant("divided", "dropout_layer_norm", "* k * scale", "* k / scale", "scaled by 1 - share"),
            mutant(
                "one_column",
                "dropout_layer_norm",
                "s2 = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "s2 = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(n - 1, TN))",
                "a last block with a single column is left out of the sums",
            ),
            launched(
                "one_row",
                "grid: [cdiv(ROWS, 8)]",
                "grid: [cdiv(ROWS - 1, 8)]",
                "a last block with a single row is left out",
            ),
        ],
        names=("launches", "in_place"),
        more="means: {1.1111112: 1 / 0.9}\n",
        parameters=SIZES,
    ),
    pair(
        "adapter",
        "a low-rank adapter beside the product, and merged into the weights in place",
        ADAPTED,
        [run("adapter", (2, 2), "X", "W", "A", "B", "Y", "f32 8")],
        [run("merge_adapter", ("cdiv(D, 8)", 1), "W", "A", "B", "f32 2"), run("product", (3, 1), "X", "W", "Y")],
        ["Y"],
        [
            mutant(
                "not_scaled",
                "merge_adapter",
                "padding_mode=ZERO) * scale",
                "padding_mode=ZERO)",
                "the adapter is not scaled",
            ),
            mutant(
                "replaced",
                "merge_adapter",
                "ct.mma(at, bt, wt)",
                "ct.mma(at, bt, ct.full((TM, TN), 0.0, dtype=ct.float32))",
                "the weights are replaced",
            ),
            mutant(
                "rows",
                "merge_adapter",
                "ct.load(a, index=(i, 0)",
                "ct.load(a, index=(0, 0)",
                "always the first rows of a",
            ),
            launched("rank", "f32 2", "f32 8", "not divided by the rank"),
            launched(
                "rows_left",
                "grid: [cdiv(D, 8), 1]",
                "grid: [max(cdiv(D, 8) - 1, 1), 1]",
                "the last rows of the weights are not merged",
            ),
            mutant(
                "one_element",
                "product",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
            launched(
                "one_row",
                "grid: [cdiv(D, 8), 1]",
                "grid: [max(cdiv(D - 1, 8), 1), 1]",
                "a last row of the weights, alone in its block, is not merged",
            ),
        ],
        names=("beside", "merged"),
        parameters=DEPTHS,
    ),
    pair(
        "adapters",
        "each row's own adapter, and all adapters for blocks of rows with the middle masked",
        ADAPTED
        | {
            "A": buffer("f32", [3, "D", 4], NORMAL),
            "B": buffer("f32", [3, 4, 27], NORMAL),
            "WHICH": buffer("i32", [21], integers(-1, 2)),
        },
        [run("adapters_each", (21,), "X", "W", "A", "B", "WHICH", "Y")],
        [run("adapters_masked", (3,), "X", "W", "A", "B", "WHICH", "Y")],
        ["Y"],
        [
            mutant(
                "others",
                "adapters_masked",
                "ct.where(n == e, low, 0.0)",
                "ct.where(n >= e, low, 0.0)",
                "those before as well",
            ),
            mutant(
                "none",
                "adapters_masked",
                "ct.where(n == e,",
                "ct.where(ct.maximum(n, 0) == e,",
                "no adapter is the first one",
            ),
            mutant(
                "last", "adapters_masked", "range(a.shape[0])", "range(a.shape[0] - 1)", "the last adapter is left out"
            ),
            mutant(
                "second",
                "adapters_masked",
                "ct.load(b, index=(e, 0, 0)",
                "ct.load(b, index=(0, 0, 0)",
                "the first one's second matrix",
            ),
        ],
        names=("rows", "masked"),
        parameters=DEPTHS,
    ),
    pair(
        "batch_norm",
        "batch norm in two passes with running statistics, and from blocks of rows merged by Chan's formula",
        {"X": buffer("f32", ["N", 20], NORMAL), "Y": buffer("f32", ["N", 20])}
        | {"R": buffer("f32", [2, 20], "{uniform: {low: 0.5, high: 1.5}}")},
        [run("batch_norm", (3,), "X", "Y", "R", "f32 0.1", "f32 1e-5")],
        [run("batch_norm_merged", (2,), "X", "Y", "R", "f32 0.1", "f32 1e-5")],
        ["Y", "R"],
        [
            mutant(
                "full_blocks",
                "batch_norm_merged",
                "here = min(TM, rows - i * TM)",
                "here = min(TM, rows)",
                "the last block counts as a full one",
            ),
            mutant(
                "biased",
                "batch_norm_merged",
                "squares / (count - 1.0)",
                "squares / count",
                "the running variance over all rows",
            ),
            mutant(
                "momentum",
                "batch_norm_merged",
                "old_mean + momentum * (mean - old_mean)",
                "mean + momentum * (old_mean - mean)",
                "old and new swapped",
            ),
            mutant(
                "no_between",
                "batch_norm_merged",
                " + delta * delta * (count * n / total)",
                "",
                "squares between the blocks are missing",
            ),
            mutant(
                "weight",
                "batch_norm_merged",
                "delta * (n / total)",
                "delta * (count / total)",
                "the mean has the other weight",
            ),
            mutant(
                "one_row",
                "batch_norm_merged",
                "squares = ct.full((1, TN), 0.0, dtype=ct.float32)\n    for i in range(blocks)",
                "squares = ct.full((1, TN), 0.0, dtype=ct.float32)\n    for i in range(ct.cdiv(rows - 1, TM))",
                "a last block with a single row is left out of the statistics",
            ),
        ],
        names=("passes", "merged"),
        parameters={"N": [53, 64, 49, 2]},
    ),
    pair(
        "group_norm",
        "group norm of [sample, channel, pixel] in two passes, and lane by lane by Welford's method",
        {"X": buffer("f32", [2, 12, "N"], NORMAL), "Y": buffer("f32", [2, 12, "N"])},
        [run("group_norm", (2, 3), "X", "Y", "f32 1e-5")],
        [run("group_norm_welford", (2, 3), "X", "Y", "f32 1e-5")],
        ["Y"],
        [
            mutant(
                "tail",
                "group_norm_welford",
                "delta = ct.where(inside, t - mean, 0.0)",
                "delta = t - mean",
                "lanes behind the end go on",
            ),
            mutant(
                "counts",
                "group_norm_welford",
                "more = ct.where(inside, count + 1.0, count)",
                "more = count + 1.0",
                "lanes behind the end are counted",
            ),
            mutant(
                "not_merged",
                "group_norm_welford",
                "ct.sum(count * (mean - middle) * (mean - middle))",
                "0.0",
                "the lanes' means are left out of the variance",
            ),
            mutant(
                "mean_of_means",
                "group_norm_welford",
                "ct.sum(mean * count) / n",
                "ct.sum(mean) / TP",
                "the mean of the lanes' means",
            ),
            mutant(
                "channel",
                "group_norm_welford",
                "            t = ct.load(x, index=(i, g * CHANNELS + c, j), shape=(1, 1, TP), padding_mode=ZERO)\n            more",
                "            t = ct.load(x, index=(i, g + c, j), shape=(1, 1, TP), padding_mode=ZERO)\n            more",
                "statistics of other channels",
            ),
        ],
        names=("passes", "welford"),
        parameters={"N": [49, 64, 50, 1]},
    ),
    pair(
        "bilinear",
        "bilinear interpolation from four neighbours, and as two products with interpolation matrices",
        {"X": IMAGE, "Y": buffer("f32", [26, "2 * W"]), "WR": buffer("f32", [26, 13])}
        | {"WC": buffer("f32", ["2 * W", "W"]), "T": buffer("f32", [26, "W"])},
        [run("bilinear", (4, "cdiv(2 * W, 16)"), "X", "Y")],
        [
            run("hats", (4,), "WR"),
            run("hats", ("cdiv(2 * W, 8)",), "WC"),
            run("product_rows", (4, "cdiv(W, 16)"), "WR", "X", "T"),
            run("product_turned", (4, "cdiv(2 * W, 16)"), "T", "WC", "Y"),
        ],
        ["Y"],
        [
            mutant(
                "corners", "hats", "(row + 0.5) / FACTOR - 0.5", "row / FACTOR", "pixels at corners, not in the middle"
            ),
            mutant(
                "edges",
                "hats",
                "ct.minimum(ct.maximum((row + 0.5) / FACTOR - 0.5, 0.0), n - 1.0)",
                "(row + 0.5) / FACTOR - 0.5",
                "edges fade",
            ),
            mutant(
                "nearest",
                "hats",
                "ct.maximum(1.0 - ct.abs(place - source), 0.0)",
                "ct.where(ct.abs(place - source) <= 0.5, 1.0, 0.0)",
                "the nearest neighbour",
            ),
            mutant(
                "turned",
                "product_turned",
                "ct.load(w, index=(j, k)",
                "ct.load(w, index=(j, k * 0)",
                "always the first columns",
            ),
            mutant(
                "one_element",
                "product_turned",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("gathered", "products"),
        parameters=WIDTHS,
    ),
    pair(
        "nearest",
        "each pixel repeated by gathers, and by wide tiles in four dimensions",
        {
            "X": IMAGE,
            "Y": buffer("f32", [52, "4 * W"]),
            "Y4": buffer("f32", [13, 4, "W", 4]),
            "S": buffer("f32", [52, "4 * W"]),
        },
        [run("nearest", (7, "cdiv(4 * W, 16)"), "X", "Y"), run("sums_of_repeats", (7, "cdiv(4 * W, 16)"), "Y", "S")],
        [
            run("nearest_wide", (4, "cdiv(W, 8)", 4), "X", "Y4"),
            run("sums_of_repeats_4", (7, "cdiv(4 * W, 16)"), "Y4", "S"),
        ],
        ["S"],
        [
            mutant(
                "swapped",
                "sums_of_repeats_4",
                "row // FACTOR, row % FACTOR,",
                "(row + 1) // FACTOR % 13, row % FACTOR,",
                "a row late",
            ),
            mutant(
                "columns",
                "sums_of_repeats_4",
                "column // FACTOR, column % FACTOR",
                "column % 21, column // 21",
                "the picture four times",
            ),
            mutant(
                "block",
                "nearest_wide",
                "ct.load(x, index=(i, j)",
                "ct.load(x, index=(i, j // 2 * 2)",
                "each second block is the one before",
            ),
        ],
        names=("gathered", "wide"),
        parameters=WIDTHS,
    ),
    pair(
        "running_extremes",
        "running maxima and minima by scans, and in column blocks with carries",
        ROWS | {"H": buffer("f32", ["ROWS", "COLUMNS"]), "L": buffer("f32", ["ROWS", "COLUMNS"])},
        [run("running_extremes", (BY_4,), "X", "H", "L")],
        [run("running_extremes_blocks", (BY_8,), "X", "H", "L")],
        ["H", "L"],
        [
            mutant(
                "no_carry",
                "running_extremes_blocks",
                "up = ct.maximum(most, ct.max(ct.where(seen, all_of_it, -math.inf), axis=2))",
                "up = ct.max(ct.where(seen, all_of_it, -math.inf), axis=2)",
                "no carry of the maximum",
            ),
            mutant(
                "strict",
                "running_extremes_blocks",
                "(1, 1, TN)) <= place",
                "(1, 1, TN)) < place",
                "without the element itself",
            ),
            mutant(
                "carry_of_block",
                "running_extremes_blocks",
                "least = ct.minimum(least, ct.min(t, axis=1, keepdims=True))",
                "least = ct.min(t, axis=1, keepdims=True)",
                "the carry is the last block's minimum",
            ),
            mutant(
                "masked_by_zero",
                "running_extremes_blocks",
                "ct.where(seen, all_of_it, -math.inf)",
                "ct.where(seen, all_of_it, 0.0)",
                "masked by 0",
            ),
            mutant(
                "one_column",
                "running_extremes_blocks",
                "ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "ct.cdiv(x.shape[1] - 1, TN)",
                "a last block with a single column is skipped",
            ),
            launched(
                "one_row",
                "grid: [cdiv(ROWS, 8)]",
                "grid: [cdiv(ROWS - 1, 8)]",
                "a last block with a single row is left out",
            ),
        ],
        names=("scan", "blocks"),
        parameters=SIZES,
    ),
    pair(
        "quaternions",
        "products of quaternions with sixteen multiplications, and with eight",
        {"P": buffer("f32", ["N", 4], NORMAL), "Q": buffer("f32", ["N", 4], NORMAL), "R": buffer("f32", ["N", 4])},
        [run("quaternions", ("cdiv(N, 16)",), "P", "Q", "R")],
        [run("quaternions_eight", ("cdiv(N, 8)",), "P", "Q", "R")],
        ["R"],
        [
            mutant(
                "sign", "quaternions_eight", "(d - c) * (g - h)", "(d - c) * (h - g)", "one product has the wrong sign"
            ),
            mutant(
                "swapped",
                "quaternions_eight",
                "t = ct.load(p, index",
                "t = ct.load(q, index",
                "the second factor twice",
            ),
            mutant("half", "quaternions_eight", "(s2 + s) * 0.5", "(s2 + s)", "not halved"),
            mutant(
                "conjugated",
                "quaternions_eight",
                "half - s4 + (a - b) * (g + h)",
                "s4 - half - (a - b) * (g + h)",
                "one part is negated",
            ),
            launched(
                "one_row",
                "grid: [cdiv(N, 8)]",
                "grid: [max(cdiv(N - 1, 8), 1)]",
                "a last block with a single row is left out",
            ),
        ],
        names=("sixteen", "eight"),
        parameters={"N": [101, 112, 97, 1]},
    ),
    pair(
        "cosine",
        "cosine similarities of rows made of unit length, and of products scaled afterwards in column blocks",
        {
            "X": buffer("f32", [21, "COLUMNS"], NORMAL),
            "Y": buffer("f32", [13, "COLUMNS"], NORMAL),
            "Z": buffer("f32", [21, 13]),
        },
        [run("similarities", (3, 2), "X", "Y", "Z")],
        [run("similarities_blocks", (2, 1), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "one_side",
                "similarities_blocks",
                " * ct.transpose(ct.rsqrt(yy + 1.0e-6))",
                "",
                "only one side is scaled",
            ),
            mutant(
                "squares_of_last",
                "similarities_blocks",
                "xx = xx + ct.sum(a * a",
                "xx = ct.sum(a * a",
                "squares of the last block",
            ),
            mutant(
                "rows", "similarities_blocks", "ct.transpose(ct.rsqrt(yy", "(ct.rsqrt(yy", "the other rows' lengths"
            ),
            mutant("no_root", "similarities_blocks", "ct.rsqrt(xx + 1.0e-6)", "(1.0 / (xx + 1.0e-6))", "no root"),
            mutant(
                "one_column",
                "similarities_blocks",
                "ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "ct.cdiv(x.shape[1] - 1, TN)",
                "a last block with a single column is skipped",
            ),
        ],
        names=("unit", "afterwards"),
        parameters={"COLUMNS": [50, 64, 33, 1]},
    ),
]
