# SPDX-License-Identifier: Apache-2.0
# Kernels in Gluon: tensor memory, mbarriers, TMA, wgmma, cp.async, packed arithmetic. make_corpus.py compiles them.
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import blackwell, hopper
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
    allocate_tensor_memory,
    clc,
    tcgen05_commit,
    tcgen05_copy,
    tcgen05_mma,
    tcgen05_mma_scaled,
)
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@gluon.jit
def tile_at(M: gl.constexpr, N: gl.constexpr, stride, layout: gl.constexpr):
    i = gl.arange(0, M, gl.SliceLayout(1, layout))
    j = gl.arange(0, N, gl.SliceLayout(0, layout))
    return i[:, None] * stride + j[None, :]


@gluon.jit
def tmem_round(x, z, M: gl.constexpr, N: gl.constexpr, VARIANT: gl.constexpr):
    # store into tensor memory, load from it in the given instruction shape
    blocked: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])
    at = tile_at(M, N, N, blocked)
    t = gl.load(x + at)
    mem = allocate_tensor_memory(x.dtype.element_ty, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    layout: gl.constexpr = mem.get_reg_layout(instr_variant=VARIANT)
    mem.store(gl.convert_layout(t, layout))
    s = mem.load(layout)
    gl.store(z + at, gl.convert_layout(s + s, blocked))


@gluon.jit
def matmul_once(x, y, z, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, LHS_TMEM: gl.constexpr):
    # z = x @ y of one tile: operands through registers into shared memory, the accumulator in tensor memory
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    dtype: gl.constexpr = x.dtype.element_ty
    a_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, K], dtype)
    b_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([K, N], dtype)
    a_reg = gl.load(x + tile_at(M, K, K, blocked))
    b_smem = gl.allocate_shared_memory(dtype, [K, N], b_layout, gl.load(y + tile_at(K, N, N, blocked)))
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    if LHS_TMEM:
        a = allocate_tensor_memory(dtype, [M, K], TensorMemoryLayout([M, K], col_stride=1))
        a.store(gl.convert_layout(a_reg, a.get_reg_layout()))
    else:
        a = gl.allocate_shared_memory(dtype, [M, K], a_layout, a_reg)
    fence_async_shared()
    tcgen05_mma(a, b_smem, acc, use_acc=False)
    tcgen05_mma(a, b_smem, acc, use_acc=True)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    d = acc.load(acc.get_reg_layout())
    out: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    gl.store(z + tile_at(M, N, N, out), gl.convert_layout(d, out))


@gluon.jit
def matmul_loop(x, y, z, K, sx, sy, sz, M: gl.constexpr, N: gl.constexpr, TK: gl.constexpr):
    # a loop over K, pointers, synchronous copies, one mbarrier whose phase flips
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [gl.num_warps(), 1], [1, 0])
    dtype: gl.constexpr = x.dtype.element_ty
    a_smem = gl.allocate_shared_memory(dtype, [M, TK], gl.NVMMASharedLayout.get_default_for([M, TK], dtype))
    b_smem = gl.allocate_shared_memory(dtype, [N, TK], gl.NVMMASharedLayout.get_default_for([N, TK], dtype))
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    x += gl.program_id(0) * M * sx
    y += gl.program_id(1) * N * sy
    phase = 0
    for k in range(0, K, TK):
        a_smem.store(gl.load(x + k + tile_at(M, TK, sx, blocked)))
        b_smem.store(gl.load(y + k + tile_at(N, TK, sy, blocked)))
        fence_async_shared()
        tcgen05_mma(a_smem, b_smem.permute((1, 0)), acc, use_acc=k > 0, mbarriers=[bar])
        mbarrier.wait(bar, phase)
        phase ^= 1
    mbarrier.invalidate(bar)
    d = acc.load(acc.get_reg_layout()).to(z.dtype.element_ty)
    at = gl.program_id(0) * M * sz + gl.program_id(1) * N + tile_at(M, N, sz, blocked)
    gl.store(z + at, gl.convert_layout(d, blocked))


@gluon.jit
def matmul_pipe(xd, yd, zd, K, STAGES: gl.constexpr):
    # TMA into a ring of buffers, one mbarrier for each; the result leaves by TMA
    M: gl.constexpr = zd.block_type.shape[0]
    N: gl.constexpr = zd.block_type.shape[1]
    TK: gl.constexpr = xd.block_type.shape[1]
    a = gl.allocate_shared_memory(xd.dtype, [STAGES] + xd.block_type.shape, xd.layout)
    b = gl.allocate_shared_memory(yd.dtype, [STAGES] + yd.block_type.shape, yd.layout)
    ready = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(ready.index(i), count=1)
    mbarrier.init(done, count=1)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    row, column = gl.program_id(0) * M, gl.program_id(1) * N
    for i in gl.static_range(STAGES - 1):
        mbarrier.expect(ready.index(i), xd.block_type.nbytes + yd.block_type.nbytes)
        tma.async_load(xd, [row, i * TK], ready.index(i), a.index(i))
        tma.async_load(yd, [column, i * TK], ready.index(i), b.index(i))
    rounds = gl.cdiv(K, TK)
    for r in range(rounds):
        ahead = r + STAGES - 1
        slot = ahead % STAGES
        more = ahead < rounds
        mbarrier.expect(ready.index(slot), xd.block_type.nbytes + yd.block_type.nbytes, pred=more)
        tma.async_load(xd, [row, ahead * TK], ready.index(slot), a.index(slot), pred=more)
        tma.async_load(yd, [column, ahead * TK], ready.index(slot), b.index(slot), pred=more)
        now = r % STAGES
        mbarrier.wait(ready.index(now), r // STAGES & 1)
        tcgen05_mma(a.index(now), b.index(now).permute((1, 0)), acc, use_acc=r > 0, mbarriers=[done])
        mbarrier.wait(done, r & 1)
    for i in gl.static_range(STAGES):
        mbarrier.invalidate(ready.index(i))
    mbarrier.invalidate(done)
    c = gl.allocate_shared_memory(zd.dtype, zd.block_type.shape, zd.layout)
    c.store(acc.load(acc.get_reg_layout()).to(zd.dtype))
    fence_async_shared()
    tma.async_store(zd, [row, column], c)
    tma.store_wait(0)


@gluon.jit
def scaled(x, xs, y, ys, z, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, PX: gl.constexpr, PY: gl.constexpr,
           VEC: gl.constexpr, FX: gl.constexpr, FY: gl.constexpr):
    # block-scaled product of one tile; scales stored into tensor memory by the threads
    blocked: gl.constexpr = gl.BlockedLayout([1, 16], [8, 4], [gl.num_warps(), 1], [1, 0])
    tx: gl.constexpr = x.dtype.element_ty
    ty: gl.constexpr = y.dtype.element_ty
    mixed: gl.constexpr = PX != PY
    lx: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, K // PX], tx, fp4_padded=mixed and PX == 2)
    ly: gl.constexpr = gl.NVMMASharedLayout.get_default_for([N, K // PY], ty, fp4_padded=mixed and PY == 2)
    a = gl.allocate_shared_memory(tx, [M, K // PX], lx, gl.load(x + tile_at(M, K // PX, K // PX, blocked)))
    b = gl.allocate_shared_memory(ty, [N, K // PY], ly, gl.load(y + tile_at(N, K // PY, K // PY, blocked)))
    sa = allocate_tensor_memory(xs.dtype.element_ty, [M, K // VEC], TensorMemoryScalesLayout())
    sb = allocate_tensor_memory(ys.dtype.element_ty, [N, K // VEC], TensorMemoryScalesLayout())
    small: gl.constexpr = gl.BlockedLayout([1, 1], [8, 4], [gl.num_warps(), 1], [1, 0])
    sa.store(gl.convert_layout(gl.load(xs + tile_at(M, K // VEC, K // VEC, small)), sa.get_reg_layout()))
    sb.store(gl.convert_layout(gl.load(ys + tile_at(N, K // VEC, K // VEC, small)), sb.get_reg_layout()))
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    fence_async_shared()
    tcgen05_mma_scaled(a, b.permute((1, 0)), acc, sa, sb, FX, FY, use_acc=False)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    out: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    gl.store(z + tile_at(M, N, N, out), gl.convert_layout(acc.load(acc.get_reg_layout()), out))


@gluon.jit
def copy_tile(x, z, M: gl.constexpr, N: gl.constexpr):
    # tcgen05.cp of f32 into an accumulator
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    layout: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=32, rank=2)
    s = gl.allocate_shared_memory(gl.float32, [M, N], layout, gl.load(x + tile_at(M, N, N, blocked)))
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    fence_async_shared()
    tcgen05_copy(s, acc)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    gl.store(z + tile_at(M, N, N, blocked), gl.convert_layout(acc.load(acc.get_reg_layout()) * 3.0, blocked))


@gluon.jit
def wgmma_loop(x, y, z, K, sx, sy, sz, M: gl.constexpr, N: gl.constexpr, TK: gl.constexpr):
    # Hopper: asynchronous products, two in flight
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [gl.num_warps(), 1], [1, 0])
    dtype: gl.constexpr = x.dtype.element_ty
    KI: gl.constexpr = 256 // dtype.primitive_bitwidth
    layout: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, N, KI])
    a = gl.allocate_shared_memory(dtype, [2, M, TK], gl.NVMMASharedLayout.get_default_for([M, TK], dtype))
    b = gl.allocate_shared_memory(dtype, [2, N, TK], gl.NVMMASharedLayout.get_default_for([N, TK], dtype))
    x += gl.program_id(0) * M * sx
    y += gl.program_id(1) * N * sy
    acc = gl.zeros((M, N), gl.float32, layout)
    for k in range(0, K, TK):
        slot = k // TK % 2
        a.index(slot).store(gl.load(x + k + tile_at(M, TK, sx, blocked)))
        b.index(slot).store(gl.load(y + k + tile_at(N, TK, sy, blocked)))
        fence_async_shared()
        acc = hopper.warpgroup_mma(a.index(slot), b.index(slot).permute((1, 0)), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=(acc, ))
    acc = hopper.warpgroup_mma_wait(0, deps=(acc, ))
    at = gl.program_id(0) * M * sz + gl.program_id(1) * N + tile_at(M, N, sz, blocked)
    gl.store(z + at, gl.convert_layout(acc.to(z.dtype.element_ty), blocked))


@gluon.jit
def cp_async(x, z, n, T: gl.constexpr, STAGES: gl.constexpr):
    # Ampere: a pipeline of cp.async groups
    blocked: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0])
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order=[0])
    mem = gl.allocate_shared_memory(gl.float32, [STAGES, T], flat)
    at = gl.arange(0, T, blocked)
    for i in gl.static_range(STAGES - 1):
        async_copy.async_load(mem.index(i), x + i * T + at)
        async_copy.commit_group()
    acc = gl.zeros([T], gl.float32, blocked)
    for r in range(n):
        ahead = r + STAGES - 1
        async_copy.async_load(mem.index(ahead % STAGES), x + ahead * T + at, mask=(ahead < n) & (at < T))
        async_copy.commit_group()
        async_copy.wait_group(STAGES - 1)
        gl.barrier()
        acc += mem.index(r % STAGES).load(blocked)
        gl.barrier()
    gl.store(z + at, acc)


@gluon.jit
def packed(x, y, z, T: gl.constexpr):
    # f32x2 arithmetic
    blocked: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0])
    at = gl.arange(0, T, blocked)
    a, b = gl.load(x + at), gl.load(y + at)
    c = blackwell.fma2(a, b, blackwell.mul2(a, a))
    gl.store(z + at, blackwell.add2(c, blackwell.sub2(a, b)))


@gluon.jit
def load_max(x, z, M: gl.constexpr, N: gl.constexpr):
    # tcgen05.ld.red
    blocked: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])
    mem = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([M, N], col_stride=1))
    layout: gl.constexpr = mem.get_reg_layout()
    mem.store(gl.convert_layout(gl.load(x + tile_at(M, N, N, blocked)), layout))
    s, r = mem.load_max(layout)
    gl.store(z + tile_at(M, N, N, blocked), gl.convert_layout(s - gl.convert_layout(r, gl.SliceLayout(1, layout))[:, None], blocked))


@gluon.jit
def add_tma(xd, zd, M: gl.constexpr, N: gl.constexpr):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    mem = gl.allocate_shared_memory(xd.dtype, [M, N], xd.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, xd.block_type.nbytes)
    tma.async_load(xd, [gl.program_id(0) * M, 0], bar, mem)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    mem.store(mem.load(blocked) * 3.0)
    fence_async_shared()
    tma.async_atomic_add(zd, [0, 0], mem)
    tma.store_wait(0)


@gluon.jit
def two_ctas(xd, yd, zd, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    # cta_group::2: a pair of CTAs multiplies 256 rows
    a = gl.allocate_shared_memory(xd.dtype, [M, K], xd.layout)
    b = gl.allocate_shared_memory(yd.dtype, [K, N], yd.layout)
    layout: gl.constexpr = TensorMemoryLayout([M // 2, N], col_stride=1, cga_layout=[[1, 0]], two_ctas=True)
    acc = allocate_tensor_memory(gl.float32, [M, N], layout)
    bar = mbarrier.allocate_mbarrier(two_ctas=True)
    done = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.init(done, count=1)
    mbarrier.expect(bar, xd.nbytes_per_cta + yd.nbytes_per_cta)
    tma.async_load(xd, [0, 0], bar, a)
    tma.async_load(yd, [0, 0], bar, b)
    mbarrier.wait(bar, 0)
    tcgen05_mma(a, b, acc, use_acc=False, mbarriers=[done])
    mbarrier.wait(done, 0)
    mbarrier.invalidate(bar)
    mbarrier.invalidate(done)
    c = gl.allocate_shared_memory(zd.dtype, [M, N], zd.layout)
    c.store(acc.load(acc.get_reg_layout()).to(zd.dtype))
    fence_async_shared()
    tma.async_store(zd, [0, 0], c)
    tma.store_wait(0)


@gluon.jit
def persistent(x, z, n, T: gl.constexpr):
    # cluster launch control: a block takes over blocks that have not begun
    blocked: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0])
    result = gl.allocate_shared_memory(gl.int64, [2], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    tile = gl.program_id(0)
    at = gl.arange(0, T, blocked)
    more, phase = True, 0
    while more:
        mbarrier.expect(bar, 16)
        clc.try_cancel(result, bar)
        gl.store(z + tile * T + at, gl.load(x + tile * T + at) * 2.0)
        mbarrier.wait(bar, phase)
        phase ^= 1
        r = clc.load_result(result)
        more = r.is_canceled()
        tile = r.program_id(0)
    mbarrier.invalidate(bar)


# Name: kernel, types of its arguments (TYPES of make_corpus.py, or a descriptor), constants, GPUs.
def desc(element, block, bits, swizzle=128, **more):
    layout = gl.NVMMASharedLayout(swizzle_byte_width=swizzle, element_bitwidth=bits, rank=2, **more)
    return "tensordesc<%s[%s],%r>" % (element, ",".join(map(str, block)), layout)


T64, T128, F32 = desc("fp16", (128, 64), 16), desc("fp16", (128, 128), 16), desc("fp32", (64, 32), 32)
ROWS, COLUMNS = dict(cga_layout=[[1, 0]]), dict(cga_layout=[[0, 1]])
PAIR = [desc("fp16", (256, 64), 16, **ROWS), desc("fp16", (64, 128), 16, **COLUMNS), desc("fp16", (256, 128), 16, **ROWS)]
SCALED = dict(M=128, N=128, K=128)
TMEM = dict(M=128, N=32)
WORKS = {
    "matmul_once_f16": (matmul_once, "hhf", dict(M=128, N=64, K=64, LHS_TMEM=False), (100,)),
    "matmul_once_bf16_m64": (matmul_once, "bbf", dict(M=64, N=32, K=32, LHS_TMEM=False), (100,)),
    "matmul_once_tmem": (matmul_once, "hhf", dict(M=128, N=64, K=64, LHS_TMEM=True), (100,)),
    "matmul_once_f8": (matmul_once, "eef", dict(M=128, N=64, K=64, LHS_TMEM=False), (100,)),
    "matmul_loop": (matmul_loop, "hhhiiii", dict(M=128, N=64, TK=64), (100,)),
    "matmul_loop_bf16": (matmul_loop, "bbfiiii", dict(M=128, N=128, TK=32), (100,)),
    "matmul_pipe": (matmul_pipe, [T64, T64, T128, "i"], dict(STAGES=3), (100,)),
    "scaled_mxfp8": (scaled, "eueuf", dict(PX=1, PY=1, VEC=32, FX="e4m3", FY="e4m3", **SCALED), (100,)),
    "scaled_mxfp4": (scaled, "uuuuf", dict(PX=2, PY=2, VEC=32, FX="e2m1", FY="e2m1", **SCALED), (100,)),
    "scaled_nvfp4": (scaled, "ueuef", dict(PX=2, PY=2, VEC=16, FX="e2m1", FY="e2m1", **SCALED), (100,)),
    "copy_tile": (copy_tile, "ff", dict(M=128, N=64), (100,)),
    "wgmma_loop": (wgmma_loop, "hhhiiii", dict(M=64, N=64, TK=64), (90,)),
    "wgmma_loop_bf16": (wgmma_loop, "bbfiiii", dict(M=64, N=128, TK=32), (90,)),
    "wgmma_f8": (wgmma_loop, "eefiiii", dict(M=64, N=64, TK=64), (90,)),
    "cp_async": (cp_async, "ffi", dict(T=512, STAGES=3), (80, 90, 100)),
    "packed": (packed, "fff", dict(T=512), (90, 100)),
    "load_max": (load_max, "ff", dict(M=128, N=64), (103,)),
    "add_tma": (add_tma, [F32, F32], dict(M=64, N=32), (90, 100)),
    "two_ctas": (two_ctas, PAIR, dict(M=256, N=128, K=64), (100,)),
    "persistent": (persistent, "ffi", dict(T=512), (100,)),
    "tmem_32x32b": (tmem_round, "ff", dict(VARIANT="32x32b", **TMEM), (100,)),
    "tmem_16x64b": (tmem_round, "ff", dict(VARIANT="16x64b", **TMEM), (100,)),
    "tmem_16x128b": (tmem_round, "ff", dict(VARIANT="16x128b", **TMEM), (100,)),
    "tmem_f16": (tmem_round, "hh", dict(VARIANT="32x32b", M=128, N=64), (100,)),
}
OPTIONS = {"two_ctas": dict(num_ctas=2)}
FPSAN_ONLY = {("packed", 90)}  # f32x2 needs sm_100
