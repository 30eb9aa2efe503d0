# SPDX-License-Identifier: Apache-2.0
# Compares what `ptx_functions FOLDER --dump DIR` wrote with numpy: the rows of ieee_functions.def, evaluated in Python.
"""python tests/ptx/check_functions.py DIR     (needs numpy and scipy)

Prints the largest error of each function over all builds in DIR; exit status 1 if one is beyond its bound."""

import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy import special

FAST = ("fast.sm_90", "ftz.sm_90")
FAST_FUNCTIONS = {("clang", "u_sqrtf"), ("calls", "b_contract"), ("calls", "d_fma")}  # the same as in run_functions.c
NAMES = dict(
    exp=np.exp, exp2=np.exp2, pow=np.power, expm1=np.expm1, log=np.log, log2=np.log2, log10=np.log10, log1p=np.log1p,
    sin=np.sin, cos=np.cos, tan=np.tan, tanh=np.tanh, sqrt=np.sqrt, cbrt=np.cbrt, floor=np.floor, rint=np.rint, trunc=np.trunc,
    fabs=np.abs, atan2=np.arctan2, hypot=np.hypot, fmax=np.fmax, fmin=np.fmin, copysign=np.copysign, fmod=np.fmod,
    isnan=np.isnan, where=np.where, erf=special.erf, erfc=special.erfc, j0=special.j0, lgamma=special.gammaln,
    f32=lambda x: np.asarray(x, np.float32).astype(np.float64),
    f64=lambda x: np.asarray(x, np.float64),
    round_away=lambda x: np.where(np.abs(x) < 2.0**51, np.trunc(x + np.copysign(0.5, x)), x),
    mantissa=lambda x: np.frexp(x)[0],
    saturate=lambda x: np.where(np.isnan(x), 0, np.clip(x, 0, 1)),
    gelu_tanh=lambda x: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x))),
)  # fmt: skip


def towards_zero(x):
    nearest = np.asarray(x, np.float32)
    return np.where(np.abs(nearest.astype(np.float64)) > np.abs(x), np.nextafter(nearest, np.float32(0)), nearest).astype(np.float64)


def fused(x, y, z):
    """Products of two floats are exact in long double; those of two doubles need rational numbers."""
    wide = np.asarray(x, np.longdouble) * np.asarray(y, np.longdouble) + z
    if np.asarray(x).dtype != np.longdouble:
        return wide
    finite = np.isfinite(x) & np.isfinite(wide.astype(np.float64))
    exact = [float(Fraction(float(a)) * Fraction(float(b)) + z) if ok else w for a, b, w, ok in zip(x, y, wide, finite)]
    return np.array(exact, np.float64)


def remainder(x, y):
    """IEEE's, by the definition; the quotient is exact as long as it is small."""
    rest = np.fmod(x, 2 * np.abs(y))
    half = np.abs(y)
    rest = np.where(np.abs(rest) > half, rest - np.copysign(2 * half, rest), rest)  # now within |y|
    over = (np.abs(rest) > half / 2) & (np.abs(rest) <= half)
    return np.where(over, rest - np.copysign(half, rest), rest)


NAMES.update(towards_zero=towards_zero, fused=fused, remainder=remainder)


def rows():
    text = re.sub(r"//[^\n]*", "", (Path(__file__).parent / "ieee_functions.def").read_text())
    for kind, inside in re.findall(r"(UNARY|BINARY|DOUBLE)\((.*?)\)\n(?=[A-Z\n]|\Z)", text + "\n", flags=re.S):
        fields, depth, field = [], 0, ""
        for letter in inside + ",":
            depth += (letter == "(") - (letter == ")")
            if letter == "," and not depth:
                fields.append(" ".join(field.split()))
                field = ""
            else:
                field += letter
        yield kind[0].lower() + "_" + fields[0], kind, fields[-5], fields[-4:]


def order(numbers, kind):
    """Numbers of the type in their order: neighbours differ by 1. In long double, which holds 64 bits."""
    bits = np.asarray(numbers, kind).view(np.int64 if kind is np.float64 else np.int32).astype(np.longdouble)
    least = -np.longdouble(2) ** (63 if kind is np.float64 else 31)
    return np.where(bits < 0, least - bits, bits)


def check(found, wanted, ulp, absolute, fast, kind):
    """Steps from the reference, and which results are beyond the bounds."""
    found = found.astype(np.float64)
    close = np.abs(found - wanted) <= absolute
    steps = np.abs(order(found, kind) - order(wanted, kind))
    nans = np.isnan(found) | np.isnan(wanted)
    steps = np.where(nans, np.where(np.isnan(found) & np.isnan(wanted), 0, np.inf), steps)
    flushed = (found == 0) & (np.abs(wanted) < 2.0**-126) & fast
    return np.where(close, 0, steps), ~((steps <= ulp) | close | flushed)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = checked = 0
    for name, row_kind, reference, bounds in rows():
        kind = np.float64 if row_kind == "DOUBLE" else np.float32
        wide = np.longdouble if row_kind == "DOUBLE" else np.float64
        for path in sorted(Path(sys.argv[1]).glob("*.%s.z.bin" % name)) + sorted(Path(sys.argv[1]).glob("*.%s_all.z.bin" % name)):
            fast = path.name.startswith(FAST) or any(path.name.startswith(build) and name == kernel for build, kernel in FAST_FUNCTIONS)
            inputs = [path.with_name(path.name.replace(".z.bin", ".%s.bin" % letter)) for letter in "ab"[: 1 + (row_kind == "BINARY")]]
            with np.errstate(all="ignore"):
                values = dict(NAMES, **dict(zip("ab", (np.fromfile(file, kind).astype(wide) for file in inputs))))
                wanted, ulp, absolute = (np.asarray(eval(text, values)) for text in (reference, *bounds[2 * fast : 2 * fast + 2]))
                steps, wrong = check(np.fromfile(path, kind), wanted, ulp, absolute, fast, kind)
            checked += 1
            failed += bool(wrong.any())
            if wrong.any():
                i = int(np.argmax(wrong))
                print("%s: a = %r: found %r, numpy %r; %d are beyond" % (path.name, values["a"][i], np.fromfile(path, kind)[i], wanted.flat[i], wrong.sum()))
            else:
                print("%-40s %g" % (path.name.removesuffix(".z.bin"), steps.max()))
    print("%d runs agree with numpy, %d do not" % (checked - failed, failed))
    sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()
