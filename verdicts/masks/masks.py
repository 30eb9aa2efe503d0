# SPDX-License-Identifier: Apache-2.0
# Attention with other masks and weights: prefix, sinks and windows, strides, documents, padded keys, dropout, tables of
# distances, sigmoids, thresholds.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


@ct.kernel
def whole(q, k, v, bias, o, scale: float, D: Const, TM: Const, TN: Const):
    """All keys at once; bias [query, key] is added to the scores, -inf where not seen; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    bt = ct.load(bias, index=(block, 0), shape=(TM, TN), padding_mode=ZERO)
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < k.shape[1], s + bt, -math.inf)
    e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
    acc = ct.mma(e / ct.sum(e, axis=1, keepdims=True), vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def bias_prefix(bias, prefix: int, TM: Const, TN: Const):
    """0 for keys of the prefix and up to the query's own, -inf for others; grid (query blocks)."""
    row = (ct.bid(0) * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    ct.store(bias, index=(ct.bid(0), 0), tile=ct.where((column <= row) | (column < prefix), 0.0, -math.inf))


@ct.kernel
def flash_prefix(q, k, v, o, scale: float, prefix: int, D: Const, TM: Const, TN: Const):
    """Blocks of the prefix and blocks up to the diagonal; only those on an edge are masked."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    last = min(ct.cdiv(max((block + 1) * TM, prefix), TN), ct.cdiv(k.shape[1], TN))
    for j in range(last):
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
        if (j + 1) * TN > min(block * TM, k.shape[1]):
            s = ct.where((column < prefix) | (column <= row), s, -math.inf)
            s = ct.where(column < k.shape[1], s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))


@ct.kernel
def bias_stream(bias, sinks: int, window: int, TM: Const, TN: Const):
    """Causal: the first `sinks` keys and the last `window` ones."""
    row = (ct.bid(0) * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    seen = (column <= row) & ((column < sinks) | (column > row - window))
    ct.store(bias, index=(ct.bid(0), 0), tile=ct.where(seen, 0.0, -math.inf))


@ct.kernel
def flash_stream(q, k, v, o, scale: float, sinks: int, window: int, D: Const, TM: Const, TN: Const):
    """The sinks' block first, then the blocks of the window; blocks between are skipped. sinks is at most TN."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    place = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    s = ct.where((place < sinks) & (place <= row), s, -math.inf)
    m = ct.max(s, axis=1, keepdims=True)
    e = ct.exp(s - m)
    l = ct.sum(e, axis=1, keepdims=True)
    acc = ct.mma(e, vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    first = max(0, block * TM - window + 1) // TN
    for j in range(first, min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN))):
        column = j * TN + place
        kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((column <= row) & (column > row - window) & (column >= sinks), s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp(m - m_new), ct.exp(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))


@ct.kernel
def bias_strided(bias, stride: int, TM: Const, TN: Const):
    """Causal: every stride-th key back from the query's own."""
    row = (ct.bid(0) * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    seen = (column <= row) & ((row - column) % stride == 0)
    ct.store(bias, index=(ct.bid(0), 0), tile=ct.where(seen, 0.0, -math.inf))


@ct.kernel
def strided(q, k, v, o, scale: float, STRIDE: Const, D: Const, TM: Const, TN: Const):
    """The sequence as STRIDE interleaved ones, each causal by itself, rows gathered; grid (blocks, heads, strides)."""
    block, head, phase = ct.bid(0), ct.bid(1), ct.bid(2)
    feature = ct.arange(D, dtype=ct.int32).reshape((1, D))
    row = ((block * TM + ct.arange(TM, dtype=ct.int32)) * STRIDE + phase).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.gather(q, (head, row, feature), padding_value=0.0)
    for j in range(ct.cdiv((block + 1) * TM, TN)):
        column = (j * TN + ct.arange(TN, dtype=ct.int32)) * STRIDE + phase
        kt = ct.gather(k, (head, column.reshape((TN, 1)), feature), padding_value=0.0)
        vt = ct.gather(v, (head, column.reshape((TN, 1)), feature), padding_value=0.0)
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where(column.reshape((1, TN)) <= row, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp(m - m_new), ct.exp(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, vt, acc * alpha)
        m = m_new
    ct.scatter(o, (head, row, feature), acc / l)


@ct.kernel
def bias_distances(table, bias, BUCKETS: Const, TM: Const, TN: Const):
    """bias = table[bucket]: distances up to BUCKETS - 1 have one each, longer ones the last; grid (query blocks)."""
    row = (ct.bid(0) * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    away = ct.maximum(row - column, column - row)
    bucket = ct.minimum(away, BUCKETS - 1)
    ct.store(bias, index=(ct.bid(0), 0), tile=ct.gather(table, (bucket,), padding_value=0.0))


@ct.kernel
def flash_distances(q, k, v, table, o, scale: float, BUCKETS: Const, D: Const, TM: Const, TN: Const):
    """The table's entry by comparisons with each bucket, in the score itself, base 2."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        away = ct.abs(row - column)
        bias = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for b in range(BUCKETS):
            here = (away == b) | ((away > b) & (ct.full((TM, TN), b, dtype=ct.int32) == BUCKETS - 1))
            bias = ct.where(here, ct.load(table, index=(b,), shape=(1,)).reshape((1, 1)), bias)
        kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = (ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale + bias) * LOG2_E
        s = ct.where(column < k.shape[1], s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))


@ct.kernel
def whole_dropped(q, k, v, kept, o, scale: float, share: float, D: Const, TM: Const, TN: Const):
    """Weights dropped by a mask [head, query, key] after the softmax, the others divided by 1 - share."""
    block, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < k.shape[1], s, -math.inf)
    e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    keep = ct.load(kept, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN)) == 1
    p = ct.where(keep, p / (1.0 - share), 0.0)
    acc = ct.mma(p, vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def flash_dropped(q, k, v, kept, o, scale: float, share: float, D: Const, TM: Const, TN: Const):
    """The sum has all weights, the accumulator those that are kept; scaled at the end."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < k.shape[1], s, -math.inf)
        keep = ct.load(kept, index=(head, block, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e * keep.astype(ct.float32), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / (l * (1.0 - share))).reshape((1, TM, D)))


@ct.kernel
def whole_sigmoid(q, k, v, o, scale: float, shift: float, D: Const, TM: Const, TN: Const):
    """Weights are sigmoids of the scores plus a shift, causal, no sum over them."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale + shift
    p = ct.where(ct.arange(TN, dtype=ct.int32).reshape((1, TN)) <= row, 1.0 / (1.0 + ct.exp(-s)), 0.0)
    acc = ct.mma(p, vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def flash_sigmoid(q, k, v, o, scale: float, shift: float, D: Const, TM: Const, TN: Const):
    """Key blocks up to the diagonal, sigmoids by tanh."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D)) * (0.5 * scale)
    for j in range(min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN))):
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        half = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) + 0.5 * shift
        acc = ct.mma(ct.where(column <= row, 0.5 + 0.5 * ct.tanh(half), 0.0), vt, acc)
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def whole_off_by_one(q, k, v, seen, o, scale: float, D: Const, TM: Const, TN: Const):
    """e / (1 + sum e), keys whose byte in `seen` is 0 do not count; a query may attend to nothing."""
    block, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    there = ct.load(seen, index=(0,), shape=(TN,), padding_mode=ZERO).reshape((1, TN)) != 0
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    e = ct.where(there, ct.exp(s), 0.0)
    acc = ct.mma(e, vt, ct.full((TM, D), 0.0, dtype=ct.float32)) / (1.0 + ct.sum(e, axis=1, keepdims=True))
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def flash_off_by_one(q, k, v, seen, o, scale: float, D: Const, TM: Const, TN: Const):
    """A running maximum that starts at 0 with sum 1: a key with score 0 and value 0."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), 0.0, dtype=ct.float32)
    l = ct.full((TM, 1), 1.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        there = ct.load(seen, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN)) != 0
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
        s = ct.where(there, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
I8, I83, FLOAT, INT = array(ct.int8, 1), array(ct.int8, 3), ct.float32, ct.int32
KERNELS = {
    "whole": (whole, [F3, F3, F3, F2, F3, FLOAT, 16, 8, 64]),
    "bias_prefix": (bias_prefix, [F2, INT, 16, 64]),
    "flash_prefix": (flash_prefix, [F3, F3, F3, F3, FLOAT, INT, 16, 16, 16]),
    "bias_stream": (bias_stream, [F2, INT, INT, 16, 64]),
    "flash_stream": (flash_stream, [F3, F3, F3, F3, FLOAT, INT, INT, 16, 16, 8]),
    "bias_strided": (bias_strided, [F2, INT, 16, 64]),
    "strided": (strided, [F3, F3, F3, F3, FLOAT, 3, 16, 16, 8]),
    "bias_distances": (bias_distances, [F1, F2, 12, 16, 64]),
    "flash_distances": (flash_distances, [F3, F3, F3, F1, F3, FLOAT, 12, 16, 8, 16]),
    "whole_dropped": (whole_dropped, [F3, F3, F3, I83, F3, FLOAT, FLOAT, 16, 16, 64]),
    "flash_dropped": (flash_dropped, [F3, F3, F3, I83, F3, FLOAT, FLOAT, 16, 16, 16]),
    "whole_sigmoid": (whole_sigmoid, [F3, F3, F3, F3, FLOAT, FLOAT, 16, 16, 64]),
    "flash_sigmoid": (flash_sigmoid, [F3, F3, F3, F3, FLOAT, FLOAT, 16, 8, 16]),
    "whole_off_by_one": (whole_off_by_one, [F3, F3, F3, I8, F3, FLOAT, 16, 16, 64]),
    "flash_off_by_one": (flash_off_by_one, [F3, F3, F3, I8, F3, FLOAT, 16, 16, 16]),
}

HEADS = {name: buffer("f32", [2, "N", 16], NORMAL) for name in ("Q", "K", "V")} | {"O": buffer("f32", [2, "N", 16])}
BIASED = HEADS | {"BIAS": buffer("f32", ["N", "N"])}
SCALE = "f32 0.25"
# Tiles of 8 and 16: ragged, whole, with one element in the last, a single one, one element.
SIZES = {"N": [57, 64, 49, 16, 1]}
BY_8, BY_16 = "cdiv(N, 8)", "cdiv(N, 16)"
WHOLE = run("whole", (BY_8, 2), "Q", "K", "V", "BIAS", "O", SCALE)
FUSED = ("whole", "flash")

PAIRS = [
    pair(
        "prefix",
        "a prefix that all see and causal behind it by a bias, and in key blocks of which only the edges are masked",
        BIASED,
        [run("bias_prefix", (BY_16,), "BIAS", "i32 21"), WHOLE],
        [run("flash_prefix", (BY_16, 2), "Q", "K", "V", "O", SCALE, "i32 21")],
        ["O"],
        [
            mutant(
                "no_prefix_blocks",
                "flash_prefix",
                "max((block + 1) * TM, prefix)",
                "(block + 1) * TM",
                "blocks of the prefix are skipped",
            ),
            mutant(
                "prefix_and_causal",
                "flash_prefix",
                "(column < prefix) | (column <= row)",
                "(column < prefix) & (column <= row)",
                "prefix and causal",
            ),
            mutant(
                "one_less",
                "flash_prefix",
                "(column < prefix)",
                "(column < prefix - 1)",
                "the prefix is one key shorter",
            ),
            mutant(
                "edge",
                "flash_prefix",
                "(j + 1) * TN > min(block * TM, k.shape[1])",
                "(j + 1) * TN > (block + 1) * TM",
                "the block on the diagonal is not masked",
            ),
            mutant(
                "one_key",
                "flash_prefix",
                "ct.cdiv(k.shape[1], TN))\n",
                "ct.cdiv(k.shape[1] - 1, TN))\n",
                "a last block with a single key is skipped",
            ),
        ],
        names=FUSED,
        parameters=SIZES,
    ),
    pair(
        "stream",
        "sinks and a window by a bias, and the sinks' block first and the window's blocks after it",
        BIASED,
        [run("bias_stream", (BY_16,), "BIAS", "i32 5", "i32 19"), WHOLE],
        [run("flash_stream", (BY_16, 2), "Q", "K", "V", "O", SCALE, "i32 5", "i32 19")],
        ["O"],
        [
            mutant("sinks_twice", "flash_stream", " & (column >= sinks)", "", "sinks in the window count twice"),
            mutant(
                "not_causal",
                "flash_stream",
                "(place < sinks) & (place <= row)",
                "(place < sinks)",
                "the first queries see all sinks",
            ),
            mutant(
                "starts_late",
                "flash_stream",
                "max(0, block * TM - window + 1) // TN",
                "max(0, block * TM - window + TN) // TN",
                "the window starts a block late",
            ),
            mutant(
                "window",
                "flash_stream",
                "column > row - window",
                "column >= row - window",
                "the window is one key longer",
            ),
            mutant("sum_not_rescaled", "flash_stream", "l = l * alpha", "l = l", "the sum is not rescaled"),
            launched("sinks", "i32 5", "i32 4", "one sink less"),
        ],
        names=FUSED,
        parameters=SIZES,
    ),
    pair(
        "strided",
        "every third key by a bias, and as three interleaved sequences",
        BIASED,
        [run("bias_strided", (BY_16,), "BIAS", "i32 3"), WHOLE],
        [run("strided", ("cdiv(N, 48)", 2, 3), "Q", "K", "V", "O", SCALE)],
        ["O"],
        [
            mutant(
                "phase",
                "strided",
                "column = (j * TN + ct.arange(TN, dtype=ct.int32)) * STRIDE + phase",
                "column = (j * TN + ct.arange(TN, dtype=ct.int32)) * STRIDE",
                "keys of the first sequence",
            ),
            mutant(
                "dense",
                "strided",
                "vt = ct.gather(v, (head, column.reshape((TN, 1)), feature)",
                "vt = ct.gather(v, (head, column.reshape((TN, 1)) // STRIDE, feature)",
                "values that lie side by side",
            ),
            mutant(
                "one_block",
                "strided",
                "range(ct.cdiv((block + 1) * TM, TN))",
                "range(ct.cdiv((block + 1) * TM, TN) - 1)",
                "the last block on the diagonal is skipped",
            ),
            mutant(
                "maximum",
                "strided",
                "        m = m_new\n",
                "        m = ct.maximum(m_new, 1.0)\n",
                "the maximum is kept as at least 1",
            ),
        ],
        names=FUSED,
        parameters=SIZES,
    ),
    pair(
        "distances",
        "a table of biases by distance gathered, and compared bucket by bucket in flash attention",
        BIASED | {"T": buffer("f32", [12], NORMAL)},
        [run("bias_distances", (BY_16,), "T", "BIAS"), WHOLE],
        [run("flash_distances", (BY_8, 2), "Q", "K", "V", "T", "O", SCALE)],
        ["O"],
        [
            mutant("far", "flash_distances", "((away > b) & ", "((away > b + 64) & ", "no bias for keys far away"),
            mutant(
                "scaled",
                "flash_distances",
                "* scale + bias) * LOG2_E",
                "+ bias) * (scale * LOG2_E)",
                "the bias is scaled",
            ),
            mutant(
                "base",
                "flash_distances",
                "* scale + bias) * LOG2_E",
                "* (scale * LOG2_E) + bias)",
                "the bias lacks log2(e)",
            ),
            mutant(
                "one_way",
                "flash_distances",
                "ct.abs(row - column)",
                "ct.maximum(row - column, 0)",
                "later keys have distance 0",
            ),
            mutant("row", "flash_distances", "row = (block * TM", "row = (block * TN", "rows counted in key tiles"),
            mutant(
                "one_key",
                "flash_distances",
                "range(ct.cdiv(k.shape[1], TN))",
                "range(ct.cdiv(k.shape[1] - 1, TN))",
                "a last block with a single key is skipped",
            ),
        ],
        names=FUSED,
        parameters=SIZES,
    ),
    pair(
        "dropped",
        "weights dropped by a mask after the softmax, and in the accumulator only, scaled at the end",
        HEADS | {"KEPT": buffer("i8", [2, "N", "N"], "{integers: {low: 0, high: 1}}")},
        [run("whole_dropped", (BY_16, 2), "Q", "K", "V", "KEPT", "O", SCALE, "f32 0.3")],
        [run("flash_dropped", (BY_16, 2), "Q", "K", "V", "KEPT", "O", SCALE, "f32 0.3")],
        ["O"],
        [
            mutant(
                "sum_of_kept",
                "flash_dropped",
                "ct.sum(e, axis=1",
                "ct.sum(e * keep.astype(ct.float32), axis=1",
                "the sum has kept weights only",
            ),
            mutant("share", "flash_dropped", "(1.0 - share)", "share", "scaled by what is dropped"),
            mutant(
                "head",
                "flash_dropped",
                "ct.load(kept, index=(head, block, j)",
                "ct.load(kept, index=(0, block, j)",
                "the first head's mask",
            ),
            mutant(
                "turned",
                "flash_dropped",
                "e * keep.astype(ct.float32)",
                "e * ct.transpose(keep).astype(ct.float32)",
                "the mask is transposed",
            ),
            mutant(
                "one_key",
                "flash_dropped",
                "range(ct.cdiv(k.shape[1], TN))",
                "range(ct.cdiv(k.shape[1] - 1, TN))",
                "a last block with a single key is skipped",
            ),
            launched(
                "one_row",
                "flash_dropped.tileirbc, grid: [cdiv(N, 16)",
                "flash_dropped.tileirbc, grid: [max(cdiv(N - 1, 16), 1)",
                "a last block with a single query is left out",
            ),
        ],
        names=FUSED,
        parameters=SIZES,
    ),
    pair(
        "sigmoid",
        "sigmoid attention of all keys at once, and in key blocks by tanh",
        HEADS,
        [run("whole_sigmoid", (BY_16, 2), "Q", "K", "V", "O", SCALE, "f32 -4")],
        [run("flash_sigmoid", (BY_8, 2), "Q", "K", "V", "O", SCALE, "f32 -4")],
        ["O"],
        [
            mutant("shift", "flash_sigmoid", "+ 0.5 * shift", "+ shift", "the shift counts twice"),
            mutant(
                "masked_half",
                "flash_sigmoid",
                "0.5 + 0.5 * ct.tanh(half), 0.0)",
                "0.5 + 0.5 * ct.tanh(half), 0.5)",
                "what is not seen has weight 1/2",
            ),
            mutant("half", "flash_sigmoid", "(0.5 * scale)", "scale", "the scale is not halved"),
            mutant(
                "last_block",
                "flash_sigmoid",
                "range(min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN)))",
                "range(min((block + 1) * TM // TN, ct.cdiv(k.shape[1], TN)))",
                "the block on the diagonal may be skipped",
            ),
            mutant(
                "one_key",
                "flash_sigmoid",
                "ct.cdiv(k.shape[1], TN)))",
                "ct.cdiv(k.shape[1] - 1, TN)))",
                "a last block with a single key is skipped",
            ),
        ],
        names=FUSED,
        parameters=SIZES,
    ),
    pair(
        "off_by_one",
        "e / (1 + sum e) with masked keys, and a running maximum that starts at 0 with sum 1",
        HEADS | {"SEEN": buffer("i8", ["N"], "{integers: {low: 0, high: 1}}")},
        [run("whole_off_by_one", (BY_16, 2), "Q", "K", "V", "SEEN", "O", SCALE)],
        [run("flash_off_by_one", (BY_16, 2), "Q", "K", "V", "SEEN", "O", SCALE)],
        ["O"],
        [
            mutant(
                "no_one",
                "flash_off_by_one",
                "l = ct.full((TM, 1), 1.0",
                "l = ct.full((TM, 1), 0.0",
                "the sum starts at 0",
            ),
            mutant(
                "one_not_rescaled",
                "flash_off_by_one",
                "m = ct.full((TM, 1), 0.0",
                "m = ct.full((TM, 1), 1.0",
                "the 1 belongs to score 1",
            ),
            mutant(
                "seen_block",
                "flash_off_by_one",
                "ct.load(seen, index=(j,)",
                "ct.load(seen, index=(0,)",
                "the first block's mask",
            ),
            mutant(
                "inverted",
                "flash_off_by_one",
                "padding_mode=ZERO).reshape((1, TN)) != 0",
                "padding_mode=ZERO).reshape((1, TN)) == 0",
                "masked keys are seen",
            ),
            # Not here: a last block with a single key that is skipped. With half of the seeds that key is masked.
        ],
        names=FUSED,
        parameters=SIZES,
    ),
]
