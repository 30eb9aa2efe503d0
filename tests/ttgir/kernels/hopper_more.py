# SPDX-License-Identifier: Apache-2.0
"""More of Gluon for sm_90 and newer: rings with many rounds, operands in registers, cp.async that arrives at an mbarrier, gathers."""
import numpy as np
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait

from library import Buffer, Case, Descriptor, Launch


def tile(rows, columns, type=gl.float16):
    return gl.NVMMASharedLayout.get_default_for([rows, columns], type)


# ---- a ring of buffers ---------------------------------------------------------------------------------------------------
@gluon.jit
def load_rows(x, ring, full, empty, first, rounds, STAGES: gl.constexpr):
    for t in range(rounds):
        slot = t % STAGES
        mbarrier.wait(empty.index(slot), t // STAGES & 1 ^ 1)
        mbarrier.expect(full.index(slot), x.nbytes_per_cta)
        tma.async_load(x, [first, t * x.block_shape[1]], full.index(slot), ring.index(slot))


@gluon.jit
def square_rows(z, ring, full, empty, out, first, rounds, STAGES: gl.constexpr, layout: gl.constexpr):
    for t in range(rounds):
        slot = t % STAGES
        mbarrier.wait(full.index(slot), t // STAGES & 1)
        v = ring.index(slot).load(layout)
        mbarrier.arrive(empty.index(slot), count=1)
        tma.store_wait(1)
        out.index(t % 2).store(v * v)
        fence_async_shared()
        tma.async_store(z, [first, t * z.block_shape[1]], out.index(t % 2))
    tma.store_wait(0)


@gluon.jit
def ring(x, z, columns, STAGES: gl.constexpr):
    """z = x x: a warp loads into a ring, the others store from two buffers."""
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    rounds = columns // x.block_shape[1]
    first = gl.program_id(0) * x.block_shape[0]
    slots = gl.allocate_shared_memory(x.dtype, [STAGES] + x.block_shape, x.layout)
    out = gl.allocate_shared_memory(z.dtype, [2] + z.block_shape, z.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(STAGES):
        mbarrier.init(full.index(s), count=1)
        mbarrier.init(empty.index(s), count=1)
    gl.warp_specialize([(square_rows, (z, slots, full, empty, out, first, rounds, STAGES, layout)),
                        (load_rows, (x, slots, full, empty, first, rounds, STAGES))], [1], [24])
    for s in gl.static_range(STAGES):
        mbarrier.invalidate(full.index(s))
        mbarrier.invalidate(empty.index(s))


@triton.jit
def square(x, z, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    v = tl.load(x + at)
    tl.store(z + at, v * v)


# ---- cp.async ------------------------------------------------------------------------------------------------------------
@gluon.jit
def copy_rows(x, ring, full, empty, rounds, T: gl.constexpr, STAGES: gl.constexpr, COUNTED: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [1], [0])
    at = gl.arange(0, T, layout)
    for t in range(rounds):
        slot = t % STAGES
        mbarrier.wait(empty.index(slot), t // STAGES & 1 ^ 1)
        async_copy.async_load(ring.index(slot), x + t * T + at)
        if COUNTED:  # a phase waits for one arrival more for each thread whose copies are pending
            async_copy.mbarrier_arrive(full.index(slot))
            mbarrier.arrive(full.index(slot), count=1)
        else:
            async_copy.mbarrier_arrive(full.index(slot), increment_count=False)


@gluon.jit
def sum_rows(z, ring, full, empty, rounds, T: gl.constexpr, STAGES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    sum = gl.zeros((T,), gl.float32, layout)
    for t in range(rounds):
        slot = t % STAGES
        mbarrier.wait(full.index(slot), t // STAGES & 1)
        sum += ring.index(slot).load(layout)
        mbarrier.arrive(empty.index(slot), count=1)
    gl.store(z + gl.arange(0, T, layout), sum)


@gluon.jit
def copied(x, z, rows, T: gl.constexpr, STAGES: gl.constexpr, COUNTED: gl.constexpr):
    """The sum of rows, which one warp copies with cp.async and which arrive at mbarriers: once for each of its 32 threads."""
    slots = gl.allocate_shared_memory(gl.float32, [STAGES, T], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(STAGES):
        mbarrier.init(full.index(s), count=1 if COUNTED else 32)
        mbarrier.init(empty.index(s), count=1)
    gl.warp_specialize([(sum_rows, (z, slots, full, empty, rows, T, STAGES)), (copy_rows, (x, slots, full, empty, rows, T, STAGES, COUNTED))],
                       [1], [24])


@triton.jit
def sum_plain(x, z, rows, T: tl.constexpr):
    at, sum = tl.arange(0, T), tl.zeros((T,), tl.float32)
    for t in range(rows):
        sum += tl.load(x + t * T + at)
    tl.store(z + at, sum)


@gluon.jit
def unwritten(x, z, N: gl.constexpr):
    """BUG: half of the shared memory that is read was never written. Nothing here is asynchronous, and nobody waits."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    s = gl.allocate_shared_memory(gl.float32, [2 * N], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    s.slice(0, N).store(gl.load(x + gl.arange(0, N, layout)))
    gl.barrier()
    gl.store(z + gl.arange(0, 2 * N, layout), s.load(layout))


# ---- products ------------------------------------------------------------------------------------------------------------
@gluon.jit
def registers(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    """c = (3 a) b: a comes from registers, b from shared memory; two steps, both in flight."""
    layout: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, N, 16])
    left: gl.constexpr = gl.DotOperandLayout(0, layout, 2)
    b_s = gl.allocate_shared_memory(b.dtype, [2] + b.block_shape, b.layout)
    loaded = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(loaded, count=1)
    mbarrier.expect(loaded, 2 * b.nbytes_per_cta)
    for s in gl.static_range(2):
        tma.async_load(b, [s * K, gl.program_id(0) * N], loaded, b_s.index(s))
    i = gl.arange(0, M, gl.SliceLayout(1, left))[:, None]
    k = gl.arange(0, K, gl.SliceLayout(0, left))[None, :]
    first = gl.load(a + i * (2 * K) + k) * 3
    second = gl.load(a + i * (2 * K) + K + k) * 3
    mbarrier.wait(loaded, 0)
    acc = gl.zeros((M, N), gl.float32, layout)
    acc = warpgroup_mma(first, b_s.index(0), acc, is_async=True)
    acc = warpgroup_mma(second, b_s.index(1), acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=[acc, first, second])[0]
    io = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    jo = gl.program_id(0) * N + gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
    gl.store(c + io * (N * gl.num_programs(0)) + jo, acc)


@triton.jit
def registers_plain(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, 2 * K)
    n = N * tl.num_programs(0)
    x = tl.load(a + i[:, None] * (2 * K) + k[None, :]) * 3
    tl.store(c + i[:, None] * n + j[None, :], tl.dot(x, tl.load(b + k[:, None] * n + j[None, :])))


@gluon.jit
def fragments(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    """c = a b with mma.sync; both operands go through shared memory."""
    layout: gl.constexpr = gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=[2, 2], instr_shape=[16, 8])
    flat: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    i = gl.arange(0, M, gl.SliceLayout(1, flat))[:, None]
    k = gl.arange(0, K, gl.SliceLayout(0, flat))[None, :]
    kk = gl.arange(0, K, gl.SliceLayout(1, flat))[:, None]
    j = gl.arange(0, N, gl.SliceLayout(0, flat))[None, :]
    a_s = gl.allocate_shared_memory(gl.float16, [M, K], shared, gl.load(a + i * K + k))
    b_s = gl.allocate_shared_memory(gl.float16, [K, N], shared)
    b_s.store(gl.load(b + kk * N + j))
    gl.barrier()
    acc = mma_v2(a_s.load(gl.DotOperandLayout(0, layout, 2)), b_s.load(gl.DotOperandLayout(1, layout, 2)), gl.zeros((M, N), gl.float32, layout))
    io = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    jo = gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
    gl.store(c + io * N + jo, acc)


@triton.jit
def fragments_plain(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + j[None, :])))


# ---- elements by number --------------------------------------------------------------------------------------------------
@gluon.jit
def by_number(x, index, z, counts, N: gl.constexpr):
    """Rows and columns of a tile in shared memory by number, elements scattered along columns, and numbers counted."""
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0])
    i = gl.arange(0, N, gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
    s = gl.allocate_shared_memory(gl.float32, [N, N], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    s.store(gl.load(x + i * N + j))
    at = gl.load(index + i * N + j)
    gl.barrier()
    gl.store(z + i * N + j, s.gather(at, 0) + s.gather(at, 1))
    gl.barrier()
    s.scatter(gl.load(x + i * N + j) * 3, (i + j) % N, 0)
    gl.barrier()
    gl.store(z + N * N + i * N + j, s.load(layout))
    bins = gl.allocate_shared_memory(gl.int32, [N, N], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), gl.zeros((N, N), gl.int32, layout))
    gl.barrier()
    bins.atomic_scatter_add(j + 1, at, 1)
    gl.barrier()
    gl.store(counts + i * N + j, bins.load(layout))


def by_number_reference(b):
    x, at, n = b['X'], b['I'], 32
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    scattered = np.empty_like(x)
    scattered[(i + j) % n, np.broadcast_to(j, (n, n))] = x * 3
    counts = np.zeros((n, n), np.int32)
    np.add.at(counts, (np.broadcast_to(i, (n, n)), at), np.broadcast_to(j + 1, (n, n)))
    return {'Z': np.concatenate([np.take_along_axis(x, at, 0) + np.take_along_axis(x, at, 1), scattered]), 'C': counts}


@gluon.jit
def extremes_through_tma(x, least, most, T: gl.constexpr):
    """The smallest and the largest of all tiles of a column, by TMA's atomic operations on integers."""
    buffer = gl.allocate_shared_memory(x.dtype, x.block_shape, x.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x.nbytes_per_cta)
    tma.async_load(x, [gl.program_id(0) * T, 0], bar, buffer)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    tma.async_atomic_min(least, [0, 0], buffer)
    tma.async_atomic_max(most, [0, 0], buffer)
    tma.store_wait(0)


def extremes_reference(b):
    x = b['X'].reshape(4, 16, 32)
    return {'L': x.min(0), 'H': x.max(0)}


whole = lambda random, shape: random.integers(-1000, 1000, shape)
numbers = lambda random, shape: random.integers(0, shape[1], shape)
i32_tile = gl.NVMMASharedLayout.get_default_for([16, 32], gl.int32)
f32_tile = tile(16, 16, gl.float32)
CASES = [
    Case('ring', Launch(ring, (2, 1, 1), dict(x=Descriptor('X', [16, 16], f32_tile), z=Descriptor('Z', [16, 16], f32_tile), columns=('i32', 160), STAGES=3)),
         dict(X=Buffer('f32', (32, 160)), Z=Buffer('f32', (32, 160), 'zero')), ['Z'], lambda b: {'Z': b['X'] * b['X']},
         Launch(square, (5, 1, 1), dict(x='X', z='Z', T=1024))),
    *[Case(name, Launch(copied, (1, 1, 1), dict(x='X', z='Z', rows=('i32', 9), T=128, STAGES=2, COUNTED=counted)),
           dict(X=Buffer('f32', (9, 128)), Z=Buffer('f32', (128,), 'zero')), ['Z'], lambda b: {'Z': b['X'].astype(np.float64).sum(0)},
           Launch(sum_plain, (1, 1, 1), dict(x='X', z='Z', rows=('i32', 9), T=128)), (1e-5, 1e-5)) for name, counted in (('copied', False), ('copied_counted', True))],
    Case('registers', Launch(registers, (2, 1, 1), dict(a='A', b=Descriptor('B', [32, 32], tile(32, 32)), c='C', M=64, N=32, K=32)),
         dict(A=Buffer('f16', (64, 64)), B=Buffer('f16', (64, 64)), C=Buffer('f32', (64, 64), 'zero')), ['C'],
         lambda b: {'C': (3 * b['A']).astype(np.float64) @ b['B'].astype(np.float64)},
         Launch(registers_plain, (2, 1, 1), dict(a='A', b='B', c='C', M=64, N=32, K=32)), (1e-3, 1e-3), (90,)),
    Case('fragments', Launch(fragments, (1, 1, 1), dict(a='A', b='B', c='C', M=32, N=32, K=64)),
         dict(A=Buffer('f16', (32, 64)), B=Buffer('f16', (64, 32)), C=Buffer('f32', (32, 32), 'zero')), ['C'],
         lambda b: {'C': b['A'].astype(np.float64) @ b['B'].astype(np.float64)},
         Launch(fragments_plain, (1, 1, 1), dict(a='A', b='B', c='C', M=32, N=32, K=64)), (1e-3, 1e-3)),
    Case('by_number', Launch(by_number, (1, 1, 1), dict(x='X', index='I', z='Z', counts='C', N=32)),
         dict(X=Buffer('f32', (32, 32)), I=Buffer('i32', (32, 32), numbers), Z=Buffer('f32', (64, 32), 'zero'), C=Buffer('i32', (32, 32), 'zero')), ['Z', 'C'],
         by_number_reference),
    Case('extremes_through_tma', Launch(extremes_through_tma, (4, 1, 1), dict(x=Descriptor('X', [16, 32], i32_tile), least=Descriptor('L', [16, 32], i32_tile), most=Descriptor('H', [16, 32], i32_tile), T=16)),
         dict(X=Buffer('i32', (64, 32), whole), L=Buffer('i32', (16, 32), 'zero'), H=Buffer('i32', (16, 32), 'zero')), ['L', 'H'],
         lambda b: {'L': np.minimum(extremes_reference(b)['L'], 0), 'H': np.maximum(extremes_reference(b)['H'], 0)}),
    Case('unwritten', Launch(unwritten, (1, 1, 1), dict(x='X', z='Z', N=128)), dict(X=Buffer('f32', (128,)), Z=Buffer('f32', (256,), 'zero')), ['Z'],
         gpus=(90,), bug=True),
]
