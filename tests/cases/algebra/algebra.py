# SPDX-License-Identifier: Apache-2.0
# Laws of roots, powers and angles, each with wrong forms. Each kernel is one formula on blocks of 32 elements, which are
# rows where it sums.
import cuda.tile as ct
from export import array

T = 32


def load(x):
    return ct.load(x, index=(ct.bid(0),), shape=(T,), padding_mode=ct.PaddingMode.ZERO)


def store(y, t):
    ct.store(y, index=(ct.bid(0),), tile=t)


def mean(t):
    return ct.sum(t, axis=0, keepdims=True) / 32.0


# ---- roots -----------------------------------------------------------------------------------------------------------
@ct.kernel
def backward_by_cube(x, g, y):
    """Of x rsqrt(mean x^2 + eps): the derivative along g."""
    t, u = load(x), load(g)
    r = ct.rsqrt(mean(t * t) + 1e-5)
    store(y, u * r - t * mean(t * u) * (r * r * r))


@ct.kernel
def backward_by_rows(x, g, y):
    t, u = load(x), load(g)
    s = ct.sqrt(mean(t * t) + 1e-5)
    store(y, (u - t / s * mean(t / s * u)) / s)


@ct.kernel
def backward_by_quotient(x, g, y):
    t, u = load(x), load(g)
    m = mean(t * t) + 1e-5
    store(y, u / ct.sqrt(m) - t * mean(t * u) / (m * ct.sqrt(m)))


@ct.kernel
def backward_squared(x, g, y):
    t, u = load(x), load(g)
    r = ct.rsqrt(mean(t * t) + 1e-5)
    store(y, u * r - t * mean(t * u) * (r * r))


@ct.kernel
def backward_plus(x, g, y):
    t, u = load(x), load(g)
    r = ct.rsqrt(mean(t * t) + 1e-5)
    store(y, u * r + t * mean(t * u) * (r * r * r))


@ct.kernel
def backward_without_mean(x, g, y):
    t, u = load(x), load(g)
    r = ct.rsqrt(ct.sum(t * t, axis=0, keepdims=True) + 1e-5)
    store(y, u * r - t * mean(t * u) * (r * r * r))


@ct.kernel
def over_root_of_square(x, y):
    t = load(x)
    u = t * t + 0.5
    store(y, t * ct.rsqrt(u * u))


@ct.kernel
def over_itself(x, y):
    t = load(x)
    store(y, t / (t * t + 0.5))


@ct.kernel
def over_root(x, y):
    t = load(x)
    store(y, t * ct.rsqrt(t * t + 0.5))


@ct.kernel
def times_inverse_root(x, y):
    t = load(x)
    c = t * t + 0.5
    store(y, c * ct.rsqrt(c))


@ct.kernel
def root(x, y):
    t = load(x)
    store(y, ct.sqrt(t * t + 0.5))


@ct.kernel
def negative_root(x, y):
    t = load(x)
    store(y, -ct.sqrt(t * t + 0.5))


@ct.kernel
def root_of_square(x, y):
    t = load(x)
    store(y, ct.sqrt(t * t))


@ct.kernel
def itself(x, y):
    store(y, load(x))


# ---- powers ----------------------------------------------------------------------------------------------------------
@ct.kernel
def half_power(x, y, exponent: float):
    t = load(x)
    store(y, t * ct.pow(t * t + 0.5, exponent))


@ct.kernel
def half_power_by_roots(x, y):
    t = load(x)
    r = ct.rsqrt(t * t + 0.5)
    store(y, t * r * r * r)


@ct.kernel
def decayed(x, n, y, decay: float):
    store(y, load(x) * ct.pow(decay, load(n)))


@ct.kernel
def decayed_by_log(x, n, y, decay: float):
    store(y, load(x) * ct.exp(load(n) * ct.log(ct.full((T,), decay, ct.float32))))


# ---- angles ----------------------------------------------------------------------------------------------------------
def norm(a, b):
    return ct.rsqrt((mean(a * a) + mean(b * b)) * 0.5 + 1e-5)


@ct.kernel
def rotated_first(a, b, p, y):
    s, t, angle = load(a), load(b), load(p)
    u = s * ct.cos(angle) - t * ct.sin(angle)
    v = s * ct.sin(angle) + t * ct.cos(angle)
    store(y, u * norm(u, v))


@ct.kernel
def normed_first(a, b, p, y):
    s, t, angle = load(a), load(b), load(p)
    r = norm(s, t)
    store(y, s * r * ct.cos(angle) - t * r * ct.sin(angle))


@ct.kernel
def rotated_by_sines(a, b, p, y):
    s, t, angle = load(a), load(b), load(p)
    u = s * ct.cos(angle) - t * ct.sin(angle)
    v = s * ct.sin(angle) + t * ct.sin(angle)
    store(y, u * norm(u, v))


@ct.kernel
def rotated_backwards(a, b, p, y):
    s, t, angle = load(a), load(b), load(p)
    r = norm(s, t)
    store(y, s * r * ct.cos(angle) + t * r * ct.sin(angle))


@ct.kernel
def rotated_halfway(a, b, p, y):
    s, t, angle = load(a), load(b), load(p)
    u = s * ct.cos(angle) - t * ct.sin(angle)
    v = s * ct.sin(angle) + t * ct.cos(angle)
    store(y, u * norm(u, t))


@ct.kernel
def next_cosine(x, c, before, y, step: float):
    """cos(n + 1) = 2 cos(1) cos(n) - cos(n - 1)."""
    store(y, load(x) * (2.0 * step * load(c) - load(before)))


@ct.kernel
def from_table(x, c, y):
    store(y, load(x) * load(c))


F, FLOAT = array(ct.float32, 1), ct.float32
EXPORTS = {
    "backward_by_cube": (backward_by_cube, [F, F, F]),
    "backward_by_rows": (backward_by_rows, [F, F, F]),
    "backward_by_quotient": (backward_by_quotient, [F, F, F]),
    "backward_squared": (backward_squared, [F, F, F]),
    "backward_plus": (backward_plus, [F, F, F]),
    "backward_without_mean": (backward_without_mean, [F, F, F]),
    "over_root_of_square": (over_root_of_square, [F, F]),
    "over_itself": (over_itself, [F, F]),
    "over_root": (over_root, [F, F]),
    "times_inverse_root": (times_inverse_root, [F, F]),
    "root": (root, [F, F]),
    "negative_root": (negative_root, [F, F]),
    "root_of_square": (root_of_square, [F, F]),
    "itself": (itself, [F, F]),
    "half_power": (half_power, [F, F, FLOAT]),
    "half_power_by_roots": (half_power_by_roots, [F, F]),
    "decayed": (decayed, [F, F, F, FLOAT]),
    "decayed_by_log": (decayed_by_log, [F, F, F, FLOAT]),
    "rotated_first": (rotated_first, [F, F, F, F]),
    "normed_first": (normed_first, [F, F, F, F]),
    "rotated_by_sines": (rotated_by_sines, [F, F, F, F]),
    "rotated_backwards": (rotated_backwards, [F, F, F, F]),
    "rotated_halfway": (rotated_halfway, [F, F, F, F]),
    "next_cosine": (next_cosine, [F, F, F, F, FLOAT]),
    "from_table": (from_table, [F, F, F]),
}
