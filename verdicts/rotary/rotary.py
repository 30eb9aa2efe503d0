# SPDX-License-Identifier: Apache-2.0
# Rotary embeddings with sines and cosines computed in the kernel: before and after norms, undone, in parts, backward.
import cuda.tile as ct
from corpus import NORMAL, buffer, integers, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


def turn(position, HALF: Const):
    """cos and sin of the angles of each position, [positions, HALF]."""
    k = ct.arange(HALF, dtype=ct.int32).reshape((1, HALF)).astype(ct.float32)
    angle = position.astype(ct.float32) * ct.exp2(k * (-13.287712 / HALF))
    return ct.cos(angle), ct.sin(angle)


# ---- norms without weights and rotations change places ---------------------------------------------------------------
@ct.kernel
def norm_then_turn(x, y, eps: float, T: Const, HALF: Const):
    """RMS norm of rows, then the rotation of row t by t; grid (row blocks)."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    r = ct.rsqrt(ct.sum(a * a + b * b, axis=1, keepdims=True) / (2 * HALF) + eps)
    a, b = a * r, b * r
    c, s = turn(i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    ct.store(y, index=(i, 0), tile=(a * c - b * s).astype(y.dtype))
    ct.store(y, index=(i, 1), tile=(a * s + b * c).astype(y.dtype))


@ct.kernel
def turn_then_norm(x, y, eps: float, T: Const, HALF: Const):
    """The rotation first."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    c, s = turn(i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    a, b = a * c - b * s, b * c + a * s
    r = 1.0 / ct.sqrt(
        ct.sum(a * a, axis=1, keepdims=True) / (2 * HALF) + ct.sum(b * b, axis=1, keepdims=True) / (2 * HALF) + eps
    )
    ct.store(y, index=(i, 0), tile=(a * r).astype(y.dtype))
    ct.store(y, index=(i, 1), tile=(b * r).astype(y.dtype))


@ct.kernel
def cosine_scores(q, k, s, T: Const, HALF: Const):
    """Rotated queries and keys, divided by the lengths before the rotation; grid (query blocks, key blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(q, index=(i, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    b = ct.load(q, index=(i, 1), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    c = ct.load(k, index=(j, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    d = ct.load(k, index=(j, 1), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    rq = ct.rsqrt(ct.sum(a * a + b * b, axis=1, keepdims=True) + 1e-6)
    rk = ct.rsqrt(ct.sum(c * c + d * d, axis=1, keepdims=True) + 1e-6)
    row = ct.arange(T, dtype=ct.int32).reshape((T, 1))
    cos, sin = turn(i * T + row, HALF)
    a, b = (a * cos - b * sin) * rq, (a * sin + b * cos) * rq
    cos, sin = turn(j * T + row, HALF)
    c, d = (c * cos - d * sin) * rk, (c * sin + d * cos) * rk
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    ct.store(s, index=(i, j), tile=ct.mma(a, ct.transpose(c), ct.mma(b, ct.transpose(d), zero)))


@ct.kernel
def turned(x, y, T: Const, HALF: Const):
    """The rotation alone."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO).astype(ct.float32)
    c, s = turn(i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    ct.store(y, index=(i, 0), tile=(a * c - b * s).astype(y.dtype))
    ct.store(y, index=(i, 1), tile=(a * s + b * c).astype(y.dtype))


@ct.kernel
def scores_of_lengths(q, k, s, T: Const, D: Const):
    """Products of rows divided by their lengths, afterwards; grid (query blocks, key blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(q, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    b = ct.load(k, index=(j, 0), shape=(T, D), padding_mode=ZERO)
    t = ct.mma(a, ct.transpose(b), ct.full((T, T), 0.0, dtype=ct.float32))
    qq = ct.sum(a * a, axis=1).reshape((T, 1)) + 1e-6
    kk = ct.sum(b * b, axis=1).reshape((1, T)) + 1e-6
    ct.store(s, index=(i, j), tile=t / (ct.sqrt(qq) * ct.sqrt(kk)))


# ---- undone ----------------------------------------------------------------------------------------------------------
@ct.kernel
def weighted(x, w, y, T: Const, D: Const):
    """y = x w; grid (row blocks)."""
    i = ct.bid(0)
    wt = ct.load(w, index=(0,), shape=(D,)).reshape((1, D))
    ct.store(y, index=(i, 0), tile=ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO) * wt)


@ct.kernel
def undone_weighted(x, w, y, T: Const, HALF: Const):
    """The same for rows that come rotated: turned back by the transposed matrix first."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    c, s = turn(i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    wa, wb = (
        ct.load(w, index=(0,), shape=(HALF,)).reshape((1, HALF)),
        ct.load(w, index=(1,), shape=(HALF,)).reshape((1, HALF)),
    )
    ct.store(y, index=(i, 0), tile=(a * c + b * s) * wa)
    ct.store(y, index=(i, 1), tile=(b * c - a * s) * wb)


@ct.kernel
def turned_back(x, y, T: Const, HALF: Const):
    """Row t turned by -t: with the angle's sine negated."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    c, s = turn(i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    ct.store(y, index=(i, 0), tile=a * c + b * s)
    ct.store(y, index=(i, 1), tile=b * c - a * s)


@ct.kernel
def turned_by_negative(x, y, T: Const, HALF: Const):
    """Row t turned by the position -t."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    c, s = turn(-i * T - ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=a * s + b * c)


@ct.kernel
def turned_rows(x, y, HALF: Const):
    """Row by row, the first one copied; grid (rows)."""
    i = ct.bid(0)
    a, b = ct.load(x, index=(i, 0), shape=(1, HALF)), ct.load(x, index=(i, 1), shape=(1, HALF))
    if i == 0:
        ct.store(y, index=(i, 0), tile=a)
        ct.store(y, index=(i, 1), tile=b)
    else:
        c, s = turn(ct.full((1, 1), i, dtype=ct.int32), HALF)
        ct.store(y, index=(i, 0), tile=a * c - b * s)
        ct.store(y, index=(i, 1), tile=a * s + b * c)


# ---- layouts ---------------------------------------------------------------------------------------------------------
@ct.kernel
def interleaved_scores(q, k, s, T: Const, HALF: Const):
    """Products of rows in which elements 2 k and 2 k + 1 are turned together; grid (query blocks, key blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(HALF, dtype=ct.int32).reshape((1, HALF))
    qa, qb = (
        ct.gather(q, (i * T + row, 2 * column), padding_value=0),
        ct.gather(q, (i * T + row, 2 * column + 1), padding_value=0),
    )
    ka, kb = (
        ct.gather(k, (j * T + row, 2 * column), padding_value=0),
        ct.gather(k, (j * T + row, 2 * column + 1), padding_value=0),
    )
    c, sn = turn(i * T + row, HALF)
    qa, qb = qa * c - qb * sn, qa * sn + qb * c
    c, sn = turn(j * T + row, HALF)
    ka, kb = ka * c - kb * sn, ka * sn + kb * c
    zero = ct.full((T, T), 0.0, dtype=ct.float32)
    ct.store(s, index=(i, j), tile=ct.mma(qa, ct.transpose(ka), ct.mma(qb, ct.transpose(kb), zero)))


@ct.kernel
def halves_of_pairs(x, y, T: Const, D: Const):
    """Even columns first, then odd ones; grid (row blocks)."""
    i = ct.bid(0)
    pairs = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO).reshape((T, D // 2, 2))
    ct.store(y, index=(i, 0), tile=pairs.permute((0, 2, 1)).reshape((T, D)))


@ct.kernel
def plain_scores(q, k, s, T: Const, D: Const):
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(q, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    b = ct.load(k, index=(0, j), shape=(D, T), order=(1, 0), padding_mode=ZERO)
    ct.store(s, index=(i, j), tile=ct.mma(a, b, ct.full((T, T), 0.0, dtype=ct.float32)))


@ct.kernel
def turned_by_matrix(x, y, D: Const):
    """Row by row a product with a matrix of cosines and sines; grid (rows)."""
    i = ct.bid(0)
    row, column = ct.arange(D, dtype=ct.int32).reshape((D, 1)), ct.arange(D, dtype=ct.int32).reshape((1, D))
    k = (row % (D // 2)).astype(ct.float32)
    angle = ct.full((D, 1), i, dtype=ct.float32) * ct.exp2(k * (-13.287712 / (D // 2)))
    m = ct.where(column == row, ct.cos(angle), 0.0)
    m = ct.where(column == row - D // 2, ct.sin(angle), m)
    m = ct.where(column == row + D // 2, -ct.sin(angle), m)
    xt = ct.load(x, index=(i, 0), shape=(1, D)).reshape((D, 1))
    ct.store(y, index=(i, 0), tile=ct.mma(m, xt, ct.full((D, 1), 0.0, dtype=ct.float32)).reshape((1, D)))


@ct.kernel
def turned_part(x, frequency, y, T: Const, PART: Const, HALF: Const):
    """The first PART columns of either half are turned, the others kept; grid (row blocks)."""
    i = ct.bid(0)
    column = ct.arange(HALF, dtype=ct.int32).reshape((1, HALF))
    t = (i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))).astype(ct.float32)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    f = ct.load(frequency, index=(0,), shape=(HALF,)).reshape((1, HALF))
    c, s = ct.cos(t * f), ct.sin(t * f)
    ct.store(y, index=(i, 0), tile=ct.where(column < PART, a * c - b * s, a))
    ct.store(y, index=(i, 1), tile=ct.where(column < PART, a * s + b * c, b))


@ct.kernel
def turned_by_zeros(x, frequency, y, T: Const, PART: Const, HALF: Const):
    """All columns turned, some by an angle of 0."""
    i = ct.bid(0)
    column = ct.arange(HALF, dtype=ct.int32).reshape((1, HALF))
    t = (i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))).astype(ct.float32)
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    f = ct.where(column < PART, ct.load(frequency, index=(0,), shape=(HALF,)).reshape((1, HALF)), 0.0)
    c, s = ct.cos(t * f), ct.sin(t * f)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=b * c + a * s)


@ct.kernel
def turned_sections(x, place, y, T: Const, HALF: Const):
    """Three positions for each row: columns 0 to 1 of a half by time, 2 to 4 by height, the rest by width."""
    i = ct.bid(0)
    row = i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
    column = ct.arange(HALF, dtype=ct.int32).reshape((1, HALF))
    which = ct.where(column < 2, 0, ct.where(column < 5, 1, 2))
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    c, s = turn(ct.gather(place, (row, which), padding_value=0), HALF)
    ct.store(y, index=(i, 0), tile=a * c - b * s)
    ct.store(y, index=(i, 1), tile=a * s + b * c)


@ct.kernel
def turned_section(x, place, y, which: int, first: int, last: int, T: Const, HALF: Const):
    """One section: columns first to last of a half; y has the others already."""
    i = ct.bid(0)
    row = i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
    column = ct.arange(HALF, dtype=ct.int32).reshape((1, HALF))
    a, b = ct.gather(x, (row, column), padding_value=0), ct.gather(x, (row, column + HALF), padding_value=0)
    c, s = turn(ct.gather(place, (row, which), padding_value=0), HALF)
    there = (column >= first) & (column < last)
    ct.scatter(y, (row, column), a * c - b * s, mask=there)
    ct.scatter(y, (row, column + HALF), a * s + b * c, mask=there)


# ---- backward --------------------------------------------------------------------------------------------------------
@ct.kernel
def norm_backward(x, g, dx, eps: float, T: Const, D: Const):
    """RMS norm backward: r g - x r^3 mean(g x); grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    gt = ct.load(g, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    r = ct.rsqrt(ct.sum(xt * xt, axis=1, keepdims=True) / D + eps)
    mean = ct.sum(gt * xt, axis=1, keepdims=True) / D
    ct.store(dx, index=(i, 0), tile=r * gt - xt * (r * r * r * mean))


@ct.kernel
def norm_turn_backward(x, y, dy, dx, eps: float, T: Const, HALF: Const):
    """Both at once, with the mean of dy y of the rotated rows."""
    i = ct.bid(0)
    D = 2 * HALF
    a = ct.load(x, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    b = ct.load(x, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    p = ct.load(dy, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    q = ct.load(dy, index=(i, 1), shape=(T, HALF), padding_mode=ZERO)
    r = ct.rsqrt(ct.sum(a * a + b * b, axis=1, keepdims=True) / D + eps)
    mean = ct.sum(p * ct.load(y, index=(i, 0), shape=(T, HALF), padding_mode=ZERO), axis=1, keepdims=True)
    mean = (mean + ct.sum(q * ct.load(y, index=(i, 1), shape=(T, HALF), padding_mode=ZERO), axis=1, keepdims=True)) / D
    c, s = turn(i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1)), HALF)
    ct.store(dx, index=(i, 0), tile=r * (p * c + q * s - a * r * mean))
    ct.store(dx, index=(i, 1), tile=r * (q * c - p * s - b * r * mean))


F1, F2, H2, I2 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float16, 2), array(ct.int32, 2)
KERNELS = {
    "norm_then_turn": (norm_then_turn, [H2, H2, ct.float32, 16, 8]),
    "turn_then_norm": (turn_then_norm, [H2, H2, ct.float32, 8, 8]),
    "norm_then_turn_f32": (norm_then_turn, [F2, F2, ct.float32, 8, 8]),
    "cosine_scores": (cosine_scores, [H2, H2, F2, 8, 8]),
    "turned": (turned, [H2, F2, 16, 8]),
    "scores_of_lengths": (scores_of_lengths, [F2, F2, F2, 16, 16]),
    "turned_f32": (turned, [F2, F2, 8, 8]),
    "weighted": (weighted, [F2, F1, F2, 8, 16]),
    "undone_weighted": (undone_weighted, [F2, F1, F2, 16, 8]),
    "turned_back": (turned_back, [F2, F2, 16, 8]),
    "turned_by_negative": (turned_by_negative, [F2, F2, 8, 8]),
    "turned_rows": (turned_rows, [F2, F2, 8]),
    "interleaved_scores": (interleaved_scores, [F2, F2, F2, 8, 8]),
    "halves_of_pairs": (halves_of_pairs, [F2, F2, 8, 16]),
    "plain_scores": (plain_scores, [F2, F2, F2, 16, 16]),
    "turned_by_matrix": (turned_by_matrix, [F2, F2, 16]),
    "turned_part": (turned_part, [F2, F1, F2, 8, 5, 8]),
    "turned_by_zeros": (turned_by_zeros, [F2, F1, F2, 16, 5, 8]),
    "turned_sections": (turned_sections, [F2, I2, F2, 8, 8]),
    "turned_section": (turned_section, [F2, I2, F2, ct.int32, ct.int32, ct.int32, 16, 8]),
    "norm_backward": (norm_backward, [F2, F2, F2, ct.float32, 8, 16]),
    "norm_turn_backward": (norm_turn_backward, [F2, F2, F2, F2, ct.float32, 16, 8]),
}

# Rows in blocks of 8 and 16: ragged, whole, with one row in the last, one row.
SIZES = {"R": [21, 32, 17, 1]}
BY_8, BY_16 = "cdiv(R, 8)", "cdiv(R, 16)"
ROWS = buffer("f32", ["R", 16], NORMAL)
RESULT = buffer("f32", ["R", 16])
HALVES = buffer("f16", ["R", 16], NORMAL)
SCORES = buffer("f32", ["R", "R"])
PLAIN = {"X": ROWS, "Y": RESULT}

PAIRS = [
    pair(
        "after_norm",
        "a rotation after an RMS norm without weights, and before it",
        {"X": HALVES, "Y": buffer("f16", ["R", 16])},
        [run("norm_then_turn", (BY_16,), "X", "Y", "f32 1e-5")],
        [run("turn_then_norm", (BY_8,), "X", "Y", "f32 1e-5")],
        ["Y"],
        [
            mutant("sign", "turn_then_norm", "b * c + a * s", "b * c - a * s", "a wrong sign in the rotation"),
            mutant(
                "stale",
                "turn_then_norm",
                "    a, b = a * c - b * s, b * c + a * s\n",
                "    a = a * c - b * s\n    b = b * c + a * s\n",
                "the first half is replaced before it is used",
            ),
            mutant(
                "half",
                "turn_then_norm",
                " + ct.sum(b * b, axis=1, keepdims=True) / (2 * HALF)",
                "",
                "the second half is not in the norm",
            ),
            mutant("position", "turn_then_norm", "turn(i * T + ", "turn(", "positions within the block"),
            launched(
                "one_row",
                "turn_then_norm.tileirbc, grid: [cdiv(R, 8)",
                "turn_then_norm.tileirbc, grid: [max(cdiv(R - 1, 8), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("norm_first", "turn_first"),
        parameters=SIZES,
    ),
    pair(
        "cosine_scores",
        "scores of rotated rows divided by the lengths before the rotation, and by those after it in another launch",
        {"Q": HALVES, "K": HALVES, "QT": RESULT, "KT": RESULT, "S": SCORES},
        [run("cosine_scores", (BY_8, BY_8), "Q", "K", "S")],
        [
            run("turned", (BY_16,), "Q", "QT"),
            run("turned", (BY_16,), "K", "KT"),
            run("scores_of_lengths", (BY_16, BY_16), "QT", "KT", "S"),
        ],
        ["S"],
        [
            mutant(
                "keys",
                "scores_of_lengths",
                "ct.sum(b * b, axis=1)",
                "ct.sum(a * a, axis=1)",
                "the lengths of queries for those of keys",
            ),
            mutant("no_root", "scores_of_lengths", "ct.sqrt(qq)", "qq", "the square of the length"),
            mutant("eps", "scores_of_lengths", "reshape((1, T)) + 1e-6", "reshape((1, T)) + 1e-3", "another eps"),
            launched("not_turned", "args: [K, KT]", "args: [Q, KT]", "queries for keys"),
            launched(
                "one_row",
                "scores_of_lengths.tileirbc, grid: [cdiv(R, 16)",
                "scores_of_lengths.tileirbc, grid: [max(cdiv(R - 1, 16), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("before", "after"),
        parameters=SIZES,
    ),
    pair(
        "undone",
        "weights for rows, and for rows that were rotated and are turned back",
        {"X": ROWS, "W": buffer("f32", [16], NORMAL), "T": RESULT, "Y": RESULT},
        [run("weighted", (BY_8,), "X", "W", "Y")],
        [run("turned_f32", (BY_8,), "X", "T"), run("undone_weighted", (BY_16,), "T", "W", "Y")],
        ["Y"],
        [
            mutant("twice", "undone_weighted", "(b * c - a * s)", "(b * c + a * s)", "turned on in the second half"),
            mutant(
                "weights",
                "undone_weighted",
                "ct.load(w, index=(1,)",
                "ct.load(w, index=(0,)",
                "the first half's weights twice",
            ),
            mutant("position", "turned_f32", "turn(i * T + ct", "turn(i * T + 1 + ct", "positions begin with 1"),
            launched(
                "one_row",
                "undone_weighted.tileirbc, grid: [cdiv(R, 16)",
                "undone_weighted.tileirbc, grid: [max(cdiv(R - 1, 16), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("plain", "undone"),
        parameters=SIZES,
    ),
    pair(
        "turned_back",
        "a rotation back by the negated sine, and by negative positions",
        PLAIN,
        [run("turned_back", (BY_16,), "X", "Y")],
        [run("turned_by_negative", (BY_8,), "X", "Y")],
        ["Y"],
        [
            mutant("forward", "turned_by_negative", "turn(-i * T - ", "turn(i * T + ", "turned forward"),
            mutant("sign", "turned_by_negative", "turn(-i * T - ", "turn(-i * T + ", "positions rise within a block"),
            mutant("swapped", "turned_by_negative", "a * s + b * c", "b * s + a * c", "halves are exchanged"),
            launched(
                "one_row",
                "turned_by_negative.tileirbc, grid: [cdiv(R, 8)",
                "turned_by_negative.tileirbc, grid: [max(cdiv(R - 1, 8), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("sine", "position"),
        parameters=SIZES,
    ),
    pair(
        "first_copied",
        "a rotation in blocks, and row by row with the first one copied",
        PLAIN,
        [run("turned_f32", (BY_8,), "X", "Y")],
        [run("turned_rows", ("R",), "X", "Y")],
        ["Y"],
        [
            mutant("second_too", "turned_rows", "if i == 0:", "if i <= 1:", "the second row is copied too"),
            mutant(
                "position", "turned_rows", "ct.full((1, 1), i,", "ct.full((1, 1), i - 1,", "positions begin with -1"
            ),
            mutant("sign", "turned_rows", "a * s + b * c", "b * c - a * s", "a wrong sign"),
        ],
        names=("blocks", "rows"),
        parameters=SIZES,
    ),
    pair(
        "interleaved",
        "scores with neighbours turned together, and with halves after the columns were put in order",
        {"Q": ROWS, "K": ROWS, **{n: RESULT for n in ("QH", "KH", "QT", "KT")}, "S": SCORES},
        [run("interleaved_scores", (BY_8, BY_8), "Q", "K", "S")],
        [
            run("halves_of_pairs", (BY_8,), "Q", "QH"),
            run("halves_of_pairs", (BY_8,), "K", "KH"),
            run("turned_f32", (BY_8,), "QH", "QT"),
            run("turned_f32", (BY_8,), "KH", "KT"),
            run("plain_scores", (BY_16, BY_16), "QT", "KT", "S"),
        ],
        ["S"],
        [
            mutant(
                "not_in_order",
                "halves_of_pairs",
                "pairs.permute((0, 2, 1)).reshape",
                "pairs.reshape",
                "columns are not put in order",
            ),
            launched("keys_only", "args: [QH, QT]", "args: [Q, QT]", "only keys are put in order"),
            launched("not_turned", "args: [QT, KT, S]", "args: [QT, KH, S]", "keys are not turned"),
            mutant(
                "transposed",
                "plain_scores",
                "ct.load(k, index=(0, j), shape=(D, T), order=(1, 0), padding_mode=ZERO)",
                "ct.load(k, index=(j, 0), shape=(T, D), padding_mode=ZERO).reshape((D, T))",
                "keys are reshaped, not transposed",
            ),
            launched(
                "one_row",
                "plain_scores.tileirbc, grid: [cdiv(R, 16)",
                "plain_scores.tileirbc, grid: [max(cdiv(R - 1, 16), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("pairs", "halves"),
        parameters=SIZES,
    ),
    pair(
        "by_matrix",
        "a rotation in blocks, and by products with a matrix of cosines and sines",
        PLAIN,
        [run("turned_f32", (BY_8,), "X", "Y")],
        [run("turned_by_matrix", ("R",), "X", "Y")],
        ["Y"],
        [
            mutant(
                "transposed",
                "turned_by_matrix",
                "column == row - D // 2, ct.sin(angle)",
                "column == row - D // 2, -ct.sin(angle)",
                "the matrix turns the other way",
                ("column == row + D // 2, -ct.sin(angle)", "column == row + D // 2, ct.sin(angle)"),
            ),
            mutant("frequencies", "turned_by_matrix", "(row % (D // 2))", "(row // 2)", "frequencies of neighbours"),
            mutant(
                "diagonal",
                "turned_by_matrix",
                "column == row, ct.cos(angle), 0.0",
                "column == row, ct.cos(angle), 1.0",
                "ones for zeros",
            ),
        ],
        names=("blocks", "matrix"),
        parameters=SIZES,
    ),
    pair(
        "part",
        "a rotation of some columns, and of all with some angles 0",
        {"X": ROWS, "F": buffer("f32", [8], "{uniform: {low: 0.01, high: 1}}"), "Y": RESULT},
        [run("turned_part", (BY_8,), "X", "F", "Y")],
        [run("turned_by_zeros", (BY_16,), "X", "F", "Y")],
        ["Y"],
        [
            mutant("one_more", "turned_by_zeros", "column < PART", "column <= PART", "one column too many"),
            mutant(
                "all",
                "turned_by_zeros",
                "f = ct.where(column < PART, ",
                "f = ct.where(column < HALF, ",
                "all columns are turned",
            ),
            mutant(
                "one",
                "turned_by_zeros",
                "reshape((1, HALF)), 0.0)",
                "reshape((1, HALF)), 1.0)",
                "the other columns turn with frequency 1",
            ),
            launched(
                "one_row",
                "turned_by_zeros.tileirbc, grid: [cdiv(R, 16)",
                "turned_by_zeros.tileirbc, grid: [max(cdiv(R - 1, 16), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("part", "zeros"),
        parameters=SIZES,
    ),
    pair(
        "sections",
        "a rotation with three positions for each row at once, and section by section in place",
        {"X": ROWS, "PLACE": buffer("i32", ["R", 3], integers(0, 40)), "Y": RESULT},
        [run("turned_sections", (BY_8,), "X", "PLACE", "Y")],
        [
            run("turned_section", (BY_16,), "X", "PLACE", "Y", "i32 0", "i32 0", "i32 2"),
            run("turned_section", (BY_16,), "X", "PLACE", "Y", "i32 1", "i32 2", "i32 5"),
            run("turned_section", (BY_16,), "X", "PLACE", "Y", "i32 2", "i32 5", "i32 8"),
        ],
        ["Y"],
        [
            launched("place", "i32 1, i32 2, i32 5", "i32 2, i32 2, i32 5", "the width for the height"),
            launched("overlap", "i32 2, i32 5, i32 8", "i32 2, i32 4, i32 8", "a section begins a column early"),
            mutant(
                "second_half",
                "turned_section",
                "y, (row, column + HALF), a * s + b * c",
                "y, (row, column + HALF), a * s - b * c",
                "a wrong sign",
            ),
            mutant(
                "row",
                "turned_section",
                "ct.gather(place, (row, which)",
                "ct.gather(place, (0, which)",
                "always the first row's positions",
            ),
        ],
        names=("once", "sections"),
        parameters=SIZES,
    ),
    pair(
        "backward",
        "norm and rotation backward in two launches with r^3, and at once with the mean of dy y",
        {"X": ROWS, "DY": ROWS, "Y": RESULT, "G": RESULT, "DX": RESULT},
        [run("turned_back", (BY_16,), "DY", "G"), run("norm_backward", (BY_8,), "X", "G", "DX", "f32 1e-5")],
        [
            run("norm_then_turn_f32", (BY_8,), "X", "Y", "f32 1e-5"),
            run("norm_turn_backward", (BY_16,), "X", "Y", "DY", "DX", "f32 1e-5"),
        ],
        ["DX"],
        [
            mutant(
                "forward",
                "norm_turn_backward",
                "p * c + q * s - a",
                "p * c - q * s - a",
                "the gradient is turned forward",
            ),
            mutant("no_r", "norm_turn_backward", "b * r * mean", "b * mean", "r is missing in the second half"),
            mutant(
                "half",
                "norm_turn_backward",
                "q * ct.load(y, index=(i, 1)",
                "q * ct.load(y, index=(i, 0)",
                "the first half of y twice",
            ),
            mutant(
                "sum",
                "norm_turn_backward",
                "axis=1, keepdims=True)) / D",
                "axis=1, keepdims=True)) / HALF",
                "divided by half the width",
            ),
            launched(
                "one_row",
                "norm_turn_backward.tileirbc, grid: [cdiv(R, 16)",
                "norm_turn_backward.tileirbc, grid: [max(cdiv(R - 1, 16), 1)",
                "a last block with a single row is left out",
            ),
        ],
        names=("two", "one"),
        parameters=SIZES,
    ),
]
