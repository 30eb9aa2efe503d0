# SPDX-License-Identifier: Apache-2.0
"""Gluon in clusters of two blocks: tiles that both hold a half of, multicast, products of the pair, a barrier of the cluster."""
import numpy as np
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_commit, tcgen05_mma, tcgen05_mma_barrier_count
from triton.experimental.gluon.language.nvidia.hopper import cluster, fence_async_shared, mbarrier, tma

from library import Buffer, Case, Descriptor, Launch


def tile(rows, columns, cga, type=gl.float16):
    return gl.NVMMASharedLayout.get_default_for([rows, columns], type, cga_layout=cga)


ROWS, COLUMNS, BOTH = [[1, 0]], [[0, 1]], [[0, 0]]


@gluon.jit
def sums(x, z, M: gl.constexpr, N: gl.constexpr):
    """Sums of columns of a tile whose rows are shared by the two blocks of a cluster."""
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0], cga_layout=[[1, 0]])
    i = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
    sum = gl.sum(gl.load(x + (gl.program_id(0) * M + i) * N + j), 0)
    gl.store(z + gl.program_id(0) * N + gl.arange(0, N, gl.SliceLayout(0, layout)), sum)


@triton.jit
def sums_plain(x, z, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    tl.store(z + tl.program_id(0) * N + j, tl.sum(tl.load(x + i[:, None] * N + j[None, :]), 0))


@gluon.jit
def copy_split(x, z, M: gl.constexpr):
    """A tile in and out through TMA; each block of the cluster has a half of its rows."""
    s = gl.allocate_shared_memory(x.dtype, x.block_shape, x.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x.nbytes_per_cta)
    tma.async_load(x, [gl.program_id(0) * M, 0], bar, s)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    tma.async_store(z, [gl.program_id(0) * M, 0], s)
    tma.store_wait(0)


@gluon.jit
def copy_multicast(x, z, M: gl.constexpr, N: gl.constexpr):
    """One load puts the tile into the shared memory of both blocks; each stores half of its double."""
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0], cga_layout=[[1, 0]])
    s = gl.allocate_shared_memory(x.dtype, x.block_shape, x.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    mbarrier.expect(bar, x.nbytes_per_cta)
    tma.async_load(x, [gl.program_id(0) * M, 0], bar, s, multicast=True)
    mbarrier.wait(bar, 0)
    i = gl.program_id(0) * M + gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
    gl.store(z + i * N + j, s.load(layout) * 2)


@triton.jit
def double(x, z, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    tl.store(z + i[:, None] * N + j[None, :], tl.load(x + i[:, None] * N + j[None, :]) * 2)


@gluon.jit
def product_multicast(a, b, c, K: gl.constexpr):
    """c = a b: each block multiplies a half of the rows; b comes to both at once; two steps of the depth, one buffer."""
    M: gl.constexpr = c.block_shape[0]
    N: gl.constexpr = c.block_shape[1]
    a_s = gl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    b_s = gl.allocate_shared_memory(b.dtype, b.block_shape, b.layout)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M // 2, N], col_stride=1, cga_layout=[[1, 0]]))
    loaded = mbarrier.allocate_mbarrier()
    done = mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    mbarrier.init(done, count=tcgen05_mma_barrier_count([a_s, b_s], multicast=True, two_ctas=False))
    cluster.barrier()
    phase = 0
    for k in range(0, 2 * K, K):
        mbarrier.expect(loaded, a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [gl.program_id(0) * M, k], loaded, a_s)
        tma.async_load(b, [k, 0], loaded, b_s, multicast=True)
        mbarrier.wait(loaded, phase)
        tcgen05_mma(a_s, b_s, acc, use_acc=k > 0, multicast=True, mbarriers=[done])
        mbarrier.wait(done, phase)
        phase ^= 1
    c_s = gl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    c_s.store(acc.load().to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [gl.program_id(0) * M, 0], c_s)
    tma.store_wait(0)
    cluster.barrier()


@gluon.jit
def product_pair(a, b, c):
    """c = a b as one product of both blocks (cta_group::2): each holds half of the rows of a and half of the columns of b."""
    M: gl.constexpr = c.block_shape[0]
    N: gl.constexpr = c.block_shape[1]
    a_s = gl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    b_s = gl.allocate_shared_memory(b.dtype, b.block_shape, b.layout)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M // 2, N], col_stride=1, cga_layout=[[1, 0]], two_ctas=True))
    loaded = mbarrier.allocate_mbarrier(two_ctas=True)
    done = mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    mbarrier.init(done, count=1)
    mbarrier.expect(loaded, a.nbytes_per_cta + b.nbytes_per_cta)
    tma.async_load(a, [gl.program_id(0) * M, 0], loaded, a_s)
    tma.async_load(b, [0, 0], loaded, b_s)
    mbarrier.wait(loaded, 0)
    tcgen05_mma(a_s, b_s, acc, use_acc=False, mbarriers=[done])
    mbarrier.wait(done, 0)
    mbarrier.invalidate(loaded)
    mbarrier.invalidate(done)
    c_s = gl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    c_s.store(acc.load().to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [gl.program_id(0) * M, 0], c_s)
    tma.store_wait(0)


@triton.jit
def product_plain(a, b, c, TM: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, N), tl.arange(0, K)
    x, y = tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + j[None, :])
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(x, y).to(tl.float16))


def product_case(name, kernel, k, constants, b_cga):
    buffers = dict(A=Buffer('f16', (256, k)), B=Buffer('f16', (k, 64)), C=Buffer('f16', (256, 64), 'zero'))
    depth = k // 2 if constants else k
    arguments = dict(a=Descriptor('A', [256, depth], tile(256, depth, ROWS)), b=Descriptor('B', [depth, 64], tile(depth, 64, b_cga)),
                     c=Descriptor('C', [256, 64], tile(256, 64, ROWS)), **constants)  # fmt: skip
    return Case(name, Launch(kernel, (1, 1, 1), arguments, blocks=2), buffers, ['C'],
                lambda b: {'C': b['A'].astype(np.float64) @ b['B'].astype(np.float64)},
                Launch(product_plain, (4, 1, 1), dict(a='A', b='B', c='C', TM=64, N=64, K=k)), (1e-2, 1e-2), (100,))


CASES = [
    Case('cluster_sums', Launch(sums, (2, 1, 1), dict(x='X', z='Z', M=32, N=32), blocks=2), dict(X=Buffer('f32', (64, 32)), Z=Buffer('f32', (2, 32), 'zero')), ['Z'],
         lambda b: {'Z': b['X'].astype(np.float64).reshape(2, 32, 32).sum(1)}, Launch(sums_plain, (2, 1, 1), dict(x='X', z='Z', M=32, N=32)), (1e-5, 1e-5)),
    Case('cluster_copy', Launch(copy_split, (2, 1, 1), dict(x=Descriptor('X', [64, 64], tile(64, 64, ROWS)), z=Descriptor('Z', [64, 64], tile(64, 64, ROWS)), M=64), blocks=2),
         dict(X=Buffer('f16', (100, 64)), Z=Buffer('f16', (100, 64), 'zero')), ['Z'], lambda b: {'Z': b['X']}),
    Case('cluster_multicast', Launch(copy_multicast, (2, 1, 1), dict(x=Descriptor('X', [64, 32], tile(64, 32, BOTH, gl.float32)), z='Z', M=64, N=32), blocks=2),
         dict(X=Buffer('f32', (128, 32)), Z=Buffer('f32', (128, 32), 'zero')), ['Z'], lambda b: {'Z': 2 * b['X']},
         Launch(double, (2, 1, 1), dict(x='X', z='Z', M=64, N=32))),
    product_case('cluster_product_multicast', product_multicast, 64, dict(K=32), BOTH),
    product_case('cluster_product_pair', product_pair, 32, {}, COLUMNS),
]
