# SPDX-License-Identifier: Apache-2.0
# Makes the PTX of the kernels in *_gluon.py, without a GPU, and prints the launch that a case file needs for each:
#   pip install triton==3.9.0 numpy; python examples/ptx/make_gluon.py [NAME...]
# Sources are named by their path in this repository, so that every clone makes the same bytes.
import os
import re
import sys
import tempfile
import types

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

FOLDER = "examples/ptx"


def load(name):
    """The module of a file, whose functions know it by its relative path."""
    path = os.path.join(FOLDER, name + ".py")
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = path
    exec(compile(open(path).read(), path, "exec"), module.__dict__)
    return module


def tile(rows, columns, element="fp16", bits=16):
    """A tensor map with this box and 128 bytes of swizzle."""
    layout = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=bits, rank=2)
    return "tensordesc<%s[%d,%d],%r>" % (element, rows, columns, layout)


A, G = load("attention_gluon"), load("gemm_gluon")
FLASH = [tile(128, 64), tile(64, 64), tile(64, 64), tile(128, 64), "i32", "i32", "fp32"]
GEMM = [tile(128, 64), tile(128, 64), tile(128, 64), "i32"]
# file: kernel, types of parameters, constants, GPU
KERNELS = {
    "attention": (A.attention, FLASH, dict(GROUP=2, RESCALED=64), 100),
    "attention_bug": (A.attention, FLASH, dict(GROUP=2, RESCALED=32), 100),
    "gemm_specialised": (G.gemm_specialised, [tile(128, 64), tile(64, 64), tile(128, 64), "i32"],
                         dict(STAGES=3, WAITS=True), 100),
    "gemm_missing_wait": (G.gemm_specialised, [tile(128, 64), tile(64, 64), tile(128, 64), "i32"],
                          dict(STAGES=3, WAITS=False), 100),
    "gemm_wgmma": (G.gemm_wgmma, [tile(64, 64), tile(64, 64), "*fp16", "i32", "i32"], dict(STAGES=4), 90),
    "gemm_plain": (G.gemm_plain, ["*fp16", "*fp16", "*fp16", "i32", "i32"], dict(M=32, N=32), 80),
}


def build(kernel, types, constants, gpu):
    names = kernel.arg_names
    signature = {name: types[i] if i < len(types) else "constexpr" for i, name in enumerate(names)}
    aligned = {(i, ): [["tt.divisibility", 16]] for i, kind in enumerate(types) if kind[0] == "*" or kind == "i32"}
    source = GluonASTSource(kernel, signature, {(names.index(k), ): v for k, v in constants.items()}, aligned)
    return triton.compile(source, target=GPUTarget("cuda", gpu, 32), options={"num_warps": 4})


def arguments(kernel, types):
    """What stands in `args`, in the order of the entry's parameters: a map is followed by its sizes and strides."""
    out = []
    for name, kind in zip(kernel.arg_names, types):
        if kind.startswith("tensordesc"):
            box = kind[kind.index("["):kind.index("]") + 1].replace(",", ", ")
            out.append("{map: {buffer: %s, box: %s, swizzle: 128}}" % (name, box))
            out += ["i32 ROWS", "i32 COLUMNS", "i64 COLUMNS", "i64 1"]
        else:
            out.append(name if kind[0] == "*" else {"i32": "i32", "fp32": "f32"}[kind] + " " + name)
    return ", ".join(out + ["{scratch: 0}", "{scratch: 0}"])


for name in sys.argv[1:] or KERNELS:
    made = build(*KERNELS[name])
    with open(os.path.join(FOLDER, name + ".ptx"), "w") as file:
        file.write(re.sub(r'"[^"]*/site-packages/', '"', made.asm["ptx"]))
    print("{module: %s.ptx, grid: [], shared: %d,\n args: [%s]}" %
          (name, made.metadata.shared, arguments(*KERNELS[name][:2])))
