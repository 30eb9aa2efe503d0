# SPDX-License-Identifier: Apache-2.0
"""Writes kernels with inline assembly, and what they must give: python assembly.py ORACLE

Triton 3.9, numpy, ml_dtypes and clang 22; no GPU. Numbers are of ml_dtypes and numpy. Bits are of the real FpSan of
Triton: ORACLE is a folder with triton_fpsan_cpu.py, which runs what Triton compiled on the CPU."""
import os
import sys
import tempfile

os.environ.setdefault('TRITON_CACHE_DIR', os.path.join(tempfile.gettempdir(), 'triton-assembly-cache'))
import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import expect

HERE = os.path.dirname(os.path.abspath(__file__))
N = 64


@triton.jit
def conversions(x, e4, e5, half, brain, cut, from_half, N: tl.constexpr):
    """Two or four floats at once"""
    at = tl.arange(0, N)
    a = tl.load(x + at)
    tl.store(e4 + at, tl.inline_asm_elementwise('cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;', '=h,f,f', [a],
                                                dtype=tl.float8e4nv, is_pure=True, pack=2))
    tl.store(e5 + at, tl.inline_asm_elementwise('''
        {
        .reg .b16 lo, hi;
        cvt.rn.satfinite.e5m2x2.f32 lo, $2, $1;
        cvt.rn.satfinite.e5m2x2.f32 hi, $4, $3;
        mov.b32 $0, {lo, hi};
        }
        ''', '=r,f,f,f,f', [a], dtype=tl.float8e5, is_pure=True, pack=4))
    tl.store(half + at, tl.inline_asm_elementwise('cvt.rn.f16x2.f32 $0, $2, $1;', '=r,f,f', [a], dtype=tl.float16,
                                                  is_pure=True, pack=2))
    tl.store(brain + at, tl.inline_asm_elementwise('cvt.rn.bf16x2.f32 $0, $2, $1;', '=r,f,f', [a], dtype=tl.bfloat16,
                                                   is_pure=True, pack=2))
    tl.store(cut + at, tl.inline_asm_elementwise('cvt.rn.satfinite.f16x2.f32 $0, $2, $1;', '=r,f,f', [a],
                                                 dtype=tl.float16, is_pure=True, pack=2))
    tl.store(from_half + at, tl.inline_asm_elementwise('cvt.rn.satfinite.e4m3x2.f16x2 $0, $1;', '=h,r',
                                                       [a.to(tl.float16)], dtype=tl.float8e4nv, is_pure=True, pack=2))


@triton.jit
def plain(x, e4, e5, half, brain, cut, from_half, N: tl.constexpr):
    """The same as `conversions`, as the language says it"""
    at = tl.arange(0, N)
    a = tl.load(x + at)
    tl.store(e4 + at, a.to(tl.float8e4nv))
    tl.store(e5 + at, a.to(tl.float8e5))
    tl.store(half + at, a.to(tl.float16))
    tl.store(brain + at, a.to(tl.bfloat16))
    tl.store(cut + at, a.to(tl.float16))
    tl.store(from_half + at, a.to(tl.float16).to(tl.float8e4nv))


@triton.jit
def packed(x, fours, pair, bits, N: tl.constexpr):
    """Two floats into a byte, and into two, and a float into an integer: FpSan does not follow these"""
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(x + N + at)
    tl.store(fours + at, tl.inline_asm_elementwise('''
        {
        .reg .b8 byte0, byte1, byte2, byte3;
        cvt.rn.satfinite.e2m1x2.f32 byte0, $5, $1;
        cvt.rn.satfinite.e2m1x2.f32 byte1, $6, $2;
        cvt.rn.satfinite.e2m1x2.f32 byte2, $7, $3;
        cvt.rn.satfinite.e2m1x2.f32 byte3, $8, $4;
        mov.b32 $0, {byte0, byte1, byte2, byte3};
        }
        ''', '=r,f,f,f,f,f,f,f,f', [a, b], dtype=tl.int8, is_pure=True, pack=4))
    tl.store(pair + at, tl.inline_asm_elementwise('cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;', '=h,f,f', [a, b],
                                                  dtype=tl.int16, is_pure=True, pack=1))
    tl.store(bits + at, tl.inline_asm_elementwise('cvt.rn.relu.tf32.f32 $0, $1;', '=r,f', [a], dtype=tl.int32,
                                                  is_pure=True, pack=1))


@triton.jit
def instructions(x, z, N: tl.constexpr):
    at = tl.arange(0, N)
    a = tl.load(x + at)
    tl.store(z + at, tl.inline_asm_elementwise('tanh.approx.f32 $0, $1;', '=f,f', [a], dtype=tl.float32, is_pure=True,
                                               pack=1))
    tl.store(z + N + at, tl.inline_asm_elementwise('ex2.approx.ftz.f32 $0, $1;', '=f,f', [a], dtype=tl.float32,
                                                   is_pure=True, pack=1))
    tl.store(z + 2 * N + at, tl.inline_asm_elementwise('rcp.approx.ftz.f32 $0, $1;', '=f,f', [a], dtype=tl.float32,
                                                       is_pure=True, pack=1))
    tl.store(z + 3 * N + at, tl.inline_asm_elementwise('  rcp.approx.f32  $0,$1 ; ', '=f,f', [a], dtype=tl.float32,
                                                       is_pure=True, pack=1))
    tl.store(z + 4 * N + at, tl.inline_asm_elementwise('lg2.approx.ftz.f32 $0, $1;', '=f,f', [a], dtype=tl.float32,
                                                       is_pure=True, pack=1))


@triton.jit
def clamped(x, e4, e5, half, brain, one, rounded, N: tl.constexpr):
    """Conversions with .relu, of one float, to tf32 with ties away from zero; texts with comments"""
    at = tl.arange(0, N)
    a = tl.load(x + at)
    tl.store(e4 + at, tl.inline_asm_elementwise('cvt.rn.satfinite.relu.e4m3x2.f32 $0, $2, $1;', '=h,f,f', [a],
                                                dtype=tl.float8e4nv, is_pure=True, pack=2))
    tl.store(e5 + at, tl.inline_asm_elementwise('''
        { // four of them
        .reg .b16 lo, hi; /* two
                             registers; */
        cvt.rn.satfinite.relu.e5m2x2.f16x2 lo, $1;// the first ones
        cvt.rn.satfinite.relu.e5m2x2.f16x2 hi/**/, /* } */ $2;
        mov.b32 $0, {lo, hi};
        } // cvt.rn.f16x2.f32 $0, $1;''', '=r,r,r', [a.to(tl.float16)], dtype=tl.float8e5, is_pure=True, pack=4))
    tl.store(half + at, tl.inline_asm_elementwise('cvt.rn.relu.f16x2.f32 $0, $2, $1;', '=r,f,f', [a], dtype=tl.float16,
                                                  is_pure=True, pack=2))
    tl.store(brain + at, tl.inline_asm_elementwise('cvt.rn.relu.bf16.f32 $0, $1;', '=h,f', [a], dtype=tl.bfloat16,
                                                   is_pure=True, pack=1))
    tl.store(one + at, tl.inline_asm_elementwise('/* alone */ cvt.rn.f16.f32 $0, $1;', '=h,f', [a], dtype=tl.float16,
                                                 is_pure=True, pack=1))
    tl.store(rounded + at, tl.inline_asm_elementwise('cvt.rna.tf32.f32 $0, $1; // $0', '=r,r', [a], dtype=tl.float32,
                                                     is_pure=True, pack=1))


@triton.jit
def clamped_plain(x, e4, e5, half, brain, one, rounded, N: tl.constexpr):
    """The same as `clamped`, as the language says it"""
    at = tl.arange(0, N)
    a = tl.load(x + at)
    positive = tl.maximum(a, 0)
    tl.store(e4 + at, positive.to(tl.float8e4nv))
    tl.store(e5 + at, positive.to(tl.float16).to(tl.float8e5))
    tl.store(half + at, positive.to(tl.float16))
    tl.store(brain + at, positive.to(tl.bfloat16))
    tl.store(one + at, a.to(tl.float16))
    tl.store(rounded + at, a)


def compiled(function, signature, **options):
    source = ASTSource(fn=function, signature={**signature, 'N': 'constexpr'}, constexprs={'N': N})
    return triton.compile(source, target=GPUTarget('cuda', 100, 32), options=dict(num_warps=1, **options))


# name, type in Triton, in a case, of numpy, whether it is a float
CONVERTED = [('e4', 'fp8e4nv', 'f8e4m3fn', np.uint8), ('e5', 'fp8e5', 'f8e5m2', np.uint8),
             ('half', 'fp16', 'f16', np.uint16), ('brain', 'bf16', 'bf16', np.uint16),
             ('cut', 'fp16', 'f16', np.uint16), ('from_half', 'fp8e4nv', 'f8e4m3fn', np.uint8)]
CLAMPED = [('e4', 'fp8e4nv', 'f8e4m3fn', np.uint8), ('e5', 'fp8e5', 'f8e5m2', np.uint8),
           ('half', 'fp16', 'f16', np.uint16), ('brain', 'bf16', 'bf16', np.uint16), ('one', 'fp16', 'f16', np.uint16),
           ('rounded', 'fp32', 'f32', np.uint32)]
PACKED = [('fours', 'i8', 'i8', np.uint8), ('pair', 'i16', 'i16', np.uint16), ('bits', 'i32', 'i32', np.uint32)]


def numbers(x):
    """What each result is, by ml_dtypes; satfinite: the largest number instead of an infinity."""
    a, b = x[:N], x[N:]

    def cast(values, kind, largest=None):
        values = values if largest is None else np.clip(values, -largest, largest)
        return values.astype(kind)

    e4 = cast(a, ml_dtypes.float8_e4m3fn, 448)
    four = lambda v: np.where(np.isnan(v), 7, cast(np.nan_to_num(v, nan=0.0, posinf=6, neginf=-6), ml_dtypes.float4_e2m1fn, 6)
                              .view(np.uint8))
    byte = lambda v: cast(v, ml_dtypes.float8_e4m3fn, 448).view(np.uint8).astype(np.uint16)
    positive = np.where(a > 0, a, np.float32(0)).view(np.uint32)
    with np.errstate(over='ignore', invalid='ignore'):
        halves = a.astype(np.float16)
    return {'e4': e4, 'e5': cast(a, ml_dtypes.float8_e5m2, 57344), 'half': halves,
            'brain': cast(a, ml_dtypes.bfloat16), 'cut': cast(a, np.float16, 65504),
            'from_half': cast(halves.astype(np.float32), ml_dtypes.float8_e4m3fn, 448),
            'fours': (four(a) | four(b) << 4).astype(np.uint8), 'pair': byte(a) | byte(b) << 8,
            'bits': (positive + (1 << 12) - 1 + (positive >> 13 & 1)) & ~np.uint32((1 << 13) - 1)}


def clamped_numbers(x):
    plain = numbers(np.where(x > 0, x, np.float32(0)))
    halves = np.minimum(plain['half'].astype(np.float32), 57344)
    bits = x[:N].view(np.uint32) + np.uint32(1 << 12)
    return {'e4': plain['e4'], 'e5': halves.astype(ml_dtypes.float8_e5m2), 'half': plain['half'],
            'brain': plain['brain'], 'one': numbers(x)['half'], 'rounded': bits & ~np.uint32((1 << 13) - 1)}


def write_text(name, function, types):
    text = compiled(function, types).asm['ttir'].replace(os.path.abspath(__file__), os.path.basename(__file__))
    open(os.path.join(HERE, f'{name}.ttir'), 'w').write(text)


def write(name, values):
    np.ascontiguousarray(values).tofile(os.path.join(HERE, name))


def case(path, title, kernel, buffers, given, mode, more):
    """buffers: (name, type, elements) of results; `given`: the file of each one is assembly.NAME.GIVEN.bin."""
    lines = [f'title: {title}', 'buffers:', f'  X: {{type: f32, shape: [{2 * N}], fill: {{file: {kernel}.X.bin}}}}']
    for name, kind, count in buffers:
        lines.append(f'  {name}: {{type: {kind}, shape: [{count}], fill: zeros}}')
        lines.append(f'  E_{name}: {{type: {kind}, shape: [{count}], fill: {{file: {kernel}.{name}.{given}.bin}}}}')
    lines.append('variants:\n  given:')
    lines += [f'    - {{module: copy_{k}.ttir, grid: [{-(-c // 16)}], args: [E_{n}.ptr, {n}.ptr, i32 {c}]}}' for n, k, c in buffers]
    unused = ''.join(f', {n}.ptr' for n, _, _ in buffers)
    lines.append(f'  triton:\n    - {{module: {kernel}.ttir, grid: [1], args: [X{unused}]}}')
    lines.append(f'compare: [{", ".join(n for n, _, _ in buffers)}]\nmodes: [{mode}]\n{more}')
    open(os.path.join(HERE, path), 'w').write(expect.HEAD.replace('expect', 'assembly') + '\n'.join(lines) + '\n')


def main():
    sys.path.insert(0, sys.argv[1])
    import triton_fpsan_cpu as cpu
    random = np.random.default_rng(5)
    x = (random.standard_normal(2 * N) * np.exp2(random.integers(-12, 12, 2 * N))).astype(np.float32)
    x[:20] = [0, -0.0, 1e9, -1e9, 448, 464, 465, -500, 57344, 61440, 65520, 2**-9, 2**-10, 3 * 2**-11, 2**-16, 2**-17,
              np.inf, -np.inf, 0.25, 0.75]
    x[N:N + 10] = [2.5, 3.5, 5, 5.5, 1.25, 1.75, 0.25, -0.75, np.inf, -7]
    types_of = lambda results: {'x': '*fp32', **{n: f'*{t}' for n, t, _, _ in results}}
    kernels = [('conversions', conversions, types_of(CONVERTED), CONVERTED, [N] * len(CONVERTED)),
               ('clamped', clamped, types_of(CLAMPED), CLAMPED, [N] * len(CLAMPED)),
               ('packed', packed, types_of(PACKED), PACKED, [N] * len(PACKED)),
               ('instructions', instructions, {'x': '*fp32', 'z': '*fp32'}, [('z', 'fp32', 'f32', np.uint32)], [5 * N])]
    known = numbers(x)
    expected = {'conversions': {n: known[n] for n, *_ in CONVERTED}, 'packed': {n: known[n] for n, *_ in PACKED}}
    y = random.uniform(0.1, 3, 2 * N).astype(np.float32)
    a = y[:N].astype(np.float64)
    ties = x.copy()
    ties[30:36] = np.array([0x3f801000, 0xbf801000, 0x3f803000, 0x3f800fff, 0xbf801001, 0x7f7ff000], np.uint32).view(np.float32)
    expected['clamped'] = clamped_numbers(ties)
    expected['instructions'] = {'z': np.concatenate([np.tanh(a), np.exp2(a), 1 / a, 1 / a, np.log2(a)]).astype(np.float32)}
    write_text('conversions_plain', plain, types_of(CONVERTED))
    write_text('clamped_plain', clamped_plain, types_of(CLAMPED))
    for name, function, types, results, counts in kernels:
        data = {'instructions': y, 'clamped': ties}.get(name, x)
        write(f'{name}.X.bin', data)
        write_text(name, function, types)
        shown = [(n, k, c) for (n, _, k, _), c in zip(results, counts)]
        for n, values in expected[name].items():
            write(f'{name}.{n}.ieee.bin', values)
        bound = '1e-6' if name == 'instructions' else '0'
        tolerance = f'tolerance: {{ieee: {{rtol: {bound}, atol: {bound}}}}}'
        case(f'{name}.yaml', 'inline assembly in numbers', name, shown, 'ieee', 'ieee', 'allow: [vacuous]\n' + tolerance)
        for casts in ('mix', 'homomorphic') if name != 'packed' else ():
            kernel = compiled(function, types, instrumentation_mode='fpsan', fpsan_homomorphic_casts=casts != 'mix')
            arrays = [np.zeros(c, t) for (_, _, _, t), c in zip(results, counts)]
            cpu.launch(kernel, [data.view(np.uint32).copy(), *arrays], (1, 1, 1))
            for (n, _, kind, _), array in zip(results, arrays):
                write(f'{name}.{n}.{casts}.bin', array)
            text = f'profile: triton-3.9\ncasts: {casts}'
            case(f'{name}_{casts}.yaml', f'inline assembly in the bits of the real FpSan, casts {casts}', name, shown, casts,
                 'fpsan', text)


if __name__ == '__main__':
    main()
