# SPDX-License-Identifier: Apache-2.0
# The functions: trigonometric and hyperbolic ones, exponentials, roots, powers, each with every rounding and flushing that cuTile has.
import cuda.tile as ct
from export import array

R = ct.RoundingMode


@ct.kernel
def circle(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.sin(a) * ct.cos(a) - ct.tan(a))


@ct.kernel
def hyperbola(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.sinh(a) / ct.cosh(a) - ct.tanh(a))


@ct.kernel
def exponentials(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.exp(ct.log(a)) + ct.exp2(ct.log2(a))
    ct.store(y, index=(0,), tile=b)


@ct.kernel
def roots(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.sqrt(a) * ct.rsqrt(a) + ct.ceil(a) - ct.floor(a))


@ct.kernel
def roots_rounded(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    for mode in ct.static_iter((R.RN, R.RZ, R.RM, R.RP)):
        a = ct.sqrt(a, rounding_mode=mode)
    ct.store(y, index=(0,), tile=a)


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
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.atan2(a, b))


@ct.kernel
def powers(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=a ** ct.load(y, index=(0,), shape=(8,)) + 2.0 ** a)


@ct.kernel
def whole_powers(x, n, y):
    """An integer exponent: fpowi from 13.4, a converted exponent before."""
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(n, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.pow(a, b) + a ** 3)


@ct.kernel
def of_integers(x, y):
    """Integers go in as f32."""
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.sqrt(a) + ct.exp(a) / ct.sin(a) + a / 3)


def pair(dtype):
    return [array(dtype, 1), array(dtype, 1)]


EXPORTS = {
    "circle_f16": (circle, pair(ct.float16)),
    "circle_f64": (circle, pair(ct.float64)),
    "circle_bf16": (circle, pair(ct.bfloat16)),
    "circle_f32": (circle, pair(ct.float32)),
    "hyperbola_bf16": (hyperbola, pair(ct.bfloat16)),
    "hyperbola_f16": (hyperbola, pair(ct.float16)),
    "hyperbola_f32": (hyperbola, pair(ct.float32)),
    "hyperbola_f64": (hyperbola, pair(ct.float64)),
    "exponentials_f32": (exponentials, pair(ct.float32)),
    "exponentials_f16": (exponentials, pair(ct.float16)),
    "exponentials_bf16": (exponentials, pair(ct.bfloat16)),
    "exponentials_f64": (exponentials, pair(ct.float64)),
    "roots_bf16": (roots, pair(ct.bfloat16)),
    "roots_f16": (roots, pair(ct.float16)),
    "roots_f32": (roots, pair(ct.float32)),
    "roots_f64": (roots, pair(ct.float64)),
    "roots_rounded_f32": (roots_rounded, pair(ct.float32)),
    "roots_rounded_f16": (roots_rounded, pair(ct.float16)),
    "roots_approximate": (roots_approximate, pair(ct.float32)),
    "full": (full, pair(ct.float32)),
    "tanh_approximate": (tanh_approximate, pair(ct.float32)),
    "exp_approximate": (exp_approximate, pair(ct.float32)),
    "angle_f16": (angle, pair(ct.float16)),
    "angle_f64": (angle, pair(ct.float64)),
    "angle_bf16": (angle, pair(ct.bfloat16)),
    "angle_f32": (angle, pair(ct.float32)),
    "powers_f32": (powers, pair(ct.float32)),
    "powers_f16": (powers, pair(ct.float16)),
    "powers_bf16": (powers, pair(ct.bfloat16)),
    "powers_f64": (powers, pair(ct.float64)),
    "whole_powers_i8": (whole_powers, [array(ct.float32, 1), array(ct.int8, 1), array(ct.float32, 1)]),
    "whole_powers_i16": (whole_powers, [array(ct.float16, 1), array(ct.int16, 1), array(ct.float16, 1)]),
    "whole_powers_bool": (whole_powers, [array(ct.bfloat16, 1), array(ct.bool_, 1), array(ct.bfloat16, 1)]),
    "whole_powers_i32": (whole_powers, [array(ct.float64, 1), array(ct.int32, 1), array(ct.float64, 1)]),
    "of_integers": (of_integers, [array(ct.int16, 1), array(ct.float32, 1)]),
}
