#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills for numeric trouble: fills.py FPDIFF TESTS. Buffers of every float type are filled, and each
element is compared with what docs/fpdiff.md says it is, computed here in another way: Philox in
Python's integers, normal deviates by Python's library, rounding to a type in exact fractions."""
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction

FPDIFF, TESTS = sys.argv[1], pathlib.Path(sys.argv[2])
# bits of exponent and mantissa, bias, what stands beyond the largest number
TYPES = {
    "f64": (11, 52, 1023, "inf"),
    "f32": (8, 23, 127, "inf"),
    "tf32": (8, 10, 127, "inf"),
    "f16": (5, 10, 15, "inf"),
    "bf16": (8, 7, 127, "inf"),
    "f8e4m3fn": (4, 3, 7, "one NaN"),
    "f8e5m2": (5, 2, 15, "inf"),
    "f8e4m3fnuz": (4, 3, 8, "nothing"),
    "f8e5m2fnuz": (5, 2, 16, "nothing"),
    "f8e8m0fnu": (8, 0, 127, "power"),
    "f6e2m3fn": (2, 3, 1, "nothing"),
    "f6e3m2fn": (3, 2, 3, "nothing"),
    "f4e2m1fn": (2, 1, 1, "nothing"),
}
SEED = 11
SHAPE = (3, 5, 14)
SIZE = math.prod(SHAPE)


def largest(name):
    exponent, mantissa, bias, above = TYPES[name]
    if above == "power":
        return Fraction(2) ** 127
    top = 2**exponent - 1 - (above == "inf")
    significand = 2 ** (mantissa + 1) - 1 - (above == "one NaN")
    return Fraction(significand) * Fraction(2) ** (top - bias - mantissa)


def octave(x):
    """e with 2^e at most x and less than 2 x."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def rounded(name, x):
    """x, to nearest, ties to even, in the type. None: beyond its range."""
    exponent, mantissa, bias, above = TYPES[name]
    if x == 0:
        return Fraction(0)
    least = -bias if above == "power" else 1 - bias
    unit = Fraction(2) ** (max(octave(abs(x)), least) - mantissa)
    count = abs(x) / unit
    whole = count.numerator // count.denominator
    rest = count - whole
    odd = whole % 2 if above != "power" else octave(abs(x)) % 2 == 0  # of the code, which is all that e8m0 has
    result = (whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and odd))) * unit
    if result > largest(name):
        return largest(name) if name.startswith(("f6", "f4")) else None
    return -result if x < 0 else result


def decoded(name, bits):
    exponent, mantissa, bias, above = TYPES[name]
    if name == "tf32":
        bits >>= 13
    if above == "power":
        return None if bits == 255 else Fraction(2) ** (bits - bias)
    field, low = bits >> mantissa & 2**exponent - 1, bits & 2**mantissa - 1
    negative = bits >> (mantissa + exponent)
    if above == "inf" and field == 2**exponent - 1:
        return None
    if above == "one NaN" and field == 2**exponent - 1 and low == 2**mantissa - 1:
        return None
    if name.endswith("uz") and negative and not field and not low:
        return None
    value = Fraction(low + (2**mantissa if field else 0)) * Fraction(2) ** (max(field, 1) - bias - mantissa)
    return -value if negative else value


def elements(name, data):
    if name == "f4e2m1fn":
        codes = [nibble for byte in data for nibble in (byte & 15, byte >> 4)]
    else:
        width = {"f64": 8, "f32": 4, "tf32": 4, "f16": 2, "bf16": 2}.get(name, 1)
        codes = [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]
    return [decoded(name, code) for code in codes]


def random(buffer, index, seed=SEED):
    """The 64 random bits of an element."""
    name = 0xCBF29CE484222325
    for byte in buffer.encode():
        name = (name ^ byte) * 0x100000001B3 % 2**64
    low = 2**32 - 1
    c, k = [index & low, index >> 32, name & low, name >> 32], [seed & low, seed >> 32]
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [q >> 32 ^ c[1] ^ k[0], q & low, p >> 32 ^ c[3] ^ k[1], p & low]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    return c[1] << 32 | c[0]


def normal(bits):
    return statistics.NormalDist().inv_cdf(((bits >> 12) + 0.5) * 2.0**-52)


# ---- what each fill should give: functions of buffer, index and type


def correlated(correlation=0.99, std=1.0, axis=1):
    def element(buffer, index, name):
        inner = math.prod(SHAPE[axis + 1 :])
        outer, rest = divmod(index, inner * SHAPE[axis])
        common = 2**63 + outer * inner * SHAPE[axis] + rest % inner
        return std * (
            math.sqrt(correlation) * normal(random(buffer, common))
            + math.sqrt(1 - correlation) * normal(random(buffer, index))
        )

    return element


def offset(mean=None, std=1.0):
    def element(buffer, index, name):
        m = mean if mean is not None else std * 2.0 ** math.ceil((TYPES[name][1] + 1) / 2)
        return m + std * normal(random(buffer, index))

    return element


def log_uniform(low=None, high=None, signs=True):
    def logarithm(x):
        e = octave(x)
        return float(e + x / Fraction(2) ** e - 1)

    def element(buffer, index, name):
        b = Fraction(high) if high else Fraction(2) ** (octave(largest(name)) // 2)
        a = Fraction(low) if low else 1 / b
        bits = random(buffer, index)
        t = logarithm(a) + (logarithm(b) - logarithm(a)) * ((bits >> 11) * 2.0**-53)
        magnitude = Fraction(2) ** math.floor(t) * (1 + Fraction(t) - math.floor(t))
        magnitude = Fraction(float(magnitude))  # f64 has subnormals
        return -magnitude if bits & 1 and signs and name != "f8e8m0fnu" else magnitude

    return element


def near_overflow(doublings=2, signs=True):
    def element(buffer, index, name):
        most = largest(name)
        return log_uniform(most / 2**doublings, most, signs)(buffer, index, name)

    return element


FILLS = {
    "C": ("correlated", correlated()),
    "D": ("{correlated: {correlation: 0.5, std: 0.25, axis: 2}}", correlated(0.5, 0.25, 2)),
    "E": ("{correlated: {correlation: 0, axis: 0}}", correlated(0.0, 1.0, 0)),
    "O": ("offset", offset()),
    "P": ("{offset: {mean: 3, std: 0.125}}", offset(3.0, 0.125)),
    "L": ("log_uniform", log_uniform()),
    "M": ("{log_uniform: {low: 0.5, high: 3, signs: false}}", log_uniform(0.5, 3.0, False)),
    "N": ("near_overflow", near_overflow()),
    "Q": ("{near_overflow: {doublings: 1, signs: false}}", near_overflow(1, False)),
}
# What only the wide types hold.
WIDE = {"W": ("{log_uniform: {low: 1e-42, high: 1e+30}}", log_uniform(1e-42, 1e30))}


def fills_of(name):
    fills = FILLS | (WIDE if name in ("f64", "f32") else {})
    return {f: row for f, row in fills.items() if name != "f8e8m0fnu" or f in "LMNQ"}


def run(folder):
    shape = ", ".join(map(str, SHAPE))
    buffers = [f"{f}_{name}: {{type: {name}, shape: [{shape}], fill: {row[0]}}}"
               for name in TYPES for f, row in fills_of(name).items()]  # fmt: skip
    names = [line.split(":")[0] for line in buffers]
    copy = TESTS / "cases/copy/copy_f32.tileirbc"
    case = folder / "fills.yaml"
    case.write_text(
        f"seed: {SEED}\nbuffers:\n  X: {{type: f32, shape: [8, 8], fill: zeros}}\n  Y: {{type: f32, shape: [8, 8]}}\n  "
        + "\n  ".join(buffers)
        + f"\nvariants:\n  a: [{{module: {copy}, grid: [1], args: [X, Y]}}]\ncompare: [{', '.join(names)}]\n"
    )
    subprocess.run([FPDIFF, "run", "-O", "0", "-m", "ieee", "-v", "a", "-o", folder, case], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return names


def check(folder, names):
    wrong = inexact = 0
    for buffer in names:
        fill, name = buffer.split("_", 1)
        element = fills_of(name)[fill][1]
        found = elements(name, (folder / f"{buffer}.bin").read_bytes())
        assert len(found) == SIZE, buffer
        for index, value in enumerate(found):
            expected = Fraction(element(buffer, index, name))
            if rounded(name, expected) == value:
                continue
            # Deviates of another library may be a few units of f64 away.
            close = fill in "CDEOP" and value is not None and abs(value - expected) <= Fraction(1, 2**44)
            if name == "f64" and close:
                inexact += 1
            else:
                wrong += 1
                print(f"{buffer}[{index}] is {value and float(value)}, expected {float(expected)}")
    print(f"{len(names)} buffers of {SIZE} elements, {wrong} wrong; {inexact} of f64 in the last places")
    return wrong == 0


def properties(folder):
    """What the fills are for, of one type each."""
    rows = elements("f32", (folder / "C_f32.bin").read_bytes())
    inner = SHAPE[2]
    for b in range(SHAPE[0]):
        batch = [rows[(b * SHAPE[1] + r) * inner :][:inner] for r in range(SHAPE[1])]
        apart = max(abs(x - y) for row in batch[1:] for x, y in zip(batch[0], row))
        size = max(abs(x) for x in batch[0])
        assert 0 < apart < size / 2, "rows that are nearly the same"
    apart = elements("f16", (folder / "E_f16.bin").read_bytes())
    pairs = list(zip(apart[: SIZE // 3], apart[SIZE // 3 : SIZE // 3 * 2]))
    assert sum(x * y < 0 for x, y in pairs) > len(pairs) / 4, "rows that have nothing in common"
    most = [abs(x) for x in elements("bf16", (folder / "N_bf16.bin").read_bytes())]
    assert min(most) * 4 >= largest("bf16") >= max(most) > largest("bf16") / Fraction(11, 10)
    wide = elements("f32", (folder / "W_f32.bin").read_bytes())
    negative = sum(x < 0 for x in wide)
    assert SIZE / 3 < negative < SIZE * 2 / 3 and min(map(abs, wide)) < 1e-40 and max(wide) > 1e28
    counts = [0] * 8  # eight parts of the logarithm
    for x in wide:
        counts[int((math.log10(abs(x)) + 42) / 9.001)] += 1
    assert min(counts) > SIZE / 16, counts


with tempfile.TemporaryDirectory() as name:
    good = check(pathlib.Path(name), run(pathlib.Path(name)))
    properties(pathlib.Path(name))
sys.exit(not good)
