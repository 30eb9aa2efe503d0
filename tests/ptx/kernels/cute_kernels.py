# SPDX-License-Identifier: Apache-2.0
# Kernels in CuTe DSL: element-wise functions, conversions, a reduction, a tcgen05 product with TMA; compiles them to PTX.
"""python tests/ptx/kernels/cute_kernels.py OUT     (needs nvidia-cutlass-dsl==4.8.1; no GPU)

Writes OUT/NAME.sm_XX.ptx. What it makes of `functions` holds bodies of NVIDIA's library functions and is never kept."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

WORKS = [("functions", "sm_80"), ("functions", "sm_90a"), ("functions", "sm_100a"), ("row_sum", "sm_80")]
WORKS += [("row_sum", "sm_100a"), ("gemm", "sm_100a"), ("convert", "sm_100a")]


def make_each():
    """Each in a process of its own, which has one architecture."""
    failed = False
    for work, gpu in WORKS:
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, CUTE_DSL_ARCH=gpu, CUTE_DSL_DUMP_DIR=folder)
            command = [sys.executable, os.path.abspath(__file__), gpu, work]
            made = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
            files = list(Path(folder).glob("*.ptx"))
            failed |= len(files) != 1
            if len(files) == 1:
                (Path(sys.argv[1]) / ("%s.%s.ptx" % (work, gpu.rstrip("a")))).write_text(files[0].read_text())
            else:
                print(work, gpu, "FAILED:", (made.stderr.strip().splitlines() or [""])[-1])
    sys.exit(1 if failed else 0)


if len(sys.argv) == 2:
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    make_each()
elif len(sys.argv) != 3:
    sys.exit(__doc__)

import cutlass  # noqa: E402
import cutlass.cute as cute  # noqa: E402
import cutlass.pipeline as pipeline  # noqa: E402
import cutlass.utils as utils  # noqa: E402
import cutlass.utils.blackwell_helpers as sm100  # noqa: E402
from cutlass.cute.nvgpu import cpasync, tcgen05  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor as fake  # noqa: E402


@cute.kernel
def functions_kernel(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    i = b * 128 + t
    a, c = x[i], y[i]
    r = cute.math.exp(a) / (1.0 + cute.math.exp2(c)) + cute.math.rsqrt(a) * cute.math.tanh(c) + cute.math.log(a)
    r = r + cute.math.sqrt(a) + cute.math.sin(a) * cute.math.cos(c) + cute.math.log2(c) + cute.math.exp(a, fastmath=True)
    z[i] = r


@cute.jit
def functions(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    functions_kernel(x, y, z).launch(grid=(8, 1, 1), block=(128, 1, 1))


@cute.kernel
def convert_kernel(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    r = cute.make_rmem_tensor(4, cutlass.Float32)
    for j in cutlass.range_constexpr(4):
        r[j] = x[t * 4 + j]
    v = r.load()
    h = cute.make_rmem_tensor(4, cutlass.BFloat16)
    h.store(v.to(cutlass.BFloat16))
    e = cute.make_rmem_tensor(4, cutlass.Float8E4M3FN)
    e.store(v.to(cutlass.Float8E4M3FN))
    for j in cutlass.range_constexpr(4):
        y[t * 4 + j] = h[j]
        z[t * 4 + j] = e[j]


@cute.jit
def convert(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    convert_kernel(x, y, z).launch(grid=(1, 1, 1), block=(128, 1, 1))


@cute.kernel
def row_sum_kernel(x: cute.Tensor, z: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    s = cutlass.Float32(0.0)
    for j in cutlass.range(t, 1024, 32):
        s = s + x[b, j] * x[b, j]
    s = cute.arch.warp_reduction_sum(s)
    if t == 0:
        z[b] = cute.math.rsqrt(s / 1024.0 + 1e-5)


@cute.jit
def row_sum(x: cute.Tensor, z: cute.Tensor):
    row_sum_kernel(x, z).launch(grid=(16, 1, 1), block=(32, 1, 1))


# z[M, N] = x[M, K] y[N, K]^T: one warp loads by TMA, one multiplies, all four store
TILE, STAGES, TYPE = (128, 128, 64), 3, cutlass.Float16


@cute.struct
class Shared:
    ready: cute.struct.MemRange[cutlass.Int64, STAGES * 2]
    full: cute.struct.MemRange[cutlass.Int64, 2]
    holder: cutlass.Int32


@cute.kernel
def gemm_kernel(mma: cute.TiledMma, ta: cute.CopyAtom, x: cute.Tensor, tb: cute.CopyAtom, y: cute.Tensor, z: cute.Tensor,
                la: cute.ComposedLayout, lb: cute.ComposedLayout):
    t, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    i, j, _ = cute.arch.block_idx()
    shared = utils.SmemAllocator()
    s = shared.allocate(Shared)
    a = shared.allocate_tensor(element_type=TYPE, layout=la.outer, byte_alignment=128, swizzle=la.inner)
    b = shared.allocate_tensor(element_type=TYPE, layout=lb.outer, byte_alignment=128, swizzle=lb.inner)
    tmem = utils.TmemAllocator(s.holder.ptr, barrier_for_retrieve=pipeline.NamedBarrier(barrier_id=1, num_threads=128))
    tmem.allocate(128)
    group = pipeline.CooperativeGroup
    size = cute.size_in_bytes(TYPE, cute.select(la, mode=[0, 1, 2])) + cute.size_in_bytes(TYPE, cute.select(lb, mode=[0, 1, 2]))
    load, use = pipeline.PipelineTmaUmma.create(num_stages=STAGES, producer_group=group(pipeline.Agent.Thread), consumer_group=group(pipeline.Agent.Thread),
                                                tx_count=size, barrier_storage=s.ready.data_ptr()).make_participants()
    sums, take = pipeline.PipelineUmmaAsync.create(num_stages=1, producer_group=group(pipeline.Agent.Thread), consumer_group=group(pipeline.Agent.Thread, 128),
                                                   barrier_storage=s.full.data_ptr()).make_participants()
    at = (i, j, None)
    gx, gy = cute.local_tile(x, TILE, at, proj=(1, None, 1)), cute.local_tile(y, TILE, at, proj=(None, 1, 1))
    gz = cute.local_tile(z, TILE, at, proj=(1, 1, None))
    part = mma.get_slice(0)
    px, py, pz = part.partition_A(gx), part.partition_B(gy), part.partition_C(gz)
    fa, fb = mma.make_fragment_A(a), mma.make_fragment_B(b)
    acc = mma.make_fragment_C(mma.partition_shape_C(TILE[:2]))
    one = cute.make_layout(1)
    sa, ga = cpasync.tma_partition(ta, 0, one, cute.group_modes(a, 0, 3), cute.group_modes(px, 0, 3))
    sb, gb = cpasync.tma_partition(tb, 0, one, cute.group_modes(b, 0, 3), cute.group_modes(py, 0, 3))
    tmem.wait_for_alloc()
    base = tmem.retrieve_ptr(cutlass.Float32)
    acc = cute.make_tensor(base, acc.layout)
    rounds = cute.size(gx, mode=[2])
    if warp == 1:
        for k in cutlass.range(rounds):
            slot = load.acquire_and_advance()
            cute.copy(ta, ga[(None, slot.count)], sa[(None, slot.index)], tma_bar_ptr=slot.barrier)
            cute.copy(tb, gb[(None, slot.count)], sb[(None, slot.index)], tma_bar_ptr=slot.barrier)
    if warp == 0:
        room = sums.acquire_and_advance()
        for k in cutlass.range(rounds):
            slot = use.wait_and_advance()
            for n in cutlass.range_constexpr(cute.size(fa, mode=[2])):
                cute.gemm(mma, acc, fa[None, None, n, slot.index], fb[None, None, n, slot.index], acc)
                mma.set(tcgen05.Field.ACCUMULATE, True)
            slot.release()
        room.commit()
    tmem.relinquish_alloc_permit()
    got = take.wait_and_advance()
    tiler = ((cute.size(acc, mode=[0, 0]), 32),)
    acc_parts, z_parts = cute.zipped_divide(acc, tiler), cute.zipped_divide(pz, tiler)
    copy = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x32), cutlass.Float32), acc_parts[None, 0])
    mine = copy.get_slice(t)
    src, dst = mine.partition_S(acc_parts), mine.partition_D(z_parts)
    r = cute.make_rmem_tensor(dst[None, None, 0].shape, cutlass.Float32)
    h = cute.make_rmem_tensor(dst[None, None, 0].shape, TYPE)
    for n in cutlass.range(cute.size(src, mode=[2])):
        cute.copy(copy, src[None, None, n], r)
        cute.arch.fence_view_async_tmem_load()
        h.store(r.load().to(TYPE))
        cute.autovec_copy(h, dst[None, None, n])
    got.release()
    pipeline.sync(barrier_id=1)
    tmem.free(base)


@cute.jit
def gemm(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    mma = cute.make_tiled_mma(tcgen05.MmaF16BF16Op(TYPE, cutlass.Float32, (128, 128, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM,
                                                   tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K))
    la, lb = sm100.make_smem_layout_a(mma, TILE, TYPE, STAGES), sm100.make_smem_layout_b(mma, TILE, TYPE, STAGES)
    op = cpasync.CopyBulkTensorTileG2SOp(tcgen05.CtaGroup.ONE)
    ta, tx = cute.nvgpu.make_tiled_tma_atom_A(op, x, cute.select(la, mode=[0, 1, 2]), TILE, mma)
    tb, ty = cute.nvgpu.make_tiled_tma_atom_B(op, y, cute.select(lb, mode=[0, 1, 2]), TILE, mma)
    gemm_kernel(mma, ta, tx, tb, ty, z, la, lb).launch(grid=(2, 2, 1), block=(128, 1, 1))


def rows(element, *shape):
    """A row-major tensor that need not exist."""
    return fake(element, shape, stride_order=(1, 0), **(dict(assumed_align=16) if element is TYPE else {}))


F = cutlass.Float32
ARGUMENTS = {
    "functions": lambda: (functions, fake(F, (1024,)), fake(F, (1024,)), fake(F, (1024,))),
    "convert": lambda: (convert, fake(F, (512,)), fake(cutlass.BFloat16, (512,)), fake(cutlass.Float8E4M3FN, (512,))),
    "row_sum": lambda: (row_sum, rows(F, 16, 1024), fake(F, (16,))),
    "gemm": lambda: (gemm, rows(TYPE, 256, 256), rows(TYPE, 256, 256), rows(TYPE, 256, 256)),
}
cute.compile(*ARGUMENTS[sys.argv[2]](), options="--keep-ptx --gpu-arch " + sys.argv[1])
