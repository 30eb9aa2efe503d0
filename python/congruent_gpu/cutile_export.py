# SPDX-License-Identifier: Apache-2.0
"""Kernels of cuTile Python as bytecode of Tile IR that fpdiff reads; no GPU is needed.

Bytecode holds paths of sources. Inside `neutral_paths()` they become those below the sources' root, with /src in front,
so that the same sources give the same bytes everywhere, and reports of fpdiff find the lines in any work tree."""

import contextlib
import functools
import io
import linecache
import re
import warnings
from pathlib import Path

import cuda.tile as ct
from cuda.tile._bytecode.debug_info import DebugAttrTable
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._compile import parse_bytecode_version
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, export_kernel

from .errors import RecordError

GPU = "sm_100"
# Types of fpdiff, and what cuTile calls them. Of integers fpdiff knows no sign.
TYPES = {
    "f64": "float64",
    "f32": "float32",
    "tf32": "tfloat32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f8e8m0fnu": "float8_e8m0fnu",
    "f4e2m1fn": "float4_e2m1fn",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u64": "uint64",
    "u32": "uint32",
    "u16": "uint16",
    "u8": "uint8",
    "i1": "bool_",
}


def type_name(dtype):
    """A type of cuTile as case files have it."""
    name = next((ours for ours, theirs in TYPES.items() if getattr(ct, theirs, None) is dtype), str(dtype))
    return "i" + name[1:] if re.fullmatch(r"u\d+", name) else name


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


# ---- paths of sources


def find_root(path):
    """The work tree of git around a file, else its folder."""
    return next((folder for folder in path.parents if (folder / ".git").exists()), path.parent)


def neutral_path(name, root=None):
    """The path of a source as bytecode has it. Below `root`, or what find_root() finds; of installed packages below the
    folder that they are in."""
    if "/" not in name or name.startswith("<") or (name.startswith("/src/") and not Path(name).exists()):
        return name
    path = Path(name).resolve()
    for number in range(len(path.parts) - 1, 0, -1):
        if path.parts[number] in ("site-packages", "dist-packages"):
            return "/src/" + "/".join(path.parts[number + 1 :])
    base = root if root is not None and path.is_relative_to(root) else find_root(path)
    return "/src/" + path.relative_to(base).as_posix()


def neutralise(root=None):
    """Bytecode has neutral paths from here on. Returns a function that ends this."""
    neutral = functools.cache(lambda name: neutral_path(name, root))
    old_file, old_location = DebugAttrTable.file, DebugAttrTable.loc

    def file(table, name, folder):
        folder, _, name = neutral(f"{folder}/{name}").rpartition("/")
        return old_file(table, name, folder)

    def location(table, scope, name, line, column):
        return old_location(table, scope, neutral(name), line, column)

    def undo():
        DebugAttrTable.file, DebugAttrTable.loc = old_file, old_location

    DebugAttrTable.file, DebugAttrTable.loc = file, location
    return undo


@contextlib.contextmanager
def neutral_paths(root=None):
    """Bytecode that is exported in here has neutral paths."""
    undo = neutralise(root)
    try:
        yield
    finally:
        undo()


def register_source(text, path):
    """Lets Python, and so cuTile, find the source text of a path that does not exist."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


# ---- export


def signature_of(kernel, constraints):
    """As cuTile makes it; its symbol says what the kernel was compiled for, and fpdiff reads that."""
    signature = KernelSignature(constraints, CallingConvention.cutile_python_v2())
    return signature.with_mangled_symbol(kernel._pyfunc.__name__)


@functools.cache
def known_versions():
    """Of bytecode, those that cuTile writes, the oldest first."""
    found = []
    for version in sorted(BytecodeVersion):
        with contextlib.suppress(ValueError):  # of versions in preparation
            found.append(parse_bytecode_version(version.as_string()).as_string())
    return found


def bytecode(kernel, signature):
    """The kernel in the oldest version that can say it. What cuTile does not take is a RecordError with its words."""
    versions = known_versions()
    for version in versions:
        out = io.BytesIO()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of hints that an old version leaves out
                export_kernel(
                    kernel, [signature], out, gpu_code=GPU, output_format="tileir_bytecode", bytecode_version=version
                )
            return out.getvalue()
        except ct.TileUnsupportedFeatureError as error:
            if version == versions[-1]:
                raise refusal(kernel, error) from error
        except Exception as error:  # cuTile's own; OSError: it has no source text; and what its compiler did not expect
            raise refusal(kernel, error) from error
    raise AssertionError("there is a version")


def refusal(kernel, error):
    """What cuTile says of a kernel, with the line: of its own errors that is in their text."""
    function = kernel._pyfunc
    place = getattr(getattr(error, "loc", None), "filename", None)
    where = "" if place else f" ({function.__code__.co_filename}:{function.__code__.co_firstlineno})"
    said = ": ".join(filter(None, (type(error).__name__, str(error))))
    return RecordError(f"{function.__name__} cannot be exported: {said}{where}")
