# SPDX-License-Identifier: Apache-2.0
"""Writes vectors of the tower algebra from its executable specification.

    python3 make_tower.py SEED VECTORS.csv CONSTANTS.csv CHOICES.csv DEEP.csv DEEP_CONSTANTS.csv DEEP_CHOICES.csv

The rows are described in ../test_tower_vectors.c and ../../numeric/test_shadow_vectors.c. The logarithm of 0 to base e is left out, which the
specification's infinite product makes +inf."""
import math
import random
import struct
import sys

import tower_model as model
from tower_model import DEEP_LENGTH, FINITE, LENGTH, ORIGIN_MAX, Payload, Tower, poison

ROWS, CONSTANTS, POISONED_ROWS, FIRST_ROWS, CHOICES = 60, 10000, 8, 40, 24
DEEP, DEEP_CONSTANTS = 2 * len(model.CHAINS) + 1, 2000      # the number of the first deep tower: that of degrees lies before it
SIGNS = {1: 1, -1: -1, 0: 0, 'nan': float('nan')}


def text(a):
    return '.'.join(f'{c:x}' for c in a.c) + f':{a.state() | a.negative << 31:x}'


def draw_components(r, t):
    shape = r.randrange(10)
    if shape == 0:
        return t.zero.c
    if shape == 1:
        return r.choice([t.ln2, t.log2e, t.one, t.minus_one]).c
    if shape <= 3:
        return t.embed(r.choice([r.randint(-70, 70), r.randint(-140, 140) / 2, r.randint(-(1 << 25), 1 << 25),
                                 t.integer_max, -t.integer_max, t.integer_max + 1]) + 0.0).c
    if shape == 4:
        return t.embed(r.uniform(-8, 8)).c
    if shape == 5:
        return tuple(r.choice([0, r.randrange(p)]) for p in t.p)
    if shape == 6:
        return tuple(r.choice([0, 1, p - 1]) for p in t.p)
    return tuple(r.randrange(p) for p in t.p)


def draw_payload(r, t):
    c, shape = draw_components(r, t), r.random()
    if shape < 0.4:
        return Payload(c)
    if shape < 0.48:
        return t.special(r.randrange(1, 4))
    bits = lambda: r.choice([0, r.randrange(t.all + 1)])
    mask = r.choice([t.all, t.all, r.randrange(t.all + 1)])
    return Payload(c, mask, FINITE, bits(), r.choice([2, 'e']), bits(), bits())


def draw_similar(r, t, a):
    """Agrees with a in some components."""
    if a.kind:
        return t.special(r.randrange(1, 4)) if r.random() < 0.7 else draw_payload(r, t)
    b = draw_payload(r, t)
    take = r.choice([t.all, t.all, r.randrange(t.all + 1)])
    c = [x if take >> i & 1 else y for i, (x, y) in enumerate(zip(a.c, b.c))]
    return Payload(c, b.mask, b.kind, b.sign, b.base, b.lost, b.weak)


def draw_phases(r, a, may_be_negative):
    bits = lambda: r.choice([0, (1 << LENGTH) - 1, r.randrange(1 << LENGTH)])
    negative = may_be_negative and r.random() < 0.4
    return Payload(a.c, a.mask, a.kind, a.sign, a.base, a.lost, a.weak, bits(), bits(), negative)


def signed_vectors(r):
    for index, chain in enumerate(model.CHAINS):
        t = model.SignedTower(chain)
        for _ in range(ROWS):
            a, b = (draw_phases(r, draw_payload(r, t), True) for _ in range(2))
            c, d = (draw_phases(r, draw_payload(r, t), False) for _ in range(2))
            sign, n = r.choice([1, -1, 0, 'nan']), r.choice([r.randint(-9, 9), r.randint(-(1 << 31), (1 << 31) - 1)])
            rows = [('neg', '', [c], t.neg(c)), ('add', '', [c, d], t.add(c, d)), ('mul', sign, [a, b], t.mul(a, b, SIGNS[sign])),
                    ('div', sign, [a, b], t.div(a, b, SIGNS[sign])), ('sqrt', '', [c], t.sqrt(c)), ('rsqrt', '', [c], t.rsqrt(c)),
                    ('powi', n, [a], t.powi(a, n)), ('pow', 1, [a, d], t.pow(a, d)), ('exp', 0.0, [c], t.exp(c)),
                    ('log2', '', [c], t.log2(c)), ('sin', '', [c], t.sin(c)), ('atan2', '', [c, d], t.tag('atan2', c, d))]
            for name, extra, operands, result in rows:
                yield [name, len(model.CHAINS) + index, extra, *map(text, operands), text(result)]


def vectors(seed):
    r = random.Random(seed)
    yield from signed_vectors(random.Random(seed + 1))
    yield from plain_vectors(r, enumerate(map(Tower, model.CHAINS)))
    yield from special_vectors(random.Random(seed + 2), all_towers())


def deep_vectors(seed):
    yield from plain_vectors(random.Random(seed + 4), deep_towers())
    yield from special_vectors(random.Random(seed + 5), deep_towers())


def plain_vectors(r, towers):
    for index, t in towers:
        for _ in range(ROWS):
            a, b, c = (draw_payload(r, t) for _ in range(3))
            sign = r.choice([1, -1, 0, 'nan'])
            ieee = r.choice([0.0, 1.0, -1.0, -8191.0, -8192.0, -1e6, float('-inf'), float('nan')])
            n = r.choice([r.randint(-3, 3), r.randint(-66, 66), r.randint(-(1 << 31), (1 << 31) - 1)])
            rows = [('neg', '', [a], t.neg(a)), ('add', '', [a, b], t.add(a, b)),
                    ('sub', '', [a, b], t.add(a, t.neg(b))),
                    ('mul', sign, [a, b], t.mul(a, b, SIGNS[sign])), ('div', sign, [a, b], t.div(a, b, SIGNS[sign])),
                    ('fma', sign, [a, b, c], t.add(t.mul(a, b, SIGNS[sign]), c)), ('exp2', ieee, [a], t.exp2(a, ieee)),
                    ('exp', ieee, [a], t.exp(a, ieee)), ('log2', '', [a], t.log2(a)), ('sqrt', '', [a], t.sqrt(a)),
                    ('rsqrt', '', [a], t.rsqrt(a)), ('tanh', '', [a], t.tanh(a)), ('powi', n, [a], t.powi(a, n)),
                    ('pow', 1, [a, b], t.pow(a, b)), ('sin', '', [a], t.sin(a)), ('cos', '', [a], t.cos(a)),
                    ('tan', '', [a], t.tan(a)), ('erf', '', [a], t.tag('erf', a)), ('atan2', '', [a, b], t.tag('atan2', a, b))]
            if not t.is_zero(a):
                rows.append(('log', '', [a], t.log(a)))
            for name, extra, operands, result in rows:
                yield [name, index, extra, *map(text, operands), text(result)]
            b = draw_similar(r, t, a)
            verdict, decided = t.compare(a, b)
            yield ['compare', index, '', text(a), text(b), f'{verdict}.{decided}']
            n, k = r.choice([r.randint(1, 200), 1 << r.randint(0, 8)]), r.randint(-300, 300)
            for sine in (False, True):
                yield [('turn_cosine', 'turn_sine')[sine], index, f'{k}/{n}', text(t.turn(k, n, sine))]
        for name, base in (('log2e', t.log2e), ('ln2', t.ln2), ('sqrt_2_pi', t.sqrt_2_pi)):
            yield ['named', index, name, text(base)]
        yield ['chain', index, '', text(Payload(t.p))]
        for _ in range(2 * ROWS):
            landmark = r.choice([0, 1 << 63, 1, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48])
            bits = r.getrandbits(64) if r.random() < 0.9 else landmark
            yield ['embed', index, f'{bits:x}', text(t.embed(struct.unpack('<d', struct.pack('<Q', bits))[0]))]


# ---- unspecified values, choices -------------------------------------------------------------------------------------


def all_towers():
    return enumerate([Tower(chain) for chain in model.CHAINS] + [model.SignedTower(chain) for chain in model.CHAINS])


def deep_towers():
    return enumerate(map(Tower, model.DEEP_CHAINS), DEEP)


def draw_number_or_poison(r, t):
    """In signed towers: no operand of a rule that knows negative numbers."""
    if r.random() < 0.5:
        most = t.p[0] // 2 if t.length == DEEP_LENGTH else ORIGIN_MAX
        return poison(r.choice([0, 1, most, r.randrange(most)]), t.length)
    a = r.choice([t.zero, t.special(r.randrange(1, 4)), draw_payload(r, t)])
    return draw_phases(r, a, False) if isinstance(t, model.SignedTower) else a


def draw_unspecified(r, t):
    """Three operands, of which one at least is poison."""
    while True:
        operands = [draw_number_or_poison(r, t) for _ in range(3)]
        if any(a.kind == model.POISON for a in operands):
            return operands


def draw_alike(r, t, a):
    """The same but for some components or all, signs and states."""
    other = r.choice([0.25, 1])
    c = [r.randrange(p) if r.random() < other else r.choice([x, x, -x % p]) for x, p in zip(a.c, t.p)]
    b = Payload(c, a.mask & r.choice([t.all, t.all, r.randrange(t.all + 1)]), FINITE, a.sign, a.base, a.lost, r.choice([a.weak, r.randrange(t.all + 1)]))
    return draw_phases(r, b, False) if isinstance(t, model.SignedTower) else b


def special_vectors(r, towers):
    for index, t in towers:
        for _ in range(POISONED_ROWS):
            a, b, c = draw_unspecified(r, t)
            sign, ieee, n = r.choice([1, -1, 0, 'nan']), r.choice([0.0, -8192.0, float('nan')]), r.choice([0, 1, -2, 7, r.randint(-(1 << 31), (1 << 31) - 1)])
            s = SIGNS[sign]
            for name, extra, operands, result in [
                    ('neg', '', [a], t.neg(a)), ('add', '', [a, b], t.add(a, b)), ('sub', '', [a, b], t.add(a, t.neg(b))),
                    ('mul', sign, [a, b], t.mul(a, b, s)), ('div', sign, [a, b], t.div(a, b, s)),
                    ('fma', sign, [a, b, c], t.add(t.mul(a, b, s), c)), ('remainder', '', [a, b, c], t.remainder(a, b, c)),
                    ('exp2', ieee, [a], t.exp2(a, ieee)), ('exp', ieee, [a], t.exp(a, ieee)), ('log2', '', [a], t.log2(a)),
                    ('sqrt', '', [a], t.sqrt(a)), ('rsqrt', '', [a], t.rsqrt(a)), ('powi', n, [a], t.powi(a, n)),
                    ('pow', 1, [a, b], t.pow(a, b)), ('tanh', '', [a], t.tanh(a)), ('sinh', '', [a], t.sinh(a)),
                    ('cosh', '', [a], t.cosh(a)), ('sin', '', [a], t.sin(a)), ('cos', '', [a], t.cos(a)), ('tan', '', [a], t.tan(a)),
                    ('erf', '', [a], t.tag('erf', a)), ('atan2', '', [a, b], t.tag('atan2', a, b))]:
                if any(x.kind == model.POISON for x in operands):
                    yield [name, index, extra, *map(text, operands), text(result)]
        for _ in range(FIRST_ROWS):
            a = draw_alike(r, t, draw_payload(r, t))
            b = r.choice([draw_alike(r, t, a), draw_alike(r, t, a), draw_payload(r, t)])
            yield ['first', index, '', text(a), text(b), text(t.first(a, b))]
        for _ in range(FIRST_ROWS):
            a, b = (draw_phases(r, x, False) if isinstance(t, model.SignedTower) else x for x in (draw_payload(r, t), draw_payload(r, t)))
            quotient = r.choice([t.zero, t.embed(float(r.randint(-9, 9))), t.embed(float(r.randint(-(1 << 40), 1 << 40)))])
            yield ['remainder', index, '', text(a), text(b), text(quotient), text(t.remainder(a, b, quotient))]
            yield ['sinh', index, '', text(a), text(t.sinh(a))]
            yield ['cosh', index, '', text(a), text(t.cosh(a))]


def bits_of(x, width):
    return struct.pack(*(('>f', x) if width == 32 else ('>d', x))).hex()


def product_sign(x, y):
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and y == 0) or (math.isinf(y) and x == 0):
        return float('nan')
    return 0 if x == 0 or y == 0 else int(math.copysign(1, x) * math.copysign(1, y))


def draw_pair_of_numbers(r):
    x = r.choice([0.0, -0.0, 1.5, -2.25, float('inf'), float('-inf'), float('nan'), r.randint(-4000, 4000) / 64])
    return x, r.choice([x, x, -x, x + 0.5, 3.0, float('nan'), r.randint(-4000, 4000) / 64])


def choices(seed):
    return choice_vectors(random.Random(seed + 3), all_towers())


def deep_choices(seed):
    return choice_vectors(random.Random(seed + 6), deep_towers())


def choice_vectors(r, towers):
    for index, t in towers:
        for width in (32, 64):
            for _ in range(CHOICES):
                x, y = draw_pair_of_numbers(r)
                if r.random() < 0.3:
                    a, b, c = draw_unspecified(r, t)
                else:
                    a, c = draw_alike(r, t, draw_payload(r, t)), draw_payload(r, t)
                    b = r.choice([draw_alike(r, t, a), draw_alike(r, t, a), t.special(r.randrange(1, 4))])
                begin = lambda name, flag: [name, index, width, int(flag), bits_of(x, width), bits_of(y, width)]
                for propagates in (False, True):
                    yield [*begin('max', propagates), text(a), text(b), text(t.maximum(a, b, x, y, propagates))]
                    yield [*begin('min', propagates), text(a), text(b), text(t.minimum(a, b, x, y, propagates))]
                # whether the first number is the larger one chooses; where the flag is set nobody specified that
                unspecified = r.random() < 0.3
                yield [*begin('select', unspecified), text(a), text(b), text(t.select(x > y, a, b, 0 if unspecified else None))]
                if not isinstance(t, model.SignedTower):
                    yield [*begin('dot', False), text(a), text(b), text(c), text(t.dot(c, [(a, b, product_sign(x, y))]))]


def next_to(r, x, digits):
    """x rounded, sometimes moved by some units in the last place."""
    if digits == 24:
        bits = struct.unpack('<i', struct.pack('<f', x))[0]
        return struct.unpack('<f', struct.pack('<i', bits + r.choice([0, 0, 0, 0, 1, -1, 2, -2])))[0]
    bits = struct.unpack('<q', struct.pack('<d', x))[0]
    return struct.unpack('<d', struct.pack('<q', bits + r.choice([0, 0, 0, 0, 1, -1, 3, -7, 15, -15, 17, -20])))[0]


def draw_number(r, digits):
    shape, k = r.randrange(10), r.randint(-20, 20)
    n = r.choice([2, 3, 12, 24, 40, 56, 64, 72, 80, 96, 112, 128, 144, 192, 256, 512, 576, r.randint(1, 1100)])
    if shape == 0:
        return float(f'{r.random() * 10 ** r.randint(-12, 12):.{r.randint(0, 10)}e}')
    if shape == 1:
        return 2.0 ** k / r.choice([3, 5, 7, 127, 768, 1000, 50257, r.randrange(1, 70000)])
    if shape == 2:
        return r.randint(-5000, 5000) / 2 ** r.randint(0, 12)
    if shape == 3:
        return 2.0 ** k * math.sqrt(2 / math.pi) * r.choice([1, 0.044715])
    if shape <= 5:
        return 2.0 ** k * r.choice([1, 1 / math.log(2), math.log(2)]) * n ** r.choice([0.5, -0.5])
    if shape == 6:
        return n ** -0.5 * r.choice([1, 1.4426950408889634])
    if shape == 7:
        return r.choice([math.pi, 1e-5, 1e-6, 1e-8, 0.999, 0.9, 0.001, 448.0, 1 / 127, 1 / 3, 10000 ** (-2 / 128), 1e30,
                         3e-30, 1.702, 2 ** 0.25])
    if shape == 8:
        turns = r.choice([5, 16, 32, 64, 60, r.randint(1, 140)])
        angle = 2 * math.pi * r.choice([r.randint(0, 3 * turns), r.randrange(turns) * r.randrange(turns)]) / turns
        return 2.0 ** r.choice([0, 0, r.randint(-20, 20)]) * (r.choice([math.cos, math.sin])(angle) or 1.0)
    if digits == 24:
        return struct.unpack('<f', struct.pack('<I', r.randrange(1 << 20, 0x7f000000)))[0]
    return struct.unpack('<d', struct.pack('<Q', r.randrange(1 << 56, 0x7fe << 52)))[0]


def constants(seed):
    return constant_vectors(random.Random(seed), enumerate(map(Tower, model.CHAINS)), CONSTANTS)


def deep_constants(seed):
    return constant_vectors(random.Random(seed + 7), deep_towers(), DEEP_CONSTANTS)


def constant_vectors(r, numbered, most):
    towers = list(numbered)
    count = 0
    while count < most:
        digits, (index, t) = r.choice([24, 53]), towers[r.randrange(len(towers))]
        try:
            x = next_to(r, r.choice([1, 1, -1]) * draw_number(r, digits), digits)
            a = t.constant(x, digits)
        except (OverflowError, ZeroDivisionError):     # the specification's own arithmetic is too small
            continue
        assert a.mask and not a.kind or math.isinf(x) or math.isnan(x) or (t.p[0] + 1) % 11
        count += 1
        yield [digits, index, struct.pack('>d', x).hex(), text(a)]


if __name__ == '__main__':
    for path, rows in zip(sys.argv[2:8], (vectors, constants, choices, deep_vectors, deep_constants, deep_choices)):
        with open(path, 'w') as out:
            out.writelines(','.join(map(str, row)) + '\n' for row in rows(int(sys.argv[1])))
