# SPDX-License-Identifier: Apache-2.0
# Mixtures of experts and what selects: gates, top-k, sorted tokens with ragged counts, permutations, samplers' masks.
import math

import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO, NEG_INF = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF

# 29 tokens of 5 experts, the third without any: where each expert's tokens begin, and the tokens in that order.
EXPERT_OF = [1, 4, 0, 4, 3, 1, 1, 0, 4, 3, 1, 4, 4, 0, 1, 3, 4, 1, 0, 1, 1, 4, 0, 4, 1, 4, 3, 4, 1]
ORDER = sorted(range(29), key=lambda token: (EXPERT_OF[token], token))
STARTS = [sum(e < expert for e in EXPERT_OF) for expert in range(6)]
INPUTS = {
    "experts.i32": np.int32(EXPERT_OF),
    "experts_order.i32": np.int32(ORDER),
    "experts_starts.i32": np.int32(STARTS),
}


# ---- gates -----------------------------------------------------------------------------------------------------------
@ct.kernel
def top_1(x, weight, index, TM: Const, TN: Const):
    """The largest softmax weight of each row, and where it is."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    ct.store(weight, index=(i,), tile=ct.max(p, axis=1))
    ct.store(index, index=(i,), tile=ct.argmax(p, axis=1))


@ct.kernel
def top_1_gather(x, weight, index, TM: Const, TN: Const):
    """The score at the argmax gathered from memory, over the sum."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    best = ct.argmax(t, axis=1)
    score = ct.gather(x, (i * TM + ct.arange(TM, dtype=ct.int32), best), padding_value=0.0)
    total = ct.sum(ct.exp(t - score.reshape((TM, 1))), axis=1)
    ct.store(weight, index=(i,), tile=1.0 / total)
    ct.store(index, index=(i,), tile=best)


@ct.kernel
def top_2_masked(x, weights, index, TM: Const, TN: Const):
    """Two largest scores by masking the first, softmax of the two; weights[row, 2]."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    first = ct.argmax(t, axis=1, keepdims=True)
    a = ct.max(t, axis=1, keepdims=True)
    t = ct.where(column == first, -math.inf, t)
    second = ct.argmax(t, axis=1, keepdims=True)
    b = ct.max(t, axis=1, keepdims=True)
    e = ct.exp(b - a)
    ct.store(weights, index=(i, 0), tile=1.0 / (1.0 + e))
    ct.store(weights, index=(i, 1), tile=e / (1.0 + e))
    ct.store(index, index=(i, 0), tile=first)
    ct.store(index, index=(i, 1), tile=second)


@ct.kernel
def top_2_ranks(x, weights, index, TM: Const, TN: Const):
    """By ranks, the number of larger scores; all weights of the softmax, those of rank 0 and 1 normalised."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    this, other = t.reshape((TM, TN, 1)), t.reshape((TM, 1, TN))
    before = (other > this) | ((other == this) & (column.reshape((1, 1, TN)) < column.reshape((1, TN, 1))))
    rank = ct.sum(ct.where(before, 1, 0), axis=2)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    kept = ct.sum(ct.where(rank < 2, p, 0.0), axis=1, keepdims=True)
    for k in range(2):
        here = rank == k
        ct.store(weights, index=(i, k), tile=ct.sum(ct.where(here, p, 0.0), axis=1, keepdims=True) / kept)
        ct.store(index, index=(i, k), tile=ct.sum(ct.where(here, column.reshape((1, TN)), 0), axis=1, keepdims=True))


@ct.kernel
def balance(x, loss, TN: Const):
    """Switch's balance loss: experts times the sum of share of tokens times mean weight; one program, row by row."""
    column = ct.arange(TN, dtype=ct.int32)
    counts = ct.full((TN,), 0.0, dtype=ct.float32)
    mass = ct.full((TN,), 0.0, dtype=ct.float32)
    for row in range(x.shape[0]):
        t = ct.load(x, index=(row, 0), shape=(1, TN), padding_mode=NEG_INF).reshape((TN,))
        e = ct.exp(t - ct.max(t))
        mass = mass + e / ct.sum(e)
        counts = counts + ct.where(column == ct.argmax(t), 1.0, 0.0)
    rows = x.shape[0]
    ct.store(loss, index=(0,), tile=(ct.sum(counts / rows * mass / rows) * x.shape[1]).reshape((1,)))


@ct.kernel
def balance_parts(x, counts, mass, TM: Const, TN: Const):
    """Counts and sums of weights by atomics; grid (row blocks)."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    inside = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1)) < x.shape[0]
    e = ct.where(inside, ct.exp(t - ct.where(inside, ct.max(t, axis=1, keepdims=True), 0.0)), 0.0)
    p = e / ct.where(inside, ct.sum(e, axis=1, keepdims=True), 1.0)
    ct.atomic_add(mass, (column,), ct.sum(p, axis=0))
    best = ct.argmax(t, axis=1, keepdims=True)
    ct.atomic_add(counts, (column,), ct.sum(ct.where(inside & (column.reshape((1, TN)) == best), 1, 0), axis=0))


@ct.kernel
def balance_loss(counts, mass, loss, rows: int, TN: Const):
    """From the counts and sums."""
    c = ct.load(counts, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    m = ct.load(mass, index=(0,), shape=(TN,), padding_mode=ZERO)
    n = rows * ct.full((1,), 1.0, dtype=ct.float32)
    ct.store(loss, index=(0,), tile=ct.sum(c * m) * counts.shape[0] / (n * n))


# ---- experts ---------------------------------------------------------------------------------------------------------
@ct.kernel
def dense_top_1(x, w, expert, weight, y, TM: Const, TN: Const, TK: Const):
    """Every expert for every token, masked: y = sum over experts of weight (x w[e]); grid (row, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    mine = ct.load(expert, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    gate = ct.load(weight, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for e in range(w.shape[0]):
        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for k in range(ct.cdiv(x.shape[1], TK)):
            a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
            b = ct.load(w, index=(e, k, j), shape=(1, TK, TN), padding_mode=ZERO).reshape((TK, TN))
            acc = ct.mma(a, b, acc)
        total = total + ct.where(mine == e, acc * gate, 0.0)
    ct.store(y, index=(i, j), tile=total)


@ct.kernel
def grouped_top_1(x, w, order, starts, weight, y, TM: Const, TN: Const, TK: Const):
    """A program for each block of each expert's sorted tokens; grid (blocks, column blocks, experts)."""
    i, j, e = ct.bid(0), ct.bid(1), ct.bid(2)
    first = ct.load(starts, index=(e,), shape=(1,)).item()
    end = ct.load(starts, index=(e + 1,), shape=(1,)).item()
    place = first + i * TM + ct.arange(TM, dtype=ct.int32)
    inside = place < end
    token = ct.gather(order, (place,), mask=inside, padding_value=0)
    column = j * TN + ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    if first + i * TM < end:
        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for k in range(ct.cdiv(x.shape[1], TK)):
            inner = k * TK + ct.arange(TK, dtype=ct.int32).reshape((1, TK))
            a = ct.gather(x, (token.reshape((TM, 1)), inner), mask=inside.reshape((TM, 1)), padding_value=0.0)
            b = ct.load(w, index=(e, k, j), shape=(1, TK, TN), padding_mode=ZERO).reshape((TK, TN))
            acc = ct.mma(a, b, acc)
        gate = ct.gather(weight, (token,), mask=inside, padding_value=0.0).reshape((TM, 1))
        ct.scatter(y, (token.reshape((TM, 1)), column), acc * gate, mask=inside.reshape((TM, 1)))


@ct.kernel
def permute_rows(x, order, y, TN: Const):
    """y[r] = x[order[r]]; grid (rows)."""
    r = ct.bid(0)
    source = ct.load(order, index=(r,), shape=(1,)).item()
    ct.store(y, index=(r, 0), tile=ct.load(x, index=(source, 0), shape=(1, TN), padding_mode=ZERO))


@ct.kernel
def ragged_product(x, w, starts, y, TM: Const, TN: Const, TK: Const):
    """Sorted rows times their expert's matrix, blocks may lie across experts; grid (row, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for e in range(w.shape[0]):
        first = ct.load(starts, index=(e,), shape=(1,)).item()
        end = ct.load(starts, index=(e + 1,), shape=(1,)).item()
        if first < (i + 1) * TM and end > i * TM:
            mine = (row >= first) & (row < end)
            for k in range(ct.cdiv(x.shape[1], TK)):
                a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
                b = ct.load(w, index=(e, k, j), shape=(1, TK, TN), padding_mode=ZERO).reshape((TK, TN))
                acc = ct.mma(ct.where(mine, a, 0.0), b, acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def unpermute_rows(x, order, weight, y, TN: Const):
    """y[order[r]] = weight[order[r]] x[r]; grid (rows)."""
    r = ct.bid(0)
    target = ct.load(order, index=(r,), shape=(1,)).item()
    gate = ct.load(weight, index=(target,), shape=(1,)).reshape((1, 1))
    ct.store(y, index=(target, 0), tile=gate * ct.load(x, index=(r, 0), shape=(1, TN), padding_mode=ZERO))


@ct.kernel
def dense_top_2(x, gates, w, y, TM: Const, TN: Const, TK: Const, TE: Const):
    """y = sum over experts of g_e (x w[e]), g the softmax of the gates, the smaller ones 0, the two left normalised."""
    i, j = ct.bid(0), ct.bid(1)
    column = ct.arange(TE, dtype=ct.int32).reshape((1, TE))
    t = ct.load(gates, index=(i, 0), shape=(TM, TE), padding_mode=NEG_INF)
    first = ct.argmax(t, axis=1, keepdims=True)
    second = ct.argmax(ct.where(column == first, -math.inf, t), axis=1, keepdims=True)
    kept = (column == first) | (column == second)
    e_t = ct.where(kept, ct.exp(t - ct.max(t, axis=1, keepdims=True)), 0.0)
    g = e_t / ct.sum(e_t, axis=1, keepdims=True)
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for e in range(w.shape[0]):
        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for k in range(ct.cdiv(x.shape[1], TK)):
            a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
            acc = ct.mma(a, ct.load(w, index=(e, k, j), shape=(1, TK, TN), padding_mode=ZERO).reshape((TK, TN)), acc)
        total = total + acc * ct.sum(ct.where(column == e, g, 0.0), axis=1, keepdims=True)
    ct.store(y, index=(i, j), tile=total)


@ct.kernel
def each_top_2(x, weights, index, w, y, TM: Const, TK: Const, TN: Const):
    """One token's two experts by products and sums, both at once; grid (tokens)."""
    row = ct.bid(0)
    y_t = ct.full((1, TN), 0.0, dtype=ct.float32)
    for choice in range(2):
        e = ct.load(index, index=(row, choice), shape=(1, 1)).item()
        gate = ct.load(weights, index=(row, choice), shape=(1, 1))
        acc = ct.full((1, TN), 0.0, dtype=ct.float32)
        for k in range(ct.cdiv(x.shape[1], TK)):
            a = ct.load(x, index=(row, k), shape=(1, TK), padding_mode=ZERO).reshape((TK, 1))
            b = ct.load(w, index=(e, k, 0), shape=(1, TK, TN), padding_mode=ZERO).reshape((TK, TN))
            acc = acc + ct.sum(a * b, axis=0, keepdims=True)
        y_t = y_t + gate * acc
    ct.store(y, index=(row, 0), tile=y_t)


@ct.kernel
def slots_of(expert, slot, E: Const, TM: Const):
    """Each token's place among its expert's, by running counts; one program for all tokens."""
    mine = ct.load(expert, index=(0,), shape=(TM,), padding_mode=ct.PaddingMode.ZERO).reshape((TM, 1))
    inside = ct.arange(TM, dtype=ct.int32).reshape((TM, 1)) < expert.shape[0]
    one = ct.where(inside & (mine == ct.arange(E, dtype=ct.int32).reshape((1, E))), 1, 0)
    ct.store(slot, index=(0,), tile=ct.sum(ct.cumsum(one, axis=0) * one, axis=1) - 1)


@ct.kernel
def dispatch(x, expert, slot, y, CAPACITY: Const, TN: Const):
    """y[expert, slot] = x[token] where slot is below the capacity; grid (tokens)."""
    token = ct.bid(0)
    e = ct.load(expert, index=(token,), shape=(1,)).item()
    s = ct.load(slot, index=(token,), shape=(1,)).item()
    if s < CAPACITY:
        t = ct.load(x, index=(token, 0), shape=(1, TN), padding_mode=ZERO).reshape((1, 1, TN))
        ct.store(y, index=(e, s, 0), tile=t)


@ct.kernel
def dispatch_product(x, expert, y, CAPACITY: Const, TM: Const, TN: Const):
    """The same as a product with a matrix of zeros and ones, [slots, tokens]; grid (experts)."""
    e = ct.bid(0)
    mine = ct.load(expert, index=(0,), shape=(TM,), padding_mode=ZERO).reshape((1, TM)) == e
    mine = mine & (ct.arange(TM, dtype=ct.int32).reshape((1, TM)) < expert.shape[0])
    place = ct.cumsum(ct.where(mine, 1, 0), axis=1) - 1
    one_hot = ct.where(mine & (place == ct.arange(CAPACITY, dtype=ct.int32).reshape((CAPACITY, 1))), 1.0, 0.0)
    t = ct.load(x, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    acc = ct.mma(one_hot, t, ct.full((CAPACITY, TN), 0.0, dtype=ct.float32))
    ct.store(y, index=(e, 0, 0), tile=acc.reshape((1, CAPACITY, TN)))


# ---- samplers --------------------------------------------------------------------------------------------------------
@ct.kernel
def top_k_masked(x, y, K: Const, TM: Const, TN: Const):
    """Softmax of the K largest scores: K times the maximum is found and taken out."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    m = ct.max(t, axis=1, keepdims=True)
    left, e = t, ct.full((TM, TN), 0.0, dtype=ct.float32)
    for _ in range(K):
        here = column == ct.argmax(left, axis=1, keepdims=True)
        e = ct.where(here, ct.exp(t - m), e)
        left = ct.where(here, -math.inf, left)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def top_k_ranks(x, y, K: Const, TM: Const, TN: Const):
    """Scores with K or more larger ones are set to -inf before the softmax."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    larger = ct.sum(ct.where(t.reshape((TM, 1, TN)) > t.reshape((TM, TN, 1)), 1, 0), axis=2)
    t = ct.where(larger < K, t, -math.inf)
    e = ct.exp2((t - ct.max(t, axis=1, keepdims=True)) * 1.4426950408889634)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def top_p_sorted(x, y, top: float, TN: Const):
    """Largest first until their weights reach top, normalised; a row for each program."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32)
    t = ct.load(x, index=(i, 0), shape=(1, TN), padding_mode=NEG_INF).reshape((TN,))
    e = ct.exp(t - ct.max(t))
    p = e / ct.sum(e)
    left, kept, total = t, ct.full((TN,), 0.0, dtype=ct.float32), 0.0
    for _ in range(x.shape[1]):
        best = ct.argmax(left)
        if total < top:
            kept = ct.where(column == best, p, kept)
            total = total + ct.sum(ct.where(column == best, p, 0.0))
        left = ct.where(column == best, -math.inf, left)
    ct.store(y, index=(i, 0), tile=(kept / total).reshape((1, TN)))


@ct.kernel
def top_p_masses(x, y, top: float, TM: Const, TN: Const):
    """A score stays where the weights of all larger ones are below top."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    larger = t.reshape((TM, 1, TN)) > t.reshape((TM, TN, 1))
    mass = ct.sum(ct.where(larger, p.reshape((TM, 1, TN)), 0.0), axis=2)
    kept = ct.where(mass < top, e, 0.0)
    ct.store(y, index=(i, 0), tile=kept / ct.sum(kept, axis=1, keepdims=True))


@ct.kernel
def min_p(x, y, least: float, TM: Const, TN: Const):
    """Weights below least times the largest one are 0, the others normalised."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    p = ct.where(p >= least * ct.max(p, axis=1, keepdims=True), p, 0.0)
    ct.store(y, index=(i, 0), tile=p / ct.sum(p, axis=1, keepdims=True))


@ct.kernel
def min_p_scores(x, y, least: float, TM: Const, TN: Const):
    """By scores, in column blocks: those above the maximum + log(least)."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    for j in range(blocks):
        m = ct.maximum(m, ct.max(ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF), axis=1, keepdims=True))
    floor = m + ct.log(least)
    total = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)
        total = total + ct.sum(ct.where(t >= floor, ct.exp(t - m), 0.0), axis=1, keepdims=True)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)
        ct.store(y, index=(i, j), tile=ct.where(t >= floor, ct.exp(t - m) / total, 0.0))


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
I1, I2, FLOAT, INT = array(ct.int32, 1), array(ct.int32, 2), ct.float32, ct.int32
KERNELS = {
    "top_1": (top_1, [F2, F1, I1, 8, 16]),
    "top_1_gather": (top_1_gather, [F2, F1, I1, 4, 16]),
    "top_2_masked": (top_2_masked, [F2, F2, I2, 8, 16]),
    "top_2_ranks": (top_2_ranks, [F2, F2, I2, 4, 16]),
    "balance": (balance, [F2, F1, 16]),
    "balance_parts": (balance_parts, [F2, I1, F1, 8, 16]),
    "balance_loss": (balance_loss, [I1, F1, F1, INT, 16]),
    "dense_top_1": (dense_top_1, [F2, F3, I1, F1, F2, 8, 16, 16]),
    "grouped_top_1": (grouped_top_1, [F2, F3, I1, I1, F1, F2, 8, 16, 32]),
    "permute_rows": (permute_rows, [F2, I1, F2, 64]),
    "ragged_product": (ragged_product, [F2, F3, I1, F2, 8, 16, 16]),
    "unpermute_rows": (unpermute_rows, [F2, I1, F1, F2, 32]),
    "dense_top_2": (dense_top_2, [F2, F2, F3, F2, 8, 16, 16, 8]),
    "gates_of_2": (top_2_masked, [F2, F2, I2, 8, 8]),
    "each_top_2": (each_top_2, [F2, F2, I2, F3, F2, 1, 16, 32]),
    "slots_of": (slots_of, [I1, I1, 8, 32]),
    "dispatch": (dispatch, [F2, I1, I1, F3, 8, 64]),
    "dispatch_product": (dispatch_product, [F2, I1, F3, 8, 32, 64]),
    "top_k_masked": (top_k_masked, [F2, F2, 7, 4, 64]),
    "top_k_ranks": (top_k_ranks, [F2, F2, 7, 8, 64]),
    "top_p_sorted": (top_p_sorted, [F2, F2, FLOAT, 64]),
    "top_p_masses": (top_p_masses, [F2, F2, FLOAT, 4, 64]),
    "min_p": (min_p, [F2, F2, FLOAT, 4, 64]),
    "min_p_scores": (min_p_scores, [F2, F2, FLOAT, 8, 16]),
}

# Tokens in blocks of 4 and 8, inner steps and columns in blocks of 16 and 32: ragged, whole, one in the last, one.
TOKENS, DEPTHS, WIDTHS = {"R": [29, 32, 25, 1]}, {"D": [40, 64, 33, 1]}, {"C": [50, 64, 33, 2]}
BY_4, BY_8 = "cdiv(R, 4)", "cdiv(R, 8)"
SCORES = buffer("f32", ["R", 11], NORMAL)
GATES = {"X": SCORES, "P": buffer("f32", ["R"]), "I": buffer("i32", ["R"])}
GATES_2 = {"X": SCORES, "P": buffer("f32", ["R", 2]), "I": buffer("i32", ["R", 2])}
SORTED = {
    "X": buffer("f32", [29, "D"], NORMAL),
    "W": buffer("f32", [5, "D", 24], NORMAL),
    "E": buffer("i32", [29], given("experts.i32")),
    "ORDER": buffer("i32", [29], given("experts_order.i32")),
    "STARTS": buffer("i32", [6], given("experts_starts.i32")),
    "P": buffer("f32", [29], "{uniform: {low: 0.2, high: 1}}"),
    "Y": buffer("f32", [29, 24]),
}
ROWS = {"X": buffer("f32", [13, "C"], NORMAL), "Y": buffer("f32", [13, "C"])}

PAIRS = [
    pair(
        "top_1",
        "the largest weight of a softmax and its place, and the score gathered at the argmax over the sum",
        GATES,
        [run("top_1", (BY_8,), "X", "P", "I")],
        [run("top_1_gather", (BY_4,), "X", "P", "I")],
        ["P", "I"],
        [
            mutant("smallest", "top_1_gather", "ct.argmax(t", "ct.argmax(-t", "the smallest score"),
            mutant("row", "top_1_gather", "(i * TM + ct", "(ct", "gathered from the first rows"),
            mutant("sum", "top_1_gather", "1.0 / total", "1.0 / (total - 1.0)", "the largest is not in the sum"),
            mutant("score", "top_1_gather", "1.0 / total", "ct.exp(score) / total", "the score counts twice"),
            launched(
                "one_row",
                "grid: [cdiv(R, 4)]",
                "grid: [max(cdiv(R - 1, 4), 1)]",
                "a last block with a single row is left out",
            ),
        ],
        names=("maximum", "gather"),
        parameters=TOKENS,
    ),
    pair(
        "top_2",
        "the two largest scores by masking the first, and by ranks with the softmax of all",
        GATES_2,
        [run("top_2_masked", (BY_8,), "X", "P", "I")],
        [run("top_2_ranks", (BY_4,), "X", "P", "I")],
        ["P", "I"],
        [
            mutant(
                "not_normalised",
                "top_2_ranks",
                "keepdims=True) / kept",
                "keepdims=True)",
                "weights of the softmax of all",
            ),
            mutant("three", "top_2_ranks", "rank < 2", "rank < 3", "normalised by the three largest"),
            mutant("reversed", "top_2_ranks", "here = rank == k", "here = rank == 1 - k", "second first"),
            mutant(
                "smallest", "top_2_ranks", "(other > this)", "((other < this) & (other > -1.0e30))", "smallest first"
            ),
            launched(
                "one_row",
                "grid: [cdiv(R, 4)]",
                "grid: [max(cdiv(R - 1, 4), 1)]",
                "a last block with a single row is left out",
            ),
        ],
        names=("masked", "ranks"),
        parameters=TOKENS,
    ),
    pair(
        "balance",
        "the balance loss row by row, and from counts and sums by atomics",
        {"X": SCORES, "L": buffer("f32", [1])} | {"C": buffer("i32", [11], "zeros"), "M": buffer("f32", [11], "zeros")},
        [run("balance", (1,), "X", "L")],
        [run("balance_parts", (BY_8,), "X", "C", "M"), run("balance_loss", (1,), "C", "M", "L", "i32 R")],
        ["L"],
        [
            mutant(
                "rows_behind",
                "balance_parts",
                "ct.where(inside & (column.reshape((1, TN)) == best), 1, 0)",
                "ct.where(column.reshape((1, TN)) == best, 1, 0)",
                "rows behind the end count for expert 0",
            ),
            mutant("mean_once", "balance_loss", "(n * n)", "n", "the mean is taken once"),
            mutant("one_hot", "balance_loss", "ct.sum(c * m)", "ct.sum(c) * ct.sum(m) / 11", "the product of the sums"),
            mutant("replaced", "balance_parts", "ct.atomic_add(mass,", "ct.atomic_xchg(mass,", "the last block's sums"),
            launched(
                "one_row",
                "grid: [cdiv(R, 8)]",
                "grid: [max(cdiv(R - 1, 8), 1)]",
                "a last block with a single row is left out",
            ),
        ],
        names=("rows", "atomics"),
        parameters=TOKENS,
    ),
    pair(
        "experts",
        "every expert for every token, masked, and the sorted tokens of each expert",
        SORTED,
        [run("dense_top_1", (4, 2), "X", "W", "E", "P", "Y")],
        [run("grouped_top_1", (2, 2, 5), "X", "W", "ORDER", "STARTS", "P", "Y")],
        ["Y"],
        [
            mutant(
                "one_too_many",
                "grouped_top_1",
                "inside = place < end",
                "inside = place <= end",
                "the next expert's first token",
            ),
            mutant(
                "one_too_few",
                "grouped_top_1",
                "inside = place < end",
                "inside = place < end - 1",
                "the last token is missing",
            ),
            mutant("place", "grouped_top_1", "acc * gate, mask", "acc * gate * 2.0, mask", "gates count twice"),
            mutant(
                "next_expert",
                "grouped_top_1",
                "index=(e, k, j)",
                "index=((e + 1) % 5, k, j)",
                "the next expert's matrix",
            ),
            mutant(
                "gate_of_place",
                "grouped_top_1",
                "ct.gather(weight, (token,)",
                "ct.gather(weight, (place,)",
                "gates by place, not by token",
            ),
            mutant("first_block", "grouped_top_1", "place = first + i * TM", "place = first", "the first block twice"),
            mutant(
                "one_element",
                "grouped_top_1",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("dense", "grouped"),
        parameters=DEPTHS,
    ),
    pair(
        "permuted",
        "every expert for every token, masked, and rows permuted, multiplied in ragged blocks, and put back",
        SORTED | {"XS": buffer("f32", [29, "D"]), "YS": buffer("f32", [29, 24])},
        [run("dense_top_1", (4, 2), "X", "W", "E", "P", "Y")],
        [
            run("permute_rows", (29,), "X", "ORDER", "XS"),
            run("ragged_product", (4, 2), "XS", "W", "STARTS", "YS"),
            run("unpermute_rows", (29,), "YS", "ORDER", "P", "Y"),
        ],
        ["Y"],
        [
            mutant("same_order", "permute_rows", "index=(source, 0)", "index=(r, 0)", "rows are not permuted"),
            mutant("one_more", "ragged_product", "(row < end)", "(row <= end)", "a row more for each expert"),
            mutant(
                "experts_of_block",
                "ragged_product",
                "first < (i + 1) * TM and end > i * TM",
                "first <= i * TM and end > i * TM",
                "only the expert of the block's first row",
            ),
            mutant(
                "other_way",
                "unpermute_rows",
                "tile=gate * ct.load(x, index=(r, 0)",
                "tile=gate * ct.load(x, index=(target, 0)",
                "not put back",
            ),
            mutant(
                "gate",
                "unpermute_rows",
                "weight, index=(target,)",
                "weight, index=(r,)",
                "gates by place, not by token",
            ),
            mutant(
                "one_element",
                "ragged_product",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("dense", "permuted"),
        parameters=DEPTHS,
    ),
    pair(
        "two_experts",
        "two experts a token: all experts with gates that are mostly 0, and two launches that select them",
        SORTED | {"G": buffer("f32", [29, 5], NORMAL), "P": buffer("f32", [29, 2]), "I": buffer("i32", [29, 2])},
        [run("dense_top_2", (4, 2), "X", "G", "W", "Y")],
        [run("gates_of_2", (4,), "G", "P", "I"), run("each_top_2", (29,), "X", "P", "I", "W", "Y")],
        ["Y"],
        [
            mutant(
                "one_gate",
                "each_top_2",
                "weights, index=(row, choice)",
                "weights, index=(row, 0)",
                "the first gate twice",
            ),
            mutant(
                "one_expert",
                "each_top_2",
                "ct.load(index, index=(row, choice)",
                "ct.load(index, index=(row, 0)",
                "the first expert twice",
            ),
            mutant(
                "not_masked",
                "gates_of_2",
                "ct.where(column == first, -math.inf, t)",
                "ct.where(column == first, t, t)",
                "the first again",
            ),
            mutant(
                "replaced",
                "each_top_2",
                "y_t = y_t + gate * acc",
                "y_t = gate * acc",
                "the second expert replaces the first",
            ),
            mutant(
                "sum_kept",
                "each_top_2",
                "            acc = acc + ct.sum(a * b",
                "            acc = ct.sum(a * b",
                "the last inner block",
            ),
            mutant(
                "one_element",
                "each_top_2",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("dense", "selected"),
        parameters=DEPTHS,
    ),
    pair(
        "dispatch",
        "tokens to the slots of their experts by scatter, and by a product with zeros and ones",
        {
            "X": buffer("f32", [29, 40], NORMAL),
            "E": SORTED["E"],
            "SLOT": buffer("i32", [29]),
            "Y": buffer("f32", [5, 8, 40], "zeros"),
        },
        [run("slots_of", (1,), "E", "SLOT"), run("dispatch", (29,), "X", "E", "SLOT", "Y")],
        [run("dispatch_product", (5,), "X", "E", "Y")],
        ["Y"],
        [
            mutant("from_one", "dispatch_product", "axis=1) - 1", "axis=1)", "slots are counted from 1"),
            mutant(
                "padding",
                "dispatch_product",
                "mine = mine & (ct.arange(TM, dtype=ct.int32).reshape((1, TM)) < expert.shape[0])",
                "mine = mine | (ct.arange(TM, dtype=ct.int32).reshape((1, TM)) < 1)",
                "the first token is every expert's",
            ),
            mutant("twice", "dispatch_product", "1.0, 0.0)", "2.0, 0.0)", "twos in place of ones"),
        ],
        names=("scatter", "product"),
        more="allow: [vacuous]\n",  # experts with fewer tokens than slots leave what was there
    ),
    pair(
        "top_k",
        "softmax of the 7 largest scores by taking out the maximum, and by ranks",
        ROWS,
        [run("top_k_masked", (4,), "X", "Y")],
        [run("top_k_ranks", (2,), "X", "Y")],
        ["Y"],
        [
            mutant("one_more", "top_k_ranks", "larger < K", "larger <= K", "8 scores"),
            mutant(
                "smallest", "top_k_ranks", "t.reshape((TM, 1, TN)) > t", "t.reshape((TM, 1, TN)) < t", "the smallest"
            ),
            mutant("masked_by_zero", "top_k_ranks", "t, -math.inf)", "t, 0.0)", "masked by 0 in place of -inf"),
        ],
        names=("maxima", "ranks"),
        parameters={"C": [50, 64, 33, 7]},
    ),
    pair(
        "top_p",
        "the largest scores up to a mass of 0.8 one by one, and by the mass of all larger ones",
        ROWS,
        [run("top_p_sorted", (13,), "X", "Y", "f32 0.8")],
        [run("top_p_masses", (4,), "X", "Y", "f32 0.8")],
        ["Y"],
        [
            mutant(
                "with_itself",
                "top_p_masses",
                "(TM, 1, TN)) > t",
                "(TM, 1, TN)) >= t",
                "without the one that reaches it",
            ),
            mutant("not_normalised", "top_p_masses", "kept / ct.sum(kept", "kept / ct.sum(e", "not normalised again"),
            mutant("smaller", "top_p_masses", "(TM, 1, TN)) > t", "(TM, 1, TN)) < t", "from the smallest on"),
        ],
        names=("one_by_one", "masses"),
        parameters={"C": [50, 64, 33, 2]},
    ),
    pair(
        "min_p",
        "weights above a tenth of the largest one, and scores above the maximum minus log 10 in column blocks",
        ROWS,
        [run("min_p", (4,), "X", "Y", "f32 0.1")],
        [run("min_p_scores", (2,), "X", "Y", "f32 0.1")],
        ["Y"],
        [
            mutant("sign", "min_p_scores", "m + ct.log(least)", "m - 2.0 + ct.log(least)", "the bound is lower"),
            mutant(
                "total_of_all",
                "min_p_scores",
                "ct.where(t >= floor, ct.exp(t - m), 0.0)",
                "ct.exp(t - m)",
                "the sum is of all weights",
            ),
            mutant("base_2", "min_p_scores", "ct.log(least)", "ct.log2(least)", "the logarithm to base 2"),
            mutant(
                "last_block",
                "min_p_scores",
                "total = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks)",
                "total = ct.full((TM, 1), 0.0, dtype=ct.float32)\n    for j in range(blocks - 1)",
                "the last block is not in the sum",
            ),
            mutant(
                "padded_with_zero",
                "min_p_scores",
                "TM, TN), padding_mode=NEG_INF)\n        total",
                "TM, TN), padding_mode=ZERO)\n        total",
                "columns behind the end have score 0",
            ),
        ],
        names=("weights", "scores"),
        parameters=WIDTHS,
    ),
]
