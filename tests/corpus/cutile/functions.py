# SPDX-License-Identifier: Apache-2.0
# The functions: trigonometric and hyperbolic ones, exponentials, roots, powers, each with every rounding and flushing that cuTile has.
import cuda.tile as ct
from export import array

R = ct.RoundingMode
TYPES = ct.float16, ct.bfloat16, ct.float32, ct.float64


@ct.kernel
def circle(x, y):
    a, total = ct.load(x, index=(0,), shape=(8,)), ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        b = a.astype(dtype)
        total += (ct.sin(b) * ct.cos(b) - ct.tan(b)).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def hyperbola(x, y):
    a, total = ct.load(x, index=(0,), shape=(8,)), ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        b = a.astype(dtype)
        total += (ct.sinh(b) / ct.cosh(b) - ct.tanh(b)).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def exponentials(x, y):
    a, total = ct.load(x, index=(0,), shape=(8,)), ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        b = a.astype(dtype)
        total += (ct.exp(ct.log(b)) + ct.exp2(ct.log2(b))).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def roots(x, y):
    a, total = ct.load(x, index=(0,), shape=(8,)), ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        b = a.astype(dtype)
        total += (ct.sqrt(b) * ct.rsqrt(b) + ct.ceil(b) - ct.floor(b)).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def roots_rounded(x, y):
    a, total = ct.load(x, index=(0,), shape=(8,)), ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        for mode in ct.static_iter((R.RN, R.RZ, R.RM, R.RP)):
            total += ct.sqrt(a.astype(dtype), rounding_mode=mode).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def roots_approximate(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    a = ct.sqrt(a, rounding_mode=R.APPROX)
    a = ct.sqrt(a, rounding_mode=R.APPROX, flush_to_zero=True)
    ct.store(y, index=(0,), tile=ct.rsqrt(ct.exp2(a, flush_to_zero=True), flush_to_zero=True))


@ct.kernel
def full(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.exp(ct.tanh(a, rounding_mode=R.FULL), rounding_mode=R.FULL))


@ct.kernel
def tanh_approximate(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.tanh(a, rounding_mode=R.APPROX))


@ct.kernel
def exp_approximate(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.exp(a, rounding_mode=R.APPROX))


@ct.kernel
def angle(x, y):
    a, b = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,))
    total = ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        total += ct.atan2(a.astype(dtype), b.astype(dtype)).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def powers(x, y):
    a, b = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,))
    total = ct.zeros((8,), y.dtype)
    for dtype in ct.static_iter(TYPES):
        total += (a.astype(dtype) ** b.astype(dtype) + 2.0 ** a.astype(dtype)).astype(y.dtype)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def whole_powers(x, n, y):
    """An integer exponent: fpowi from 13.4, a converted exponent before."""
    a, b = ct.load(x, index=(0,), shape=(8,)), ct.load(n, index=(0,), shape=(8,))
    total = ct.zeros((8,), y.dtype)
    for dtype, exponent in ct.static_iter(zip(TYPES, (ct.int8, ct.int16, ct.int32, ct.bool_))):
        total += ct.pow(a.astype(dtype), b.astype(exponent)).astype(y.dtype) + a ** 3
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def of_integers(x, y):
    """Integers go in as f32."""
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.sqrt(a) + ct.exp(a) / ct.sin(a) + a / 3)


def pair(dtype):
    return [array(dtype, 1), array(dtype, 1)]


F64 = pair(ct.float64)
EXPORTS = {
    "circle": (circle, F64),
    "hyperbola": (hyperbola, F64),
    "exponentials": (exponentials, F64),
    "roots": (roots, F64),
    "roots_rounded": (roots_rounded, F64),
    "roots_approximate": (roots_approximate, pair(ct.float32)),
    "full": (full, pair(ct.float32)),
    "tanh_approximate": (tanh_approximate, pair(ct.float32)),
    "exp_approximate": (exp_approximate, pair(ct.float32)),
    "angle": (angle, F64),
    "powers": (powers, F64),
    "whole_powers": (whole_powers, [array(ct.float64, 1), array(ct.int32, 1), array(ct.float64, 1)]),
    "of_integers": (of_integers, [array(ct.int16, 1), array(ct.float32, 1)]),
}
