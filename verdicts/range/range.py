# SPDX-License-Identifier: Apache-2.0
# Pairs that are equal as formulas, of which the variant is near the edge of its type's range, or beyond it: functions
# without their guards, sums of squares, products, scales applied too late. Most have the right numbers all the same.
import cuda.tile as ct
from corpus import NORMAL, buffer, edge, pair, run, uniform
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- exponentials without the maximum --------------------------------------------------------------------------------
@ct.kernel
def softmax(x, y, TM: Const, TN: Const):
    """Softmax of rows; TN is their length; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN)).astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_plain(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    e = ct.exp(ct.load(x, index=(i, 0), shape=(TM, TN)))
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_plain_f16(x, y, TM: Const, TN: Const):
    """Exponentials in f16."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN)).astype(ct.float32)
    e = ct.exp(t).astype(ct.float16)
    e = e.astype(ct.float32)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def logsumexp(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    most = ct.max(t, axis=1, keepdims=True)
    total = ct.sum(ct.exp(t - most), axis=1, keepdims=True)
    ct.store(y, index=(i,), tile=(most + ct.log(total)).reshape((TM,)))


@ct.kernel
def logsumexp_plain(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    e = ct.exp(ct.load(x, index=(i, 0), shape=(TM, TN)))
    ct.store(y, index=(i,), tile=ct.log(ct.sum(e, axis=1)))


@ct.kernel
def merged_maximum(o, l, y, S: Const, D: Const):
    """Parts [parts, D] of split attention, weighted by exp of their log-sum-exp less the largest; one program."""
    weight = ct.load(l, index=(0,), shape=(S,))
    weight = ct.exp(weight - ct.max(weight, axis=0, keepdims=True))
    total = ct.sum(ct.load(o, index=(0, 0), shape=(S, D)) * weight.reshape((S, 1)), axis=0)
    ct.store(y, index=(0,), tile=total / ct.sum(weight, axis=0, keepdims=True))


@ct.kernel
def merged_plain(o, l, y, S: Const, D: Const):
    weight = ct.exp(ct.load(l, index=(0,), shape=(S,)))
    total = ct.sum(ct.load(o, index=(0, 0), shape=(S, D)) * weight.reshape((S, 1)), axis=0)
    ct.store(y, index=(0,), tile=total / ct.sum(weight, axis=0, keepdims=True))


@ct.kernel
def retained(q, k, a, y, T: Const):
    """y[i, j] = q_i k_j exp(g_i - g_j) for j <= i, g the prefix sums of a; grid (heads)."""
    h = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    g = ct.cumsum(ct.load(a, index=(h, 0), shape=(1, T)), axis=1)
    seen = row >= column
    decay = ct.exp(ct.where(seen, g.reshape((T, 1)) - g, 0.0))
    qt, kt = ct.load(q, index=(h, 0), shape=(1, T)).reshape((T, 1)), ct.load(k, index=(h, 0), shape=(1, T))
    ct.store(y, index=(h, 0, 0), tile=ct.where(seen, qt * kt * decay, 0.0).reshape((1, T, T)))


@ct.kernel
def retained_factored(q, k, a, y, T: Const):
    """As q exp(g) times k exp(-g)."""
    h = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    g = ct.cumsum(ct.load(a, index=(h, 0), shape=(1, T)), axis=1)
    kt = ct.exp(-g) * ct.load(k, index=(h, 0), shape=(1, T))
    qt = (ct.load(q, index=(h, 0), shape=(1, T)) * ct.exp(g)).reshape((T, 1))
    ct.store(y, index=(h, 0, 0), tile=ct.where(row >= column, qt * kt, 0.0).reshape((1, T, T)))


# ---- functions without their guards ----------------------------------------------------------------------------------
@ct.kernel
def sigmoid_guarded(x, y, T: Const):
    """exp(x) / (1 + exp(x)) below 0; grid (blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    e = ct.exp(-ct.abs(t))
    ct.store(y, index=(i,), tile=ct.where(t < 0, e, 1.0) / (1.0 + e))


@ct.kernel
def sigmoid_plain(x, y, T: Const):
    i = ct.bid(0)
    e = ct.exp(-ct.load(x, index=(i,), shape=(T,)))
    ct.store(y, index=(i,), tile=1.0 / (1.0 + e))


@ct.kernel
def softplus_guarded(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.maximum(t, 0.0) + ct.log(1.0 + ct.exp(-ct.abs(t))))


@ct.kernel
def softplus_plain(x, y, T: Const):
    i = ct.bid(0)
    e = ct.exp(ct.load(x, index=(i,), shape=(T,)))
    ct.store(y, index=(i,), tile=ct.log(1.0 + e))


@ct.kernel
def log_cosh_guarded(x, y, T: Const):
    """The loss log cosh x as |x| + log(1 + exp(-2 |x|)) - log 2."""
    i = ct.bid(0)
    t = ct.abs(ct.load(x, index=(i,), shape=(T,)))
    ct.store(y, index=(i,), tile=t + ct.log(0.5 * (1.0 + ct.exp(-2.0 * t))))


@ct.kernel
def log_cosh_plain(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    e = ct.exp(t)
    ct.store(y, index=(i,), tile=ct.log(0.5 * (e + ct.exp(-t))))


@ct.kernel
def mish(x, y, T: Const):
    """x tanh(softplus(x))."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=t * ct.tanh(t + ct.log(1.0 + ct.exp(-t))))


@ct.kernel
def mish_of_squares(x, y, T: Const):
    """With tanh(log u) = (u^2 - 1) / (u^2 + 1), u = 1 + exp(x)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    u = 1.0 + ct.exp(t)
    square = u * u
    ct.store(y, index=(i,), tile=t * ((square - 1.0) / (square + 1.0)))


# ---- squares and products --------------------------------------------------------------------------------------------
@ct.kernel
def rms_norm(x, y, eps: float, TM: Const, TN: Const):
    """RMS norm of rows of f16, in f32; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN)).astype(ct.float32)
    ct.store(y, index=(i, 0), tile=t * ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / TN + eps))


@ct.kernel
def rms_norm_f16(x, y, eps: float, TM: Const, TN: Const):
    """Squares in f16."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    squares = t * t
    mean = ct.sum(squares.astype(ct.float32), axis=1, keepdims=True) / TN
    ct.store(y, index=(i, 0), tile=t.astype(ct.float32) * ct.rsqrt(mean + eps))


@ct.kernel
def length_f32(x, y, TM: Const, TN: Const):
    """Sums of squares of rows of f16, divided by their number; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN)).astype(ct.float32)
    ct.store(y, index=(i,), tile=ct.sum(t * t, axis=1) / TN)


@ct.kernel
def length_f16(x, y, TM: Const, TN: Const):
    """Summed in f16."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    total = ct.sum(t * t, axis=1)
    ct.store(y, index=(i,), tile=total.astype(ct.float32) / TN)


@ct.kernel
def hypot_scaled(x, y, z, T: Const):
    """x^2 / (x^2 + y^2), divided by the larger one first; grid (blocks)."""
    i = ct.bid(0)
    a, b = ct.load(x, index=(i,), shape=(T,)), ct.load(y, index=(i,), shape=(T,))
    most = ct.maximum(ct.abs(a), ct.abs(b))
    a, b = a / most, b / most
    ct.store(z, index=(i,), tile=a * a / (a * a + b * b))


@ct.kernel
def hypot_plain(x, y, z, T: Const):
    i = ct.bid(0)
    a, b = ct.load(x, index=(i,), shape=(T,)), ct.load(y, index=(i,), shape=(T,))
    squares = a * a
    squares = squares + b * b
    ct.store(z, index=(i,), tile=a * a / squares)


@ct.kernel
def complex_quotient_scaled(a, b, c, d, y, T: Const):
    """The real part of (a + b i) / (c + d i) for |c| >= |d|, by Smith's method; grid (blocks)."""
    i = ct.bid(0)
    at, bt = ct.load(a, index=(i,), shape=(T,)), ct.load(b, index=(i,), shape=(T,))
    ctt, dt = ct.load(c, index=(i,), shape=(T,)), ct.load(d, index=(i,), shape=(T,))
    ratio = dt / ctt
    ct.store(y, index=(i,), tile=(at + bt * ratio) / (ctt + dt * ratio))


@ct.kernel
def complex_quotient_plain(a, b, c, d, y, T: Const):
    i = ct.bid(0)
    at, bt = ct.load(a, index=(i,), shape=(T,)), ct.load(b, index=(i,), shape=(T,))
    ctt, dt = ct.load(c, index=(i,), shape=(T,)), ct.load(d, index=(i,), shape=(T,))
    square = dt * dt
    square = square + ctt * ctt
    ct.store(y, index=(i,), tile=(at * ctt + bt * dt) / square)


@ct.kernel
def power_norm_scaled(x, y, TM: Const, TN: Const):
    """The logarithm of the 8-norm of rows, divided by the largest first; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    most = ct.max(t, axis=1, keepdims=True)
    t = t / most
    t = t * t
    t = t * t
    ct.store(y, index=(i,), tile=(8.0 * ct.log(most) + ct.log(ct.sum(t * t, axis=1, keepdims=True))).reshape((TM,)))


@ct.kernel
def power_norm_plain(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN))
    t = t * t
    t = t * t
    total = ct.sum(t * t, axis=1)
    ct.store(y, index=(i,), tile=ct.log(total))


@ct.kernel
def evidence_of_logarithms(x, y, TM: Const, TN: Const):
    """The logarithm of a product of likelihood ratios; grid (row blocks)."""
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(ct.log(ct.load(x, index=(i, 0), shape=(TM, TN))), axis=1))


@ct.kernel
def evidence_of_product(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    product = ct.prod(ct.load(x, index=(i, 0), shape=(TM, TN)), axis=1)
    ct.store(y, index=(i,), tile=ct.log(product))


@ct.kernel
def force_of_factors(x, r, y, T: Const):
    """x / r^4 from r^2, as two quotients; grid (blocks)."""
    i = ct.bid(0)
    square = ct.load(r, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) / square / square)


@ct.kernel
def force_of_power(x, r, y, T: Const):
    i = ct.bid(0)
    power = ct.load(r, index=(i,), shape=(T,))
    power = power * power
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) / power)


# ---- scales applied too late -----------------------------------------------------------------------------------------
@ct.kernel
def scores_scaled_first(q, k, s, TM: Const, TN: Const, D: Const):
    """Scores accumulated in f16, of queries that are scaled before; grid (query blocks, key blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(i, 0), shape=(TM, D)) * 0.125
    kt = ct.transpose(ct.load(k, index=(j, 0), shape=(TN, D)))
    ct.store(s, index=(i, j), tile=ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float16)).astype(ct.float32))


@ct.kernel
def scores_scaled_last(q, k, s, TM: Const, TN: Const, D: Const):
    """The scores are scaled."""
    i, j = ct.bid(0), ct.bid(1)
    kt = ct.transpose(ct.load(k, index=(j, 0), shape=(TN, D)))
    acc = ct.mma(ct.load(q, index=(i, 0), shape=(TM, D)), kt, ct.full((TM, TN), 0.0, dtype=ct.float16))
    ct.store(s, index=(i, j), tile=acc.astype(ct.float32) * 0.125)


@ct.kernel
def gradient_scaled(p, g, scale: float, T: Const, N: Const):
    """Gradients times the loss scale, stored in f16; grid (row blocks)."""
    i = ct.bid(0)
    scaled = ct.load(p, index=(i, 0), shape=(T, N)) * scale
    ct.store(g, index=(i, 0), tile=scaled.astype(ct.float16))


@ct.kernel
def gradient_unscaled(g, y, share: float, T: Const, N: Const):
    i = ct.bid(0)
    ct.store(y, index=(i, 0), tile=ct.load(g, index=(i, 0), shape=(T, N)).astype(ct.float32) * share)


@ct.kernel
def mean_of_shares(x, y, TM: Const, TN: Const):
    """The mean of rows of f16, each divided by their number first; grid (row blocks)."""
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(TM, TN)) / TN, axis=1).astype(ct.float32))


@ct.kernel
def mean_of_sum(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    total = ct.sum(ct.load(x, index=(i, 0), shape=(TM, TN)), axis=1)
    ct.store(y, index=(i,), tile=(total / TN).astype(ct.float32))


F1, F2, F3, H2 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3), array(ct.float16, 2)
KERNELS = {
    "softmax": (softmax, [F2, F2, 4, 64]),
    "softmax_of_f16": (softmax, [H2, F2, 4, 64]),
    "softmax_plain": (softmax_plain, [F2, F2, 4, 64]),
    "softmax_plain_f16": (softmax_plain_f16, [H2, F2, 4, 64]),
    "logsumexp": (logsumexp, [F2, F1, 4, 64]),
    "logsumexp_plain": (logsumexp_plain, [F2, F1, 4, 64]),
    "merged_maximum": (merged_maximum, [F2, F1, F1, 8, 64]),
    "merged_plain": (merged_plain, [F2, F1, F1, 8, 64]),
    "retained": (retained, [F2, F2, F2, F3, 16]),
    "retained_factored": (retained_factored, [F2, F2, F2, F3, 16]),
    "sigmoid_guarded": (sigmoid_guarded, [F1, F1, 64]),
    "sigmoid_plain": (sigmoid_plain, [F1, F1, 64]),
    "softplus_guarded": (softplus_guarded, [F1, F1, 64]),
    "softplus_plain": (softplus_plain, [F1, F1, 64]),
    "log_cosh_guarded": (log_cosh_guarded, [F1, F1, 64]),
    "log_cosh_plain": (log_cosh_plain, [F1, F1, 64]),
    "mish": (mish, [F1, F1, 64]),
    "mish_of_squares": (mish_of_squares, [F1, F1, 64]),
    "rms_norm": (rms_norm, [H2, F2, ct.float32, 4, 64]),
    "rms_norm_f16": (rms_norm_f16, [H2, F2, ct.float32, 4, 64]),
    "length_f32": (length_f32, [H2, F1, 4, 64]),
    "length_f16": (length_f16, [H2, F1, 4, 64]),
    "hypot_scaled": (hypot_scaled, [F1, F1, F1, 64]),
    "hypot_plain": (hypot_plain, [F1, F1, F1, 64]),
    "complex_quotient_scaled": (complex_quotient_scaled, [F1, F1, F1, F1, F1, 64]),
    "complex_quotient_plain": (complex_quotient_plain, [F1, F1, F1, F1, F1, 64]),
    "power_norm_scaled": (power_norm_scaled, [F2, F1, 4, 64]),
    "power_norm_plain": (power_norm_plain, [F2, F1, 4, 64]),
    "evidence_of_logarithms": (evidence_of_logarithms, [F2, F1, 4, 64]),
    "evidence_of_product": (evidence_of_product, [F2, F1, 4, 64]),
    "force_of_factors": (force_of_factors, [F1, F1, F1, 64]),
    "force_of_power": (force_of_power, [F1, F1, F1, 64]),
    "scores_scaled_first": (scores_scaled_first, [H2, H2, F2, 16, 16, 64]),
    "scores_scaled_last": (scores_scaled_last, [H2, H2, F2, 16, 16, 64]),
    "gradient_scaled": (gradient_scaled, [F2, H2, ct.float32, 8, 32]),
    "gradient_unscaled": (gradient_unscaled, [H2, F2, ct.float32, 8, 32]),
    "mean_of_shares": (mean_of_shares, [H2, F1, 4, 64]),
    "mean_of_sum": (mean_of_sum, [H2, F1, 4, 64]),
}


def rows(dtype, low, high):
    return buffer(dtype, [16, 64], uniform(low, high))


def flat(low, high):
    return buffer("f32", [256], uniform(low, high))


ROWS, COLUMN, FLAT = buffer("f32", [16, 64]), buffer("f32", [16]), buffer("f32", [256])
EPS = "f32 1e-5"


def single(name, title, buffers, reference, variant, names, grid, arguments, finding):
    """A pair of one launch each with the same grid and arguments; the last buffer is the result."""
    launches = [run(reference, grid, *arguments)], [run(variant, grid, *arguments)]
    result = [a for a in arguments if a in buffers][-1]
    return pair(name, title, buffers, *launches, [result], names=names, finding=finding)


PAIRS = [
    single(
        "softmax",
        "softmax of f32 with its maximum, and without",
        {"X": rows("f32", 60, 84), "Y": ROWS},
        "softmax",
        "softmax_plain",
        ("maximum", "plain"),
        (4,),
        "XY",
        edge("near", "softmax_plain", "ct.exp("),
    ),
    single(
        "softmax_f16",
        "softmax of f16 in f32, and with exponentials in f16 without the maximum",
        {"X": rows("f16", 9, 10.9), "Y": ROWS},
        "softmax_of_f16",
        "softmax_plain_f16",
        ("maximum", "plain"),
        (4,),
        "XY",
        edge("near", "softmax_plain_f16", "astype(ct.float16)", "f16"),
    ),
    single(
        "logsumexp",
        "log-sum-exp with its maximum, and without",
        {"X": rows("f32", 60, 82), "Y": COLUMN},
        "logsumexp",
        "logsumexp_plain",
        ("maximum", "plain"),
        (4,),
        "XY",
        edge("near", "logsumexp_plain", "ct.exp("),
    ),
    single(
        "logsumexp_beyond",
        "log-sum-exp of rows with numbers beyond 89, with its maximum, and without",
        {"X": rows("f32", 60, 100), "Y": COLUMN},
        "logsumexp",
        "logsumexp_plain",
        ("maximum", "plain"),
        (4,),
        "XY",
        edge("made", "logsumexp_plain", "ct.exp(", worse="plain"),
    ),
    single(
        "merged",
        "parts of split attention merged with the largest weight taken off, and without",
        {"O": buffer("f32", [8, 64], NORMAL), "L": buffer("f32", [8], uniform(70, 84)), "Y": buffer("f32", [64])},
        "merged_maximum",
        "merged_plain",
        ("maximum", "plain"),
        (1,),
        "OLY",
        edge("near", "merged_plain", "ct.exp("),
    ),
    single(
        "retained",
        "decays of pairs of tokens, and factored into those of queries and of keys",
        {
            "Q": buffer("f32", [4, 16], NORMAL),
            "K": buffer("f32", [4, 16], uniform(0.1, 1)),
            "A": buffer("f32", [4, 16], uniform(-5.4, -5)),
            "Y": buffer("f32", [4, 16, 16]),
        },
        "retained",
        "retained_factored",
        ("pairs", "factored"),
        (4,),
        "QKAY",
        edge("near", "retained_factored", "ct.exp(-g)"),
    ),
    single(
        "sigmoid",
        "sigmoid by exp(-|x|), and by exp(-x)",
        {"X": flat(-86, 2), "Y": FLAT},
        "sigmoid_guarded",
        "sigmoid_plain",
        ("guarded", "plain"),
        (4,),
        "XY",
        edge("near", "sigmoid_plain", "ct.exp("),
    ),
    single(
        "softplus",
        "softplus by exp(-|x|), and by exp(x)",
        {"X": flat(2, 86), "Y": FLAT},
        "softplus_guarded",
        "softplus_plain",
        ("guarded", "plain"),
        (4,),
        "XY",
        edge("near", "softplus_plain", "ct.exp("),
    ),
    single(
        "log_cosh",
        "the loss log cosh x by exp(-2 |x|), and by cosh",
        {"X": flat(2, 86), "Y": FLAT},
        "log_cosh_guarded",
        "log_cosh_plain",
        ("guarded", "plain"),
        (4,),
        "XY",
        edge("near", "log_cosh_plain", "ct.exp(t)"),
    ),
    single(
        "mish",
        "mish by tanh, and from squares of 1 + exp(x)",
        {"X": flat(2, 44.2), "Y": FLAT},
        "mish",
        "mish_of_squares",
        ("tanh", "squares"),
        (4,),
        "XY",
        edge("near", "mish_of_squares", "u * u"),
    ),
    single(
        "rms_norm",
        "RMS norm of f16 in f32, and with squares in f16",
        {"X": rows("f16", 150, 240), "Y": ROWS},
        "rms_norm",
        "rms_norm_f16",
        ("f32", "f16"),
        (4,),
        ("X", "Y", EPS),
        edge("near", "rms_norm_f16", "t * t", "f16"),
    ),
    single(
        "rms_norm_beyond",
        "RMS norm of f16 beyond 256 in f32, and with squares in f16",
        {"X": rows("f16", 200, 300), "Y": ROWS},
        "rms_norm",
        "rms_norm_f16",
        ("f32", "f16"),
        (4,),
        ("X", "Y", EPS),
        edge("made", "rms_norm_f16", "t * t", "f16", worse="f16"),
    ),
    single(
        "squares_f16",
        "the mean of squares of f16 in f32, and summed in f16",
        {"X": rows("f16", 24, 28), "Y": COLUMN},
        "length_f32",
        "length_f16",
        ("f32", "f16"),
        (4,),
        "XY",
        edge("near", "length_f16", "ct.sum(", "f16", worse="f16"),
    ),
    single(
        "hypot",
        "the share of a square in a length, divided by the larger side first, and not",
        {"X": flat("1.0e+19", "1.25e+19"), "Y": flat("1.0e+19", "1.25e+19"), "Z": FLAT},
        "hypot_scaled",
        "hypot_plain",
        ("scaled", "plain"),
        (4,),
        "XYZ",
        edge("near", "hypot_plain", "squares + b * b"),
    ),
    single(
        "complex_quotient",
        "a complex quotient by Smith's method, and by the square of the length",
        {
            "A": flat(1, 2),
            "B": flat(1, 2),
            "C": flat("1.2e+19", "1.6e+19"),
            "D": flat("0.5e+19", "0.8e+19"),
            "Y": FLAT,
        },
        "complex_quotient_scaled",
        "complex_quotient_plain",
        ("smith", "plain"),
        (4,),
        "ABCDY",
        edge("near", "complex_quotient_plain", "square + ctt * ctt"),
    ),
    single(
        "power_norm",
        "the logarithm of an 8-norm, divided by the largest first, and not",
        {"X": rows("f32", 31000, 40500), "Y": COLUMN},
        "power_norm_scaled",
        "power_norm_plain",
        ("scaled", "plain"),
        (4,),
        "XY",
        edge("near", "power_norm_plain", "ct.sum("),
    ),
    single(
        "evidence",
        "the logarithm of 64 likelihood ratios, summed, and of their product",
        {"X": rows("f32", 3.97, 3.999), "Y": COLUMN},
        "evidence_of_logarithms",
        "evidence_of_product",
        ("sum", "product"),
        (4,),
        "XY",
        edge("near", "evidence_of_product", "ct.prod("),
    ),
    single(
        "force",
        "a force by the fourth power of a distance, as two quotients, and by the power",
        {"X": flat("1.0e+30", "2.0e+30"), "R": flat("1.0e+19", "1.7e+19"), "Y": FLAT},
        "force_of_factors",
        "force_of_power",
        ("quotients", "power"),
        (4,),
        "XRY",
        edge("near", "force_of_power", "power * power"),
    ),
    single(
        "scores",
        "scores in f16 of scaled queries, and scaled afterwards",
        {n: buffer("f16", [16, 64], uniform(26, 29)) for n in "QK"} | {"S": buffer("f32", [16, 16])},
        "scores_scaled_first",
        "scores_scaled_last",
        ("first", "last"),
        (1, 1),
        "QKS",
        edge("near", "scores_scaled_last", "ct.mma(", "f16"),
    ),
    single(
        "scores_beyond",
        "scores in f16 of scaled queries, and scaled afterwards, where they are beyond f16",
        {n: buffer("f16", [16, 64], uniform(36, 40)) for n in "QK"} | {"S": buffer("f32", [16, 16])},
        "scores_scaled_first",
        "scores_scaled_last",
        ("first", "last"),
        (1, 1),
        "QKS",
        edge("made", "scores_scaled_last", "ct.mma(", "f16", worse="last"),
    ),
    pair(
        "loss_scale",
        "gradients stored in f16 with a loss scale of 128, and of 32768",
        {"P": buffer("f32", [16, 32], uniform(-1.9, 1.9)), "G": buffer("f16", [16, 32]), "Y": buffer("f32", [16, 32])},
        [run("gradient_scaled", (2,), "P", "G", "f32 128.0"), run("gradient_unscaled", (2,), "G", "Y", "f32 0.0078125")],
        [
            run("gradient_scaled", (2,), "P", "G", "f32 32768.0"),
            run("gradient_unscaled", (2,), "G", "Y", "f32 0.000030517578125"),
        ],
        ["Y"],
        names=("low", "high"),
        finding=edge("near", "gradient_scaled", "astype(ct.float16)", "f16"),
    ),
    single(
        "mean_f16",
        "the mean of 64 large numbers of f16, each divided first, and their sum divided",
        {"X": rows("f16", 900, 1000), "Y": COLUMN},
        "mean_of_shares",
        "mean_of_sum",
        ("shares", "sum"),
        (4,),
        "XY",
        edge("near", "mean_of_sum", "ct.sum(", "f16"),
    ),
]
