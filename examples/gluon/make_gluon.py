# SPDX-License-Identifier: Apache-2.0
# Makes the TTGIR and TTIR of the examples here, without a GPU:
#   pip install triton==3.9.0 numpy; python examples/gluon/make_gluon.py [NAME...]
# Sources are named by their path in this repository, so that every clone makes the same bytes.
import os
import re
import sys
import tempfile
import types

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "0")  # said, so that Triton does not warn
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.experimental.gluon import GluonASTSource
from triton.experimental.gluon import language as gl

FOLDER = "examples/gluon"


def load(path):
    """The module of a file, whose functions know it by its relative path."""
    module = types.ModuleType(path)
    module.__file__ = path
    sys.modules[path] = module
    exec(compile(open(path).read(), path, "exec"), module.__dict__)
    return module


def tile(rows, columns, element="fp16", bits=16):
    """A tensor descriptor of such tiles, with 128 bytes of swizzle."""
    layout = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=bits, rank=2)
    return "tensordesc<%s[%d,%d],%r>" % (element, rows, columns, layout)


ATTENTION, GEMM = load(FOLDER + "/attention.py").attention, load("examples/ptx/gemm_gluon.py").gemm_specialised
PLAIN = load(FOLDER + "/gemm_triton.py").gemm
FLASH = [tile(128, 64), tile(64, 64), tile(64, 64), "*fp16", "i32", "i32", "fp32"]
TILES = [tile(128, 64), tile(64, 64), tile(128, 64), "i32"]
# file: kernel, types of parameters, constants
KERNELS = {
    "attention": (ATTENTION, FLASH, dict(GROUP=2, STAGES=2, WAITS=True)),
    "attention_bug": (ATTENTION, FLASH, dict(GROUP=2, STAGES=2, WAITS=False)),
    "gemm": (GEMM, TILES, dict(STAGES=3, WAITS=True)),
    "gemm_plain": (PLAIN, ["*fp16", "*fp16", "*fp16", "i32", "i32", "i32"], dict(TM=64, TN=64, TK=64)),
}


def text(kernel, types, constants, gpu=100):
    """TTGIR of a kernel of Gluon, TTIR of one of Triton."""
    names, target, is_gluon = kernel.arg_names, GPUTarget("cuda", gpu, 32), kernel.is_gluon()
    signature = {name: types[i] if i < len(types) else "constexpr" for i, name in enumerate(names)}
    aligned = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(types) if kind[0] == "*" or kind == "i32"}
    source = (GluonASTSource if is_gluon else ASTSource)(kernel, signature, {(names.index(k),): v for k, v in constants.items()}, aligned)
    backend = make_backend(target)
    options, stages, context = backend.parse_options(dict(num_warps=4, **source.parse_options())), {}, ir.context()
    backend.add_stages(stages, options, source.language)
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    for stage in ("glir", "ttgir") if is_gluon else ("ttir",):
        module = stages[stage](module, {})
    return re.sub(r'"[^"]*/site-packages/', '"', str(module)), "ttgir" if is_gluon else "ttir"


for name in sys.argv[1:] or KERNELS:
    made, ending = text(*KERNELS[name])
    open(os.path.join(FOLDER, "%s.%s" % (name, ending)), "w").write(made)
sys.stdout.flush()
os._exit(0)  # without the complaints of Triton's bindings
