# SPDX-License-Identifier: Apache-2.0
# Exports the cuTile kernels of the given folders as Tile IR bytecode, NAME.tileirbc for each row of EXPORTS.
"""python export.py FOLDER...     (needs `pip install cuda-tile==1.7.0`, no GPU)

Every *.py file of a folder that defines EXPORTS is exported:

    EXPORTS = {"matmul": (matmul, [array(ct.float16, 2), array(ct.float16, 2), array(ct.float32, 2), 64, 64, 32])}

The list describes the kernel's parameters in order: array(...) for an array, a dtype for a scalar, a Python number for
a compile-time constant. A file that needs newer bytecode than 13.1 says VERSION = "13.3".

Bytecode holds the paths of its source files, so the sources get the path they have below /src, and cuTile's own
/src/cuda/tile/..., whatever folder they lie in; the same sources then give the same bytes everywhere."""

import linecache
import sys
import types
from pathlib import Path

import cuda.tile as ct
import cuda.tile._stub as stub
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, ScalarConstraint, export_kernel

ROOT = Path(__file__).resolve().parent.parent
VERSION, GPU = "13.1", "sm_100"


def array(dtype, rank, index=ct.int32, **more):
    """A row-major array of any size, 16-byte aligned, that shares no memory with another parameter."""
    return ArrayConstraint(
        dtype,
        rank,
        index_dtype=index,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1],
        base_addr_divisible_by=16,
        **more,
    )


def register_source(text, neutral):
    """Lets Python, and so cuTile, find the source text of a path that does not exist."""
    linecache.cache[neutral] = (len(text), None, text.splitlines(keepends=True), neutral)


def neutralise_cutile():
    """Methods such as tile.reshape are inlined from cuTile's own source: gives that one its neutral path as well."""
    neutral = "/src/cuda/tile/_stub.py"
    register_source(Path(stub.__file__).read_text(), neutral)
    for holder in [stub, *(c for c in vars(stub).values() if isinstance(c, type) and c.__module__ == stub.__name__)]:
        for function in vars(holder).values():
            function = getattr(function, "__wrapped__", function)
            if isinstance(function, types.FunctionType) and function.__code__.co_filename == stub.__file__:
                function.__code__ = function.__code__.replace(co_filename=neutral)


def load_module(path):
    """Runs a source file under its neutral path and returns its names."""
    text, neutral = path.read_text(), "/src/" + path.relative_to(ROOT).as_posix()
    register_source(text, neutral)
    names = {"__name__": path.stem, "__file__": neutral}
    exec(compile(text, neutral, "exec"), names)
    return names


def export_folder(folder):
    for path in sorted(folder.glob("*.py")):
        if "\nEXPORTS = " not in path.read_text():
            continue
        module = load_module(path)
        for name, (kernel, parameters) in module["EXPORTS"].items():
            constraints = [ScalarConstraint(p) if isinstance(p, ct.DType) else p for p in parameters]
            signature = KernelSignature(constraints, CallingConvention.cutile_python_v1())
            export_kernel(
                kernel,
                [signature],
                folder / (name + ".tileirbc"),
                gpu_code=GPU,
                output_format="tileir_bytecode",
                bytecode_version=module.get("VERSION", VERSION),
            )
            print(f"{folder.relative_to(ROOT)}/{name}.tileirbc")


if __name__ == "__main__":
    sys.modules["export"] = sys.modules["__main__"]  # what a kernel file means by `from export import array`
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    neutralise_cutile()
    for argument in sys.argv[1:]:
        export_folder(Path(argument).resolve())
