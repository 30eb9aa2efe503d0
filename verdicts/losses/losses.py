# SPDX-License-Identifier: Apache-2.0
# Losses: fused with the last layer over chunks of the vocabulary, divergences, contrastive, robust, preferences.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, integers, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO, NEG_INF = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453


# ---- cross entropy fused with the last layer -------------------------------------------------------------------------
@ct.kernel
def logits(h, w, x, TM: Const, TN: Const, TK: Const):
    """x = h w^T; grid (row blocks, word blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(h.shape[1], TK)):
        a = ct.load(h, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(j, k), shape=(TN, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.transpose(b), acc)
    ct.store(x, index=(i, j), tile=acc)


@ct.kernel
def cross_entropy(x, target, loss, z: float, first: int, TM: Const, TN: Const):
    """loss = log-sum-exp - x[target] + z log-sum-exp^2, 0 where the target is below `first`; whole rows."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    word = ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO)
    m = ct.max(t, axis=1)
    lse = m + ct.log(ct.sum(ct.exp(t - m.reshape((TM, 1))), axis=1))
    score = ct.sum(ct.where(column == word.reshape((TM, 1)), t, 0.0), axis=1)
    ct.store(loss, index=(i,), tile=ct.where(word < first, 0.0, lse - score + z * lse * lse))


@ct.kernel
def linear_cross_entropy(h, w, target, loss, z: float, first: int, TM: Const, TN: Const, TK: Const):
    """Without the logits in memory: chunks of TN words with a running maximum and sum, base 2; grid (row blocks)."""
    i = ct.bid(0)
    word = ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    score = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(w.shape[0], TN)):
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for k in range(ct.cdiv(h.shape[1], TK)):
            a = ct.load(h, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
            b = ct.load(w, index=(j, k), shape=(TN, TK), padding_mode=ZERO)
            acc = ct.mma(a, ct.transpose(b), acc)
        score = score + ct.sum(ct.where(column == word, acc, 0.0), axis=1, keepdims=True)
        t = ct.where(column < w.shape[0], acc * LOG2_E, -math.inf)
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        l = l * ct.exp2(m - m_new) + ct.sum(ct.exp2(t - m_new), axis=1, keepdims=True)
        m = m_new
    lse = (m + ct.log2(l)) * LN_2
    ct.store(loss, index=(i,), tile=ct.where(word < first, 0.0, lse - score + z * lse * lse).reshape((TM,)))


@ct.kernel
def logits_gradient(x, target, dx, TM: Const, TN: Const):
    """dx = softmax(x) - one-hot; whole rows."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    word = ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(dx, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True) - ct.where(column == word, 1.0, 0.0))


@ct.kernel
def hidden_gradient(dx, w, dh, TM: Const, TN: Const, TK: Const):
    """dh = dx w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(w.shape[0], TK)):
        a = ct.load(dx, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(dh, index=(i, j), tile=acc)


@ct.kernel
def linear_cross_entropy_backward(h, w, target, dh, TM: Const, TN: Const, TK: Const):
    """dh without logits in memory: an expected row of w, kept with a running maximum and sum, less the target's row."""
    i = ct.bid(0)
    word = ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    mean = ct.full((TM, TK), 0.0, dtype=ct.float32)
    right = ct.full((TM, TK), 0.0, dtype=ct.float32)
    a = ct.load(h, index=(i, 0), shape=(TM, TK), padding_mode=ZERO)
    for j in range(ct.cdiv(w.shape[0], TN)):
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        b = ct.load(w, index=(j, 0), shape=(TN, TK), padding_mode=ZERO)
        t = ct.mma(a, ct.transpose(b), ct.full((TM, TN), 0.0, dtype=ct.float32))
        t = ct.where(column < w.shape[0], t, -math.inf)
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        alpha, e = ct.exp(m - m_new), ct.exp(t - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        mean = ct.mma(e, b, mean * alpha)
        right = ct.mma(ct.where(column == word, 1.0, 0.0), b, right)
        m = m_new
    ct.store(dh, index=(i, 0), tile=mean / l - right)


# ---- divergences -----------------------------------------------------------------------------------------------------
@ct.kernel
def distillation(x, y, loss, temperature: float, TM: Const, TN: Const):
    """T^2 KL(softmax(y / T) || softmax(x / T)); whole rows."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF) / temperature
    u = ct.load(y, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF) / temperature
    t = t - ct.max(t, axis=1, keepdims=True)
    u = u - ct.max(u, axis=1, keepdims=True)
    log_q = t - ct.log(ct.sum(ct.exp(t), axis=1, keepdims=True))
    log_p = u - ct.log(ct.sum(ct.exp(u), axis=1, keepdims=True))
    terms = ct.where(inside, ct.exp(log_p) * (ct.where(inside, log_p, 0.0) - ct.where(inside, log_q, 0.0)), 0.0)
    ct.store(loss, index=(i,), tile=temperature * temperature * ct.sum(terms, axis=1))


@ct.kernel
def distillation_blocks(x, y, loss, temperature: float, TM: Const, TN: Const):
    """In one pass over column blocks: maxima, sums, and the sum of e^u (u - t), rescaled as the maximum grows."""
    i = ct.bid(0)
    inverse = 1.0 / temperature
    m = ct.full((TM, 1), -1.0e30, dtype=ct.float32)
    v = ct.full((TM, 1), -1.0e30, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    k = ct.full((TM, 1), 0.0, dtype=ct.float32)
    dot = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < x.shape[1]
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * inverse
        u = ct.load(y, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * inverse
        m_new = ct.maximum(m, ct.max(ct.where(inside, t, -1.0e30), axis=1, keepdims=True))
        v_new = ct.maximum(v, ct.max(ct.where(inside, u, -1.0e30), axis=1, keepdims=True))
        e = ct.where(inside, ct.exp(t - m_new), 0.0)
        f = ct.where(inside, ct.exp(u - v_new), 0.0)
        l = l * ct.exp(m - m_new) + ct.sum(e, axis=1, keepdims=True)
        k = k * ct.exp(v - v_new) + ct.sum(f, axis=1, keepdims=True)
        dot = dot * ct.exp(v - v_new) + ct.sum(f * (u - t), axis=1, keepdims=True)
        m, v = m_new, v_new
    kl = dot / k - v - ct.log(k) + m + ct.log(l)
    ct.store(loss, index=(i,), tile=(temperature * temperature * kl).reshape((TM,)))


@ct.kernel
def jensen_shannon(x, y, loss, TM: Const, TN: Const):
    """The mean of KL(p || (p + q) / 2) and KL(q || (p + q) / 2) from distributions; whole rows."""
    i = ct.bid(0)
    p = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    q = ct.load(y, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    p, q = ct.where(inside, p, 1.0), ct.where(inside, q, 1.0)
    middle = ct.log((p + q) * 0.5)
    terms = p * (ct.log(p) - middle) + q * (ct.log(q) - middle)
    ct.store(loss, index=(i,), tile=0.5 * ct.sum(terms, axis=1))


@ct.kernel
def jensen_shannon_blocks(x, y, loss, TM: Const, TN: Const):
    """Entropies in base 2, in column blocks: H(middle) - H(p) / 2 - H(q) / 2."""
    i = ct.bid(0)
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < x.shape[1]
        p = ct.where(inside, ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO), 1.0)
        q = ct.where(inside, ct.load(y, index=(i, j), shape=(TM, TN), padding_mode=ZERO), 1.0)
        middle = 0.5 * p + 0.5 * q
        total = total + 0.5 * (p * ct.log2(p) + q * ct.log2(q)) - middle * ct.log2(middle)
    ct.store(loss, index=(i,), tile=ct.sum(total, axis=1) * LN_2)


# ---- contrastive, preferences ----------------------------------------------------------------------------------------
@ct.kernel
def contrastive(x, y, loss, scale: float, TM: Const, TN: Const):
    """CLIP's loss of each row: all similarities of x with y, mean of both directions' cross entropies; one program."""
    n = x.shape[0]
    a = ct.load(x, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    b = ct.load(y, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    s = ct.mma(a, ct.transpose(b), ct.full((TM, TM), 0.0, dtype=ct.float32)) * scale
    row, column = ct.arange(TM, dtype=ct.int32).reshape((TM, 1)), ct.arange(TM, dtype=ct.int32).reshape((1, TM))
    right = ct.sum(ct.where(row == column, s, 0.0), axis=1)
    s = ct.where((row < n) & (column < n), s, -1.0e6)
    m, w = ct.max(s, axis=1, keepdims=True), ct.max(s, axis=0, keepdims=True)
    rows = m.reshape((TM,)) + ct.log(ct.sum(ct.exp(s - m), axis=1))
    columns = w.reshape((TM,)) + ct.log(ct.sum(ct.exp(s - w), axis=0))
    ct.store(loss, index=(0,), tile=0.5 * (rows - right) + 0.5 * (columns - right))


@ct.kernel
def contrastive_side(x, y, lse, scale: float, TM: Const, TN: Const, TK: Const):
    """Log-sum-exp of each row's similarities with all of y, in blocks, base 2; grid (row blocks)."""
    i = ct.bid(0)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(y.shape[0], TN)):
        a = ct.load(x, index=(i, 0), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(j, 0), shape=(TN, TK), padding_mode=ZERO)
        s = ct.mma(a, ct.transpose(b), ct.full((TM, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < y.shape[0], s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        l = l * ct.exp2(m - m_new) + ct.sum(ct.exp2(s - m_new), axis=1, keepdims=True)
        m = m_new
    ct.store(lse, index=(i,), tile=((m + ct.log2(l)) * LN_2).reshape((TM,)))


@ct.kernel
def contrastive_sum(x, y, rows, columns, loss, scale: float, TM: Const, TK: Const):
    """loss = (rows + columns) / 2 - x y scale; grid (row blocks)."""
    i = ct.bid(0)
    a = ct.load(x, index=(i, 0), shape=(TM, TK), padding_mode=ZERO)
    b = ct.load(y, index=(i, 0), shape=(TM, TK), padding_mode=ZERO)
    r = ct.load(rows, index=(i,), shape=(TM,), padding_mode=ZERO)
    c = ct.load(columns, index=(i,), shape=(TM,), padding_mode=ZERO)
    ct.store(loss, index=(i,), tile=(r + c) * 0.5 - ct.sum(a * b, axis=1) * scale)


@ct.kernel
def preference(chosen, rejected, chosen_before, rejected_before, loss, beta: float, TM: Const, TN: Const):
    """DPO from log-probabilities of tokens [pair, token]: -log sigmoid(beta ((c - c0) - (r - r0))), sums over tokens."""
    i = ct.bid(0)
    c = ct.sum(ct.load(chosen, index=(i, 0), shape=(TM, TN), padding_mode=ZERO), axis=1)
    r = ct.sum(ct.load(rejected, index=(i, 0), shape=(TM, TN), padding_mode=ZERO), axis=1)
    c0 = ct.sum(ct.load(chosen_before, index=(i, 0), shape=(TM, TN), padding_mode=ZERO), axis=1)
    r0 = ct.sum(ct.load(rejected_before, index=(i, 0), shape=(TM, TN), padding_mode=ZERO), axis=1)
    ct.store(loss, index=(i,), tile=-ct.log(1.0 / (1.0 + ct.exp(-beta * ((c - c0) - (r - r0))))))


@ct.kernel
def preference_blocks(chosen, rejected, chosen_before, rejected_before, loss, beta: float, TM: Const, TN: Const):
    """The margin token block by token block, then a softplus that does not overflow."""
    i = ct.bid(0)
    margin = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(chosen, axis=1, shape=(TM, TN))):
        c = ct.load(chosen, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        r = ct.load(rejected, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        c0 = ct.load(chosen_before, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        r0 = ct.load(rejected_before, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        margin = margin + ct.sum((c - r) - (c0 - r0), axis=1, keepdims=True)
    t = -beta * margin
    soft = ct.maximum(t, 0.0) + ct.log(1.0 + ct.exp(-ct.abs(t)))
    ct.store(loss, index=(i,), tile=soft.reshape((TM,)))


# ---- robust and weighted ---------------------------------------------------------------------------------------------
@ct.kernel
def huber(x, y, loss, delta: float, TM: Const, TN: Const):
    """The mean of d^2 / 2 up to delta, delta (|d| - delta / 2) beyond; whole rows."""
    i = ct.bid(0)
    d = ct.abs(
        ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
        - ct.load(y, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    )
    t = ct.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta))
    ct.store(loss, index=(i,), tile=ct.sum(t, axis=1) / x.shape[1])


@ct.kernel
def huber_clipped(x, y, loss, delta: float, TM: Const, TN: Const):
    """With c = d clipped to +-delta: c (d - c / 2), in column blocks."""
    i = ct.bid(0)
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        a = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        d = a - ct.load(y, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        c = ct.minimum(ct.maximum(d, -delta), delta)
        total = total + c * (d - 0.5 * c)
    ct.store(loss, index=(i,), tile=ct.sum(total, axis=1) * (1.0 / x.shape[1]))


@ct.kernel
def focal(x, target, loss, alpha: float, TM: Const, TN: Const):
    """-a (1 - p)^2 log p with p the probability of what is right (0 or 1), a its weight."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    one = ct.load(target, index=(i, 0), shape=(TM, TN), padding_mode=ZERO) == 1
    sigmoid = 1.0 / (1.0 + ct.exp(-t))
    p = ct.where(one, sigmoid, 1.0 - sigmoid)
    a = ct.where(one, alpha, 1.0 - alpha)
    ct.store(loss, index=(i, 0), tile=-a * (1.0 - p) * (1.0 - p) * ct.log(p))


@ct.kernel
def focal_stable(x, target, loss, alpha: float, TM: Const, TN: Const):
    """From s = x or -x: softplus(-s) times the square of sigmoid(-s); grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    y = ct.load(target, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    s = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO) * (2.0 * y - 1.0)
    e = ct.exp2(-ct.abs(s) * LOG2_E)
    soft = ct.maximum(-s, 0.0) + ct.log(1.0 + e)
    wrong = ct.where(s >= 0.0, e, 1.0) / (1.0 + e)
    a = (1.0 - alpha) + (2.0 * alpha - 1.0) * y
    ct.store(loss, index=(i, j), tile=a * soft * wrong * wrong)


@ct.kernel
def mean_of_losses(x, weight, loss, TN: Const):
    """sum(weight x) / sum(weight); one program."""
    t = ct.load(x, index=(0,), shape=(TN,), padding_mode=ZERO)
    w = ct.load(weight, index=(0,), shape=(TN,), padding_mode=ZERO)
    ct.store(loss, index=(0,), tile=(ct.sum(w * t) / ct.sum(w)).reshape((1,)))


@ct.kernel
def mean_atomic(x, weight, sums, TN: Const):
    """Both sums by atomics, zero before; grid (blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(TN,), padding_mode=ZERO)
    w = ct.load(weight, index=(i,), shape=(TN,), padding_mode=ZERO)
    ct.atomic_add(sums, (0,), ct.sum(w * t))
    ct.atomic_add(sums, (1,), ct.sum(w))


@ct.kernel
def ratio(sums, loss):
    ct.store(loss, index=(0,), tile=ct.load(sums, index=(0,), shape=(1,)) / ct.load(sums, index=(1,), shape=(1,)))


F1, F2 = array(ct.float32, 1), array(ct.float32, 2)
I1, I2, FLOAT, INT = array(ct.int32, 1), array(ct.int32, 2), ct.float32, ct.int32
KERNELS = {
    "logits": (logits, [F2, F2, F2, 8, 32, 32]),
    "cross_entropy": (cross_entropy, [F2, I1, F1, FLOAT, INT, 4, 128]),
    "linear_cross_entropy": (linear_cross_entropy, [F2, F2, I1, F1, FLOAT, INT, 8, 16, 16]),
    "logits_gradient": (logits_gradient, [F2, I1, F2, 4, 128]),
    "hidden_gradient": (hidden_gradient, [F2, F2, F2, 8, 16, 32]),
    "linear_cross_entropy_backward": (linear_cross_entropy_backward, [F2, F2, I1, F2, 8, 16, 64]),
    "distillation": (distillation, [F2, F2, F1, FLOAT, 4, 64]),
    "distillation_blocks": (distillation_blocks, [F2, F2, F1, FLOAT, 8, 16]),
    "jensen_shannon": (jensen_shannon, [F2, F2, F1, 4, 64]),
    "jensen_shannon_blocks": (jensen_shannon_blocks, [F2, F2, F1, 8, 16]),
    "contrastive": (contrastive, [F2, F2, F1, FLOAT, 32, 32]),
    "contrastive_side": (contrastive_side, [F2, F2, F1, FLOAT, 8, 16, 32]),
    "contrastive_sum": (contrastive_sum, [F2, F2, F1, F1, F1, FLOAT, 4, 32]),
    "preference": (preference, [F2, F2, F2, F2, F1, FLOAT, 8, 64]),
    "preference_blocks": (preference_blocks, [F2, F2, F2, F2, F1, FLOAT, 4, 16]),
    "huber": (huber, [F2, F2, F1, FLOAT, 8, 64]),
    "huber_clipped": (huber_clipped, [F2, F2, F1, FLOAT, 4, 16]),
    "focal": (focal, [F2, I2, F2, FLOAT, 8, 64]),
    "focal_stable": (focal_stable, [F2, I2, F2, FLOAT, 4, 16]),
    "mean_of_losses": (mean_of_losses, [F1, F1, F1, 128]),
    "mean_atomic": (mean_atomic, [F1, F1, F1, 16]),
    "ratio": (ratio, [F1, F1]),
}

WORDS = {
    "H": buffer("f32", [21, 40], "{normal: {mean: 0, std: 0.4}}"),
    "W": buffer("f32", [75, 40], "{normal: {mean: 0, std: 0.4}}"),
    "T": buffer("i32", [21], integers(0, 74)),
    "X": buffer("f32", [21, 75]),
    "L": buffer("f32", [21]),
}
# Rows in blocks of 4 and 8, columns in blocks of 16: ragged, with one element in the last; whole; one element.
SIZES = {"R": [21, 17], "C": [50, 64, 33, 1]}
BY_4, BY_8 = "cdiv(R, 4)", "cdiv(R, 8)"
TWO = {"X": buffer("f32", ["R", "C"], NORMAL), "Y": buffer("f32", ["R", "C"], NORMAL), "L": buffer("f32", ["R"])}
SIDES = {
    "X": buffer("f32", [27, 20], "{normal: {mean: 0, std: 0.3}}"),
    "Y": buffer("f32", [27, 20], "{normal: {mean: 0, std: 0.3}}"),
    "R": buffer("f32", [27]),
    "C": buffer("f32", [27]),
    "L": buffer("f32", [27]),
}
TOKENS = {name: buffer("f32", ["R", "C"], "{uniform: {low: -0.8, high: 0}}") for name in ("A", "B", "A0", "B0")}

PAIRS = [
    pair(
        "linear",
        "logits and their cross entropy with a penalty on the log-sum-exp, and both in one over chunks of words",
        WORDS | {"T": buffer("i32", [21], integers(-20, 74))},
        [run("logits", (3, 3), "H", "W", "X"), run("cross_entropy", (6,), "X", "T", "L", "f32 0.001", "i32 0")],
        [run("linear_cross_entropy", (3,), "H", "W", "T", "L", "f32 0.001", "i32 0")],
        ["L"],
        [
            mutant(
                "last_words",
                "linear_cross_entropy",
                "range(ct.cdiv(w.shape[0], TN))",
                "range(w.shape[0] // TN)",
                "the last chunk is left out",
            ),
            mutant(
                "words_behind",
                "linear_cross_entropy",
                "column < w.shape[0]",
                "column < w.shape[0] + TN",
                "words behind the end have logit 0",
            ),
            mutant(
                "not_rescaled",
                "linear_cross_entropy",
                "l = l * ct.exp2(m - m_new) +",
                "l = l +",
                "the sum is not rescaled",
            ),
            mutant(
                "score_base_2",
                "linear_cross_entropy",
                "ct.where(column == word, acc, 0.0)",
                "ct.where(column == word, acc * LOG2_E, 0.0)",
                "the target's score in base 2",
            ),
            mutant(
                "last_score",
                "linear_cross_entropy",
                "score = score + ct.sum",
                "score = ct.sum",
                "the score of the last chunk only",
            ),
            mutant("penalty", "linear_cross_entropy", "z * lse * lse", "z * lse", "the penalty is not squared"),
            launched("ignored", "i32 0", "i32 -100", "no target is ignored"),
        ],
        names=("logits", "fused"),
    ),
    pair(
        "linear_backward",
        "the gradient of the hidden rows by the logits' gradient, and over chunks of words without logits",
        WORDS | {"DX": buffer("f32", [21, 75]), "DH": buffer("f32", [21, 40])},
        [
            run("logits", (3, 3), "H", "W", "X"),
            run("logits_gradient", (6,), "X", "T", "DX"),
            run("hidden_gradient", (3, 3), "DX", "W", "DH"),
        ],
        [run("linear_cross_entropy_backward", (3,), "H", "W", "T", "DH")],
        ["DH"],
        [
            mutant(
                "not_rescaled",
                "linear_cross_entropy_backward",
                "mean * alpha",
                "mean",
                "the expected row is not rescaled",
            ),
            mutant(
                "right_rescaled",
                "linear_cross_entropy_backward",
                "b, right)",
                "b, right * alpha)",
                "the target's row is rescaled",
                ("m = ct.full((TM, 1), -math.inf", "m = ct.full((TM, 1), -100.0"),
            ),
            mutant(
                "not_normalised",
                "linear_cross_entropy_backward",
                "mean / l - right",
                "(mean - right) / l",
                "the target's row is divided by the sum",
            ),
            mutant(
                "words_behind",
                "linear_cross_entropy_backward",
                "t = ct.where(column < w.shape[0], t, -math.inf)",
                "t = ct.where(column < w.shape[0], t, 0.0)",
                "words behind the end count",
            ),
        ],
        names=("logits", "fused"),
    ),
    pair(
        "distillation",
        "the divergence from a teacher at a temperature by logarithms of whole rows, and in one pass over column blocks",
        TWO,
        [run("distillation", (BY_4,), "X", "Y", "L", "f32 2.5")],
        [run("distillation_blocks", (BY_8,), "X", "Y", "L", "f32 2.5")],
        ["L"],
        [
            mutant(
                "dot_not_rescaled",
                "distillation_blocks",
                "dot = dot * ct.exp(v - v_new)",
                "dot = dot",
                "the dot is not rescaled",
            ),
            mutant(
                "other_rescale",
                "distillation_blocks",
                "dot = dot * ct.exp(v - v_new)",
                "dot = dot * ct.exp(m - m_new)",
                "rescaled by the other maximum",
            ),
            mutant(
                "temperature",
                "distillation_blocks",
                "temperature * temperature * kl",
                "temperature * kl",
                "the temperature counts once",
            ),
            mutant("direction", "distillation_blocks", "f * (u - t)", "e * (u - t)", "weighted by the student"),
            mutant("maxima", "distillation_blocks", "- v - ct.log(k) + m", "- ct.log(k)", "both maxima are left out"),
            mutant(
                "one_column",
                "distillation_blocks",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TN)))",
                "range(ct.cdiv(x.shape[1] - 1, TN))",
                "a last block with a single column is skipped",
            ),
            launched(
                "one_row", "grid: [cdiv(R, 8)]", "grid: [cdiv(R - 1, 8)]", "a last block with a single row is left out"
            ),
        ],
        names=("rows", "blocks"),
        parameters=SIZES,
    ),
    pair(
        "jensen_shannon",
        "the Jensen-Shannon divergence by ratios, and by entropies in base 2 in column blocks",
        {
            "X": buffer("f32", ["R", "C"], "{uniform: {low: 0.001, high: 0.04}}"),
            "Y": buffer("f32", ["R", "C"], "{uniform: {low: 0.001, high: 0.04}}"),
            "L": buffer("f32", ["R"]),
        },
        [run("jensen_shannon", (BY_4,), "X", "Y", "L")],
        [run("jensen_shannon_blocks", (BY_8,), "X", "Y", "L")],
        ["L"],
        [
            mutant(
                "base_2", "jensen_shannon_blocks", "ct.sum(total, axis=1) * LN_2", "ct.sum(total, axis=1)", "in bits"
            ),
            mutant("one_side", "jensen_shannon_blocks", "0.5 * p + 0.5 * q", "q", "the middle is q"),
            mutant("last", "jensen_shannon_blocks", "total = total + 0.5", "total = 0.5", "the last block only"),
            mutant(
                "padding",
                "jensen_shannon_blocks",
                "p = ct.where(inside, ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO), 1.0)",
                "p = ct.where(inside, ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO), 0.5)",
                "padding of p is a half",
            ),
            mutant(
                "one_column",
                "jensen_shannon_blocks",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TN)))",
                "range(ct.cdiv(x.shape[1] - 1, TN))",
                "a last block with a single column is skipped",
            ),
        ],
        names=("ratios", "entropies"),
        parameters=SIZES,
    ),
    pair(
        "contrastive",
        "a contrastive loss from all similarities at once, and from log-sum-exps of both sides in blocks",
        SIDES,
        [run("contrastive", (1,), "X", "Y", "L", "f32 10")],
        [
            run("contrastive_side", (4,), "X", "Y", "R", "f32 10"),
            run("contrastive_side", (4,), "Y", "X", "C", "f32 10"),
            run("contrastive_sum", (7,), "X", "Y", "R", "C", "L", "f32 10"),
        ],
        ["L"],
        [
            mutant("rows_twice", "contrastive_sum", "(r + c) * 0.5", "r", "one side counts twice"),
            mutant(
                "padding",
                "contrastive_side",
                "< y.shape[0], s, -math.inf)",
                "< y.shape[0] + 1, s, -math.inf)",
                "a row of zeros is one more",
            ),
            mutant(
                "right",
                "contrastive_sum",
                "ct.load(y, index=(i, 0)",
                "ct.load(y, index=(0, 0)",
                "the first block's partners",
            ),
            mutant(
                "not_kept",
                "contrastive_side",
                "        m = m_new\n",
                "        m = ct.max(s, axis=1, keepdims=True)\n",
                "the maximum of the last block",
            ),
            launched(
                "swapped", "args: [Y, X, C, f32 10]", "args: [X, Y, C, f32 10]", "the columns' side is the rows' again"
            ),
        ],
        names=("whole", "sides"),
    ),
    pair(
        "preference",
        "a preference loss from four sums and a sigmoid, and from the margin in blocks and a softplus",
        TOKENS | {"L": buffer("f32", ["R"])},
        [run("preference", (BY_8,), "A", "B", "A0", "B0", "L", "f32 0.5")],
        [run("preference_blocks", (BY_4,), "A", "B", "A0", "B0", "L", "f32 0.5")],
        ["L"],
        [
            mutant(
                "sign", "preference_blocks", "t = -beta * margin", "t = beta * margin", "the rejected one is preferred"
            ),
            mutant(
                "reference", "preference_blocks", "(c - r) - (c0 - r0)", "(c - r) + (c0 - r0)", "the reference is added"
            ),
            mutant("no_reference", "preference_blocks", "(c - r) - (c0 - r0)", "(c - r)", "the reference is left out"),
            mutant("beta", "preference_blocks", "-ct.abs(t)", "-ct.abs(margin)", "the small part lacks beta"),
            mutant(
                "last_block",
                "preference_blocks",
                "range(ct.num_tiles(chosen, axis=1, shape=(TM, TN)))",
                "range(ct.num_tiles(chosen, axis=1, shape=(TM, TN)) - 1)",
                "the last tokens are left out",
            ),
            mutant(
                "one_column",
                "preference_blocks",
                "range(ct.num_tiles(chosen, axis=1, shape=(TM, TN)))",
                "range(ct.cdiv(chosen.shape[1] - 1, TN))",
                "a last block with a single column is skipped",
            ),
        ],
        names=("sums", "margin"),
        parameters=SIZES,
    ),
    pair(
        "huber",
        "the Huber loss in two cases, and by the clipped difference in column blocks",
        TWO,
        [run("huber", (BY_8,), "X", "Y", "L", "f32 1")],
        [run("huber_clipped", (BY_4,), "X", "Y", "L", "f32 1")],
        ["L"],
        [
            mutant(
                "one_side",
                "huber_clipped",
                "ct.minimum(ct.maximum(d, -delta), delta)",
                "ct.minimum(d, delta)",
                "clipped from above only",
            ),
            mutant("half", "huber_clipped", "c * (d - 0.5 * c)", "c * d - 0.5 * c", "the half is not squared"),
            mutant("tiles", "huber_clipped", "1.0 / x.shape[1]", "1.0 / 64", "the mean over the padded row"),
            mutant(
                "one_column",
                "huber_clipped",
                "range(ct.num_tiles(x, axis=1, shape=(TM, TN)))",
                "range(ct.cdiv(x.shape[1] - 1, TN))",
                "a last block with a single column is skipped",
            ),
        ],
        names=("cases", "clipped"),
        parameters=SIZES,
    ),
    pair(
        "focal",
        "focal loss by probabilities, and from signed scores without overflow",
        TWO | {"T": buffer("i32", ["R", "C"], integers(0, 1)), "L": buffer("f32", ["R", "C"])},
        [run("focal", (BY_8,), "X", "T", "L", "f32 0.25")],
        [run("focal_stable", (BY_4, "cdiv(C, 16)"), "X", "T", "L", "f32 0.25")],
        ["L"],
        [
            mutant(
                "alpha",
                "focal_stable",
                "(1.0 - alpha) + (2.0 * alpha - 1.0) * y",
                "alpha + (1.0 - 2.0 * alpha) * y",
                "the weights are swapped",
            ),
            mutant("power", "focal_stable", "a * soft * wrong * wrong", "a * soft * wrong", "the power is 1"),
            mutant(
                "negative",
                "focal_stable",
                "ct.where(s >= 0.0, e, 1.0)",
                "ct.where(s <= 0.0, e, 1.0)",
                "the cases are swapped",
            ),
            mutant("base", "focal_stable", "-ct.abs(s) * LOG2_E", "-ct.abs(s)", "base 2 without log2(e)"),
        ],
        names=("probabilities", "scores"),
        parameters=SIZES,
    ),
    pair(
        "weighted_mean",
        "a weighted mean in one program, and from two sums by atomics",
        {
            "X": buffer("f32", [101], NORMAL),
            "W": buffer("f32", [101], "{uniform: {low: 0.1, high: 1}}"),
            "S": buffer("f32", [2], "zeros"),
            "L": buffer("f32", [1]),
        },
        [run("mean_of_losses", (1,), "X", "W", "L")],
        [run("mean_atomic", (7,), "X", "W", "S"), run("ratio", (1,), "S", "L")],
        ["L"],
        [
            mutant(
                "replaced",
                "mean_atomic",
                "ct.atomic_add(sums, (1,)",
                "ct.atomic_xchg(sums, (1,)",
                "the last block's weights",
            ),
            mutant(
                "same_sum",
                "mean_atomic",
                "ct.atomic_add(sums, (1,), ct.sum(w))",
                "ct.atomic_add(sums, (0,), ct.sum(w))",
                "both sums in one place",
            ),
            launched("tail", "grid: [7]", "grid: [6]", "the last block is left out"),
        ],
        names=("one", "atomics"),
    ),
]
