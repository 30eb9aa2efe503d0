# SPDX-License-Identifier: Apache-2.0
# The kernel of Gluon that the benchmark times beside `matmul` of triton_kernels.py, with the same tiles: warps with a task each. To
# make it anew, with a Python that has Triton 3.9:
#   python bench/gluon_kernels.py bench
import os
import re
import sys
import tempfile

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "0")  # said, so that Triton does not warn
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.experimental import gluon
from triton.experimental.gluon import GluonASTSource
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_commit, tcgen05_mma
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@gluon.jit
def load_blocks(xd, yd, x, y, full, empty, rounds, STAGES: gl.constexpr):
    row, column = gl.program_id(0) * xd.block_type.shape[0], gl.program_id(1) * yd.block_type.shape[1]
    for r in range(rounds):
        slot = r % STAGES
        mbarrier.wait(empty.index(slot), r // STAGES & 1 ^ 1)
        mbarrier.expect(full.index(slot), xd.block_type.nbytes + yd.block_type.nbytes)
        tma.async_load(xd, [row, r * xd.block_type.shape[1]], full.index(slot), x.index(slot))
        tma.async_load(yd, [r * yd.block_type.shape[0], column], full.index(slot), y.index(slot))


@gluon.jit
def multiply_blocks(x, y, acc, full, empty, done, rounds, STAGES: gl.constexpr):
    for r in range(rounds):
        slot = r % STAGES
        mbarrier.wait(full.index(slot), r // STAGES & 1)
        tcgen05_mma(x.index(slot), y.index(slot), acc, use_acc=r > 0, mbarriers=[empty.index(slot)])
    tcgen05_commit(done)


@gluon.jit
def store_block(zd, z, acc, done, PARTS: gl.constexpr):
    mbarrier.wait(done, 0)
    width: gl.constexpr = zd.block_type.shape[1]
    for p in gl.static_range(PARTS):
        v = acc.slice(p * width, width).load()
        tma.store_wait(0)
        gl.barrier()
        z.store(v)
        fence_async_shared()
        gl.barrier()
        tma.async_store(zd, [gl.program_id(0) * zd.block_type.shape[0], (gl.program_id(1) * PARTS + p) * width], z)
    tma.store_wait(0)


@gluon.jit
def matmul(xd, yd, zd, depth, STAGES: gl.constexpr, PARTS: gl.constexpr):
    """z = x y; a warp loads, a warp issues products, four store the result in parts; grid (rows, columns)."""
    TM: gl.constexpr = xd.block_type.shape[0]
    TN: gl.constexpr = yd.block_type.shape[1]
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
    acc = allocate_tensor_memory(gl.float32, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    rounds = gl.cdiv(depth, xd.block_type.shape[1])
    gl.warp_specialize([(store_block, (zd, z, acc, done, PARTS)),
                        (load_blocks, (xd, yd, x, y, full, empty, rounds, STAGES)),
                        (multiply_blocks, (x, y, acc, full, empty, done, rounds, STAGES))], [1, 1], [48, 48])  # fmt: skip


def tile(rows, columns, element, bits):
    layout = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=bits, rank=2)
    return "tensordesc<%s[%d,%d],%r>" % (element, rows, columns, layout)


TYPES = [tile(128, 64, "fp16", 16), tile(64, 128, "fp16", 16), tile(128, 32, "fp32", 32), "i32"]
CONSTANTS = {"STAGES": 4, "PARTS": 4}


def ttgir(kernel, types, constants):
    names, target = kernel.arg_names, GPUTarget("cuda", 100, 32)
    signature = {name: types[i] if i < len(types) else "constexpr" for i, name in enumerate(names)}
    source = GluonASTSource(kernel, signature, {(names.index(k),): v for k, v in constants.items()}, {(3,): [["tt.divisibility", 16]]})
    backend = make_backend(target)
    options, stages, context = backend.parse_options(dict(num_warps=4, **source.parse_options())), {}, ir.context()
    backend.add_stages(stages, options, source.language)
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    for stage in ("glir", "ttgir"):
        module = stages[stage](module, {})
    return re.sub(r'loc\("[^"]*/([^"/]+\.py)"', r'loc("\1"', str(module))


if __name__ == "__main__":
    open(os.path.join(sys.argv[1], "gluon_matmul.ttgir"), "w").write(ttgir(matmul, TYPES, CONSTANTS))
    sys.stdout.flush()
    os._exit(0)  # without the complaints of Triton's bindings
