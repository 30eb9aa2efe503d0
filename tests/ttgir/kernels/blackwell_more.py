# SPDX-License-Identifier: Apache-2.0
"""More of Gluon for sm_100: other shapes of tensor memory, tiles over tiles, reductions of loads, cluster launch control."""
import numpy as np
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, TensorMemoryScalesLayout, allocate_tensor_memory, clc,
                                                                 tcgen05_commit, tcgen05_copy, tcgen05_mma, tcgen05_mma_scaled)
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma

from library import Buffer, Case, Descriptor, Launch


def tile(rows, columns, type=gl.float16):
    return gl.NVMMASharedLayout.get_default_for([rows, columns], type)


# ---- a product of tiles with other layouts of tensor memory -----------------------------------------------------------
@gluon.jit
def product(a, b, c, TM: gl.constexpr, TN: gl.constexpr, K: gl.constexpr):
    """c = a b^T, one block for a tile, two steps of the depth in one commit; f16 results through packed tensor memory."""
    i, j = gl.program_id(0) * TM, gl.program_id(1) * TN
    a_s = gl.allocate_shared_memory(a.dtype, [2] + a.block_shape, a.layout)
    b_s = gl.allocate_shared_memory(b.dtype, [2] + b.block_shape, b.layout)
    loaded = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for s in gl.static_range(2):
        mbarrier.init(loaded.index(s), count=1)
        mbarrier.expect(loaded.index(s), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [i, s * (K // 2)], loaded.index(s), a_s.index(s))
        tma.async_load(b, [j, s * (K // 2)], loaded.index(s), b_s.index(s))
    mbarrier.init(done, count=1)
    acc = allocate_tensor_memory(gl.float32, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    for s in gl.static_range(2):
        mbarrier.wait(loaded.index(s), 0)
        tcgen05_mma(a_s.index(s), b_s.index(s).permute((1, 0)), acc, use_acc=s > 0)
    tcgen05_commit(done)
    mbarrier.wait(done, 0)
    halves = allocate_tensor_memory(gl.float16, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    reg: gl.constexpr = halves.get_reg_layout()
    halves.store(gl.convert_layout(acc.load().to(gl.float16), reg))
    io = i + gl.arange(0, TM, gl.SliceLayout(1, reg))[:, None]
    jo = j + gl.arange(0, TN, gl.SliceLayout(0, reg))[None, :]
    gl.store(c + io * (gl.num_programs(1) * TN) + jo, halves.load(reg))


@triton.jit
def product_plain(a, b, c, TM: tl.constexpr, TN: tl.constexpr, K: tl.constexpr):
    i, j = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    k = tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + j[None, :] * K + k[:, None])
    tl.store(c + i[:, None] * (tl.num_programs(1) * TN) + j[None, :], tl.dot(x, y).to(tl.float16))


def product_case(name, m, n, k, tm, tn):
    buffers = dict(A=Buffer('f16', (m, k)), B=Buffer('f16', (n, k)), C=Buffer('f16', (m, n), 'zero'))
    block = lambda name, rows: Descriptor(name, [rows, k // 2], tile(rows, k // 2))
    reference = lambda b: {'C': b['A'].astype(np.float64) @ b['B'].astype(np.float64).T}
    return Case(name, Launch(product, (m // tm, n // tn, 1), dict(a=block('A', tm), b=block('B', tn), c='C', TM=tm, TN=tn, K=k)), buffers, ['C'],
                reference, Launch(product_plain, (m // 64, n // 32, 1), dict(a='A', b='B', c='C', TM=64, TN=32, K=k)), (1e-2, 1e-2), (100,))


# ---- weights over scores -----------------------------------------------------------------------------------------------
@gluon.jit
def over(q, k, v, o, TM: gl.constexpr, TN: gl.constexpr, D: gl.constexpr):
    """o = (q k^T / 8)^2 v: f16 weights are stored where the f32 scores were."""
    q_s = gl.allocate_shared_memory(q.dtype, q.block_shape, q.layout)
    k_s = gl.allocate_shared_memory(k.dtype, k.block_shape, k.layout)
    v_s = gl.allocate_shared_memory(v.dtype, v.block_shape, v.layout)
    loaded = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(loaded, count=1)
    mbarrier.init(done, count=1)
    mbarrier.expect(loaded, q.nbytes_per_cta + k.nbytes_per_cta + v.nbytes_per_cta)
    tma.async_load(q, [gl.program_id(0) * TM, 0], loaded, q_s)
    tma.async_load(k, [0, 0], loaded, k_s)
    tma.async_load(v, [0, 0], loaded, v_s)
    scores = allocate_tensor_memory(gl.float32, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    acc = allocate_tensor_memory(gl.float32, [TM, D], TensorMemoryLayout([TM, D], col_stride=1))
    weights = scores.slice(0, TN // 2).reinterpret(gl.float16, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    mbarrier.wait(loaded, 0)
    tcgen05_mma(q_s, k_s.permute((1, 0)), scores, use_acc=False, mbarriers=[done])
    mbarrier.wait(done, 0)
    s = scores.load() * 0.125
    weights.store(gl.convert_layout((s * s).to(gl.float16), weights.get_reg_layout()))
    tcgen05_mma(weights, v_s, acc, use_acc=False, mbarriers=[done])
    mbarrier.wait(done, 1)
    reg: gl.constexpr = acc.get_reg_layout()
    i = gl.program_id(0) * TM + gl.arange(0, TM, gl.SliceLayout(1, reg))[:, None]
    j = gl.arange(0, D, gl.SliceLayout(0, reg))[None, :]
    gl.store(o + i * D + j, acc.load(reg))


@triton.jit
def over_plain(q, k, v, o, TM: tl.constexpr, TN: tl.constexpr, D: tl.constexpr):
    i, j, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, D)
    s = tl.dot(tl.load(q + i[:, None] * D + d[None, :]), tl.load(k + j[None, :] * D + d[:, None])) * 0.125
    tl.store(o + i[:, None] * D + d[None, :], tl.dot((s * s).to(tl.float16), tl.load(v + j[:, None] * D + d[None, :])))


def over_reference(b):
    s = b['Q'].astype(np.float64) @ b['K'].astype(np.float64).T / 8
    return {'O': s**2 @ b['V'].astype(np.float64)}


# ---- loads that reduce -------------------------------------------------------------------------------------------------
@gluon.jit
def reductions(x, z, N: gl.constexpr):
    """Smallest and largest of the rows with the tile itself; of absolute values; with NaN."""
    t = allocate_tensor_memory(gl.float32, [128, N], TensorMemoryLayout([128, N], col_stride=1))
    reg: gl.constexpr = t.get_reg_layout()
    i = gl.arange(0, 128, gl.SliceLayout(1, reg))
    j = gl.arange(0, N, gl.SliceLayout(0, reg))
    t.store(gl.load(x + i[:, None] * N + j[None, :]))
    tile1, least = t.load_min(reg)
    tile2, most = t.load_max(reg)
    tile3, size = t.load_max(reg, abs=True)
    row = gl.arange(0, 128, least.type.layout)
    gl.store(z + row, least)
    gl.store(z + 128 + row, most)
    gl.store(z + 256 + row, size)
    gl.store(z + 384 + i[:, None] * N + j[None, :], tile1 + tile2 + tile3)


@triton.jit
def reductions_plain(x, z, N: tl.constexpr):
    i, j = tl.arange(0, 128), tl.arange(0, N)
    t = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(z + i, tl.min(t, 1))
    tl.store(z + 128 + i, tl.max(t, 1))
    tl.store(z + 256 + i, tl.max(tl.abs(t), 1))
    tl.store(z + 384 + i[:, None] * N + j[None, :], t + t + t)


def reductions_reference(b):
    x = b['X']
    return {'Z': np.concatenate([x.min(1), x.max(1), abs(x).max(1), (x + x + x).ravel()])}


# ---- cluster launch control ----------------------------------------------------------------------------------------------
@gluon.jit
def canceling(x, z, N: gl.constexpr, T: gl.constexpr):
    """z = 3 x: blocks take the work of blocks that have not begun."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    result = gl.allocate_shared_memory(gl.int64, [2], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    tile = gl.program_id(0)
    more = True
    phase = 0
    while more:
        mbarrier.expect(bar, 16)
        clc.try_cancel(result, bar)
        at = tile * T + gl.arange(0, T, layout)
        gl.store(z + at, gl.load(x + at) * 3)
        mbarrier.wait(bar, phase)
        answer = clc.load_result(result)
        more = answer.is_canceled()
        tile = answer.program_id(0)
        phase ^= 1


@triton.jit
def three_times(x, z, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    tl.store(z + at, tl.load(x + at) * 3)


# ---- scales that are copied, of four bits -------------------------------------------------------------------------------
@gluon.jit
def scaled(a, b, c, a_scale, b_scale, K: gl.constexpr):
    """One nvfp4 product; scales in blocks of 32 x 16 bytes, copied by tcgen05.cp. b is N x K."""
    a_s = gl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    b_s = gl.allocate_shared_memory(b.dtype, b.block_shape, b.layout)
    sa_s = gl.allocate_shared_memory(a_scale.dtype, a_scale.block_shape, a_scale.layout)
    sb_s = gl.allocate_shared_memory(b_scale.dtype, b_scale.block_shape, b_scale.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta + a_scale.nbytes_per_cta + b_scale.nbytes_per_cta)
    tma.async_load(a, [0, 0], bar, a_s)
    tma.async_load(b, [0, 0], bar, b_s)
    tma.async_load(a_scale, [0, 0, 0, 0, 0], bar, sa_s)
    tma.async_load(b_scale, [0, 0, 0, 0, 0], bar, sb_s)
    mbarrier.wait(bar, 0)
    sa = allocate_tensor_memory(a_scale.dtype, [128, K // 16], TensorMemoryScalesLayout())
    sb = allocate_tensor_memory(b_scale.dtype, [128, K // 16], TensorMemoryScalesLayout())
    tcgen05_copy(sa_s.reshape([1, K // 64, 32, 4, 4]).permute([0, 3, 2, 1, 4]).reshape([128, K // 16]), sa)
    tcgen05_copy(sb_s.reshape([1, K // 64, 32, 4, 4]).permute([0, 3, 2, 1, 4]).reshape([128, K // 16]), sb)
    acc = allocate_tensor_memory(gl.float32, [128, 128], TensorMemoryLayout([128, 128], col_stride=1))
    tcgen05_mma_scaled(a_s, b_s.permute((1, 0)), acc, sa, sb, 'e2m1', 'e2m1', use_acc=False)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 1)
    out: gl.constexpr = acc.get_reg_layout()
    io = gl.arange(0, 128, gl.SliceLayout(1, out))[:, None]
    jo = gl.arange(0, 128, gl.SliceLayout(0, out))[None, :]
    gl.store(c + io * 128 + jo, acc.load(out))


@triton.jit
def scaled_plain(a, b, c, a_scale, b_scale, K: tl.constexpr):
    i, k, s = tl.arange(0, 128), tl.arange(0, K // 2), tl.arange(0, K // 16)
    x = tl.load(a + i[:, None] * (K // 2) + k[None, :])
    y = tl.load(b + i[None, :] * (K // 2) + k[:, None])
    # Row 32 q + r, scale 4 p + s lie at byte 512 p + 16 r + 4 q + s.
    at = (s // 4)[None, :] * 512 + (i % 32)[:, None] * 16 + (i // 32)[:, None] * 4 + (s % 4)[None, :]
    z = tl.dot_scaled(x, tl.load(a_scale + at), 'e2m1', y, tl.load(b_scale + at), 'e2m1')
    tl.store(c + i[:, None] * 128 + i[None, :], z)


E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])


def scaled_reference(b):
    def numbers(values, scales):
        scales = scales.astype(np.float64).reshape(-1, 32, 4, 4).transpose(2, 1, 0, 3).reshape(128, -1)
        return E2M1[np.stack([values & 15, values >> 4], -1).reshape(128, -1)] * np.repeat(scales, 16, 1)
    return {'C': numbers(b['A'], b['SA']) @ numbers(b['B'], b['SB']).T}


bits = lambda random, shape: random.integers(0, 256, shape)
few = lambda random, shape: random.uniform(0.25, 2, shape)
K4 = 128
block4 = lambda name: Descriptor(name, [128, K4 // 2], tile(128, K4 // 2, gl.uint8))
scales4 = lambda name: Descriptor(name, [1, 1, 2, 2, 256], gl.NVMMASharedLayout(0, 8, 5))
CASES = [
    product_case('product_64_rows', 128, 128, 64, 64, 64),
    product_case('product_narrow', 128, 32, 32, 128, 16),
    product_case('product_wide', 128, 256, 32, 128, 256),
    Case('over', Launch(over, (2, 1, 1), dict(q=Descriptor('Q', [128, 32], tile(128, 32)), k=Descriptor('K', [64, 32], tile(64, 32)), v=Descriptor('V', [64, 32], tile(64, 32)), o='O', TM=128, TN=64, D=32)),
         dict(Q=Buffer('f16', (256, 32)), K=Buffer('f16', (64, 32)), V=Buffer('f16', (64, 32)), O=Buffer('f32', (256, 32), 'zero')), ['O'],
         over_reference, Launch(over_plain, (4, 1, 1), dict(q='Q', k='K', v='V', o='O', TM=64, TN=64, D=32)), (1e-2, 1e-2), (100,)),
    Case('reductions', Launch(reductions, (1, 1, 1), dict(x='X', z='Z', N=32)), dict(X=Buffer('f32', (128, 32)), Z=Buffer('f32', (384 + 4096,), 'zero')), ['Z'],
         reductions_reference, Launch(reductions_plain, (1, 1, 1), dict(x='X', z='Z', N=32)), (0, 0), (103,)),
    Case('canceling', Launch(canceling, (6, 1, 1), dict(x='X', z='Z', N=768, T=128)), dict(X=Buffer('f32', (768,)), Z=Buffer('f32', (768,), 'zero')), ['Z'],
         lambda b: {'Z': 3 * b['X']}, Launch(three_times, (6, 1, 1), dict(x='X', z='Z', T=128)), (0, 0), (100,)),
    Case('scaled_nvfp4_copied', Launch(scaled, (1, 1, 1), dict(a=block4('A'), b=block4('B'), c='C', a_scale=scales4('SA'), b_scale=scales4('SB'), K=K4)),
         dict(A=Buffer('i8', (128, K4 // 2), bits), B=Buffer('i8', (128, K4 // 2), bits), C=Buffer('f32', (128, 128), 'zero'), SA=Buffer('f8e4m3fn', (1, 1, 2, 2, 256), few), SB=Buffer('f8e4m3fn', (1, 1, 2, 2, 256), few)), ['C'],
         scaled_reference, Launch(scaled_plain, (1, 1, 1), dict(a='A', b='B', c='C', a_scale='SA', b_scale='SB', K=K4)), (2e-2, 2e-1), (100,),
         no_ptx=True),  # the emulator refuses the offset of its matrix descriptors
]
