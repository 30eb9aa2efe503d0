# SPDX-License-Identifier: Apache-2.0
"""The laws of the tower algebra, checked on its executable specification: `python3 tower_laws.py`."""
import math
import random
import struct
from fractions import Fraction

from tower_model import (CHAINS, DEEP_CHAINS, NAN_KIND, NEGATIVE_INFINITY, POISON, POSITIVE_INFINITY, Payload, SignedTower, Tower,
                         poison)


def laws(t):
    r = random.Random(1)
    e = t.embed
    mul = lambda a, b: t.mul(a, b, 1)
    div = lambda a, b: t.div(a, b, 1)
    for _ in range(100):
        a, b, c = (e(r.choice([-1, 1]) * r.uniform(0.1, 8)) for _ in range(3))
        x = r.uniform(-8, 8)
        pairs = [(t.add(a, t.neg(a)), t.zero), (mul(a, t.add(b, c)), t.add(mul(a, b), mul(a, c))), (mul(div(a, b), b), a),
                 (div(a, e(2.0)), mul(a, e(0.5))), (t.add(t.add(a, a), a), mul(e(3.0), a)), (t.add(e(x), e(0.5)), e(float(Fraction(x) + Fraction(1, 2)))) if float(Fraction(x) + Fraction(1, 2)) == Fraction(x) + Fraction(1, 2) else (a, a),
                 (t.exp2(t.add(a, b)), mul(t.exp2(a), t.exp2(b))), (t.exp(t.add(a, b)), mul(t.exp(a), t.exp(b))), (t.exp2(e(5.0)), e(32.0)), (t.exp2(e(-3.0)), e(0.125)),
                 (t.exp2(t.exp2(t.add(a, b))), t.exp2(mul(t.exp2(a), t.exp2(b)))), (t.exp2(t.add(t.special(NEGATIVE_INFINITY), a)), t.zero),
                 (mul(a, t.rsqrt(b)), div(a, t.sqrt(b))), (t.sqrt(mul(a, b)), mul(t.sqrt(a), t.sqrt(b))), (t.sin(t.neg(a)), t.neg(t.sin(a))), (t.cos(t.neg(a)), t.cos(a)),
                 (div(t.one, t.add(t.one, t.exp(t.neg(a)))), mul(e(0.5), t.add(t.one, t.tanh(mul(a, e(0.5))))))]
        sinh, cosh = t.sinh(a), t.cosh(a)
        pairs += [(div(sinh, cosh), t.tanh(a)), (t.add(sinh, cosh), t.exp(a)), (t.remainder(a, b, e(3.0)), t.add(a, t.neg(mul(e(3.0), b))))]
        for left, right in pairs:
            assert t.compare(left, right)[0] == 'equal', (left.c, right.c)
        assert t.compare(t.add(a, e(1.0)), t.add(a, e(1.0000001192092896)))[0] == 'differ'
    for _ in range(3):
        a, b = e(r.uniform(0.1, 8)), e(r.uniform(0.1, 8))
        for left, right in [(t.log2(t.exp2(a)), a), (t.log2(mul(a, b)), t.add(t.log2(a), t.log2(b))), (t.log2(e(8.0)), e(3.0)),
                            (t.add(b, t.log2(t.add(t.exp2(t.add(a, t.neg(b))), t.one))), t.log2(t.add(t.exp2(a), t.exp2(b)))),
                            (t.exp2(t.log2(a)), a), (t.exp(t.log(a)), a), (t.exp2(mul(t.log(a), t.log2e)), a), (t.exp(t.neg(t.log(a))), div(t.one, a))]:
            assert t.compare(left, right)[0] == 'equal', (left.c, right.c)
    # split attention: two halves normalised on their own and merged by their log-sum-exps (base 2, and base e), against the whole
    for log, exp in ((t.log2, t.exp2), (t.log, t.exp)):
        s = [e(r.uniform(-4, 4)) for _ in range(6)]
        v = [e(r.uniform(-4, 4)) for _ in range(6)]
        def part(lo, hi):
            m = s[lo]
            w = [exp(t.add(x, t.neg(m))) for x in s[lo:hi]]
            l, o = t.zero, t.zero
            for x, y in zip(w, v[lo:hi]):
                l, o = t.add(l, x), t.add(o, mul(x, y))
            return div(o, l), t.add(m, log(l))
        whole, _ = part(0, 6)
        (o1, l1), (o2, l2) = part(0, 3), part(3, 6)
        lse = log(t.add(exp(l1), exp(l2)))
        merged = t.add(mul(o1, exp(t.add(l1, t.neg(lse)))), mul(o2, exp(t.add(l2, t.neg(lse)))))
        verdict, n = t.compare(whole, merged)
        assert verdict == 'equal' and n >= 2, (whole.c, merged.c, merged.mask)
    f32 = lambda x: struct.unpack('f', struct.pack('f', x))[0]
    same = lambda a, b: t.compare(a, b)[0] == 'equal'
    half = e(0.5)
    knows_11 = (t.p[0] + 1) % 11 == 0                                           # not so in the spare deep chain
    for k in (1.0, 2.0, 3.0, 5.0, 7.0, 12.0, 64.0, 4096.0, 768.0) + (11.0,) * knows_11:
        assert same(t.sqrt(e(k * k)), e(k)) and same(mul(t.sqrt(e(k)), t.sqrt(e(k))), e(k))
    a, b = e(1.7), e(-0.3)
    assert same(t.pow(b, e(3.0)), mul(b, mul(b, b))) and same(t.pow(e(0.0), e(0.0)), t.one) and same(t.pow(a, half), t.sqrt(a))
    for n in (0, 1, 63, 64, 65, 127, -1, -65, t.integer_max):                         # signs follow integer factors
        assert same(t.exp2(mul(e(float(n)), t.log2(b))), t.pow(b, e(float(n)))) and same(t.exp2(mul(e(n / 2), t.log2(a))), t.pow(a, e(n / 2)))
    assert same(t.pow(a, e(-0.5)), t.rsqrt(a)) and same(t.pow(a, e(2.5)), t.powi(t.sqrt(a), 5)) and same(t.pow(b, e(65.0)), mul(b, t.powi(b, 64)))
    c, s = t.cos(b), t.sin(b)
    assert same(t.add(mul(c, c), mul(s, s)), t.one) and same(t.cos(t.zero), t.one) and t.is_zero(t.sin(t.zero)) and not same(c, s)
    assert t.is_zero(mul(e(0.0), t.log2(a))) and t.is_zero(t.exp2(e(-1e6), -1e6))
    deep = a
    for _ in t.p:
        deep = t.log2(deep)
    assert t.compare(div(t.one, deep), div(t.one, b))[0] == 'unknown'           # no information never becomes a verdict
    assert same(mul(e(3.0), t.log2(a)), t.log2(mul(a, mul(a, a)))) and same(t.exp2(mul(e(3.0), t.log2(b))), mul(b, mul(b, b)))
    turn, half_root = lambda k, n: t.turn(k, n), lambda n: mul(half, t.sqrt(e(n)))
    assert same(turn(1, 8), half_root(2.0)) and same(turn(1, 12), half_root(3.0)) and same(turn(1, 6), half) and same(t.turn(1, 12, True), half)
    assert same(turn(1, 10), mul(e(0.25), t.add(t.one, t.sqrt(e(5.0))))) and t.is_zero(turn(1, 4)) and same(t.turn(1, 4, True), t.one)
    assert same(turn(1, 16), mul(half, t.sqrt(t.add(e(2.0), t.sqrt(e(2.0))))))
    for n in (5, 7, 8, 12, 15, 16, 24, 32, 60, 64, 128) + (11,) * knows_11:
        for j, k in ((1, 2), (3, 5), (n - 1, 4)):
            both = t.add(mul(turn(j, n), turn(k, n)), t.neg(mul(t.turn(j, n, True), t.turn(k, n, True))))
            verdict = t.compare(turn(j + k, n), both)
            assert verdict[0] == 'equal' or n == 128 and verdict[0] == 'unknown', n
    for digits, nearest in ((24, f32), (53, float)):
        constant = lambda x: t.constant(nearest(x), digits)
        for n in (5, 16):
            for k in range(n):
                assert same(constant(math.cos(2 * math.pi * k / n)), turn(k, n)) and same(constant(math.sin(2 * math.pi * k / n)), t.turn(k, n, True)), (n, k)
        assert same(mul(constant(math.log(2)), constant(1 / math.log(2))), t.one)
        for n in (2, 12, 24, 40, 56, 64, 72, 80, 96, 112, 128, 144, 192, 256, 512, 576):      # softmax scales, folded anywhere
            assert same(constant(n ** -0.5), t.rsqrt(e(float(n)))) and same(constant(n ** 0.5), t.sqrt(e(float(n))))
            assert same(constant(n ** -0.5 * 1.4426950408889634), mul(t.rsqrt(e(float(n))), t.log2e))
        for n in (3, 10, 127, 448, 768, 1000, 4096, 11008, 50257):
            assert same(constant(1 / n), div(t.one, e(float(n)))), n
        for x, n, d in ((0.1, 1, 10), (1e-5, 1, 100000), (0.044715, 44715, 1000000), (0.999, 999, 1000), (3.0, 3, 1), (448.0, 448, 1)):
            assert same(constant(x), t.rational(n, d)), x
        assert same(constant(0.044715 * math.sqrt(2 / math.pi)), mul(constant(0.044715), constant(math.sqrt(2 / math.pi))))


def signed_laws(t):
    """Of positive numbers: sums of squares and a small number, as rationals, beside their payloads."""
    r = random.Random(2)

    def number(x):
        a = t.rational(x.numerator, x.denominator)
        a.negative = x < 0
        return a
    for _ in range(200):
        square = lambda: Fraction(r.randint(-1 << 20, 1 << 20), 1 << 18) ** 2
        x, y, c, u = Fraction(r.randint(-1 << 20, 1 << 20), 1 << 18), square() + square() + Fraction(1, 100000), square() + 1, square() + 2
        x, y, c, u = map(number, (x or Fraction(1), y, c, u))
        mul, div, root, rsqrt = lambda a, b: t.mul(a, b, 1), lambda a, b: t.div(a, b, 1), t.sqrt, t.rsqrt
        s = rsqrt(y)
        magnitude = t.neg(x) if x.negative else x
        pairs = [(mul(root(y), root(y)), y), (mul(s, mul(s, s)), div(s, y)), (mul(mul(mul(x, s), s), s), div(mul(x, s), y)),
                 (mul(c, rsqrt(c)), root(c)), (rsqrt(mul(u, u)), div(t.one, u)), (root(mul(y, c)), mul(root(y), root(c))),
                 (root(div(y, c)), div(root(y), root(c))), (root(mul(x, x)), magnitude), (t.pow(y, t.embed(1.5)), mul(y, root(y))),
                 (t.pow(y, t.embed(-1.5)), mul(s, mul(s, s))), (t.powi(s, -2), y), (root(mul(mul(u, u), y)), mul(u, root(y))),
                 (t.add(x, mul(x, mul(s, mul(s, s)))), t.add(x, div(mul(x, s), y))),
                 (t.add(mul(s, x), mul(s, c)), mul(s, t.add(x, c)))]
        for k, (left, right) in enumerate(pairs):
            assert t.compare(left, right)[0] == 'equal', k
        assert t.compare(t.neg(mul(s, mul(s, s))), div(s, y))[0] != 'equal' and t.compare(mul(s, s), div(s, y))[0] != 'equal'
        assert not x.negative or t.compare(root(mul(x, x)), x)[0] != 'equal'


def unspecified_laws(t):
    """Poison: of whatever else is beside it, and first in its operands."""
    r = random.Random(3)
    gone, later = poison(4711, t.length), poison(7, t.length)
    others = [t.zero, t.one, t.embed(r.uniform(-8, 8)), t.special(POSITIVE_INFINITY), t.special(NAN_KIND), later]
    from_gone = lambda a: a.kind == POISON and a.c[3] == 4711
    for x in others:
        for result in (t.add(gone, x), t.mul(gone, x, 0), t.div(gone, x, 0), t.pow(gone, x), t.remainder(gone, x, t.zero), t.tag('atan2', gone, x),
                       t.maximum(gone, x, 0.0, 1.0), t.minimum(gone, x, float('nan'), 1.0), t.dot(x if x is not later else t.one, [(t.zero, gone, 0), (t.one, x, 1)])):
            assert from_gone(result)
        for result in (t.add(x, gone), t.mul(x, gone, 0), t.div(x, gone, 0), t.pow(x, gone), t.remainder(x, gone, t.zero), t.maximum(x, gone, 2.0, 1.0)):
            assert result.kind == POISON and from_gone(result) == (x is not later)
        assert t.compare(gone, x)[0] == t.compare(x, gone)[0] == t.compare(gone, gone)[0] == 'unspecified'
        assert t.select(True, x, gone) is x and t.select(False, gone, x) is x and from_gone(t.select(True, gone, x))
        by_condition = t.select(True, x, t.one, 9)
        assert by_condition.kind == POISON and by_condition.c[3] == (7 if x is later else 9)
    for rule in (t.neg, t.exp, t.exp2, t.log, t.log2, t.sqrt, t.rsqrt, t.tanh, t.sinh, t.cosh, t.sin, t.cos, t.tan):
        assert from_gone(rule(gone))
    assert from_gone(t.powi(gone, 0)) and from_gone(t.exp2(gone, -1e6)) and from_gone(t.exp(gone, -1e6))


def choice_laws(t):
    """Of equal numbers min and max take the same payload, in any order of operands and of choices; of their negatives too."""
    r = random.Random(4)
    for _ in range(200):
        mask = r.choice([t.all, t.all, t.all & ~1, t.all & ~3, 4])
        x = [t.embed(r.uniform(-8, 8)) for _ in range(3)]
        if r.random() < 0.5:                                         # alike in some components, or but for the sign
            x[1:] = [Payload([r.choice([v, v, -v % p, r.randrange(p)]) for v, p in zip(x[0].c, t.p)]) for _ in range(2)]
        x = [Payload(a.c, mask, sign=r.choice([0, 2]), lost=r.choice([0, 4])) for a in x]
        words = lambda a: ([v for i, v in enumerate(a.c) if a.mask >> i & 1], a.state())
        found = {str(words(t.maximum(t.maximum(x[i], x[j], 1.5, 1.5), x[k], 1.5, 1.5))) for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0), (2, 1, 0))}
        assert len(found) == 1
        assert words(t.minimum(x[0], x[1], -0.0, -0.0)) == words(t.maximum(x[1], x[0], 0.0, 0.0))
        near = lambda a: [min(v, p - v) for v, p in zip(a.c, t.p)]
        if all(v != w for i, (v, w) in enumerate(zip(near(x[0]), near(x[1]))) if mask >> i & 1):
            assert t.neg(t.first(x[0], x[1])).c == t.first(t.neg(x[0]), t.neg(x[1])).c
        assert t.maximum(x[0], x[1], 2.0, 1.0) is x[0] and t.minimum(x[0], x[1], 2.0, 1.0) is x[1]
        assert t.maximum(x[0], x[1], 0.0, -0.0) is x[0] and t.minimum(x[0], x[1], 0.0, -0.0) is x[1]
        assert t.maximum(x[0], x[1], float('nan'), 1.0) is x[1] and t.maximum(x[0], x[1], float('nan'), 1.0, True) is x[0]


def deep_laws(t):
    """Nested exponentials and logarithms: as many as there are components, less one."""
    r = random.Random(5)
    mul = lambda a, b: t.mul(a, b, 1)
    for _ in range(20):
        a, b, c = (t.embed(r.uniform(-2, 2)) for _ in range(3))
        nested, split, wrong = t.add(a, b), t.add(b, a), t.add(a, c)
        for depth in range(1, t.length):
            split = mul(t.exp(t.add(split, t.neg(b))), t.exp(b))                # of a maximum, say
            nested, wrong = t.exp(nested), t.exp(wrong)
            assert t.compare(nested, split) == ('equal', t.length - depth) and t.compare(nested, wrong) == ('differ', t.length - depth)
        assert t.compare(t.exp(nested), t.exp(split)) == ('unknown', 0)
        for _ in range(1, t.length):
            nested, split = t.log(nested), t.log(split)
            assert t.compare(nested, split) == ('equal', 1)


if __name__ == '__main__':
    for chain in CHAINS:
        laws(Tower(chain))
        signed_laws(SignedTower(chain))
        for t in (Tower(chain), SignedTower(chain)):
            unspecified_laws(t)
            choice_laws(t)
        deep_laws(Tower(chain))
        print('laws hold for the chain', *chain)
    for chain in DEEP_CHAINS:
        t = Tower(chain)
        for law in (laws, unspecified_laws, choice_laws, deep_laws):
            law(t)
        print('laws hold for the deep chain', *chain)
