# SPDX-License-Identifier: Apache-2.0
# Linear layers and attention with scores, weights and activations in f8, bf16 and int8: quantised in a launch of their
# own and in passing. 129 rows, 129 keys and 72 columns fill no tile.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, integers, launched, mutant, pair, run, worse
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- linear layers ---------------------------------------------------------------------------------------------------
@ct.kernel
def quantise_rows(x, q, s, largest: float, TM: Const, K: Const):
    """q = x / s in a small type, s the largest magnitude of a row over `largest`; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, K), padding_mode=ZERO)
    scale = ct.maximum(ct.max(ct.abs(t), axis=1, keepdims=True), 0.001) / largest
    ct.store(q, index=(i, 0), tile=(t / scale).astype(q.dtype))
    ct.store(s, index=(i, 0), tile=scale)


@ct.kernel
def linear_scaled(q, s, w, c, y, TM: Const, TN: Const, TK: Const):
    """y = (q w) s c, s for each row and c for each column; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(q, axis=1, shape=(TM, TK))):
        a = ct.load(q, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    rows = ct.load(s, index=(i, 0), shape=(TM, 1), padding_mode=ZERO)
    columns = ct.load(c, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=(acc * rows * columns).astype(y.dtype))


@ct.kernel
def linear_fused(x, w, c, y, largest: float, TM: Const, TN: Const, TK: Const):
    """As quantise_rows and linear_scaled, the largest magnitude found tile by tile first."""
    i, j = ct.bid(0), ct.bid(1)
    tiles = ct.num_tiles(x, axis=1, shape=(TM, TK))
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    most = ct.full((TM, 1), 0.001, dtype=ct.float32)
    for k in range(tiles):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        most = ct.maximum(most, ct.max(ct.abs(t), axis=1, keepdims=True))
    scale = most / largest
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(tiles):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma((t / scale).astype(w.dtype), b, acc)
    columns = ct.load(c, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    result = acc * (scale * columns)
    ct.store(y, index=(i, j), tile=ct.where(row < x.shape[0], result, 0.0).astype(y.dtype))


@ct.kernel
def round_rows(x, q, s, TM: Const, K: Const):
    """As quantise_rows, to integers of -127 to 127."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, K), padding_mode=ZERO)
    scale = ct.maximum(ct.max(ct.abs(t), axis=1, keepdims=True), 0.001) / 127.0
    ct.store(q, index=(i, 0), tile=ct.floor(t / scale + 0.5).astype(ct.int8))
    ct.store(s, index=(i, 0), tile=scale)


@ct.kernel
def linear_integers(q, s, w, c, y, TM: Const, TN: Const, TK: Const):
    """As linear_scaled, with sums of integers."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0, dtype=ct.int32)
    for k in range(ct.num_tiles(q, axis=1, shape=(TM, TK))):
        a = ct.load(q, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    rows = ct.load(s, index=(i, 0), shape=(TM, 1), padding_mode=ZERO)
    columns = ct.load(c, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=(acc.astype(ct.float32) * rows * columns).astype(y.dtype))


@ct.kernel
def linear_rounded(x, w, c, y, TM: Const, TN: Const, TK: Const):
    """As round_rows and linear_integers in one."""
    i, j = ct.bid(0), ct.bid(1)
    tiles = ct.num_tiles(x, axis=1, shape=(TM, TK))
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    most = ct.full((TM, 1), 0.001, dtype=ct.float32)
    for k in range(tiles):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        most = ct.maximum(most, ct.max(ct.abs(t), axis=1, keepdims=True))
    scale = most / 127.0
    acc = ct.full((TM, TN), 0, dtype=ct.int32)
    for k in range(tiles):
        t = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(ct.floor(t / scale + 0.5).astype(ct.int8), b, acc)
    columns = ct.load(c, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    result = acc.astype(ct.float32) * (scale * columns)
    ct.store(y, index=(i, j), tile=ct.where(row < x.shape[0], result, 0.0).astype(y.dtype))


@ct.kernel
def dequantise(w, c, v, TM: Const, TN: Const):
    """v = w c, c for each column."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(w, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    ct.store(v, index=(i, j), tile=t * ct.load(c, index=(0, j), shape=(1, TN), padding_mode=ZERO))


@ct.kernel
def linear(x, v, y, TM: Const, TN: Const, TK: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(v, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b.astype(x.dtype), acc)
    ct.store(y, index=(i, j), tile=acc.astype(y.dtype))


@ct.kernel
def linear_weights(x, w, c, y, TM: Const, TN: Const, TK: Const):
    """x (w c), where w are small numbers that are widened in passing and c scales the sums."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.float32).astype(x.dtype)
        acc = ct.mma(a, b, acc)
    columns = ct.load(c, index=(0, j), shape=(1, TN), padding_mode=ZERO)
    result = acc * columns
    ct.store(y, index=(i, j), tile=ct.where(row < x.shape[0], result, 0.0).astype(y.dtype))


# ---- one scale for all -----------------------------------------------------------------------------------------------
@ct.kernel
def largest_of_all(x, most, TM: Const, K: Const):
    """By one program; grid (1)."""
    best = ct.full((TM, K), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(TM, K))):
        best = ct.maximum(best, ct.abs(ct.load(x, index=(i, 0), shape=(TM, K), padding_mode=ZERO)))
    ct.store(most, index=(0, 0), tile=ct.max(best).reshape((1, 1)))


@ct.kernel
def scale_all(x, most, y, TM: Const, K: Const):
    i = ct.bid(0)
    scale = ct.load(most, index=(0, 0), shape=(1, 1)) / 448.0
    t = ct.load(x, index=(i, 0), shape=(TM, K), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=(t / scale).astype(y.dtype))


@ct.kernel
def largest_by_bits(x, bits, TM: Const, K: Const):
    """Floats that are not negative have the order of their bits; grid (row blocks)."""
    t = ct.load(x, index=(ct.bid(0), 0), shape=(TM, K), padding_mode=ZERO)
    ct.atomic_max(bits, 0, ct.bitcast(ct.max(ct.abs(t)), ct.int32))


@ct.kernel
def scale_by_bits(x, bits, y, TM: Const, K: Const):
    i = ct.bid(0)
    most = ct.bitcast(ct.load(bits, index=(0,), shape=(1,)), ct.float32).reshape((1, 1))
    t = ct.load(x, index=(i, 0), shape=(TM, K), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=(t * (448.0 / most)).astype(y.dtype))


# ---- attention -------------------------------------------------------------------------------------------------------
@ct.kernel
def scores(q, k, s, scale: float, D: Const, TM: Const, TN: Const):
    """s = q k^T scale in the small type; grid (query blocks, key blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(q, index=(i, 0), shape=(TM, D), padding_mode=ZERO)
    b = ct.load(k, index=(0, j), shape=(D, TN), order=(1, 0), padding_mode=ZERO)
    ct.store(s, index=(i, j), tile=(ct.mma(a, b, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale).astype(s.dtype))


@ct.kernel
def weighted(s, v, o, D: Const, TM: Const, TN: Const):
    """o = softmax(s) v, TN at least the keys; grid (query blocks)."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < v.shape[0]
    t = ct.load(s, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    t = ct.where(inside, t, -math.inf)
    p = ct.exp(t - ct.max(t, axis=-1, keepdims=True))
    p = p / ct.sum(p, axis=-1, keepdims=True)
    values = ct.load(v, index=(0, 0), shape=(TN, D), padding_mode=ZERO).astype(ct.float32)
    ct.store(o, index=(i, 0), tile=ct.mma(p, values, ct.full((TM, D), 0.0, dtype=ct.float32)))


@ct.kernel
def flash(q, k, v, o, scale: float, D: Const, TM: Const, TN: Const):
    """Scores narrowed to the type of v on their way; grid (query blocks)."""
    i = ct.bid(0)
    keys = k.shape[0]
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    a = ct.load(q, index=(i, 0), shape=(TM, D), padding_mode=ZERO)
    for j in range(ct.cdiv(keys, TN)):
        b = ct.load(k, index=(0, j), shape=(D, TN), order=(1, 0), padding_mode=ZERO)
        values = ct.load(v, index=(j, 0), shape=(TN, D), padding_mode=ZERO).astype(ct.float32)
        t = ct.mma(a, b, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        t = t.astype(v.dtype).astype(ct.float32)
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys
        t = ct.where(inside, t, -math.inf)
        m_new = ct.maximum(m, ct.max(t, axis=-1, keepdims=True))
        p = ct.exp(t - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p, values, acc * alpha)
        m = m_new
    result = acc / l
    ct.store(o, index=(i, 0), tile=ct.where(row < q.shape[0], result, 0.0))


@ct.kernel
def flash_narrow(q, k, v, o, scale: float, D: Const, TM: Const, TN: Const):
    """As flash, with exact scores and weights in the type of v."""
    i = ct.bid(0)
    keys = k.shape[0]
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    a = ct.load(q, index=(i, 0), shape=(TM, D), padding_mode=ZERO)
    for j in range(ct.cdiv(keys, TN)):
        b = ct.load(k, index=(0, j), shape=(D, TN), order=(1, 0), padding_mode=ZERO)
        values = ct.load(v, index=(j, 0), shape=(TN, D), padding_mode=ZERO)
        t = ct.mma(a, b, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys
        t = ct.where(inside, t, -math.inf)
        m_new = ct.maximum(m, ct.max(t, axis=-1, keepdims=True))
        p = ct.exp(t - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), values, acc * alpha)
        m = m_new
    result = acc / l
    ct.store(o, index=(i, 0), tile=ct.where(row < q.shape[0], result, 0.0))


@ct.kernel
def scores_integers(q, r, k, c, s, scale: float, D: Const, TM: Const, TN: Const):
    """s = q r (k c)^T scale of integers q and k with scales for each row."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(q, index=(i, 0), shape=(TM, D), padding_mode=ZERO)
    b = ct.load(k, index=(0, j), shape=(D, TN), order=(1, 0), padding_mode=ZERO)
    rows = ct.load(r, index=(i, 0), shape=(TM, 1), padding_mode=ZERO)
    columns = ct.load(c, index=(0, j), shape=(1, TN), order=(1, 0), padding_mode=ZERO)
    t = ct.mma(a, b, ct.full((TM, TN), 0, dtype=ct.int32)).astype(ct.float32)
    ct.store(s, index=(i, j), tile=(t * (rows * columns) * scale).astype(s.dtype))


@ct.kernel
def flash_integers(q, k, kc, v, o, scale: float, D: Const, TM: Const, TN: Const):
    """Attention of queries that are rounded to integers here, and keys that are integers with scales."""
    i = ct.bid(0)
    keys = k.shape[0]
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    x = ct.load(q, index=(i, 0), shape=(TM, D), padding_mode=ZERO)
    rows = ct.maximum(ct.max(ct.abs(x), axis=1, keepdims=True), 0.001) / 127.0
    a = ct.floor(x / rows + 0.5).astype(ct.int8)
    for j in range(ct.cdiv(keys, TN)):
        b = ct.load(k, index=(0, j), shape=(D, TN), order=(1, 0), padding_mode=ZERO)
        columns = ct.load(kc, index=(0, j), shape=(1, TN), order=(1, 0), padding_mode=ZERO)
        values = ct.load(v, index=(j, 0), shape=(TN, D), padding_mode=ZERO).astype(ct.float32)
        t = ct.mma(a, b, ct.full((TM, TN), 0, dtype=ct.int32)).astype(ct.float32)
        t = t * rows * (columns * scale)
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys
        t = ct.where(inside, t, -math.inf)
        m_new = ct.maximum(m, ct.max(t, axis=-1, keepdims=True))
        p = ct.exp(t - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p, values, acc * alpha)
        m = m_new
    result = acc / l
    ct.store(o, index=(i, 0), tile=ct.where(row < q.shape[0], result, 0.0))


# ---- the two largest -------------------------------------------------------------------------------------------------
@ct.kernel
def two_largest(x, y, TM: Const, N: Const):
    """The two largest of each row and their softmax, by maxima."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, N), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
    first = ct.max(t, axis=1, keepdims=True)
    at = ct.argmax(t, axis=1, keepdims=True)
    second = ct.max(ct.where(ct.arange(N, dtype=ct.int32).reshape((1, N)) == at, -math.inf, t), axis=1, keepdims=True)
    share = 1.0 / (1.0 + ct.exp(second - first))
    ct.store(y, index=(i, 0), tile=ct.cat((share, 1.0 - share), 1))


@ct.kernel
def two_gathered(x, y, TM: Const, N: Const):
    """The same by their places: what is there is picked by a sum."""
    i = ct.bid(0)
    column = ct.arange(N, dtype=ct.int32).reshape((1, N))
    t = ct.load(x, index=(i, 0), shape=(TM, N), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
    first_at = ct.argmax(t, axis=1, keepdims=True)
    rest = ct.where(column == first_at, -math.inf, t)
    second_at = ct.argmax(rest, axis=1, keepdims=True)
    first = ct.sum(ct.where(column == first_at, t, 0.0), axis=1, keepdims=True)
    second = ct.sum(ct.where(column == second_at, rest, 0.0), axis=1, keepdims=True)
    e1, e2 = ct.exp(first - first), ct.exp(second - first)
    total = e1 + e2
    ct.store(y, index=(i, 0), tile=ct.cat((e1 / total, e2 / total), 1))


F2, H2, I1 = array(ct.float32, 2), array(ct.bfloat16, 2), array(ct.int32, 1)
E4, E5, I8 = array(ct.float8_e4m3fn, 2), array(ct.float8_e5m2, 2), array(ct.int8, 2)
SMALL = {"e4m3": E4, "e5m2": E5, "bf16": H2}
F32 = ct.float32
KERNELS = {
    "round_rows": (round_rows, [F2, I8, F2, 32, 128]),
    "linear_integers": (linear_integers, [I8, F2, I8, F2, F2, 32, 32, 32]),
    "linear_rounded": (linear_rounded, [F2, I8, F2, F2, 32, 32, 32]),
    "dequantise": (dequantise, [I8, F2, F2, 32, 32]),
    "dequantise_e4m3": (dequantise, [E4, F2, F2, 32, 32]),
    "linear": (linear, [F2, F2, F2, 32, 32, 32]),
    "linear_weights": (linear_weights, [F2, I8, F2, F2, 32, 32, 64]),
    "linear_weights_e4m3": (linear_weights, [F2, E4, F2, F2, 32, 32, 64]),
    "largest_of_all": (largest_of_all, [F2, F2, 32, 128]),
    "scale_all": (scale_all, [F2, F2, E4, 32, 128]),
    "largest_by_bits": (largest_by_bits, [F2, I1, 32, 128]),
    "scale_by_bits": (scale_by_bits, [F2, I1, E4, 32, 128]),
    "scores_f32": (scores, [F2, F2, F2, F32, 32, 32, 32]),
    "weighted_e4m3_exact": (weighted, [F2, E4, F2, 32, 32, 256]),
    "flash_narrow": (flash_narrow, [F2, F2, E4, F2, F32, 32, 32, 32]),
    "round_queries": (round_rows, [F2, I8, F2, 32, 32]),
    "scores_integers": (scores_integers, [I8, F2, I8, F2, F2, F32, 32, 32, 32]),
    "weighted_bf16_exact": (weighted, [F2, H2, F2, 32, 32, 256]),
    "flash_integers": (flash_integers, [F2, I8, F2, H2, F2, F32, 32, 32, 32]),
    "two_largest": (two_largest, [H2, F2, 16, 64]),
    "two_gathered": (two_gathered, [H2, F2, 16, 64]),
}
for name, small in SMALL.items():
    KERNELS["quantise_" + name] = (quantise_rows, [F2, small, F2, F32, 32, 128])
    KERNELS["linear_scaled_" + name] = (linear_scaled, [small, F2, small, F2, F2, 32, 32, 32])
    KERNELS["linear_fused_" + name] = (linear_fused, [F2, small, F2, F2, F32, 32, 32, 32])
    KERNELS["scores_" + name] = (scores, [F2, F2, small, F32, 32, 32, 32])
    KERNELS["weighted_" + name] = (weighted, [small, small, F2, 32, 32, 256])
    KERNELS["flash_" + name] = (flash, [F2, F2, small, F2, F32, 32, 32, 64])

TYPES = {"e4m3": "f8e4m3fn", "e5m2": "f8e5m2", "bf16": "bf16"}
LARGEST = {"e4m3": "f32 448.0", "e5m2": "f32 57344.0", "bf16": "f32 1.0"}
# Rows, keys and inner steps in tiles of 32 and 64: one in the last tile, whole, ragged, one.
ROWS, DEPTH, COLUMNS, KEYS, WIDTH = "ROWS", "DEPTH", 72, "KEYS", 32
LAYERS, KEY_SIZES = {"ROWS": [129], "DEPTH": [96, 128, 65, 1]}, {"ROWS": [129], "KEYS": [129, 128, 65, 1]}
BY_32, KEYS_BY_32 = "cdiv(ROWS, 32)", "cdiv(KEYS, 32)"
POSITIVE = "{uniform: {low: 0.01, high: 0.03}}"
SCALE = "f32 0.17677669"  # 1 / sqrt(32)


def layer(weights, fill, activations):
    return {
        "X": buffer("f32", [ROWS, DEPTH], NORMAL),
        "W": buffer(weights, [DEPTH, COLUMNS], fill),
        "C": buffer("f32", [1, COLUMNS], POSITIVE),
        "Q": buffer(activations, [ROWS, DEPTH]),
        "S": buffer("f32", [ROWS, 1]),
        "Y": buffer("f32", [ROWS, COLUMNS]),
    }


def fused_mutants(kernel, integers=False):
    value = "acc.astype(ct.float32)" if integers else "acc"
    return [
        mutant(
            "last_row",
            kernel,
            f"result = {value} * (scale * columns)",
            f"result = {value} * ct.where(row == 128, 1.25 * scale * columns, scale * columns)",
            "the last row, alone in its tile, has another scale",
        ),
        mutant("last_block", kernel, "most = ct.full((TM, 1), 0.001", "tiles -= 1\n    most = ct.full((TM, 1), 0.001", "the last tile of the depth is left out"),
        mutant("scale_of_row", kernel, "(scale * columns)", "(ct.max(scale) * columns)", "the largest scale of the tile for all of its rows"),
        mutant("scale_missing", kernel, "(scale * columns)", "scale", "the scales of the columns are missing"),
        mutant("accumulator", kernel, ", b, acc)", ", b, ct.full((TM, TN), 0" + (", dtype=ct.int32))" if integers else ".0, dtype=ct.float32))"), "the sum begins anew in every tile"),
    ]


def linear_pair(name, reference, variant):
    return pair(
        "linear_" + name,
        f"a linear layer in {name}, its rows quantised before and in passing",
        layer(TYPES[name], NORMAL, TYPES[name]),
        [
            run("quantise_" + name, (BY_32,), "X", "Q", "S", LARGEST[name]),
            run("linear_scaled_" + name, (BY_32, 3), "Q", "S", "W", "C", "Y"),
        ],
        [run("linear_fused_" + name, (BY_32, 3), "X", "W", "C", "Y", LARGEST[name])],
        ["Y"],
        fused_mutants("linear_fused_" + name),
        names=("launches", "fused"),
        parameters=LAYERS,
    )


def weights_pair(name, dtype, fill, kernel, widened):
    buffers = layer(dtype, fill, dtype)
    del buffers["Q"], buffers["S"]
    return pair(
        name,
        f"a linear layer with weights in {dtype}, widened and scaled before, and in passing",
        {**buffers, "V": buffer("f32", [DEPTH, COLUMNS])},
        [run(widened, ("cdiv(DEPTH, 32)", 3), "W", "C", "V"), run("linear", (BY_32, 3), "X", "V", "Y")],
        [run(kernel, (BY_32, 3), "X", "W", "C", "Y")],
        ["Y"],
        [
            mutant("last_row", kernel, "result = acc * columns", "result = ct.where(row == 128, acc, acc * columns)", "the last row is not scaled"),
            mutant("last_block", kernel, "range(ct.num_tiles(x, axis=1, shape=(TM, TK)))", "range(ct.num_tiles(x, axis=1, shape=(TM, TK)) - 1)", "the last tile of the depth is left out"),
            mutant("one_element", kernel, "range(ct.num_tiles(x, axis=1, shape=(TM, TK)))", "range(ct.cdiv(x.shape[1] - 1, TK))", "a last tile with a single element is left out"),
            mutant("scale_block", kernel, "index=(0, j), shape=(1, TN)", "index=(0, 0), shape=(1, TN)", "always the scales of the first columns"),
            mutant("accumulator", kernel, "ct.mma(a, b, acc)", "ct.mma(a, b, acc * 0.0)", "only the last tile counts"),
        ],
        names=("before", "passing"),
        parameters=LAYERS,
    )


def attention(dtype, scores):
    return {
        "Q": buffer("f32", [ROWS, WIDTH], NORMAL),
        "K": buffer("f32", [KEYS, WIDTH], NORMAL),
        "V": buffer(dtype, [KEYS, WIDTH], "{normal: {mean: 0, std: 0.5}}"),
        "S": buffer(scores, [ROWS, KEYS]),
        "O": buffer("f32", [ROWS, WIDTH]),
    }


def flash_mutants(kernel, integers=False):
    return [
        mutant("last_row", kernel, "result = acc / l", "result = acc / ct.where(row == 128, 0.75 * l, l)", "the last row, alone in its tile, is too large"),
        mutant(
            "last_scores",
            kernel,
            "* (columns * scale)" if integers else ") * scale",
            "* (columns * ct.where(row == 128, 1.0, scale))" if integers else ") * ct.where(row == 128, 1.0, scale)",
            "the scores of the last row are not scaled",
        ),
        mutant("last_block", kernel, "range(ct.cdiv(keys, TN))", "range(keys // TN)", "the last key is left out"),
        mutant("one_key", kernel, "range(ct.cdiv(keys, TN))", "range(ct.cdiv(keys - 1, TN))", "a last tile with a single key is left out"),
        mutant("scale", kernel, "* (columns * scale)" if integers else ") * scale", "* (rows * columns * scale)" if integers else ") * (0.9 * scale)", "another scale of the scores"),
        mutant("accumulator", kernel, "acc * alpha", "acc", "what was summed is not rescaled"),
        mutant("sum", kernel, "l = l * alpha", "l = l", "the sum of weights is not rescaled"),
    ]


def scores_pair(name):
    return pair(
        "attention_" + name,
        f"attention with scores in {name}",
        attention(TYPES[name], TYPES[name]),
        [run("scores_" + name, (BY_32, KEYS_BY_32), "Q", "K", "S", SCALE), run("weighted_" + name, (BY_32,), "S", "V", "O")],
        [run("flash_" + name, (BY_32,), "Q", "K", "V", "O", SCALE)],
        ["O"],
        flash_mutants("flash_" + name),
        names=("unfused", "flash"),
        parameters=KEY_SIZES,
    )


PAIRS = [
    *(linear_pair(name, "quantise_" + name, "linear_fused_" + name) for name in SMALL),
    pair(
        "linear_int8",
        "a linear layer of integers, its rows rounded before and in passing",
        layer("i8", integers(-127, 127), "i8"),
        [run("round_rows", (BY_32,), "X", "Q", "S"), run("linear_integers", (BY_32, 3), "Q", "S", "W", "C", "Y")],
        [run("linear_rounded", (BY_32, 3), "X", "W", "C", "Y")],
        ["Y"],
        fused_mutants("linear_rounded", True),
        names=("launches", "fused"),
        parameters=LAYERS,
    ),
    weights_pair("weights_int8", "i8", integers(-127, 127), "linear_weights", "dequantise"),
    weights_pair("weights_e4m3", "f8e4m3fn", NORMAL, "linear_weights_e4m3", "dequantise_e4m3"),
    pair(
        "one_scale",
        "numbers scaled by their largest magnitude: by one program, and by an atomic maximum of the bits",
        {
            "X": buffer("f32", [ROWS, DEPTH], NORMAL),
            "MOST": buffer("f32", [1, 1]),
            "BITS": buffer("i32", [1], "zeros"),
            "Y": buffer("f8e4m3fn", [ROWS, DEPTH]),
        },
        [run("largest_of_all", (1,), "X", "MOST"), run("scale_all", (BY_32,), "X", "MOST", "Y")],
        [run("largest_by_bits", (BY_32,), "X", "BITS"), run("scale_by_bits", (BY_32,), "X", "BITS", "Y")],
        ["Y"],
        [
            mutant("smallest", "largest_by_bits", "ct.max(ct.abs(t))", "ct.min(ct.abs(t))", "the smallest of each tile"),
            mutant("last_block", "largest_by_bits", "(ct.bid(0), 0)", "(4, 0)", "all programs look at the last row"),
            mutant("minimum", "largest_by_bits", "ct.atomic_max(bits, 0, ct.bitcast(ct.max(ct.abs(t)), ct.int32))", "ct.atomic_xchg(bits, 0, ct.bitcast(ct.max(ct.abs(t)), ct.int32))", "whichever block comes last"),
            mutant("scale", "scale_by_bits", "448.0 / most", "240.0 / most", "the scale of another type"),
        ],
        names=("program", "bits"),
        parameters={"ROWS": [129], "DEPTH": [96, 128, 1]},
    ),
    *(scores_pair(name) for name in SMALL),
    pair(
        "weights_of_attention",
        "attention, and attention whose weights are narrowed to f8 for the product",
        attention("f8e4m3fn", "f32"),
        [run("scores_f32", (BY_32, KEYS_BY_32), "Q", "K", "S", SCALE), run("weighted_e4m3_exact", (BY_32,), "S", "V", "O")],
        [run("flash_narrow", (BY_32,), "Q", "K", "V", "O", SCALE)],
        ["O"],
        flash_mutants("flash_narrow"),
        names=("unfused", "flash"),
        parameters=KEY_SIZES,
        finding=worse("flash"),  # weights of f8, scores of f32
    ),
    pair(
        "attention_int8",
        "attention of queries and keys in integers, the queries rounded before and in passing",
        {
            "Q": buffer("f32", [ROWS, WIDTH], NORMAL),
            "K": buffer("i8", [KEYS, WIDTH], integers(-127, 127)),
            "KC": buffer("f32", [KEYS, 1], POSITIVE),
            "V": buffer("bf16", [KEYS, WIDTH], NORMAL),
            "QI": buffer("i8", [ROWS, WIDTH]),
            "QC": buffer("f32", [ROWS, 1]),
            "S": buffer("f32", [ROWS, KEYS]),
            "O": buffer("f32", [ROWS, WIDTH]),
        },
        [
            run("round_queries", (BY_32,), "Q", "QI", "QC"),
            run("scores_integers", (BY_32, KEYS_BY_32), "QI", "QC", "K", "KC", "S", SCALE),
            run("weighted_bf16_exact", (BY_32,), "S", "V", "O"),
        ],
        [run("flash_integers", (BY_32,), "Q", "K", "KC", "V", "O", SCALE)],
        ["O"],
        flash_mutants("flash_integers", True),
        names=("unfused", "flash"),
        parameters=KEY_SIZES,
    ),
    pair(
        "two_largest",
        "the softmax of the two largest of each row, by maxima and by their places",
        {"X": buffer("bf16", [ROWS, 60], NORMAL), "Y": buffer("f32", [ROWS, 2])},
        [run("two_largest", ("cdiv(ROWS, 16)",), "X", "Y")],
        [run("two_gathered", ("cdiv(ROWS, 16)",), "X", "Y")],
        ["Y"],
        [
            mutant("same_again", "two_gathered", "ct.argmax(rest,", "ct.argmax(t,", "the largest twice"),
            mutant("swapped", "two_gathered", "(e1 / total, e2 / total)", "(e2 / total, e1 / total)", "the shares change places"),
            mutant("not_divided", "two_gathered", "(e1 / total, e2 / total)", "(e1 / total, e2)", "the second share is not divided"),
            mutant("next_place", "two_gathered", "column == second_at, rest", "column == (second_at + 1) % 60, t", "the neighbour of the second"),
        ],
        names=("maxima", "places"),
        parameters={"ROWS": [129, 128, 1]},
    ),
]
