# SPDX-License-Identifier: Apache-2.0
"""Writes what the kernels of this folder must give, by numpy: python expect.py (numpy, ml_dtypes). Each case compares its
kernel with a copy of NAME.E.bin."""
import os

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = '# SPDX-License-Identifier: Apache-2.0\n# Written by expect.py.\n'


def case(name, inputs, outputs, arguments, title, kernel=None, tolerance=0, allow=None, grid=1):
    lines = [f'title: {title}', 'buffers:']
    for buffer, (kind, values) in inputs.items():
        values.tofile(os.path.join(HERE, f'{name}.{buffer}.bin'))
        lines.append(f'  {buffer}: {{type: {kind}, shape: {list(values.shape)}, fill: {{file: {name}.{buffer}.bin}}}}')
    kind, values = outputs
    values.tofile(os.path.join(HERE, f'{name}.E.bin'))
    lines.append(f'  E: {{type: {kind}, shape: {list(values.shape)}, fill: {{file: {name}.E.bin}}}}')
    lines.append(f'  Z: {{type: {kind}, shape: {list(values.shape)}, fill: zeros}}')
    lines.append('variants:')
    lines.append(f'  numpy: [{{module: copy_{kind}.ttir, grid: [{-(-values.size // 16)}], '
                 f'args: [E.ptr, Z.ptr, i32 {values.size}]}}]')
    lines.append(f'  triton: [{{module: {kernel or name}.ttir, grid: [{grid}], args: [{arguments}]}}]')
    lines.append('compare: [Z]\nmodes: [ieee]')
    if allow:
        lines.append(f'allow: [{allow}]')
    lines.append(f'tolerance: {{ieee: {{rtol: {tolerance}, atol: {tolerance}}}}}')
    open(os.path.join(HERE, f'{name}.yaml'), 'w').write(HEAD + '\n'.join(lines) + '\n')


def integers():
    random = np.random.default_rng(1)
    x = random.integers(-1000, 1000, 16).astype(np.int32)
    y = random.integers(1, 90, 16).astype(np.int32) * np.where(np.arange(16) % 3 == 0, -1, 1).astype(np.int32)
    x[:3], y[:3] = [0, 2**31 - 1, -2**31 + 1], [5, 7, 1]
    y[5] = x[5]
    a, b, u, v = x.astype(object), y.astype(object), x.view(np.uint32).astype(object), y.view(np.uint32).astype(object)
    wrap = lambda values: np.array([int(w) & 0xffffffff for w in values], np.uint32).view(np.int32)
    rows = [[-(-p // q) for p, q in zip(a, b)], [p // q for p, q in zip(a, b)], [-(-p // q) for p, q in zip(u, v)],
            [min(p, q) for p, q in zip(u, v)], a * b, [int(p) >> 32 for p in a * b], [int(p) >> 32 for p in u * v],
            [(p < q) - (p >= q) + 2 * (i <= j) + 4 * (p > q) - (p <= q) for p, q, i, j in zip(u, v, a, b)],
            [3 * (p & 255) for p in a]]  # indices of 8 bits are unsigned
    case('integers', {'X': ('i32', x), 'Y': ('i32', y)}, ('i32', np.stack([wrap(r) for r in rows])), 'X.ptr, Y.ptr, Z.ptr',
         'integer ops of Triton')


WIDTHS = [(sign, bits) for sign in 'su' for bits in (8, 16, 32, 64)]


def to_integer(x, narrow, sign, bits):
    """cvt.rzi of the PTX ISA: saturates to 16 bits at least; NaN is the highest bit where x has 64 bits or the integer has."""
    wide = max(bits, 16)
    low, high = (-(1 << wide - 1), (1 << wide - 1) - 1) if sign == 's' else (0, (1 << wide) - 1)
    if np.isnan(x):
        value = 0 if narrow and bits < 64 else 1 << wide - 1
    else:
        value = high if x == np.inf else low if x == -np.inf else min(max(int(x), low), high)
    value &= (1 << bits) - 1
    return value - (1 << bits) if sign == 's' and value >> bits - 1 else value


def to_integers():
    x = np.array([160, -129, 70000, 3e9, 1e19, -1e19, np.nan, np.inf, -np.inf, 2.5, -2.5, 255.9, 32768, -0.5, 1e300, 127])
    names = {'f64': np.float64, 'f32': np.float32, 'f16': np.float16, 'bf16': ml_dtypes.bfloat16}
    body, rows = [], []
    with np.errstate(over='ignore'):
        for kind, dtype in names.items():
            body.append(f'    %{kind} = arith.truncf %f64 : tensor<16xf64> to tensor<16x{kind}>' if kind != 'f64' else
                        '    %f64 = tt.load %from : tensor<16x!tt.ptr<f64>>')
            for sign, bits in WIDTHS:
                name, row = f'{kind}_{sign}{bits}', len(rows)
                body.append(f'    %{name} = arith.fpto{sign}i %{kind} : tensor<16x{kind}> to tensor<16xi{bits}>')
                if bits < 64:
                    body.append(f'    %{name}_wide = arith.ext{sign}i %{name} : tensor<16xi{bits}> to tensor<16xi64>')
                body += [f'    %at{row} = arith.constant {16 * row} : i32', f'    %to{row} = tt.addptr %z, %at{row} : !tt.ptr<i64>, i32',
                         f'    %row{row} = tt.splat %to{row} : !tt.ptr<i64> -> tensor<16x!tt.ptr<i64>>',
                         f'    %address{row} = tt.addptr %row{row}, %lanes : tensor<16x!tt.ptr<i64>>, tensor<16xi32>',
                         f'    tt.store %address{row}, %{name}{"_wide" if bits < 64 else ""} : tensor<16x!tt.ptr<i64>>']
                values = [to_integer(float(v), kind != 'f64', sign, bits) for v in x.astype(dtype)]
                rows.append([v - (1 << 64) if v >> 63 and v > 0 else v for v in values])
    head = ['// SPDX-License-Identifier: Apache-2.0', '// Written by expect.py.', 'module {',
            '  tt.func public @to_integers(%x: !tt.ptr<f64>, %z: !tt.ptr<i64>) {',
            '    %lanes = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>',
            '    %base = tt.splat %x : !tt.ptr<f64> -> tensor<16x!tt.ptr<f64>>',
            '    %from = tt.addptr %base, %lanes : tensor<16x!tt.ptr<f64>>, tensor<16xi32>']
    open(os.path.join(HERE, 'to_integers.ttir'), 'w').write('\n'.join(head + body + ['    tt.return', '  }', '}', '']))
    case('to_integers', {'X': ('f64', x)}, ('i64', np.array(rows, np.int64)), 'X.ptr, Z.ptr',
         'floats that do not fit integers, as GPUs convert them')


def bits():
    """libdevice's functions on bits: of the low halves of X as i32, of X as i64"""
    random = np.random.default_rng(8)
    x = random.integers(-2**63 + 1, 2**63, 16) >> random.integers(0, 60, 16)
    x[:6] = [0, 1, -1, 2**40, -2**31 + 1, 2**62 + 2**31 + 2**7]
    rows, halves = [], []
    for bits, values in ((32, [int(v) & 0xffffffff for v in x]), (64, [int(v) & (2**64 - 1) for v in x])):
        text = [f'{v:0{bits}b}' for v in values]
        rows += [[t.count('1') for t in text], [len(t) - len(t.lstrip('0')) for t in text],
                 [(v & -v).bit_length() for v in values]]
        halves += [([int(t[::-1], 2) for t in text], bits),
                   ([v if v < 2**(bits - 1) else 2**bits - v for v in values], bits)]
        rows.append([int(t[0]) for t in text])
    for values, bits in halves:
        rows += [[v >> at & 0xffffffff for v in values] for at in range(0, bits, 32)]
    case('bits', {'X': ('i64', x)}, ('i32', np.array(rows, np.uint32).view(np.int32)), 'X.ptr, Z.ptr',
         "libdevice's functions on bits")


def floats():
    random = np.random.default_rng(2)
    x = random.uniform(-1.2, 1.2, 16).astype(np.float32)
    y = random.uniform(0.3, 2, 16).astype(np.float32)
    y[2] = x[2] = 0.5
    a, b = x.astype(np.float64), y.astype(np.float64)
    tower = np.log1p(abs(np.expm1(a)))
    rows = [np.minimum(a, b), np.cosh(np.sinh(np.tanh(np.tan(a)))), tower, np.arctan2(tower ** b, b),
            a / b + 1 / b + np.exp2(a),
            ((((2 + (a != b)) * 2 + 0) * 2 + (a > b)) * 2 + (a == b)) * 2 + (a <= b),
            np.concatenate([a[1::2], a[0::2]]) + np.floor(y * np.float32(10))]
    case('floats', {'X': ('f32', x), 'Y': ('f32', y)}, ('f32', np.stack(rows).astype(np.float32)), 'X.ptr, Y.ptr, Z.ptr',
         'float ops of Triton', tolerance=1e-5)


def control():
    for number, (n, values) in enumerate([(7, [10, 5, 1, 5, 42]), (2, [22, 5, 1, 5, 4]), (0, [20, 5, 1, 5, 7]),
                                          (-1, [-1, 0, 0, 0, 0])]):
        case(f'control_{number}', {}, ('i32', np.array(values, np.int32)), f'Z, i32 {n}',
             f'blocks that meet again, n = {n}', kernel='control', allow='vacuous' if n < 0 else None)


def scaled():
    random = np.random.default_rng(3)
    e2m1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])
    a = random.standard_normal((16, 64)).astype(ml_dtypes.bfloat16)
    b = random.integers(0, 256, (16, 32)).astype(np.uint8)
    s = random.integers(125, 130, (16, 2)).astype(np.uint8)
    wide = np.stack([e2m1[b & 15], e2m1[b >> 4]], -1).reshape(16, 64) * np.repeat(np.exp2(s.astype(float) - 127), 32, 1)
    c = a.astype(np.float64) @ wide.T
    case('scaled', {'A': ('bf16', a), 'B': ('i8', b), 'S': ('i8', s)}, ('f32', c.astype(np.float32)),
         'A.ptr, B.ptr, S.ptr, Z.ptr', 'bf16 by f4 with scales', tolerance=1e-4)


def returns():
    x = np.random.default_rng(4).standard_normal(16).astype(np.float32)
    z = np.zeros((8, 16), np.float32)
    for program in (0, 1, 2, 4, 5):  # of six, and two more; program 3 returns
        z[program] = x + np.float32(3)
    case('returns', {'X': ('f32', x)}, ('f32', z), 'X, Z.ptr, i32 6', 'a kernel that returns early, as Triton compiles it',
         allow='vacuous', grid=8)


def quotients():
    random = np.random.default_rng(5)
    x = random.integers(-2**31 + 1, 2**31, 12).astype(np.int32)
    y = (random.integers(1, 90, 12) * np.where(np.arange(12) % 3 == 0, -1, 1)).astype(np.int32)
    a, b, u, v = x.astype(object), y.astype(object), x.view(np.uint32).astype(object), y.view(np.uint32).astype(object)
    cut = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(a, b)]
    rows = [cut, [p - q * r for p, q, r in zip(a, b, cut)], u // v, u % v]
    wrap = lambda values: np.array([int(w) & 0xffffffff for w in values], np.uint32).view(np.int32)
    case('quotients', {'X': ('i32', x), 'Y': ('i32', y)}, ('i32', np.stack([wrap(r) for r in rows])),
         'X.ptr, Y.ptr, Z.ptr', 'quotients by zero in lanes that are masked off')


def shifted():
    x = np.random.default_rng(6).standard_normal((12, 12)).astype(np.float32)
    for padding, outside in (('nan', np.nan), ('zero', 0)):
        y = np.full((16, 16), outside, np.float32)
        y[2:14, :9] = x[:, 3:]
        case(f'shifted_{padding}', {'X': ('f32', x)}, ('f32', y), f'{{view: X, padding: {padding}}}, Z',
             f'a descriptor of the host, outside {padding}', kernel='shifted', allow='vacuous')


def copies():
    text = '''// Copies n elements, 16 to a block.
module {{
  tt.func public @copy(%x: !tt.ptr<{t}>, %z: !tt.ptr<{t}>, %n: i32) {{
    %b = tt.get_program_id x : i32
    %c16 = arith.constant 16 : i32
    %first = arith.muli %b, %c16 : i32
    %firsts = tt.splat %first : i32 -> tensor<16xi32>
    %lanes = tt.make_range {{end = 16 : i32, start = 0 : i32}} : tensor<16xi32>
    %at = arith.addi %firsts, %lanes : tensor<16xi32>
    %ns = tt.splat %n : i32 -> tensor<16xi32>
    %inside = arith.cmpi slt, %at, %ns : tensor<16xi32>
    %xs = tt.splat %x : !tt.ptr<{t}> -> tensor<16x!tt.ptr<{t}>>
    %xp = tt.addptr %xs, %at : tensor<16x!tt.ptr<{t}>>, tensor<16xi32>
    %v = tt.load %xp, %inside : tensor<16x!tt.ptr<{t}>>
    %zs = tt.splat %z : !tt.ptr<{t}> -> tensor<16x!tt.ptr<{t}>>
    %zp = tt.addptr %zs, %at : tensor<16x!tt.ptr<{t}>>, tensor<16xi32>
    tt.store %zp, %v, %inside : tensor<16x!tt.ptr<{t}>>
    tt.return
  }}
}}
'''
    for kind, text_type in (('f32', 'f32'), ('i32', 'i32'), ('f16', 'f16'), ('bf16', 'bf16'), ('i8', 'i8'), ('i16', 'i16'),
                             ('f8e4m3fn', 'f8E4M3FN'), ('f8e5m2', 'f8E5M2'),
                             ('i64', 'i64')):
        open(os.path.join(HERE, f'copy_{kind}.ttir'), 'w').write(text.format(t=text_type))


if __name__ == '__main__':
    copies()
    integers()
    bits()
    floats()
    control()
    scaled()
    returns()
    shifted()
    quotients()
    to_integers()
