# SPDX-License-Identifier: Apache-2.0
"""Writes vectors of dots and block-scaled dots, computed by the real Triton's FpSan mode on the CPU.

    python3 make_dots.py ORACLE_FOLDER SEED DOTS.csv SCALED.csv

ORACLE_FOLDER holds triton_fpsan_cpu.py, which compiles a Triton kernel with FpSan and runs it without a GPU (it needs
triton 3.9.0, numpy, ml_dtypes and clang-22). Rows are in the format of vectors.h: each is one element of a product of
matrices, with the row of a and the column of b that it comes from. Elements are random bits, so infinities, NaN and
subnormals are among them."""
import csv
import importlib.util
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import numpy as np
import triton_fpsan_cpu as cpu

# Name in tl.dot_scaled or Triton: (bits, pointer type, type in the vector file)
ELEMENTS = {
    'fp16': (16, 'fp16', 'fp16'), 'bf16': (16, 'bf16', 'bf16'),
    'fp32': (32, 'fp32', 'fp32'), 'fp64': (64, 'fp64', 'fp64'),
    'e4m3': (8, 'fp8e4nv', 'fp8e4nv'), 'e5m2': (8, 'fp8e5', 'fp8e5'), 'e2m1': (4, 'u8', 'f4e2m1fn'),
    'e8m0': (8, 'u8', 'f8e8m0fnu'),
}
LANGUAGE = {'fp16': 'float16', 'fp32': 'float32', 'fp64': 'float64'}
DTYPE = {4: 'u1', 8: 'u1', 16: 'u2', 32: 'u4', 64: 'u8'}
M, N, SAMPLES = 16, 16, 16

# The PTX byte permutation, which Triton uses for 4-bit elements: each selector nibble picks one of the eight bytes of
# b:a, or its sign.
PERMUTE = '''
uint32_t emu_prmt(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t pick = selector >> 4 * i & 15, byte = bytes >> 8 * (pick & 7) & 255;
        if (pick & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}
'''


def emulate_permute():
    plain = cpu.to_cpu

    def to_cpu(text):
        text = plain(text)
        if '@llvm.nvvm.prmt(' not in text:
            return text
        lines = [line for line in text.split('\n') if not (line.startswith('declare') and '@llvm.nvvm.prmt(' in line)]
        return '\n'.join(lines).replace('@llvm.nvvm.prmt(', '@emu_prmt(') + '\ndeclare i32 @emu_prmt(i32, i32, i32)\n'

    cpu.to_cpu = to_cpu
    cpu.RT += PERMUTE


def load_kernel(lines):
    path = os.path.join(tempfile.mkdtemp(), 'kernel.py')
    with open(path, 'w') as out:
        out.write('\n'.join(['import triton, triton.language as tl', '@triton.jit', *lines, '']))
    spec = importlib.util.spec_from_file_location('kernel', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.product


def random_bits(rng, element, shape):
    bits = ELEMENTS[element][0]
    return rng.integers(0, (1 << bits) - 1, size=shape, dtype='u8', endpoint=True).astype(DTYPE[bits])


def pack(values, axis):
    """Two 4-bit elements in a byte, the first in the low half."""
    even, odd = (np.take(values, range(i, values.shape[axis], 2), axis) for i in (0, 1))
    return np.ascontiguousarray(even | odd << 4)


def hexadecimal(values):
    return [f'{int(v):x}' for v in values]


def dot_rows(rng, a, b, accumulator, k, precision, options):
    source = ['def product(a, b, c, o, K: tl.constexpr):',
              f'    m, n, k = tl.arange(0, {M})[:, None], tl.arange(0, {N})[None, :], tl.arange(0, K)',
              f'    x, y = tl.load(a + m * K + k[None, :]), tl.load(b + k[:, None] * {N} + n)',
              f'    z = tl.load(c + m * {N} + n)',
              f'    z = tl.dot(x, y, z, out_dtype=tl.{LANGUAGE[accumulator]}, input_precision={precision!r})',
              f'    tl.store(o + m * {N} + n, z)']
    x, y, c = random_bits(rng, a, (M, k)), random_bits(rng, b, (k, N)), random_bits(rng, accumulator, (M, N))
    out = np.zeros_like(c)
    pointer = {name: '*' + ELEMENTS[e][1] for name, e in (('a', a), ('b', b), ('c', accumulator), ('o', accumulator))}
    cpu.launch(cpu.compile_fpsan(load_kernel(source), {**pointer, 'K': 'constexpr'}, {'K': k}, options), [x, y, c, out])
    name = 'dot_homomorphic' if options else 'dot'
    types = '|'.join(ELEMENTS[e][2] for e in (a, b, accumulator))
    for _ in range(SAMPLES):
        i, j = rng.integers(M), rng.integers(N)
        yield [name, types, accumulator, *hexadecimal(x[i]), *hexadecimal(y[:, j]), *hexadecimal([c[i, j], out[i, j]])]


def scaled_rows(rng, a, a_scale, b, b_scale, block, k, options):
    """a_scale, b_scale: e8m0, e4m3 or None for an operand of 16 bits."""
    packed = [ELEMENTS[e][0] == 4 for e in (a, b)]
    rows, columns = (f'K // {2 if p else 1}' for p in packed)
    source = ['def product(a, sa, b, sb, c, o, K: tl.constexpr):',
              f'    m, n = tl.arange(0, {M})[:, None], tl.arange(0, {N})[None, :]',
              f'    x = tl.load(a + m * ({rows}) + tl.arange(0, {rows})[None, :])',
              f'    y = tl.load(b + tl.arange(0, {columns})[:, None] * {N} + n)',
              f'    blocks = tl.arange(0, K // {block})[None, :]']
    for scale, name, lines in ((a_scale, 'sa', M), (b_scale, 'sb', N)):
        load = f'tl.load({name} + tl.arange(0, {lines})[:, None] * (K // {block}) + blocks)'
        source.append(f'    {name}_values = {load if scale else None}')
    source += [f'    z = tl.load(c + m * {N} + n)',
               f'    z = tl.dot_scaled(x, sa_values, {a!r}, y, sb_values, {b!r}, z, out_dtype=tl.float32)',
               f'    tl.store(o + m * {N} + n, z)']
    x, y, c = random_bits(rng, a, (M, k)), random_bits(rng, b, (k, N)), random_bits(rng, 'fp32', (M, N))
    sx, sy = (random_bits(rng, s or 'e8m0', (lines, k // block)) for s, lines in ((a_scale, M), (b_scale, N)))
    for scales, scale in ((sx, a_scale), (sy, b_scale)):
        if scale == 'e8m0':  # the ends of the range, and one
            scales.flat[:6] = [0, 255, 1, 254, 127, 255]
    out = np.zeros_like(c)
    parameters = {'a': a, 'sa': a_scale or 'e8m0', 'b': b, 'sb': b_scale or 'e8m0', 'c': 'fp32', 'o': 'fp32'}
    pointer = {name: '*' + ELEMENTS[e][1] for name, e in parameters.items()}
    arguments = [pack(x, 1) if packed[0] else x, sx, pack(y, 0) if packed[1] else y, sy, c, out]
    cpu.launch(cpu.compile_fpsan(load_kernel(source), {**pointer, 'K': 'constexpr'}, {'K': k}, options), arguments)
    types = '|'.join([ELEMENTS[a][2], ELEMENTS[a_scale][2] if a_scale else 'none', ELEMENTS[b][2],
                      ELEMENTS[b_scale][2] if b_scale else 'none', 'fp32'])
    name = f'dot_scaled.{block}' + ('_homomorphic' if options else '')
    for sample in range(SAMPLES):
        i, j = (sample % 6, sample % 5) if sample < 8 else (rng.integers(M), rng.integers(N))
        yield [name, types, 'fp32', *hexadecimal(x[i]), *hexadecimal(sx[i] if a_scale else []), *hexadecimal(y[:, j]),
               *hexadecimal(sy[j] if b_scale else []), *hexadecimal([c[i, j], out[i, j]])]


HOMOMORPHIC = {'fpsan_homomorphic_casts': True}
# a, b, accumulator, k, input precision, options
DOTS = [
    ('fp16', 'fp16', 'fp32', 32, 'ieee', None), ('fp16', 'fp16', 'fp16', 32, 'ieee', None),
    ('bf16', 'bf16', 'fp32', 32, 'ieee', None), ('fp32', 'fp32', 'fp32', 32, 'ieee', None),
    ('fp32', 'fp32', 'fp32', 32, 'tf32', None), ('fp64', 'fp64', 'fp64', 16, 'ieee', None),
    ('e4m3', 'e4m3', 'fp32', 32, 'ieee', None), ('e5m2', 'e5m2', 'fp32', 32, 'ieee', None),
    ('e4m3', 'e4m3', 'fp16', 32, 'ieee', None), ('e5m2', 'e5m2', 'fp16', 32, 'ieee', None),
    ('e4m3', 'e5m2', 'fp32', 32, 'ieee', None), ('fp16', 'fp16', 'fp32', 64, 'ieee', HOMOMORPHIC),
    ('e4m3', 'e4m3', 'fp16', 64, 'ieee', HOMOMORPHIC)]
# a, its scale, b, its scale, block, k, options
SCALED = [(a, 'e8m0', b, 'e8m0', 32, 64, None) for a in ('e4m3', 'e5m2', 'e2m1') for b in ('e4m3', 'e5m2', 'e2m1')]
SCALED += [
    ('e4m3', 'e8m0', 'fp16', None, 32, 64, None), ('fp16', None, 'e5m2', 'e8m0', 32, 64, None),
    ('e2m1', 'e8m0', 'fp16', None, 32, 64, None), ('bf16', None, 'e4m3', 'e8m0', 32, 64, None),
    ('e2m1', 'e8m0', 'bf16', None, 32, 64, None), ('e2m1', 'e4m3', 'e2m1', 'e4m3', 16, 64, None),
    ('e2m1', 'e8m0', 'e2m1', 'e8m0', 16, 64, None), ('e4m3', 'e8m0', 'fp16', None, 32, 64, HOMOMORPHIC),
    ('e4m3', 'e8m0', 'e2m1', 'e8m0', 32, 64, HOMOMORPHIC)]


def write(path, make, cases, seed):
    with open(path, 'w') as out:
        writer = csv.writer(out, lineterminator='\n')
        for i, case in enumerate(cases):
            writer.writerows(make(np.random.default_rng([seed, i]), *case))


if __name__ == '__main__':
    emulate_permute()
    write(sys.argv[3], dot_rows, DOTS, int(sys.argv[2]))
    write(sys.argv[4], scaled_rows, SCALED, int(sys.argv[2]))
