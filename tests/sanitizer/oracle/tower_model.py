# SPDX-License-Identifier: Apache-2.0
"""Executable specification of the tower algebra with shadow values (docs/tower.md). Plain Python integers, no dependencies.

A payload has a component in each field F_p of a chain of primes p_{i+1} = 2 p_i + 1, and per-component state bits. Chains have four
primes, those of deep towers six; all rules are the same for any length.
tower_laws.py checks the laws."""
import bisect
import functools
import math
import struct
from fractions import Fraction
from hashlib import blake2b

LENGTH, BOUND, INTEGER_MAX, ORIGIN_MAX = 4, 1 << 26, 1 << 21, 1 << 24
FINITE, POSITIVE_INFINITY, NEGATIVE_INFINITY, NAN_KIND, POISON = range(5)
ALL = (1 << LENGTH) - 1
DEEP_LENGTH, DEEP_BOUND, DEEP_INTEGER_MAX = 6, 1 << 27, 1 << 20
ORDER = {LENGTH: (2, 1, 3, 0), DEEP_LENGTH: (4, 3, 5, 2, 1, 0)}    # in which min and max look at components


MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


def fnv1a64(text):
    h = 0xcbf29ce484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001b3 & MASK64
    return h


def fmix64(x):
    """MurmurHash3's 64-bit finaliser."""
    x &= MASK64
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd & MASK64
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & MASK64
    return x ^ x >> 33


def mix32(h):
    """Its 32-bit finaliser."""
    h &= MASK32
    h = (h ^ h >> 16) * 0x85ebca6b & MASK32
    h = (h ^ h >> 13) * 0xc2b2ae35 & MASK32
    return h ^ h >> 16


def is_prime(n):
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % q == 0 for q in small):
        return n in small
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in small:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def chains(count):
    """The chain with the largest primes below BOUND and p_0 = -1 mod 32*3*5*7*11, and the `count` - 1 others with the largest ones and
    p_0 = -1 mod 8*3*5*7*11, which every p_i inherits: 2 has order p_i modulo p_{i+1}, -1 is no square, and 2, 3, 5, 7, 11 are, so that
    sqrt(k^2) = k for the sizes that people use. In the first one 32 divides every p_i + 1, so that it has cos(2 pi / 32)."""
    found, others = [], []
    for p in range((BOUND >> LENGTH - 1) - 1, 0, -1):
        if p % 9240 != 9239:
            continue
        chain = [p]
        while len(chain) < LENGTH:
            chain.append(2 * chain[-1] + 1)
        if all(map(is_prime, chain)):
            (found if not found and p % (4 * 9240) == 4 * 9240 - 1 else others).append(chain)
        if found and len(others) >= count - 1:
            return found + others[:count - 1]


def deep_chains():
    """The one chain of six primes below DEEP_BOUND with p_0 = -1 mod 8*3*5*7*11, and the largest other one with p_0 = -1 mod 8*3*5*7: in
    that one 11 need not be a square."""
    found = []
    for residue in (9240, 840):
        p = (DEEP_BOUND >> DEEP_LENGTH - 1) // residue * residue - 1
        while [p] in [chain[:1] for chain in found] or not all(is_prime((p + 1 << i) - 1) for i in range(DEEP_LENGTH)):
            p -= residue
        found.append([(p + 1 << i) - 1 for i in range(DEEP_LENGTH)])
    return found


class Payload:
    """c: components. State, one bit per component where not said otherwise:
    mask: it means something. sign: 2^value (exp(value) if base is 'e') is -2^c there, the sign of a logarithm's argument.
    lost: such a sign existed and is unknown; only a later exp2 cares. weak: the value itself may be off by such a sign.
    kind: finite or special, for the whole payload. POISON is none of the numbers and no NaN: nobody specified the value, and the last
    component is the number of who made it (which tower.h leaves negated in its field where a rule negates).
    Of signed towers: half, the component is times i; turned, the phase is 2 more. negative: an operand's IEEE value is below zero."""
    __slots__ = ('c', 'mask', 'kind', 'sign', 'base', 'lost', 'weak', 'half', 'turned', 'negative')

    def __init__(self, c, mask=None, kind=FINITE, sign=0, base=2, lost=0, weak=0, half=0, turned=0, negative=False):
        self.c = tuple(c)
        mask = (1 << len(self.c)) - 1 if mask is None else mask
        self.half, self.turned, self.negative = (0 if kind else half & mask), (0 if kind else turned & mask), negative
        self.mask, self.kind, self.lost, self.weak = mask, kind, lost & mask, weak & mask
        self.sign = sign & mask & ~lost
        self.base = base if self.sign else 2

    def state(self):
        """The word of tower.h, where poison is a bit beside the kind of NaN. Components 4 and 5 have bits 22 and up, where the others have
        what deep towers do not have."""
        word = (self.base == 'e') << 18
        for k, group in enumerate(((1 << len(self.c)) - 1 & ~self.mask, self.sign, self.lost, self.weak)):
            word |= (group & ALL) << 4 * k | group >> LENGTH << 22 + 2 * k
        word |= NAN_KIND << 16 | 1 << 21 if self.kind == POISON else self.kind << 16
        return word | self.half << 22 | self.turned << 26


def poison(origin, length=LENGTH):
    return Payload([origin if i == LENGTH - 1 else 0 for i in range(length)], None, POISON)


def stopped_by_poison(rule):
    """The rule where all of its operands are specified; else the first that is not, whatever the others are."""
    @functools.wraps(rule)
    def result(self, *operands):
        for a in operands:
            if isinstance(a, Payload) and a.kind == POISON:
                return poison(a.c[LENGTH - 1], len(a.c))
        return rule(self, *operands)
    return result


TURNS, TURNS_MAX = 64 * 3 * 5 * 7 * 11, 128


class Circle:
    """The elements of norm 1 of F_p[i], a cyclic group of order p + 1, as pairs (cosine, sine); and the generator whose powers stand for
    exp(2 pi i k / n): exp(2 pi i / 4) = i; cosines of pi/4, pi/8, .. are squares, so are the sines of pi/3 and 2 pi/5;
    cos(2 pi/5) = (sqrt(5) - 1)/4. Of other prime powers: the first (1 + k i) / (1 - k i) that generates."""

    def __init__(self, p):
        self.p, self.g = p, (1, 0)
        rest, q = p + 1, 2
        while rest > 1:
            part = 1
            while rest % q == 0:
                rest, part = rest // q, part * q
            if part > 1:
                self.g = self.mul(self.g, self.power(self.choose(part, q), pow((p + 1) // part, -1, part)))
            q += 1

    def mul(self, a, b):
        return (a[0] * b[0] - a[1] * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p

    def power(self, a, n):
        r = 1, 0
        while n:
            r, a, n = self.mul(r, a) if n & 1 else r, self.mul(a, a), n >> 1
        return r

    def choose(self, part, q):
        p, k = self.p, 2
        square = lambda x: pow(x, (p - 1) // 2, p) == 1
        while True:
            inverse = pow(1 + k * k, -1, p)
            z = self.power(((1 - k * k) * inverse % p, 2 * k * inverse % p), (p + 1) // part)
            if self.power(z, part // q) != (1, 0):
                break
            k += 1
        of_order = lambda n: self.power(z, part // n)
        if q == 2:
            if of_order(4) != (0, 1):
                z = z[0], -z[1] % p
            n = 8
            while n <= part:
                if not square(of_order(n)[0]):
                    z = self.power(z, 1 + n // 2)
                n *= 2
        if q == 5 and 4 * of_order(5)[0] % p != (pow(5, (p + 1) // 4, p) - 1) % p:
            z = self.mul(z, z)
        if q in (3, 5) and not square(of_order(q)[1]):
            z = z[0], -z[1] % p
        return z

    def turn(self, k, n):
        """(cos, sin) of 2 pi k / n, or None if they are no elements of the field."""
        f = Fraction(k, n)
        if (self.p + 1) % f.denominator:
            return None
        return self.power(self.g, (self.p + 1) // f.denominator * (f.numerator % f.denominator))


def make_cosines():
    for n in range(1, TURNS_MAX + 1):
        for k in range(1, n):
            if TURNS % n == 0 and 4 * k < n and math.gcd(k, n) == 1:
                yield math.cos(2 * math.pi * k / n) if 8 * k < n else math.sin(2 * math.pi * (n - 4 * k) / (4 * n)), k, n


COSINES = list(make_cosines())
PI = Fraction('3.14159265358979323846264338327950288419716939937510582')


def make_cosine_zeros():
    """What is computed for cosines and sines that are 0: how far the doubles around q pi/2 are from it."""
    for q in range(1, 4 * TURNS_MAX + 1):
        near = q * (math.pi / 2)
        for neighbour in range(-3, 4):
            yield float(abs(Fraction(near) + neighbour * Fraction(2) ** (math.frexp(near)[1] - 53) - q * PI / 2))


COSINE_ZEROS = sorted(make_cosine_zeros())


class Tower:
    MASKED = -8192.0        # an exp operand at or below this IEEE value is a mask, and gives an exact 0

    def __init__(self, chain):
        self.p, self.length, self.all = chain, len(chain), (1 << len(chain)) - 1
        self.integer_max = DEEP_INTEGER_MAX if self.length == DEEP_LENGTH else INTEGER_MAX
        self.zero, self.one = self.embed(0.0), self.embed(1.0)
        self.minus_one = self.embed(-1.0)
        # log2(e) is irrational: a fixed hash stands for it, and its inverse for ln 2, so that log2(e) * ln(2) = 1. So does one for sqrt(2/pi).
        self.log2e, self.sqrt_2_pi = self.named('log2(e)'), self.named('sqrt(2/pi)')
        self.ln2 = Payload(pow(x, -1, p) for x, p in zip(self.log2e.c, chain))

        self.circles = [Circle(p) for p in chain]

    def turn(self, k, n, sine=False):
        points = [circle.turn(k, n) for circle in self.circles]
        return Payload((point[sine] if point else 0 for point in points), sum(1 << i for i, point in enumerate(points) if point))

    def named(self, name):
        return Payload(int.from_bytes(blake2b(f'{name}{p}'.encode(), digest_size=8).digest(), 'little') % p for p in self.p)

    def special(self, kind):
        return Payload([0] * self.length, None, kind)

    def rational(self, n, d=1):
        return Payload(n * pow(d, -1, p) % p for p in self.p)

    def embed(self, x):
        """The exact value m * 2^e of a float, in every field."""
        if math.isnan(x):
            return self.special(NAN_KIND)
        if math.isinf(x):
            return self.special(POSITIVE_INFINITY if x > 0 else NEGATIVE_INFINITY)
        f = Fraction(x)
        return self.rational(f.numerator, f.denominator)

    def constant(self, x, digits):
        """A constant of the program or a scalar argument with `digits` significant bits (24 for f32, 53 for f64; narrower types are
        embedded as they are). What people write rounded means the number itself; the first match counts:
        a dyadic number with denominator <= 1024; a decimal of at most 5 (f32) or 10 (f64) digits; 2^k / n, n < 65536 odd, exactly rounded;
        2^k sqrt(2/pi) {1, 0.044715}; 2^k c n^(+-1/2), n <= 1024, c in {1, log2 e, ln 2}; 2^j cos(2 pi k / n), n <= 128 a divisor of
        73920, |j| <= 16; 0 where it is what programs compute for cos(pi/2) or other zeros of cos and sin. The last three forgive 1.5 units
        in the last place (16 in f64, and 2^(j-41) of cosines). Loaded data is never reinterpreted."""
        if not x or math.isinf(x) or math.isnan(x):
            return self.embed(x)
        a, sign = abs(x), 1 if x > 0 else -1
        if a < 1 << 20 and Fraction(a).denominator <= 1024:
            return self.embed(x)
        nearest = (lambda y: struct.unpack('f', struct.pack('f', y))[0]) if digits == 24 else float
        decimal = Fraction(f'{a:.{4 if digits == 24 else 9}e}')
        if nearest(float(decimal)) == a:
            return self.rational(sign * decimal.numerator, decimal.denominator)
        mantissa, exponent = math.frexp(a)                              # a = mantissa * 2^exponent, mantissa in [1/2, 1)
        n = 0.5 / mantissa                                              # a = 2^(exponent - 1) / n' with n' = n * 2^j odd
        for j in range(1, 17):
            m = round(math.ldexp(n, j))
            if m % 2 and 1 < m < 65536 and nearest(math.ldexp(1 / m, exponent - 1 + j)) == a:
                return self.mul(self.rational(sign, m), self.power_of_two(exponent - 1 + j), 1)
        unit = math.ldexp(1.5 if digits == 24 else 16.0, exponent - digits)
        for n, d, name in ((1, 1, self.sqrt_2_pi), (44715, 1000000, self.sqrt_2_pi)):
            value = n / d * math.sqrt(2 / math.pi)
            k = round(math.log2(a / value))
            if abs(math.ldexp(value, k) - a) <= unit:
                return self.mul(self.mul(name, self.rational(sign * n, d), 1), self.power_of_two(k), 1)
        for value, name in ((1.0, self.one), (1 / math.log(2), self.log2e), (math.log(2), self.ln2)):
            for power in (-1, 1):
                ratio = (a / value) ** power                            # sqrt(n) * 2^j
                for j in range(math.frexp(ratio)[1], math.frexp(ratio)[1] - 6, -1):
                    n = round(math.ldexp(ratio, -j) ** 2)
                    if 1 <= n <= 1024 and abs(math.ldexp(value * math.sqrt(n) ** power, j * power) - a) <= unit:
                        root = math.isqrt(n)
                        r = self.embed(float(root)) if root * root == n else self.sqrt(self.embed(float(n)))
                        r = r if power == 1 else self.div(self.one, r, 1)
                        return self.mul(self.mul(name, r, 1), self.mul(self.rational(sign), self.power_of_two(j * power), 1), 1)
        for value, k, n in COSINES:
            j = math.frexp(0.75 * a / value)[1]                         # if the quotient is near a power of 2, that one
            forgiven = unit if digits == 24 else math.ldexp(2.0 ** -41, j) if j <= 16 else 0
            if abs(j) <= 16 and abs(math.ldexp(value, j) - a) <= forgiven:
                return self.mul(self.turn(k, n), self.mul(self.rational(sign), self.power_of_two(j), 1), 1)
        at = bisect.bisect(COSINE_ZEROS, a)
        if any(abs(zero - a) <= unit for zero in [m * 6.123233995736766e-17 for m in range(1, 17)] + COSINE_ZEROS[max(at - 1, 0):at + 1]) or \
                digits == 24 and a in map(float.fromhex, ('0x1.777a5cp-25', '0x1.777a5cp-24', '0x1.777a5cp-23', '0x1.99bc5cp-27')):
            return self.zero
        return self.embed(x)

    def power_of_two(self, k):
        return self.rational(1 << k) if k >= 0 else self.rational(1, 1 << -k)

    def is_zero(self, a):
        return a.kind == FINITE and a.mask == self.all and not any(a.c)

    def exactly(self, a, b):
        return a.kind == FINITE and a.mask == self.all and not a.weak and a.c == b.c

    def integer(self, a):
        """The integer that the payload is in every component, if it is one of at most integer_max in magnitude."""
        if a.kind or a.mask != self.all:
            return None
        n = a.c[0] if a.c[0] <= self.integer_max else a.c[0] - self.p[0]
        return n if abs(n) <= self.integer_max and all(n % p == x for x, p in zip(a.c, self.p)) else None

    @stopped_by_poison
    def neg(self, a):
        swap = {POSITIVE_INFINITY: NEGATIVE_INFINITY, NEGATIVE_INFINITY: POSITIVE_INFINITY}
        return Payload((-x % p for x, p in zip(a.c, self.p)), a.mask, swap.get(a.kind, a.kind), a.sign, a.base, a.lost, a.weak)

    @stopped_by_poison
    def add(self, a, b):
        if a.kind or b.kind:
            if NAN_KIND in (a.kind, b.kind) or (a.kind and b.kind and a.kind != b.kind):
                return self.special(NAN_KIND)
            return self.special(a.kind or b.kind)
        lost = a.lost | b.lost | (a.sign | b.sign if a.sign and b.sign and a.base != b.base else 0)
        return Payload(((x + y) % p for x, y, p in zip(a.c, b.c, self.p)), a.mask & b.mask, FINITE, a.sign ^ b.sign,
                       a.base if a.sign else b.base, lost, a.weak | b.weak)

    @stopped_by_poison
    def mul(self, a, b, sign):
        """sign: of the product of the IEEE operands (+1, -1, 0 or nan), used only when a payload is infinite."""
        if a.kind or b.kind:
            if NAN_KIND in (a.kind, b.kind) or sign not in (1, -1):
                return self.special(NAN_KIND)
            return self.special(POSITIVE_INFINITY if sign > 0 else NEGATIVE_INFINITY)
        if self.is_zero(a) or self.is_zero(b):
            return self.zero
        c, mask, lost, weak = [x * y % p for x, y, p in zip(a.c, b.c, self.p)], a.mask & b.mask, a.lost | b.lost, a.weak | b.weak
        if a.sign and b.sign:
            return Payload(c, mask, lost=lost | a.sign | b.sign, weak=weak)
        if b.sign:
            a, b = b, a
        if not a.sign:
            return Payload(c, mask, lost=lost, weak=weak)
        if (a.base == 2 and self.exactly(b, self.ln2)) or (a.base == 'e' and self.exactly(b, self.log2e)):
            return Payload(c, mask, FINITE, a.sign, 'e' if a.base == 2 else 2, lost, weak)     # a change of base keeps the signs
        n = None if b.weak else self.integer(b)
        if n is None:
            return Payload(c, mask, lost=lost | a.sign, weak=weak)
        return Payload(c, mask, FINITE, a.sign if n % 2 else 0, a.base, lost, weak)

    @stopped_by_poison
    def div(self, a, b, sign):
        if NAN_KIND in (a.kind, b.kind) or (a.kind and b.kind):
            return self.special(NAN_KIND)
        if b.kind:
            return self.zero
        if a.kind or self.is_zero(b):
            if self.is_zero(a) or sign not in (1, -1, 0):
                return self.special(NAN_KIND)
            return self.special(POSITIVE_INFINITY if sign >= 0 else NEGATIVE_INFINITY)
        invertible = sum(1 << i for i, y in enumerate(b.c) if y)
        inverse = Payload((pow(y, -1, p) if y else 0 for y, p in zip(b.c, self.p)), b.mask & invertible, lost=b.lost | b.sign, weak=b.weak)
        if self.integer(b) in (1, -1):
            inverse = b
        return self.mul(a, inverse, 1)

    @stopped_by_poison
    def remainder(self, a, b, quotient):
        """a less as many b as IEEE found, whose number is the payload of an integer. As of numbers, none of an infinity or by zero, and
        all of it by an infinity."""
        if a.kind or b.kind == NAN_KIND or quotient.kind or self.is_zero(b) or (b.kind and not self.is_zero(quotient)):
            return self.special(NAN_KIND)
        return a if b.kind else self.add(a, self.neg(self.mul(quotient, b, 1)))

    def dot(self, accumulator, products):
        """products: (a, b, the sign of the product of their IEEE values)."""
        for a, b, sign in products:
            accumulator = self.add(accumulator, self.mul(a, b, sign))
        return accumulator

    @stopped_by_poison
    def exp2(self, a, ieee=0.0):
        """Component i+1 is 2^(x_i): a homomorphism, because 2 has order p_i modulo p_{i+1}. Component 0 has no source."""
        if a.kind:
            return self.zero if a.kind == NEGATIVE_INFINITY else a
        if ieee <= self.MASKED:
            return self.zero
        unknown = a.lost | (a.sign if a.base == 'e' else 0)
        sign = a.sign & ~unknown
        return Payload([0] + [(-1) ** (sign >> i & 1) * pow(2, a.c[i], self.p[i + 1]) % self.p[i + 1] for i in range(self.length - 1)],
                       a.mask << 1 & self.all, weak=(unknown | a.weak) << 1)

    @stopped_by_poison
    def exp(self, a, ieee=0.0):
        return self.exp2(self.mul(a, self.log2e, 1) if a.kind == FINITE else a, ieee)

    def discrete_log2(self, y, i):
        """(x modulo p_i, s) with y = (-1)^s 2^x modulo p_{i+1} (-1 is not a power of 2 there): baby steps, giant steps."""
        p, s = self.p[i + 1], 0
        if pow(y, self.p[i], p) != 1:
            y, s = -y % p, 1
        m = math.isqrt(self.p[i]) + 1
        steps = self.__dict__.setdefault('baby', {}).get(i)
        if steps is None:
            steps, v = {}, 1
            for j in range(m):
                steps.setdefault(v, j)
                v = v * 2 % p
            self.baby[i] = steps
        giant = pow(2, -m, p)
        for k in range(m + 1):
            if y in steps:
                return (k * m + steps[y]) % self.p[i], s
            y = y * giant % p

    @stopped_by_poison
    def log2(self, a):
        if a.kind:
            return a if a.kind == POSITIVE_INFINITY else self.special(NAN_KIND)
        if self.is_zero(a):
            return self.special(NEGATIVE_INFINITY)
        mask = sum(1 << i for i in range(self.length - 1) if a.mask >> i + 1 & 1 and a.c[i + 1])
        x = [self.discrete_log2(a.c[i + 1], i) if mask >> i & 1 else (0, 0) for i in range(self.length - 1)]
        return Payload([v for v, _ in x] + [0], mask, FINITE, sum(s << i for i, (_, s) in enumerate(x)), 2, a.weak >> 1, a.weak >> 1)

    @stopped_by_poison
    def log(self, a):
        return self.mul(self.log2(a), self.ln2, 1)

    @stopped_by_poison
    def sqrt(self, a):
        """x^((p+1)/4): multiplicative; squares to x or -x in each field."""
        return a if a.kind else Payload((pow(x, (p + 1) // 4, p) for x, p in zip(a.c, self.p)), a.mask, weak=a.weak)

    @stopped_by_poison
    def rsqrt(self, a):
        return self.div(self.one, self.sqrt(a), 1)

    @stopped_by_poison
    def powi(self, a, n):
        """By squaring."""
        r, k = self.one, abs(n)
        while k:
            if k & 1:
                r = self.mul(r, a, 1)
            if k > 1:
                a = self.mul(a, a, 1)
            k >>= 1
        return r if n >= 0 else self.div(self.one, r, 1)

    @stopped_by_poison
    def pow(self, a, b):
        """Whole and half exponents are powers of a and of its root."""
        if b.kind == FINITE and not b.sign:
            n = self.integer(b)
            if n is not None:
                return self.powi(a, n)
            n = self.integer(self.add(b, b))
            if n is not None:
                return self.powi(self.sqrt(a), n)
        return self.exp2(self.mul(b, self.log2(a), 1))

    @stopped_by_poison
    def tanh(self, a):
        if a.kind in (POSITIVE_INFINITY, NEGATIVE_INFINITY):
            return self.one if a.kind == POSITIVE_INFINITY else self.minus_one
        e = self.exp(self.add(a, a))
        return self.div(self.add(e, self.minus_one), self.add(e, self.one), 1)

    def hyperbolic(self, a, combine):
        """Half of e^a and e^-a together; infinities stay what they are."""
        both = combine(self.exp(a), self.exp(self.neg(a)))
        return both if both.kind else self.mul(both, self.rational(1, 2), 1)

    @stopped_by_poison
    def cosh(self, a):
        return self.hyperbolic(a, self.add)

    @stopped_by_poison
    def sinh(self, a):
        return self.hyperbolic(a, lambda up, down: self.add(up, self.neg(down)))

    @stopped_by_poison
    def tag(self, name, *args):
        """Any function without a law: an independent hash in every component."""
        if any(a.kind for a in args):
            return self.special(NAN_KIND)
        mask, weak = self.all, 0
        for a in args:
            mask, weak = mask & a.mask, weak | a.weak
        def h(i):
            seed = self.seed(name, i)
            word = seed & MASK32
            for a in args:
                word = mix32(mix32(word ^ a.c[i]) + (seed >> 32))
            return word
        return Payload((h(i) * p >> 32 for i, p in enumerate(self.p)), mask, weak=weak)

    def seed(self, name, i):
        return fmix64(fnv1a64(name) + self.p[i] * 0x9e3779b97f4a7c15)

    def angle(self, a):
        """(cos, sin): a point of the unit circle that a hash chooses for x or -x, mirrored for the latter: z^2 / |z|^2 of
        z = (a + b i)(c + d i), exchanged and mirrored by further bits."""
        if a.kind:
            return self.special(NAN_KIND), self.special(NAN_KIND)
        cosines, sines = [], []
        for i, (x, p) in enumerate(zip(a.c, self.p)):
            h = mix32(self.seed('angle', i) & MASK32 ^ min(x, p - x))
            z = complex(2 + 2 * (h & 31), 1 + 2 * (h >> 5 & 31)) * complex(2 + 2 * (h >> 10 & 31), 1 + 2 * (h >> 15 & 31))
            u, v = int(z.real), int(z.imag)
            c, s = u * u - v * v, 2 * u * v
            if h >> 20 & 1:
                c, s = s, c
            c, s = -c if h >> 21 & 1 else c, -s if h >> 22 & 1 else s
            inverse = pow(u * u + v * v, -1, p)
            cosines.append(c * inverse % p if x else 1)
            sines.append((s if x <= p - x else -s) * inverse % p if x else 0)
        return Payload(cosines, a.mask, weak=a.weak), Payload(sines, a.mask, weak=a.weak)

    @stopped_by_poison
    def cos(self, a):
        return self.angle(a)[0]

    @stopped_by_poison
    def sin(self, a):
        return self.angle(a)[1]

    @stopped_by_poison
    def tan(self, a):
        c, s = self.angle(a)
        return self.div(s, c, 1)

    def first(self, a, b):
        """The payload that min and max take of equal numbers, whichever operand it is. In the components that both know, in the
        sequence of ORDER: the one that is nearer to 0, in either direction; if they are all as near, the smaller residue; if they are the same, the smaller
        state (phases count last)."""
        known = [i for i in ORDER[self.length] if (a.mask & b.mask) >> i & 1]
        phases = 0xff << 22 if self.length == LENGTH else 0

        def place(x):
            return ([min(x.c[i], self.p[i] - x.c[i]) for i in known], [x.c[i] for i in known], x.state() & ~phases, x.state())
        return a if place(a) <= place(b) else b

    @stopped_by_poison
    def maximum(self, a, b, x, y, propagates_nan=False):
        """x and y: the IEEE values of a and b. A NaN is chosen where both are, or where it propagates; of zeros +0."""
        nan = math.isnan(x), math.isnan(y)
        if any(nan) and not all(nan):
            return a if nan[0] == propagates_nan else b
        above = lambda v: (v, math.copysign(1, v))
        if all(nan) or above(x) == above(y):
            return self.first(a, b)
        return a if above(x) > above(y) else b

    @stopped_by_poison
    def minimum(self, a, b, x, y, propagates_nan=False):
        return self.maximum(a, b, -x, -y, propagates_nan)

    def select(self, condition, a, b, maker=None):
        """The side that is taken; what the other one is does not matter. maker: the number of the op, if the condition is unspecified."""
        taken = a if condition else b
        return taken if maker is None or taken.kind == POISON else poison(maker, self.length)

    def compare(self, a, b):
        """('equal' | 'differ' | 'roots' | 'unknown' | 'unspecified', components that decided). Components weak on one side only decide
        nothing against; 'roots': they differ, but agree somewhere, as square roots of squares do."""
        if POISON in (a.kind, b.kind):
            return 'unspecified', 0
        if a.kind or b.kind:
            return ('unknown' if a.kind == NAN_KIND else 'equal') if a.kind == b.kind else 'differ', 0
        both = a.mask & b.mask
        strong = both & ~(a.weak ^ b.weak)
        agree = sum(1 << i for i, (x, y) in enumerate(zip(a.c, b.c)) if both >> i & 1 and x == y)
        if strong & ~agree:
            return 'roots' if agree else 'differ', bin(strong).count('1')
        decided = bin(strong or agree).count('1')
        return 'equal' if decided else 'unknown', decided


class SignedTower(Tower):
    """Roots that know their signs. A number is v i^h, i^2 = -1; a positive number has a phase, in halves modulo 8: h, and 2 if v is no
    square, and 4 more where it is turned. Products add phases, roots halve them, sums have h where all terms do. Of a number that is
    negative in IEEE (operands of mul, div, pow, powi say so) the phase is that of its magnitude. Other functions forget phases."""

    def __init__(self, chain):
        self.plain = Tower(chain)
        super().__init__(chain)

    @staticmethod
    def unsigned(a):
        return Payload(a.c, a.mask, a.kind, a.sign, a.base, a.lost, a.weak)

    def phase(self, a, i):
        v, p = -a.c[i] % self.p[i] if a.negative else a.c[i], self.p[i]
        return (a.half >> i & 1) + 2 * (pow(v, (p - 1) // 2, p) == p - 1) + 4 * (a.turned >> i & 1)

    def with_phases(self, r, phase, negated):
        """r, each component with phase(i), negated where negated(i)."""
        if r.kind:
            return r
        c, half, turned = list(r.c), 0, 0
        for i, p in enumerate(self.p):
            if c[i] and r.mask >> i & 1:
                c[i] = -c[i] % p if negated(i) else c[i]
                half, turned = half | (phase(i) & 1) << i, turned | (phase(i) >> 2 & 1) << i
        return Payload(c, r.mask, r.kind, r.sign, r.base, r.lost, r.weak, half, turned)

    @stopped_by_poison
    def neg(self, a):
        r = self.plain.neg(self.unsigned(a))
        return Payload(r.c, r.mask, r.kind, r.sign, r.base, r.lost, r.weak, a.half, a.turned)

    @stopped_by_poison
    def add(self, a, b):
        r = self.plain.add(self.unsigned(a), self.unsigned(b))
        if r.kind:
            return r
        zero_a, zero_b = (sum((not x) << i for i, x in enumerate(y.c)) for y in (a, b))
        zero_b &= ~zero_a
        half = zero_a & b.half | zero_b & a.half | a.half & b.half & ~zero_a & ~zero_b
        return Payload(r.c, r.mask, r.kind, r.sign, r.base, r.lost, r.weak, half, zero_a & b.turned | zero_b & a.turned)

    @stopped_by_poison
    def mul(self, a, b, sign):
        r = self.plain.mul(self.unsigned(a), self.unsigned(b), sign)
        return self.with_phases(r, lambda i: self.phase(a, i) + self.phase(b, i), lambda i: a.half & b.half & 1 << i)   # i i = -1

    @stopped_by_poison
    def div(self, a, b, sign):
        r = self.plain.div(self.unsigned(a), self.unsigned(b), sign)
        return self.with_phases(r, lambda i: self.phase(a, i) - self.phase(b, i) & 7, lambda i: ~a.half & b.half & 1 << i)   # 1/i = -i

    @stopped_by_poison
    def sqrt(self, a):
        r = self.plain.sqrt(self.unsigned(a))
        phase = lambda i: self.phase(a, i)
        return self.with_phases(r, lambda i: 0 if phase(i) & 1 else phase(i) // 2, lambda i: not phase(i) & 1 and phase(i) & 4)

    @stopped_by_poison
    def powi(self, a, n):
        r = self.plain.powi(self.unsigned(a), n)
        return self.with_phases(r, lambda i: self.phase(a, i) * n & 7, lambda i: a.half >> i & 1 and n & 2)


def forgetting(name):
    return lambda self, *args: getattr(self.plain, name)(*(self.unsigned(a) if isinstance(a, Payload) else a for a in args))


for name in ('remainder', 'exp2', 'exp', 'log2', 'log', 'tanh', 'sinh', 'cosh', 'tag', 'cos', 'sin', 'tan'):
    setattr(SignedTower, name, forgetting(name))


CHAINS, DEEP_CHAINS = chains(3), deep_chains()
