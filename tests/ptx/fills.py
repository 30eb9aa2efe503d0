# SPDX-License-Identifier: Apache-2.0
# The fills of case files (diff/fill.c) in numpy: the same bits for the same seed, name and fill.
"""fill_bits(name, type, shape, fill, seed): an array of unsigned integers. fill: as in a case file (docs/fpdiff.md)."""

import numpy as np

# type: bits of exponent and mantissa, storage
FLOATS = {"f64": (11, 52, "u8"), "f32": (8, 23, "u4"), "f16": (5, 10, "u2"), "bf16": (8, 7, "u2"), "f8e4m3fn": (4, 3, "u1"), "f8e5m2": (5, 2, "u1")}
INTEGERS = {"i8": "u1", "i16": "u2", "i32": "u4", "i64": "u8"}
MASK = np.uint64(0xFFFFFFFF)


def storage(kind):
    return np.dtype(FLOATS[kind][2] if kind in FLOATS else INTEGERS[kind])


def random_words(name, seed, count):
    """Philox4x32-10 with key seed and counter (index, FNV-1a 64 of the name): the first two words of each."""
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    text = 0xCBF29CE484222325
    for byte in name.encode():
        text = (text ^ byte) * 0x100000001B3 % (1 << 64)
    index = np.arange(count, dtype=np.uint64)
    c = [index & MASK, index >> np.uint64(32), np.full(count, text & 0xFFFFFFFF, np.uint64), np.full(count, text >> 32, np.uint64)]
    for _ in range(10):
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [q >> np.uint64(32) ^ c[1] ^ key[0], q & MASK, p >> np.uint64(32) ^ c[3] ^ key[1], p & MASK]
        key = [key[0] + np.uint64(0x9E3779B9) & MASK, key[1] + np.uint64(0xBB67AE85) & MASK]
    return c[1] << np.uint64(32) | c[0]


def logarithm(x):
    """Of positive normal doubles, operation by operation as fpd_log."""
    bits = x.view(np.uint64)
    k = (bits >> np.uint64(52)).astype(np.int64) - 1023
    m = (bits & np.uint64(0xFFFFFFFFFFFFF) | np.uint64(1023 << 52)).view(np.float64)
    high = m > 1.4142135623730951
    m, k = np.where(high, m * 0.5, m), np.where(high, k + 1, k).astype(np.float64)
    s = (m - 1) / (m + 1)
    square, total = s * s, np.zeros_like(s)
    for n in range(21, 2, -2):
        total = square * (total + 1.0 / n)
    return k * float.fromhex("0x1.62e42fefa3800p-1") + (2 * s + (2 * s * total + k * float.fromhex("0x1.ef35793c76730p-45")))


# Algorithm AS 241: ratios of polynomials of degree 7, coefficients from the constant up.
CENTRE = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
)  # fmt: skip
MIDDLE = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)  # fmt: skip
TAIL = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
)  # fmt: skip


def ratio(coefficients, x):
    above, below = (np.full_like(x, values[7]) for values in coefficients)
    for i in range(6, -1, -1):
        above, below = above * x + coefficients[0][i], below * x + coefficients[1][i]
    return above / below


def normal_quantile(p):
    q = p - 0.5
    r = np.sqrt(-logarithm(np.where(q < 0, p, 1 - p)))
    tail = np.where(r <= 5, ratio(MIDDLE, r - 1.6), ratio(TAIL, r - 5))
    return np.where(np.abs(q) <= 0.425, q * ratio(CENTRE, 0.180625 - q * q), np.where(q < 0, -tail, tail))


def encode_nearest(kind, values):
    """Doubles to the nearest number of a float type, ties to even; the values must be in its range."""
    exponent_bits, mantissa, dtype = FLOATS[kind]
    bias = (1 << exponent_bits - 1) - 1
    magnitude = np.abs(values)
    exponent = np.where(magnitude > 0, np.maximum(np.frexp(magnitude)[1] - 1, 1 - bias), 1 - bias).astype(np.int64)
    steps = np.rint(np.ldexp(magnitude, mantissa - exponent)).astype(np.int64)  # 2^mantissa and more: a normal number
    bits = steps + (exponent + bias - 1 << mantissa)
    assert (bits >> mantissa < (1 << exponent_bits) - 1).all(), "beyond the range of " + kind
    return (bits | np.signbit(values).astype(np.int64) << exponent_bits + mantissa).astype(dtype)


def fill_bits(name, kind, shape, fill, seed):
    count = int(np.prod(shape))
    how, values = (fill, None) if isinstance(fill, str) else next(iter(fill.items()))
    if how == "zeros":
        bits = np.zeros(count, storage(kind))
    elif how == "bits":
        bits = (random_words(name, seed, count) & np.uint64((1 << 8 * storage(kind).itemsize) - 1)).astype(storage(kind))
    elif how == "iota":
        bits = np.arange(count).astype(storage(kind)) if kind in INTEGERS else encode_nearest(kind, np.arange(count, dtype=np.float64))
    elif how == "integers":
        first, span = values["low"], values["high"] - values["low"] + 1
        numbers = np.array([first + (int(word) * span >> 64) for word in random_words(name, seed, count)], np.int64)
        bits = numbers.astype(storage(kind)) if kind in INTEGERS else encode_nearest(kind, numbers.astype(np.float64))
    elif how == "uniform":
        part = (random_words(name, seed, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        bits = encode_nearest(kind, values["low"] + (values["high"] - values["low"]) * part)
    elif how == "normal":
        part = ((random_words(name, seed, count) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
        bits = encode_nearest(kind, values["mean"] + values["std"] * normal_quantile(part))
    else:
        raise ValueError(how)
    return bits.reshape(shape)
