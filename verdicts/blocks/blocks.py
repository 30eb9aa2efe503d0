# SPDX-License-Identifier: Apache-2.0
# Whole blocks of a transformer: norm, causal attention, residual, norm, gated MLP, residual. Two blocks forward.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


# ---- a launch for each step ------------------------------------------------------------------------------------------
@ct.kernel
def rms_norm(x, gain, y, eps: float, TM: Const, D: Const):
    """y = x / sqrt(mean of squares + eps) gain; grid (row blocks)."""
    block = ct.bid(0)
    xt = ct.load(x, index=(block, 0), shape=(TM, D), padding_mode=ZERO).astype(ct.float32)
    root = ct.sqrt(ct.sum(xt * xt, axis=-1, keepdims=True) / D + eps)
    gt = ct.load(gain, index=(0,), shape=(D,)).reshape((1, D))
    ct.store(y, index=(block, 0), tile=(xt / root * gt).astype(y.dtype))


@ct.kernel
def product(a, w, c, TM: Const, TN: Const, TK: Const):
    """c = a w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        at = ct.load(a, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(at, ct.load(w, index=(k, j), shape=(TK, TN)), acc)
    ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


@ct.kernel
def product_added(a, w, x, y, TM: Const, TN: Const, TK: Const):
    """y = x + a w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        at = ct.load(a, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(at, ct.load(w, index=(k, j), shape=(TK, TN)), acc)
    xt = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=(xt.astype(ct.float32) + acc).astype(y.dtype))


@ct.kernel
def scores(qkv, s, scale: float, HEADS: Const, D: Const, TM: Const, TN: Const):
    """s = q k^T scale; the columns of qkv are those of q of each head, then k, then v; grid (row blocks, column blocks,
    heads)."""
    i, j, head = ct.bid(0), ct.bid(1), ct.bid(2)
    qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
    kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
    st = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    ct.store(s, index=(head, i, j), tile=st.reshape((1, TM, TN)))


@ct.kernel
def softmax_causal(s, p, TM: Const, TN: Const):
    """p = softmax of each row, of which row r sees columns 0 to r; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    st = ct.load(s, index=(head, i, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
    st = ct.where(column <= row, st, -math.inf)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    pt = e / ct.sum(e, axis=-1, keepdims=True)
    ct.store(p, index=(head, i, 0), tile=pt.astype(p.dtype).reshape((1, TM, TN)))


@ct.kernel
def weighted(p, qkv, o, HEADS: Const, D: Const, TM: Const, TN: Const):
    """o = p v; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(p.shape[2], TN)):
        pt = ct.load(p, index=(head, i, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
        acc = ct.mma(pt.astype(vt.dtype), vt, acc)
    ct.store(o, index=(i, head), tile=acc.astype(o.dtype))


@ct.kernel
def silu_times(gate, up, h, TM: Const, TN: Const):
    """h = gate sigmoid(gate) up; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    g = ct.load(gate, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    u = ct.load(up, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(h, index=(i, j), tile=(g / (1.0 + ct.exp(-g)) * u).astype(h.dtype))


# ---- three launches for a block --------------------------------------------------------------------------------------
@ct.kernel
def norm_product(x, gain, w, c, eps: float, scale: float, Q: Const, TM: Const, TN: Const, TK: Const):
    """c = rms_norm(x) w, where columns before Q are scaled: a row's norm is known when its product is, and is then
    multiplied with; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    width = x.shape[1]
    squares = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(width, TK)):
        xt = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.float32)
        squares = squares + ct.sum(xt * xt, axis=-1, keepdims=True)
        gt = ct.load(gain, index=(k,), shape=(TK,)).reshape((1, TK))
        acc = ct.mma((xt * gt).astype(w.dtype), ct.load(w, index=(k, j), shape=(TK, TN)), acc)
    factor = ct.rsqrt(squares / width + eps)
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    acc = acc * factor * ct.where(column < Q, scale, 1.0)
    ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


@ct.kernel
def attend(qkv, wo, x, y, HEADS: Const, D: Const, W: Const, TM: Const, TN: Const):
    """y = x + attention wo: all heads of a block of queries, keys up to its last, scores in base 2; q is scaled. Grid
    (row blocks)."""
    i = ct.bid(0)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    yt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO).astype(ct.float32)
    for head in range(HEADS):
        qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        for j in range(ct.cdiv((i + 1) * TM, TN)):
            kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
            vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
            s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32))
            column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
            s = ct.where(column <= row, s, -math.inf)
            m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
            p = ct.exp2(s - m_new)
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p.astype(vt.dtype), vt, acc * alpha)
            m = m_new
        wt = ct.load(wo, index=(head, 0), shape=(D, W))
        yt = ct.mma((acc / l).astype(wt.dtype), wt, yt)
    ct.store(y, index=(i, 0), tile=yt.astype(y.dtype))


@ct.kernel
def gated_mlp(x, gain, wg, wu, wd, y, eps: float, TM: Const, W: Const, TN: Const):
    """y = x + (silu(n wg) (n wu)) wd of n = rms_norm(x): the hidden columns in blocks, whose parts of the last product
    are added; grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO).astype(ct.float32)
    factor = ct.rsqrt(ct.sum(xt * xt, axis=-1, keepdims=True) * (1 / W) + eps)
    nt = (xt * ct.load(gain, index=(0,), shape=(W,)).reshape((1, W))).astype(wg.dtype)
    acc = ct.full((TM, W), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(wg.shape[1], TN)):
        zero = ct.full((TM, TN), 0.0, dtype=ct.float32)
        g = ct.mma(nt, ct.load(wg, index=(0, j), shape=(W, TN)), zero) * factor
        u = ct.mma(nt, ct.load(wu, index=(0, j), shape=(W, TN)), zero) * factor
        h = g * u / (1.0 + ct.exp2(-LOG2_E * g))
        wt = ct.load(wd, index=(j, 0), shape=(TN, W))
        acc = ct.mma(h.astype(wt.dtype), wt, acc)
    ct.store(y, index=(i, 0), tile=(xt + acc).astype(y.dtype))


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
H2, H3 = array(ct.float16, 2), array(ct.float16, 3)
# Of the fused kernels there is one for each block, so that a mutant may be wrong in one of the two.
KERNELS = {
    "rms_norm": (rms_norm, [H2, F1, H2, ct.float32, 8, 32]),
    "product": (product, [H2, H2, H2, 16, 32, 32]),
    "product_float": (product, [H2, H2, F2, 16, 32, 32]),
    "product_added": (product_added, [H2, H2, H2, H2, 16, 16, 16]),
    "scores": (scores, [H2, F3, ct.float32, 2, 16, 16, 16]),
    "softmax_causal": (softmax_causal, [F3, H3, 4, 32]),
    "weighted": (weighted, [H3, H2, H2, 2, 16, 16, 16]),
    "silu_times": (silu_times, [F2, F2, H2, 8, 32]),
    "norm_product": (norm_product, [H2, F1, H2, H2, ct.float32, ct.float32, 32, 8, 16, 16]),
    "norm_product_2": (norm_product, [H2, F1, H2, H2, ct.float32, ct.float32, 32, 8, 16, 16]),
    "attend": (attend, [H2, H2, H2, H2, 2, 16, 32, 8, 8]),
    "attend_2": (attend, [H2, H2, H2, H2, 2, 16, 32, 8, 8]),
    "gated_mlp": (gated_mlp, [H2, F1, H2, H2, H2, H2, ct.float32, 8, 32, 16]),
    "gated_mlp_2": (gated_mlp, [H2, F1, H2, H2, H2, H2, ct.float32, 8, 32, 16]),
}

SMALL = "{normal: {mean: 0, std: 0.2}}"  # weights
EPS, SCALE, SCALE_2 = "f32 1e-5", "f32 0.25", "f32 0.36067376"  # 1 / sqrt(16); log2(e) / sqrt(16)
BY_4, BY_8, BY_16 = "cdiv(T, 4)", "cdiv(T, 8)", "cdiv(T, 16)"
# Tokens in blocks of 16 and 8: ragged in both, whole.
TOKENS = {"T": [19, 16]}


def weights(*blocks):
    """The weights of each block: gains of the two norms, then matrices."""
    matrices = {"WQKV": [32, 96], "WO": [32, 32], "WG": [32, 64], "WU": [32, 64], "WD": [64, 32]}
    return {
        f"{name}{block}": fill
        for block in blocks
        for name, fill in (
            ("GA", buffer("f32", [32], "{uniform: {low: 0.5, high: 1.5}}")),
            ("GM", buffer("f32", [32], "{uniform: {low: 0.5, high: 1.5}}")),
            *((n, buffer("f16", shape, SMALL)) for n, shape in matrices.items()),
        )
    }


def steps(block, x, middle, y):
    """A block of twelve launches from x to y, with what is between attention and MLP in `middle`."""
    return [
        run("rms_norm", (BY_8,), x, f"GA{block}", "N", EPS),
        run("product", (BY_16, 3), "N", f"WQKV{block}", "QKV"),
        run("scores", (BY_16, BY_16, 2), "QKV", "S", SCALE),
        run("softmax_causal", (BY_4, 2), "S", "P"),
        run("weighted", (BY_16, 2), "P", "QKV", "O"),
        run("product_added", (BY_16, 2), "O", f"WO{block}", x, middle),
        run("rms_norm", (BY_8,), middle, f"GM{block}", "N", EPS),
        run("product_float", (BY_16, 2), "N", f"WG{block}", "G"),
        run("product_float", (BY_16, 2), "N", f"WU{block}", "U"),
        run("silu_times", (BY_8, 2), "G", "U", "H"),
        run("product_added", (BY_16, 2), "H", f"WD{block}", middle, y),
    ]


def fused(block, x, middle, y, suffix=""):
    """A block of three launches."""
    return [
        run(f"norm_product{suffix}", (BY_8, 6), x, f"GA{block}", f"WQKV{block}", "QKV", EPS, SCALE_2),
        run(f"attend{suffix}", (BY_8,), "QKV", f"WO{block}", x, middle),
        run(f"gated_mlp{suffix}", (BY_8,), middle, *(f"{n}{block}" for n in ("GM", "WG", "WU", "WD")), y, EPS),
    ]


FORWARD = {
    "X": buffer("f16", ["T", 32], NORMAL),
    **weights(1, 2),
    **{n: buffer("f16", ["T", 32]) for n in ("A1", "Y1", "A2", "Y2")},
    "N": buffer("f16", ["T", 32]),
    "QKV": buffer("f16", ["T", 96]),
    "S": buffer("f32", [2, "T", "T"]),
    "P": buffer("f16", [2, "T", "T"]),
    "O": buffer("f16", ["T", 32]),
    **{n: buffer("f32", ["T", 64]) for n in "GU"},
    "H": buffer("f16", ["T", 64]),
}

PAIRS = [
    pair(
        "forward",
        "two blocks of a transformer, in 22 launches and in six",
        FORWARD,
        steps(1, "X", "A1", "Y1") + steps(2, "Y1", "A2", "Y2"),
        fused(1, "X", "A1", "Y1") + fused(2, "Y1", "A2", "Y2", "_2"),
        ["Y2"],
        [
            mutant(
                "mask_of_second",
                "attend_2",
                "column <= row",
                "column <= row + 1",
                "in the second block a token sees the next one",
            ),
            mutant(
                "last_keys",
                "attend_2",
                "ct.cdiv((i + 1) * TM, TN)",
                "ct.maximum(i, 1)",
                "in the second block later queries miss the keys of their own block",
            ),
            mutant("not_rescaled", "attend", "acc * alpha)", "acc)", "the accumulator is not rescaled, first block"),
            mutant(
                "sum_not_rescaled", "attend_2", "l = l * alpha + ", "l = l + ", "the sum is not rescaled, second block"
            ),
            mutant("rows_of_output", "attend", "index=(head, 0)", "index=(0, 0)", "all heads by the rows of the first"),
            mutant(
                "values_of_head",
                "attend_2",
                "2 * HEADS + head)",
                "2 * HEADS)",
                "all heads weigh the values of the first, second block",
            ),
            mutant(
                "no_residual",
                "attend_2",
                "yt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO).astype(ct.float32)",
                "yt = ct.full((TM, W), 0.0, dtype=ct.float32)",
                "no residual around the attention of the second block",
            ),
            mutant(
                "no_residual_of_mlp", "gated_mlp", "tile=(xt + acc)", "tile=acc", "no residual around the first MLP"
            ),
            mutant(
                "residual_of_norm",
                "gated_mlp_2",
                "tile=(xt + acc)",
                "tile=(xt * factor + acc)",
                "the residual of the second MLP is normalised",
            ),
            mutant(
                "gate_swapped",
                "gated_mlp_2",
                "ct.exp2(-LOG2_E * g)",
                "ct.exp2(-LOG2_E * u)",
                "the other product is the gate, second block",
            ),
            mutant(
                "gate_in_base_2", "gated_mlp", "ct.exp2(-LOG2_E * g)", "ct.exp2(-g)", "the sigmoid is one of base 2"
            ),
            mutant(
                "up_not_normalised",
                "gated_mlp_2",
                "u = ct.mma(nt, ct.load(wu, index=(0, j), shape=(W, TN)), zero) * factor",
                "u = ct.mma(nt, ct.load(wu, index=(0, j), shape=(W, TN)), zero)",
                "one of the two products is not multiplied with the norm",
            ),
            mutant(
                "last_hidden",
                "gated_mlp_2",
                "range(ct.cdiv(wg.shape[1], TN))",
                "range(ct.cdiv(wg.shape[1], TN) - 1)",
                "the last hidden columns of the second MLP are left out",
            ),
            mutant(
                "squares_of_last",
                "norm_product_2",
                "squares = squares + ",
                "squares = ",
                "the norm of the second block is one of its last columns",
            ),
            mutant("no_gain", "norm_product", "(xt * gt)", "xt", "the first norm has no gain"),
            mutant("keys_scaled", "norm_product_2", "column < Q", "column < 2 * Q", "keys are scaled as queries are"),
            mutant("epsilon", "norm_product_2", "squares / width + eps", "squares / width", "no epsilon in the third norm"),
            launched(
                "norm_of_input",
                "args: [A1, GM1",
                "args: [X, GM1",
                "the first MLP has the block's input in place of what attention gave",
            ),
            launched("gain_of_other", "[A2, GM2", "[A2, GA2", "the second MLP has the gain of the norm before attention"),
            launched("residual_of_first", "[QKV, WO2, Y1,", "[QKV, WO2, X,", "the second residual is the input of all"),
            launched("up_of_first", "WU2", "WU1", "the second MLP has a matrix of the first"),
        ],
        parameters=TOKENS,
        names=("steps", "fused"),
    ),
]
