# SPDX-License-Identifier: Apache-2.0
"""Writes products with scales, of which some are absent, and the bits that they give in the real FpSan of Triton:
python scales.py ORACLE    (as assembly.py)"""
import os
import sys
import tempfile

os.environ.setdefault('TRITON_CACHE_DIR', os.path.join(tempfile.gettempdir(), 'triton-scales-cache'))
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import expect

HERE = os.path.dirname(os.path.abspath(__file__))
M, N, K = 16, 16, 64


@triton.jit
def scales(a, sa, b, sb, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FA: tl.constexpr, FB: tl.constexpr,
           HA: tl.constexpr, HB: tl.constexpr):
    """A product of one tile; the scales of an operand are there if its H is"""
    m, n = tl.arange(0, M), tl.arange(0, N)
    KA: tl.constexpr = K // 2 if FA == 'e2m1' else K
    KB: tl.constexpr = K // 2 if FB == 'e2m1' else K
    ka, kb, ks = tl.arange(0, KA), tl.arange(0, KB), tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * KA + ka[None, :])
    y = tl.load(b + kb[:, None] * N + n[None, :])
    sx = tl.load(sa + m[:, None] * (K // 32) + ks[None, :]) if HA else None
    sy = tl.load(sb + n[:, None] * (K // 32) + ks[None, :]) if HB else None
    tl.store(z + m[:, None] * N + n[None, :], tl.dot_scaled(x, sx, FA, y, sy, FB))


TYPES = {'e4m3': ('*fp8e4nv', np.uint8, 'f8e4m3fn'), 'e2m1': ('*u8', np.uint8, 'i8'), 'bf16': ('*bf16', np.uint16, 'bf16'),
         'fp16': ('*fp16', np.uint16, 'f16')}
KERNELS = [('left', 'e4m3', 'e4m3', True, False), ('right', 'e4m3', 'e2m1', False, True), ('fours', 'e2m1', 'e2m1', True, False),
           ('bf16', 'bf16', 'e2m1', False, True), ('fp16', 'fp16', 'e4m3', False, True)]


def write(name, fa, fb, ha, hb, cpu):
    signature = dict(a=TYPES[fa][0], sa='*u8', b=TYPES[fb][0], sb='*u8', z='*fp32',
                     **{c: 'constexpr' for c in ('M', 'N', 'K', 'FA', 'FB', 'HA', 'HB')})
    constants = dict(M=M, N=N, K=K, FA=fa, FB=fb, HA=ha, HB=hb)

    def compiled(**options):
        source = ASTSource(scales, signature, constants)
        return triton.compile(source, target=GPUTarget('cuda', 90, 32), options=dict(num_warps=1, num_stages=1, **options))

    def put(what, array):
        array.tofile(os.path.join(HERE, f'scales_{name}.{what}.bin'))

    random = np.random.default_rng(3)
    depth = lambda kind: K // 2 if kind == 'e2m1' else K
    values = lambda kind, shape: random.integers(0, 2**(8 * np.dtype(TYPES[kind][1]).itemsize), shape).astype(TYPES[kind][1])
    a, b = values(fa, (M, depth(fa))), values(fb, (depth(fb), N))
    sa, sb = (random.integers(120, 134, (n, K // 32)).astype(np.uint8) for n in (M, N))
    for what, array in dict(A=a, B=b, SA=sa, SB=sb).items():
        put(what, array)
    text = compiled().asm['ttir'].replace(os.path.abspath(__file__), os.path.basename(__file__))
    open(os.path.join(HERE, f'scales_{name}.ttir'), 'w').write(text)
    for casts in ('mix', 'homomorphic'):
        z = np.zeros((M, N), np.uint32)
        kernel = compiled(instrumentation_mode='fpsan', fpsan_homomorphic_casts=casts != 'mix')
        cpu.launch(kernel, [a.copy(), sa.copy(), b.copy(), sb.copy(), z], (1, 1, 1))
        put(casts, z)
        buffers = [('A', TYPES[fa][2], a.shape, 'A'), ('SA', 'i8', sa.shape, 'SA'), ('B', TYPES[fb][2], b.shape, 'B'),
                   ('SB', 'i8', sb.shape, 'SB'), ('E', 'f32', z.shape, casts)]
        lines = ['title: a product with scales in the bits of the real FpSan', 'buffers:']
        lines += [f'  {n}: {{type: {t}, shape: {list(s)}, fill: {{file: scales_{name}.{f}.bin}}}}' for n, t, s, f in buffers]
        lines += [f'  Z: {{type: f32, shape: {list(z.shape)}}}', 'variants:',
                  f'  given: [{{module: copy_f32.ttir, grid: [{M * N // 16}], args: [E.ptr, Z.ptr, i32 {M * N}]}}]',
                  f'  triton: [{{module: scales_{name}.ttir, grid: [1], args: [A, SA, B, SB, Z]}}]',
                  f'compare: [Z]\nmodes: [fpsan]\nprofile: triton-3.9\ncasts: {casts}']
        open(os.path.join(HERE, f'scales_{name}_{casts}.yaml'), 'w').write(
            expect.HEAD.replace('expect', 'scales') + '\n'.join(lines) + '\n')


def main():
    sys.path.insert(0, sys.argv[1])
    import triton_fpsan_cpu as cpu
    for row in KERNELS:
        write(*row, cpu)


if __name__ == '__main__':
    main()
