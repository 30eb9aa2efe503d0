# SPDX-License-Identifier: Apache-2.0
# z = x y^T in Gluon, three times: for Blackwell with a warp for each of loading and multiplying, for Hopper with wgmma,
# and for any GPU with sums of products, which needs nothing of the rest.
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_mma
from triton.experimental.gluon.language.nvidia.blackwell import tcgen05_commit
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


# ---- warps with a task each: blocks [128, 64] of x and y go through a ring in shared memory ----------------------------
@gluon.jit
def load_blocks(xd, yd, x, y, full, empty, rounds, STAGES: gl.constexpr, WAITS: gl.constexpr):
    row, column = gl.program_id(0) * xd.block_type.shape[0], gl.program_id(1) * yd.block_type.shape[0]
    for r in range(rounds):
        slot = r % STAGES
        if WAITS:
            mbarrier.wait(empty.index(slot), r // STAGES & 1 ^ 1)  # the products that read the slot are done
        mbarrier.expect(full.index(slot), xd.block_type.nbytes + yd.block_type.nbytes)
        tma.async_load(xd, [row, r * xd.block_type.shape[1]], full.index(slot), x.index(slot))
        tma.async_load(yd, [column, r * yd.block_type.shape[1]], full.index(slot), y.index(slot))


@gluon.jit
def multiply_blocks(x, y, acc, full, empty, done, rounds, STAGES: gl.constexpr):
    for r in range(rounds):
        slot = r % STAGES
        mbarrier.wait(full.index(slot), r // STAGES & 1)
        tcgen05_mma(x.index(slot), y.index(slot).permute((1, 0)), acc, use_acc=r > 0, mbarriers=[empty.index(slot)])
    tcgen05_commit(done)


@gluon.jit
def store_block(zd, z, acc, done):
    mbarrier.wait(done, 0)
    z.store(acc.load(acc.get_reg_layout()).to(zd.dtype))
    fence_async_shared()
    tma.async_store(zd, [gl.program_id(0) * zd.block_type.shape[0], gl.program_id(1) * zd.block_type.shape[1]], z)
    tma.store_wait(0)


@gluon.jit
def gemm_specialised(xd, yd, zd, K, STAGES: gl.constexpr, WAITS: gl.constexpr):
    """WAITS: the loading warp waits until a slot of the ring is free; it always has to."""
    M: gl.constexpr = zd.block_type.shape[0]
    N: gl.constexpr = zd.block_type.shape[1]
    x = gl.allocate_shared_memory(xd.dtype, [STAGES] + xd.block_type.shape, xd.layout)
    y = gl.allocate_shared_memory(yd.dtype, [STAGES] + yd.block_type.shape, yd.layout)
    z = gl.allocate_shared_memory(zd.dtype, zd.block_type.shape, zd.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    mbarrier.init(done, count=1)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    rounds = gl.cdiv(K, xd.block_type.shape[1])
    gl.warp_specialize([(store_block, (zd, z, acc, done)),
                        (load_blocks, (xd, yd, x, y, full, empty, rounds, STAGES, WAITS)),
                        (multiply_blocks, (x, y, acc, full, empty, done, rounds, STAGES))], [1, 1], [24, 24])
    for i in gl.static_range(STAGES):
        mbarrier.invalidate(full.index(i))
        mbarrier.invalidate(empty.index(i))
    mbarrier.invalidate(done)


# ---- wgmma -----------------------------------------------------------------------------------------------------------
@gluon.jit
def offsets(M: gl.constexpr, N: gl.constexpr, stride, layout: gl.constexpr):
    i = gl.arange(0, M, gl.SliceLayout(1, layout))
    j = gl.arange(0, N, gl.SliceLayout(0, layout))
    return i[:, None] * stride + j[None, :]


@gluon.jit
def gemm_wgmma(xd, yd, z, K, stride, STAGES: gl.constexpr):
    """Blocks by TMA, one product in flight while the next block is waited for."""
    M: gl.constexpr = xd.block_type.shape[0]
    N: gl.constexpr = yd.block_type.shape[0]
    TK: gl.constexpr = xd.block_type.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, N, 16])
    x = gl.allocate_shared_memory(xd.dtype, [STAGES, M, TK], xd.layout)
    y = gl.allocate_shared_memory(yd.dtype, [STAGES, N, TK], yd.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
    row, column = gl.program_id(0) * M, gl.program_id(1) * N
    rounds = gl.cdiv(K, TK)
    acc = gl.zeros((M, N), gl.float32, layout)
    for i in gl.static_range(STAGES - 2):
        mbarrier.expect(full.index(i), xd.block_type.nbytes + yd.block_type.nbytes)
        tma.async_load(xd, [row, i * TK], full.index(i), x.index(i))
        tma.async_load(yd, [column, i * TK], full.index(i), y.index(i))
    for r in range(rounds):
        ahead = r + STAGES - 2
        slot = ahead % STAGES
        more = ahead < rounds
        mbarrier.expect(full.index(slot), xd.block_type.nbytes + yd.block_type.nbytes, pred=more)
        tma.async_load(xd, [row, ahead * TK], full.index(slot), x.index(slot), pred=more)
        tma.async_load(yd, [column, ahead * TK], full.index(slot), y.index(slot), pred=more)
        now = r % STAGES
        mbarrier.wait(full.index(now), r // STAGES & 1)
        acc = hopper.warpgroup_mma(x.index(now), y.index(now).permute((1, 0)), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=(acc, ))
    acc = hopper.warpgroup_mma_wait(0, deps=(acc, ))
    for i in gl.static_range(STAGES):
        mbarrier.invalidate(full.index(i))
    gl.store(z + row * stride + column + offsets(M, N, stride, layout), acc.to(z.dtype.element_ty))


# ---- plain -----------------------------------------------------------------------------------------------------------
@gluon.jit
def gemm_plain(x, y, z, K, stride, M: gl.constexpr, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [4, 8], [gl.num_warps(), 1], [1, 0])
    i = gl.program_id(0) * M + gl.arange(0, M, gl.SliceLayout(1, layout))
    j = gl.program_id(1) * N + gl.arange(0, N, gl.SliceLayout(0, layout))
    acc = gl.zeros((M, N), gl.float32, layout)
    for k in range(K):
        a = gl.load(x + i * K + k).to(gl.float32)
        b = gl.load(y + j * K + k).to(gl.float32)
        acc += a[:, None] * b[None, :]
    gl.store(z + i[:, None] * stride + j[None, :], acc.to(z.dtype.element_ty))
