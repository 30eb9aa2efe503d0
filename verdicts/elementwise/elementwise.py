# SPDX-License-Identifier: Apache-2.0
# Activations, gates, rotary embeddings, polynomials and optimiser steps in the forms that people write.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run, uniform, unseen
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
SQRT_2_PI = 0.7978845608028654
LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453


# ---- GELU, SiLU, their relatives -------------------------------------------------------------------------------------
@ct.kernel
def gelu_tanh(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    inner = SQRT_2_PI * (t + 0.044715 * t * t * t)
    ct.store(y, index=(i,), tile=(0.5 * t * (1.0 + ct.tanh(inner))).astype(y.dtype))


@ct.kernel
def gelu_sigmoid(x, y, T: Const):
    """x / (1 + e^(-2 u))."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    inner = 2.0 * SQRT_2_PI * (t + 0.044715 * t * t * t)
    ct.store(y, index=(i,), tile=(t / (1.0 + ct.exp(-inner))).astype(y.dtype))


@ct.kernel
def gelu_factored(x, y, T: Const):
    """The cubic as x (c + 0.044715 c x^2), the tanh from 2 sigmoid - 1 in base 2."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    u = t * (SQRT_2_PI + SQRT_2_PI * 0.044715 * (t * t))
    tanh = 2.0 / (1.0 + ct.exp2(-2.0 * LOG2_E * u)) - 1.0
    half = 0.5 * t
    ct.store(y, index=(i,), tile=(half + half * tanh).astype(y.dtype))


@ct.kernel
def gelu_backward(x, dy, dx, T: Const):
    """dx = dy (0.5 (1 + tanh u) + 0.5 x (1 - tanh^2 u) u')."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    th = ct.tanh(SQRT_2_PI * (t + 0.044715 * t * t * t))
    du = SQRT_2_PI * (1.0 + 3.0 * 0.044715 * t * t)
    ct.store(
        dx,
        index=(i,),
        tile=ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO)
        * (0.5 * (1.0 + th) + 0.5 * t * (1.0 - th * th) * du),
    )


@ct.kernel
def gelu_backward_sigmoid(x, dy, dx, T: Const):
    """The same with s = sigmoid(2 u): dy (s + 2 x s (1 - s) u')."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    s = 1.0 / (1.0 + ct.exp(-2.0 * SQRT_2_PI * t * (1.0 + 0.044715 * t * t)))
    du = SQRT_2_PI * (1.0 + 0.134145 * t * t)
    ct.store(
        dx, index=(i,), tile=ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO) * (s + 2.0 * t * s * (1.0 - s) * du)
    )


@ct.kernel
def gelu_backward_folded(x, dy, dx, T: Const):
    """The same with the constants of the derivative multiplied out."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    th = ct.tanh(0.79788456 * t * (1.0 + 0.044715 * t * t))
    ff = 0.5 * t * ((1.0 - th * th) * (0.79788456 + 0.1070322243 * t * t)) + 0.5 * (1.0 + th)
    ct.store(dx, index=(i,), tile=ff * ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO))


@ct.kernel
def silu(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(i,), tile=(t / (1.0 + ct.exp(-t))).astype(y.dtype))


@ct.kernel
def silu_tanh(x, y, T: Const):
    """Half of x (1 + tanh(x / 2))."""
    i = ct.bid(0)
    half = 0.5 * ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(i,), tile=(half + half * ct.tanh(half)).astype(y.dtype))


@ct.kernel
def silu_stable(x, y, T: Const):
    """The sigmoid without overflow: 1 / (1 + e^-x) for x >= 0, else e^x / (1 + e^x)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    e = ct.exp(-ct.abs(t))
    s = ct.where(t >= 0.0, 1.0 / (1.0 + e), e / (1.0 + e))
    ct.store(y, index=(i,), tile=(t * s).astype(y.dtype))


@ct.kernel
def swish_backward(x, dy, dx, T: Const):
    """dy s (1 + x (1 - s))."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    s = 1.0 / (1.0 + ct.exp(-t))
    ct.store(dx, index=(i,), tile=ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO) * s * (1.0 + t * (1.0 - s)))


@ct.kernel
def swish_backward_from_result(x, dy, dx, T: Const):
    """The same with f = x s: dy (f + s (1 - f))."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    s = 0.5 * ct.tanh(0.5 * t) + 0.5
    f = t * s
    ct.store(dx, index=(i,), tile=ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO) * (f + s * (1.0 - f)))


@ct.kernel
def softplus(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.log(1.0 + ct.exp(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO))))


@ct.kernel
def softplus_stable(x, y, T: Const):
    """max(x, 0) + log(1 + e^-|x|), in base 2."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.maximum(t, 0.0) + LN_2 * ct.log2(1.0 + ct.exp2(-LOG2_E * ct.abs(t))))


@ct.kernel
def softplus_stable_e(x, y, T: Const):
    """The same in base e."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.maximum(t, 0.0) + ct.log(1.0 + ct.exp(-ct.abs(t))))


@ct.kernel
def mish(x, y, T: Const):
    """x tanh(log(1 + e^x))."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=t * ct.tanh(ct.log(1.0 + ct.exp(t))))


@ct.kernel
def mish_rational(x, y, T: Const):
    """x n / (n + 2) with n = e (e + 2), e = e^x."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    e = ct.exp(t)
    n = e * (e + 2.0)
    ct.store(y, index=(i,), tile=t * n / (n + 2.0))


# ---- gates, bias, residual -------------------------------------------------------------------------------------------
@ct.kernel
def sigmoid_of(gate, s, T: Const):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    ct.store(s, index=(i,), tile=(1.0 / (1.0 + ct.exp(-g))).astype(s.dtype))


@ct.kernel
def gated(gate, up, s, y, T: Const):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    u = ct.load(up, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    ct.store(
        y,
        index=(i,),
        tile=(g * u * ct.load(s, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)).astype(y.dtype),
    )


@ct.kernel
def swiglu(gate, up, y, T: Const):
    """gate sigmoid(gate) up in one kernel."""
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    u = ct.load(up, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(i,), tile=(g / (1.0 + ct.exp(-g)) * u).astype(y.dtype))


@ct.kernel
def swiglu_packed(both, y, T: Const):
    """The same where a row holds the gate and then the up projection; grid (rows, column blocks of the result)."""
    i, j = ct.bid(0), ct.bid(1)
    half = both.shape[1] // 2
    column = j * T + ct.arange(T, dtype=ct.int32)
    g = ct.gather(both, (i, column), padding_value=0).astype(ct.float32)
    u = ct.gather(both, (i, column + half), padding_value=0).astype(ct.float32)
    ct.scatter(y, (i, column), (g / (1.0 + ct.exp(-g)) * u).astype(y.dtype), mask=column < half)


@ct.kernel
def swiglu_rows(gate, up, y, T: Const):
    """As swiglu on matrices; grid (rows, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    g = ct.load(gate, index=(i, j), shape=(1, T), padding_mode=ZERO).astype(ct.float32)
    u = ct.load(up, index=(i, j), shape=(1, T), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(i, j), tile=(u * g * (0.5 + 0.5 * ct.tanh(0.5 * g))).astype(y.dtype))


@ct.kernel
def pack_halves(gate, up, both, T: Const):
    """both = the columns of gate and then those of up; grid (rows, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    n = gate.shape[1]
    column = j * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(both, (i, column), ct.gather(gate, (i, column), padding_value=0), mask=column < n)
    ct.scatter(both, (i, column + n), ct.gather(up, (i, column), padding_value=0), mask=column < n)


@ct.kernel
def add_bias(x, b, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO) + ct.load(
        b, index=(j,), shape=(TN,), padding_mode=ZERO
    )
    ct.store(y, index=(i, j), tile=t)


@ct.kernel
def scaled_residual(x, r, y, scale: float, keep: float, TM: Const, TN: Const):
    """y = r + scale x / keep, as dropout in training does with what it keeps."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=ct.load(r, index=(i, j), shape=(TM, TN), padding_mode=ZERO) + scale * (t / keep))


@ct.kernel
def bias_residual(x, b, r, y, factor: float, TM: Const, TN: Const):
    """y = r + factor (x + b) in one kernel."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    b1 = factor * ct.load(b, index=(j,), shape=(TN,), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=(ct.load(r, index=(i, j), shape=(TM, TN), padding_mode=ZERO) + b1) + factor * t)


# ---- polynomials, powers ---------------------------------------------------------------------------------------------
@ct.kernel
def powers(x, y, T: Const):
    """1 + x/2 + x^2/6 + x^3/24 + x^4/120, power by power."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=1.0 + t / 2.0 + t * t / 6.0 + t * t * t / 24.0 + t * t * t * t / 120.0)


@ct.kernel
def horner(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=1.0 + t * (0.5 + t * (1.0 / 6.0 + t * (1.0 / 24.0 + t * (1.0 / 120.0)))))


@ct.kernel
def estrin(x, y, T: Const):
    """The same in pairs: (1 + x/2) + x^2 ((1/6 + x/24) + x^2/120)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    t2 = t * t
    ct.store(y, index=(i,), tile=(1.0 + 0.5 * t) + t2 * ((1.0 / 6.0 + t * (1.0 / 24.0)) + t2 * (1.0 / 120.0)))


@ct.kernel
def newton_schulz(x, y, T: Const):
    """a x + b x^3 + c x^5."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=3.4445 * t - 4.775 * (t * t * t) + 2.0315 * (t * t * t * t * t))


@ct.kernel
def newton_schulz_nested(x, y, T: Const):
    """x (a + x^2 (b + c x^2))."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    s = t * t
    ct.store(y, index=(i,), tile=t * (3.4445 + s * (2.0315 * s - 4.775)))


@ct.kernel
def inverse_root(x, y, z, T: Const):
    """x / sqrt(z + 1)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(z, index=(i,), tile=t / ct.sqrt(ct.load(y, index=(i,), shape=(T,), padding_mode=ZERO) + 1.0))


@ct.kernel
def inverse_root_powers(x, y, z, T: Const):
    """x rsqrt(4 z + 4) 2: the four comes out of the root."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(z, index=(i,), tile=t * ct.rsqrt(4.0 * ct.load(y, index=(i,), shape=(T,), padding_mode=ZERO) + 4.0) * 2.0)


# ---- rotary embeddings -----------------------------------------------------------------------------------------------
@ct.kernel
def rotary_table(cos, sin, HALF: Const, T: Const):
    """cos and sin of position / 10000^(k / HALF); grid (blocks of positions)."""
    i = ct.bid(0)
    k = ct.arange(HALF, dtype=ct.int32).astype(ct.float32).reshape((1, HALF))
    position = (i * T + ct.arange(T, dtype=ct.int32)).astype(ct.float32).reshape((T, 1))
    angle = position / ct.pow(ct.full((1, HALF), 10000.0, dtype=ct.float32), k / HALF)
    ct.store(cos, index=(i, 0), tile=ct.cos(angle))
    ct.store(sin, index=(i, 0), tile=ct.sin(angle))


@ct.kernel
def rotary(x, cos, sin, y, HALF: Const, T: Const):
    """Pairs (k, k + HALF) turned by tables, half by half; grid (blocks of positions, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(head, i, 0), shape=(1, T, HALF), padding_mode=ZERO).reshape((T, HALF)).astype(ct.float32)
    b = ct.load(x, index=(head, i, 1), shape=(1, T, HALF), padding_mode=ZERO).reshape((T, HALF)).astype(ct.float32)
    c = ct.load(cos, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    s = ct.load(sin, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    ct.store(y, index=(head, i, 0), tile=(a * c - b * s).astype(y.dtype).reshape((1, T, HALF)))
    ct.store(y, index=(head, i, 1), tile=(b * c + a * s).astype(y.dtype).reshape((1, T, HALF)))


@ct.kernel
def rotary_inline(x, y, HALF: Const, T: Const):
    """Angles computed here, frequencies as powers of 2; x cos + (-b, a) sin on whole rows."""
    i, head = ct.bid(0), ct.bid(1)
    k = ct.arange(HALF, dtype=ct.int32).astype(ct.float32).reshape((1, HALF))
    position = (i * T + ct.arange(T, dtype=ct.int32)).astype(ct.float32).reshape((T, 1))
    frequency = ct.exp2(k * (-1.0 / HALF) * ct.log2(ct.full((1, 1), 10000.0, dtype=ct.float32)))
    angle = position * frequency
    c, s = ct.cos(angle), ct.sin(angle)
    a = ct.load(x, index=(head, i, 0), shape=(1, T, HALF), padding_mode=ZERO).reshape((T, HALF)).astype(ct.float32)
    b = ct.load(x, index=(head, i, 1), shape=(1, T, HALF), padding_mode=ZERO).reshape((T, HALF)).astype(ct.float32)
    whole, turned = ct.cat((a, b), 1), ct.cat((-b, a), 1)
    r = whole * ct.cat((c, c), 1) + turned * ct.cat((s, s), 1)
    ct.store(y, index=(head, i, 0), tile=r.astype(y.dtype).reshape((1, T, 2 * HALF)))


@ct.kernel
def rotary_three(x, cos, sin, y, HALF: Const, T: Const):
    """The complex product with three multiplications."""
    i, head = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(head, i, 0), shape=(1, T, HALF), padding_mode=ZERO).reshape((T, HALF)).astype(ct.float32)
    b = ct.load(x, index=(head, i, 1), shape=(1, T, HALF), padding_mode=ZERO).reshape((T, HALF)).astype(ct.float32)
    c = ct.load(cos, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    s = ct.load(sin, index=(i, 0), shape=(T, HALF), padding_mode=ZERO)
    ac, bs = a * c, b * s
    ct.store(y, index=(head, i, 0), tile=(ac - bs).astype(y.dtype).reshape((1, T, HALF)))
    ct.store(y, index=(head, i, 1), tile=((a + b) * (c + s) - ac - bs).astype(y.dtype).reshape((1, T, HALF)))


# ---- optimiser steps -------------------------------------------------------------------------------------------------
@ct.kernel
def adam(p, g, m, v, lr: float, b1: float, b2: float, c1: float, c2: float, eps: float, decay: float, T: Const):
    """AdamW with corrected moments; c1 = 1 - b1^t, c2 = 1 - b2^t."""
    i = ct.bid(0)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = b1 * ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - b1) * gt
    vt = b2 * ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO) + (1.0 - b2) * gt * gt
    pt = pt * (1.0 - lr * decay)
    ct.store(p, index=(i,), tile=pt - lr * (mt / c1) / (ct.sqrt(vt / c2) + eps))
    ct.store(m, index=(i,), tile=mt)
    ct.store(v, index=(i,), tile=vt)


@ct.kernel
def adam_folded(p, g, m, v, lr: float, b1: float, b2: float, c1: float, c2: float, eps: float, decay: float, T: Const):
    """The corrections folded into step size and eps, moments as interpolations, the decay in the update."""
    i = ct.bid(0)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO)
    vt = ct.load(v, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = mt + (gt - mt) * (1.0 - b1)
    vt = vt + (gt * gt - vt) * (1.0 - b2)
    root = ct.sqrt(ct.full((T,), 1.0, dtype=ct.float32) * c2)
    update = (root / c1) * mt / (ct.sqrt(vt) + eps * root)
    ct.store(p, index=(i,), tile=pt - lr * (update + decay * pt))
    ct.store(m, index=(i,), tile=mt)
    ct.store(v, index=(i,), tile=vt)


@ct.kernel
def nesterov(p, g, m, lr: float, mu: float, T: Const):
    """m = mu m + g; p = p - lr (g + mu m)."""
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = mu * ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO) + gt
    ct.store(p, index=(i,), tile=ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO) - lr * (gt + mu * mt))
    ct.store(m, index=(i,), tile=mt)


@ct.kernel
def nesterov_expanded(p, g, m, lr: float, mu: float, T: Const):
    """p = p - lr (1 + mu) g - lr mu^2 m with the old m."""
    i = ct.bid(0)
    gt = ct.load(g, index=(i,), shape=(T,), padding_mode=ZERO)
    mt = ct.load(m, index=(i,), shape=(T,), padding_mode=ZERO)
    pt = ct.load(p, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(p, index=(i,), tile=pt - lr * (1.0 + mu) * gt - lr * mu * mu * mt)
    ct.store(m, index=(i,), tile=gt + mt * mu)


F1, H1, F2, H2, H3 = (
    array(ct.float32, 1),
    array(ct.float16, 1),
    array(ct.float32, 2),
    array(ct.float16, 2),
    array(ct.float16, 3),
)
ADAM = [F1, F1, F1, F1, *[ct.float32] * 7]
KERNELS = {
    "gelu_tanh": (gelu_tanh, [H1, H1, 256]),
    "gelu_sigmoid": (gelu_sigmoid, [H1, H1, 128]),
    "gelu_factored": (gelu_factored, [H1, H1, 128]),
    "gelu_backward": (gelu_backward, [F1, F1, F1, 256]),
    "gelu_backward_sigmoid": (gelu_backward_sigmoid, [F1, F1, F1, 128]),
    "gelu_backward_folded": (gelu_backward_folded, [F1, F1, F1, 128]),
    "silu": (silu, [H1, H1, 256]),
    "silu_tanh": (silu_tanh, [H1, H1, 128]),
    "silu_stable": (silu_stable, [H1, H1, 128]),
    "swish_backward": (swish_backward, [F1, F1, F1, 256]),
    "swish_backward_from_result": (swish_backward_from_result, [F1, F1, F1, 128]),
    "softplus": (softplus, [F1, F1, 256]),
    "softplus_stable": (softplus_stable, [F1, F1, 128]),
    "softplus_stable_e": (softplus_stable_e, [F1, F1, 128]),
    "mish": (mish, [F1, F1, 256]),
    "mish_rational": (mish_rational, [F1, F1, 128]),
    "sigmoid_of": (sigmoid_of, [H1, F1, 256]),
    "sigmoid_of_half": (sigmoid_of, [H1, H1, 256]),
    "gated": (gated, [H1, H1, F1, H1, 256]),
    "gated_half": (gated, [H1, H1, H1, H1, 256]),
    "swiglu": (swiglu, [H1, H1, H1, 128]),
    "swiglu_packed": (swiglu_packed, [H2, H2, 16]),
    "swiglu_rows": (swiglu_rows, [H2, H2, H2, 32]),
    "pack_halves": (pack_halves, [H2, H2, H2, 32]),
    "add_bias": (add_bias, [F2, F1, F2, 4, 64]),
    "scaled_residual": (scaled_residual, [F2, F2, F2, ct.float32, ct.float32, 4, 32]),
    "bias_residual": (bias_residual, [F2, F1, F2, F2, ct.float32, 8, 32]),
    "powers": (powers, [F1, F1, 256]),
    "horner": (horner, [F1, F1, 128]),
    "estrin": (estrin, [F1, F1, 128]),
    "newton_schulz": (newton_schulz, [F1, F1, 256]),
    "newton_schulz_nested": (newton_schulz_nested, [F1, F1, 128]),
    "inverse_root": (inverse_root, [F1, F1, F1, 256]),
    "inverse_root_powers": (inverse_root_powers, [F1, F1, F1, 128]),
    "rotary_table": (rotary_table, [F2, F2, 8, 16]),
    "rotary": (rotary, [H3, F2, F2, H3, 8, 16]),
    "rotary_inline": (rotary_inline, [H3, H3, 8, 8]),
    "rotary_three": (rotary_three, [H3, F2, F2, H3, 8, 32]),
    "adam": (adam, [*ADAM, 256]),
    "adam_folded": (adam_folded, [*ADAM, 128]),
    "nesterov": (nesterov, [F1, F1, F1, ct.float32, ct.float32, 256]),
    "nesterov_expanded": (nesterov_expanded, [F1, F1, F1, ct.float32, ct.float32, 128]),
}

XH, X, N = (
    buffer("f16", [700], given("rows.f16")),
    buffer("f32", [700], given("rows.f32")),
    buffer("f32", [700], NORMAL),
)
YH, Y = buffer("f16", [700]), buffer("f32", [700])
SAME_H, SAME, BACK = {"X": XH, "Y": YH}, {"X": X, "Y": Y}, {"X": X, "G": N, "D": Y}
MATRIX, RESULT = buffer("f32", [7, 100], given("rows.f32")), buffer("f32", [7, 100])
GATES = {"A": XH, "U": buffer("f16", [700], NORMAL)}
# Positions in blocks of 8, 16 and 32: ragged, whole, with one in the last, one.
POSITIONS = {"N": [40, 64, 33, 1]}
ROTARY = {
    "X": buffer("f16", [2, "N", 16], NORMAL),
    "C": buffer("f32", ["N", 8]),
    "S": buffer("f32", ["N", 8]),
    "Y": buffer("f16", [2, "N", 16]),
}
STATE = {"P": buffer("f32", [700], NORMAL), "G": X, "M": N, "V": buffer("f32", [700], uniform(0.01, 1))}
STEP = ["f32 0.01", "f32 0.9", "f32 0.99", "f32 0.19", "f32 0.0199", "f32 1e-5", "f32 0.1"]  # after 2 steps

PAIRS = [
    pair(
        "gelu",
        "GELU by tanh, and by a sigmoid",
        SAME_H,
        [run("gelu_tanh", (3,), "X", "Y")],
        [run("gelu_sigmoid", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("not_doubled", "gelu_sigmoid", "2.0 * SQRT_2_PI", "SQRT_2_PI", "the argument is not doubled"),
            mutant("square", "gelu_sigmoid", "0.044715 * t * t * t", "0.044715 * t * t", "a square for the cube"),
            mutant("constant", "gelu_sigmoid", "0.044715", "0.04471", "a digit of the constant is lost"),
            mutant("sign", "gelu_sigmoid", "ct.exp(-inner)", "ct.exp(inner)", "the sigmoid has the wrong sign"),
            mutant(
                "quick",
                "gelu_sigmoid",
                "2.0 * SQRT_2_PI * (t + 0.044715 * t * t * t)",
                "1.702 * t",
                "the quick approximation x sigmoid(1.702 x)",
            ),
        ],
        names=("tanh", "sigmoid"),
    ),
    pair(
        "gelu_factored",
        "GELU by tanh, and with folded constants in base 2",
        SAME_H,
        [run("gelu_tanh", (3,), "X", "Y")],
        [run("gelu_factored", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("base", "gelu_factored", "-2.0 * LOG2_E", "-2.0", "base 2 without log2(e)"),
            mutant("minus_one", "gelu_factored", " - 1.0", "", "2 sigmoid in place of 2 sigmoid - 1"),
            mutant("half", "gelu_factored", "half + half * tanh", "t + half * tanh", "the first term is not halved"),
            mutant(
                "constant_once",
                "gelu_factored",
                "SQRT_2_PI * 0.044715",
                "0.044715",
                "the second coefficient lacks sqrt(2/pi)",
            ),
        ],
        names=("tanh", "factored"),
    ),
    pair(
        "gelu_backward",
        "GELU backward by tanh, and by a sigmoid",
        BACK,
        [run("gelu_backward", (3,), "X", "G", "D")],
        [run("gelu_backward_sigmoid", (6,), "X", "G", "D")],
        ["D"],
        [
            mutant(
                "three", "gelu_backward_sigmoid", "0.134145", "0.044715", "the 3 of the cube's derivative is missing"
            ),
            mutant(
                "no_chain",
                "gelu_backward_sigmoid",
                "s + 2.0 * t * s * (1.0 - s) * du",
                "s",
                "the second term is missing",
            ),
            mutant("factor", "gelu_backward_sigmoid", "2.0 * t * s", "t * s", "a factor 2 is missing"),
        ],
        names=("tanh", "sigmoid"),
    ),
    pair(
        "gelu_backward_folded",
        "GELU backward by tanh, and with 3 0.044715 sqrt(2/pi) as one constant",
        BACK,
        [run("gelu_backward", (3,), "X", "G", "D")],
        [run("gelu_backward_folded", (6,), "X", "G", "D")],
        ["D"],
        [
            mutant("tanh_once", "gelu_backward_folded", "(1.0 - th * th)", "(1.0 - th)", "the tanh is not squared"),
        ],
        names=("tanh", "folded"),
        # six and ten digits: nobody could know what they are
        more="means: {0.134145: 3*0.044715, 0.1070322243: 3*0.044715*sqrt_2_pi}\n",
    ),
    pair(
        "silu",
        "SiLU by a sigmoid, and by tanh",
        SAME_H,
        [run("silu", (3,), "X", "Y")],
        [run("silu_tanh", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("full", "silu_tanh", "ct.tanh(half)", "ct.tanh(half + half)", "the tanh of x, not of x / 2"),
            mutant("sign", "silu_tanh", "half + half", "half - half", "the tanh has the wrong sign"),
        ],
        names=("sigmoid", "tanh"),
    ),
    pair(
        "silu_stable",
        "SiLU by a sigmoid, and by a sigmoid in two cases",
        SAME_H,
        [run("silu", (3,), "X", "Y")],
        [run("silu_stable", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("one_case", "silu_stable", "e / (1.0 + e))", "1.0 / (1.0 + e))", "the positive case for both"),
            mutant("cases_swapped", "silu_stable", "t >= 0.0", "t < 0.0", "the cases are swapped"),
            mutant("shifted_case", "silu_stable", "t >= 0.0", "t >= -1.0", "the wrong case from -1 to 0"),
        ],
        names=("plain", "cases"),
    ),
    pair(
        "swish_backward",
        "SiLU backward from x, and from the result",
        BACK,
        [run("swish_backward", (3,), "X", "G", "D")],
        [run("swish_backward_from_result", (6,), "X", "G", "D")],
        ["D"],
        [
            mutant("minus", "swish_backward_from_result", "f + s * (1.0 - f)", "f + s * (1.0 - s)", "s for f"),
            mutant(
                "no_result",
                "swish_backward_from_result",
                "f + s * (1.0 - f)",
                "s * (1.0 - f)",
                "the first term is missing",
            ),
        ],
        names=("input", "result"),
    ),
    pair(
        "softplus",
        "softplus, and without overflow in base 2",
        SAME,
        [run("softplus", (3,), "X", "Y")],
        [run("softplus_stable", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("no_maximum", "softplus_stable", "ct.maximum(t, 0.0) + ", "", "the maximum is missing"),
            mutant("no_abs", "softplus_stable", "ct.abs(t)", "t", "e^-x for e^-|x|"),
            mutant("no_ln_2", "softplus_stable", "LN_2 * ct", "ct", "a logarithm to base 2"),
            mutant(
                "absolute", "softplus_stable", "ct.maximum(t, 0.0)", "ct.abs(t)", "the magnitude for the positive part"
            ),
        ],
        names=("plain", "stable"),
    ),
    pair(
        "softplus_large",
        "softplus of large numbers without overflow, in base 2 and in base e",
        {"X": buffer("f32", [700], uniform(-50, 150)), "Y": Y},
        [run("softplus_stable", (6,), "X", "Y")],
        [run("softplus_stable_e", (6,), "X", "Y")],
        ["Y"],
        [
            unseen(
                "overflow",
                "softplus_stable_e",
                "ct.maximum(t, 0.0) + ct.log(1.0 + ct.exp(-ct.abs(t)))",
                "ct.log(1.0 + ct.exp(t))",
                "the plain formula, which overflows",
            ),
            mutant(
                "limit",
                "softplus_stable_e",
                "ct.maximum(t, 0.0) + ct.log(1.0 + ct.exp(-ct.abs(t)))",
                "ct.where(t > 2.0, t, ct.log(1.0 + ct.exp(t)))",
                "x itself above 2",
            ),
        ],
        names=("base_2", "base_e"),
    ),
    pair(
        "mish",
        "mish by a logarithm and a tanh, and as a rational function of e^x",
        SAME,
        [run("mish", (3,), "X", "Y")],
        [run("mish_rational", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("one", "mish_rational", "(n + 2.0)", "(n + 1.0)", "1 for 2 in the denominator"),
            mutant("inner_one", "mish_rational", "(e + 2.0)", "(e + 1.0)", "1 for 2 in the numerator"),
        ],
        names=("tanh", "rational"),
    ),
    pair(
        "swiglu",
        "SwiGLU in two kernels with the sigmoid kept in f16, and in one",
        {**GATES, "S": YH, "Y": YH},
        [run("sigmoid_of_half", (3,), "A", "S"), run("gated_half", (3,), "A", "U", "S", "Y")],
        [run("swiglu", (6,), "A", "U", "Y")],
        ["Y"],
        [
            mutant(
                "swapped",
                "swiglu",
                "g / (1.0 + ct.exp(-g)) * u",
                "u / (1.0 + ct.exp(-u)) * g",
                "gate and up are swapped",
            ),
            mutant("sigmoid_only", "swiglu", "g / (1.0", "1.0 / (1.0", "the gate itself is missing"),
            mutant("up_missing", "swiglu", " * u).astype", ").astype", "up is missing"),
        ],
        names=("two", "one"),
    ),
    pair(
        "swiglu_f32",
        "SwiGLU in two kernels with the sigmoid kept in f32, and in one",
        {**GATES, "S": Y, "Y": YH},
        [run("sigmoid_of", (3,), "A", "S"), run("gated", (3,), "A", "U", "S", "Y")],
        [run("swiglu", (6,), "A", "U", "Y")],
        ["Y"],
        [
            launched("operand", "args: [A, U, Y]", "args: [A, A, Y]", "the gate in the place of up"),
        ],
        names=("two", "one"),
    ),
    pair(
        "swiglu_packed",
        "SwiGLU of two matrices, and of one that holds both side by side",
        {
            "A": buffer("f16", [7, 50], NORMAL),
            "U": buffer("f16", [7, 50], NORMAL),
            "B": buffer("f16", [7, 100]),
            "Y": buffer("f16", [7, 50]),
        },
        [run("swiglu_rows", (7, 2), "A", "U", "Y")],
        [run("pack_halves", (7, 2), "A", "U", "B"), run("swiglu_packed", (7, 4), "B", "Y")],
        ["Y"],
        [
            mutant(
                "interleaved",
                "swiglu_packed",
                "(i, column), padding",
                "(i, 2 * column), padding",
                "pairs side by side, not halves",
                ("(i, column + half), padding", "(i, 2 * column + 1), padding"),
            ),
            mutant(
                "halves_swapped",
                "swiglu_packed",
                "g / (1.0 + ct.exp(-g)) * u",
                "u / (1.0 + ct.exp(-u)) * g",
                "the halves are swapped",
            ),
            mutant(
                "row",
                "swiglu_packed",
                "(i, column + half)",
                "(ct.maximum(i - 1, 0), column + half)",
                "up of the row before",
            ),
        ],
        names=("apart", "packed"),
    ),
    pair(
        "residual",
        "bias, then a scaled residual with a division, and all in one kernel",
        {
            "X": MATRIX,
            "B": buffer("f32", [100], NORMAL),
            "R": buffer("f32", [7, 100], NORMAL),
            "T": RESULT,
            "Y": RESULT,
        },
        [run("add_bias", (2, 2), "X", "B", "T"), run("scaled_residual", (2, 4), "T", "R", "Y", "f32 0.3", "f32 0.75")],
        [run("bias_residual", (1, 4), "X", "B", "R", "Y", "f32 0.4")],
        ["Y"],
        [
            mutant("bias_unscaled", "bias_residual", "b1 = factor * ct", "b1 = ct", "the bias is not scaled"),
            mutant(
                "bias_block",
                "bias_residual",
                "ct.load(b, index=(j,)",
                "ct.load(b, index=(0,)",
                "always the first block of the bias",
            ),
            mutant(
                "residual_scaled",
                "bias_residual",
                "tile=(ct.load(r",
                "tile=(factor * ct.load(r",
                "the residual is scaled",
            ),
            launched("factor", "f32 0.4", "f32 0.225", "multiplied by keep, not divided"),
            launched("factor_rounded", "f32 0.4", "f32 0.4001", "a factor that is slightly off"),
        ],
        names=("two", "one"),
    ),
    pair(
        "horner",
        "a polynomial power by power, and by Horner's scheme",
        SAME,
        [run("powers", (3,), "X", "Y")],
        [run("horner", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("coefficient", "horner", "1.0 / 24.0", "1.0 / 25.0", "a wrong coefficient"),
            mutant(
                "last_term", "horner", "(1.0 / 24.0 + t * (1.0 / 120.0))", "(1.0 / 24.0)", "the last term is missing"
            ),
            mutant(
                "last_power",
                "horner",
                "t * (1.0 / 120.0)",
                "t * t * (1.0 / 120.0)",
                "one power too many in the last term",
            ),
        ],
        names=("powers", "horner"),
    ),
    pair(
        "estrin",
        "a polynomial by Horner's scheme, and in pairs",
        SAME,
        [run("horner", (6,), "X", "Y")],
        [run("estrin", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("square", "estrin", "t2 * (1.0 / 120.0)", "t * (1.0 / 120.0)", "x for x^2"),
        ],
        names=("horner", "estrin"),
    ),
    pair(
        "newton_schulz",
        "an odd polynomial of degree 5, expanded and nested",
        SAME,
        [run("newton_schulz", (3,), "X", "Y")],
        [run("newton_schulz_nested", (6,), "X", "Y")],
        ["Y"],
        [
            mutant("sign", "newton_schulz_nested", "- 4.775", "+ 4.775", "a coefficient has the wrong sign"),
            mutant("digit", "newton_schulz_nested", "3.4445", "3.4455", "a digit is wrong"),
        ],
        names=("expanded", "nested"),
    ),
    pair(
        "inverse_root",
        "x / sqrt(y + 1), and x rsqrt(4 y + 4) 2",
        {"X": X, "Y": buffer("f32", [700], uniform(0, 4)), "Z": Y},
        [run("inverse_root", (3,), "X", "Y", "Z")],
        [run("inverse_root_powers", (6,), "X", "Y", "Z")],
        ["Z"],
        [
            mutant("four", "inverse_root_powers", "* 2.0", "* 4.0", "4 in place of its root"),
            mutant("one", "inverse_root_powers", "+ 4.0", "+ 1.0", "the 1 is not scaled"),
        ],
        names=("division", "rsqrt"),
    ),
    pair(
        "rotary",
        "rotary embedding by tables, and with angles computed in place",
        ROTARY,
        [run("rotary_table", ("cdiv(N, 16)",), "C", "S"), run("rotary", ("cdiv(N, 16)", 2), "X", "C", "S", "Y")],
        [run("rotary_inline", ("cdiv(N, 8)", 2), "X", "Y")],
        ["Y"],
        [
            mutant("sign", "rotary_inline", "ct.cat((-b, a), 1)", "ct.cat((b, -a), 1)", "turned the wrong way"),
            mutant(
                "not_turned",
                "rotary_inline",
                "ct.cat((-b, a), 1)",
                "ct.cat((-a, b), 1)",
                "the halves are not exchanged",
            ),
            mutant("position", "rotary_inline", "position = (i * T + ", "position = (", "positions within the block"),
            mutant("width", "rotary_inline", "(-1.0 / HALF)", "(-0.5 / HALF)", "frequencies of twice the width"),
            mutant("frequency_sign", "rotary_inline", "(-1.0 / HALF)", "(1.0 / HALF)", "frequencies that grow"),
            launched(
                "one_row",
                "grid: [cdiv(N, 8), 2]",
                "grid: [max(cdiv(N - 1, 8), 1), 2]",
                "a last block with a single position is left out",
            ),
        ],
        names=("table", "inline"),
        parameters=POSITIONS,
    ),
    pair(
        "rotary_three",
        "rotary embedding with four multiplications, and with three",
        ROTARY,
        [run("rotary_table", ("cdiv(N, 16)",), "C", "S"), run("rotary", ("cdiv(N, 16)", 2), "X", "C", "S", "Y")],
        [run("rotary_table", ("cdiv(N, 16)",), "C", "S"), run("rotary_three", ("cdiv(N, 32)", 2), "X", "C", "S", "Y")],
        ["Y"],
        [
            mutant("term", "rotary_three", "(c + s) - ac - bs", "(c + s) - ac", "a term is not taken off"),
            mutant("table", "rotary_three", "ct.load(sin, index", "ct.load(cos, index", "cosines for sines"),
            launched("positions", "args: [X, C, S, Y]", "args: [X, S, C, Y]", "the tables are swapped"),
            launched(
                "one_row",
                "grid: [cdiv(N, 32), 2]",
                "grid: [max(cdiv(N - 1, 32), 1), 2]",
                "a last block with a single position is left out",
            ),
        ],
        names=("four", "three"),
        parameters=POSITIONS,
    ),
    pair(
        "adam",
        "an AdamW step as in the paper, and with corrections folded into step size and eps",
        STATE,
        [run("adam", (3,), "P", "G", "M", "V", *STEP)],
        [run("adam_folded", (6,), "P", "G", "M", "V", *STEP)],
        ["P", "M", "V"],
        [
            mutant("eps_unscaled", "adam_folded", "eps * root", "eps", "eps is not scaled"),
            mutant(
                "eps_inside",
                "adam_folded",
                "(ct.sqrt(vt) + eps * root)",
                "ct.sqrt(vt + eps * root)",
                "eps inside the root",
            ),
            mutant(
                "correction",
                "adam_folded",
                "root = ct.sqrt(ct.full((T,), 1.0, dtype=ct.float32) * c2)",
                "root = ct.full((T,), 1.0, dtype=ct.float32) * c2",
                "c2 in place of its root",
            ),
            mutant(
                "no_correction", "adam_folded", "(root / c1) * mt", "root * mt", "the first moment is not corrected"
            ),
            mutant(
                "coupled_decay",
                "adam_folded",
                "mt = mt + (gt - mt) * (1.0 - b1)",
                "mt = mt + (gt + decay * pt - mt) * (1.0 - b1)",
                "the decay goes into the moment as well",
            ),
            mutant("beta", "adam_folded", "(gt * gt - vt) * (1.0 - b2)", "(gt * gt - vt) * (1.0 - b1)", "b1 for b2"),
            mutant("gradient", "adam_folded", "(gt * gt - vt)", "(gt - vt)", "the gradient is not squared"),
            mutant(
                "decay_sign",
                "adam_folded",
                "update + decay * pt",
                "update - decay * pt",
                "the decay has the wrong sign",
            ),
            launched("step_count", "f32 0.19, f32 0.0199", "f32 0.271, f32 0.029701", "corrections of the next step"),
        ],
        names=("paper", "folded"),
    ),
    pair(
        "nesterov",
        "a step with Nesterov momentum, and expanded",
        {"P": STATE["P"], "G": X, "M": N},
        [run("nesterov", (3,), "P", "G", "M", "f32 0.01", "f32 0.9")],
        [run("nesterov_expanded", (6,), "P", "G", "M", "f32 0.01", "f32 0.9")],
        ["P", "M"],
        [
            mutant(
                "plain",
                "nesterov_expanded",
                "lr * (1.0 + mu) * gt - lr * mu * mu * mt",
                "lr * gt - lr * mu * mt",
                "the step without Nesterov",
            ),
            mutant("once", "nesterov_expanded", "lr * mu * mu * mt", "lr * mu * mt", "mu is not squared"),
        ],
        names=("plain", "expanded"),
    ),
]
