# SPDX-License-Identifier: Apache-2.0
# Runs cuTile kernels on the CPU: exports them for the arguments of a launch, compiles with tileiras, calls the object (docs/host-abi.md).
"""launch(...) of a Device takes what cuda.tile.launch takes; arrays are numpy's, or anything with torch's data_ptr() and stride()."""

import ctypes
import dataclasses
import io
import itertools
import os
import re
import subprocess
import threading
import warnings
from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ListConstraint,
    ScalarConstraint,
    TupleConstraint,
    export_kernel,
)

GPU = "sm_100"
WORD = ctypes.c_uint64


class LaunchError(Exception):
    """A kernel that could not be compiled, or that failed while running."""


# ---- the entry ABI, as base/host_abi.h has it


class Range(ctypes.Structure):
    _fields_ = [("begin", WORD), ("end", WORD)]


class Launch(ctypes.Structure):
    _fields_ = [
        ("arguments", ctypes.POINTER(WORD)),
        ("argument_ranges", ctypes.POINTER(Range)),
        ("buffers", ctypes.POINTER(Range)),
        ("buffer_count", WORD),
        ("shadow", ctypes.c_void_p),
        ("grid", ctypes.c_uint32 * 3),
        ("store_base", ctypes.c_uint32),
        ("argument_records", ctypes.c_void_p),
        ("argument_widths", ctypes.c_void_p),
        ("all_widths", ctypes.c_uint32),
        ("print", ctypes.c_void_p),
        ("printer", ctypes.c_void_p),
        ("globals", ctypes.c_void_p),
    ]


class Fault(ctypes.Structure):
    _fields_ = [("address", WORD), ("found", ctypes.c_int64), ("limit", ctypes.c_int64)]


# ---- arguments


@dataclasses.dataclass
class Array:
    """An array argument: strides count elements, the range [begin, end) is what its elements cover."""

    dtype: ct.DType
    shape: tuple
    strides: tuple
    address: int
    begin: int
    end: int


def array_of(value):
    """The Array of a numpy array or a torch tensor, None for anything else."""
    if hasattr(value, "data_ptr"):
        address, strides, size = value.data_ptr(), tuple(value.stride()), value.element_size()
    elif hasattr(value, "ctypes"):
        address, size = value.ctypes.data, value.itemsize
        strides = tuple(s // size for s in value.strides)
    else:
        return None
    name = str(value.dtype).removeprefix("torch.")
    shape = tuple(int(n) for n in value.shape)
    reach = [(n - 1) * s * size for n, s in zip(shape, strides)] if 0 not in shape else [-size]
    begin = address + sum(r for r in reach if r < 0 and 0 not in shape)
    end = address + sum(r for r in reach if r > 0 or 0 in shape) + size
    return Array(getattr(ct, {"bool": "bool_"}.get(name, name)), shape, strides, address, begin, end)


def divisor(number, of):
    return of if number % of == 0 else 1


def array_constraint(arrays, annotation, shared):
    """What cuTile may assume of an array argument, or of all arrays of a list."""
    first = arrays[0]
    rank, index = len(first.shape), ct.int32
    fixed_strides = [1 if all(a.strides[d] == 1 for a in arrays) else None for d in range(rank)]
    fixed_shape = None
    if annotation is not None:
        index = annotation.index_dtype
        if annotation.static_stride_dims:
            fixed_strides = [first.strides[d] if d in {n % rank for n in annotation.static_stride_dims} else None for d in range(rank)]
        if annotation.static_shape_dims:
            fixed_shape = [first.shape[d] if d in {n % rank for n in annotation.static_shape_dims} else None for d in range(rank)]
    step = max(1, 128 // first.dtype.bitwidth)
    return ArrayConstraint(
        first.dtype,
        rank,
        index_dtype=index,
        stride_lower_bound_incl=0 if all(s >= 0 for a in arrays for s in a.strides) else None,
        alias_groups=("memory",) if shared else (),
        may_alias_internally=any(n > 1 and s == 0 for a in arrays for n, s in zip(a.shape, a.strides)),
        stride_constant=fixed_strides,
        shape_constant=fixed_shape,
        stride_divisible_by=[min(divisor(a.strides[d], step) for a in arrays) if not fixed_strides[d] else 1 for d in range(rank)],
        shape_divisible_by=[
            min(divisor(a.shape[d], 16) for a in arrays) if not (fixed_shape and fixed_shape[d]) else 1 for d in range(rank)
        ],
        base_addr_divisible_by=min(divisor(a.address, 16) for a in arrays),
    )


class Arguments:
    """Constraints and words of the arguments of one launch."""

    def __init__(self, kernel, values):
        nodes = kernel._annotated_function.parameter_annotations
        if len(nodes) != len(values):
            raise TypeError(f"{len(values)} arguments for {len(nodes)} parameters")
        self.words, self.types, self.ranges, self.buffers, self.kept = [], [], [], [], []
        self.arrays = []
        self.collect(values)
        spans = sorted((a.begin, a.end) for a in self.arrays)
        self.shared = any(later[0] < earlier[1] for earlier, later in zip(spans, spans[1:]))
        self.constraints = [self.add(node, value) for node, value in zip(nodes, values)]

    def collect(self, values):
        for value in values:
            array = array_of(value)
            if array:
                self.arrays.append(array)
            elif isinstance(value, (tuple, list)):
                self.collect(value)

    def add_word(self, word, dtype, span=(0, 0)):
        """`dtype` as case files of fpdiff name it; "pointer" of an array, None where they have no word for it."""
        self.words.append(word & (2**64 - 1))
        self.types.append(dtype)
        self.ranges.append(span)

    def add_extents(self, array, bits):
        for number in (*array.shape, *array.strides):
            self.add_word(number & (2**bits - 1), f"i{bits}")

    def add(self, node, value):
        """The constraint of a parameter; adds its words."""
        array = array_of(value)
        if array:
            constraint = array_constraint([array], node.array, self.shared)
            self.add_word(array.address, "pointer", (array.begin, array.end))
            self.add_extents(array, constraint.index_dtype.bitwidth)
            self.buffers.append((array.begin, array.end))
            return constraint
        if isinstance(value, list):
            return self.add_list(node, value)
        if isinstance(value, tuple):
            nodes = [node.each] * len(value) if hasattr(node, "each") else getattr(node, "items", [node] * len(value))
            return TupleConstraint(tuple(self.add(n, v) for n, v in zip(nodes, value)))
        if node.constant:
            return ConstantConstraint(value)
        if isinstance(value, bool):
            self.add_word(int(value), "i1")
            return ScalarConstraint(ct.bool_)
        if isinstance(value, int):
            dtype = node.scalar.dtype if node.scalar else ct.int32
            self.add_word(value & (2**dtype.bitwidth - 1), f"i{dtype.bitwidth}")
            return ScalarConstraint(dtype)
        if isinstance(value, float):
            self.add_word(int.from_bytes(bytes(ctypes.c_float(value)), "little"), "f32")
            return ScalarConstraint(ct.float32)
        raise TypeError(f"no way to pass {type(value).__name__}")

    def add_list(self, node, values):
        """A list is a table of 64-bit words: for each array its address, shape and strides."""
        arrays = [array_of(v) for v in values]
        words = [w & (2**64 - 1) for a in arrays for w in (a.address, *a.shape, *a.strides)]
        table = (WORD * len(words))(*words)
        self.kept.append(table)
        span = ctypes.addressof(table), ctypes.addressof(table) + ctypes.sizeof(table)
        self.buffers += [span, *((a.begin, a.end) for a in arrays)]
        self.add_word(span[0], None, span)
        self.add_word(len(arrays), "i32")
        element = array_constraint(arrays, node.list and node.list.element, self.shared)
        return ListConstraint(element, alias_groups=(), elements_may_alias=self.shared)

    def launch(self, grid):
        """The Launch, and what must outlive it."""
        words = (WORD * max(1, len(self.words)))(*self.words)
        ranges = (Range * max(1, len(self.ranges)))(*self.ranges)
        merged = []
        for begin, end in sorted(b for b in self.buffers if b[0] < b[1]):
            if merged and begin <= merged[-1][1]:
                merged[-1][1] = max(end, merged[-1][1])
            else:
                merged.append([begin, end])
        buffers = (Range * max(1, len(merged)))(*(tuple(m) for m in merged))
        grid = (ctypes.c_uint32 * 3)(*grid, *[1] * (3 - len(grid)))
        return Launch(words, ranges, buffers, len(merged), None, grid), (words, ranges, buffers, self.kept)


# ---- kernels


def bytecode(kernel, constraints):
    """The kernel as a module with the entry `kernel`, in the oldest version that can say it."""
    for version in ("13.1", "13.2", "13.3", "13.4"):
        out = io.BytesIO()
        signature = KernelSignature(constraints, CallingConvention.cutile_python_v2(), symbol="kernel")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of hints that an old version leaves out
                export_kernel(kernel, [signature], out, gpu_code=GPU, output_format="tileir_bytecode", bytecode_version=version)
            return out.getvalue()
        except ct.TileUnsupportedFeatureError:
            if version == "13.4":
                raise


def compile_milliseconds(text):
    """Of what `tileiras --times` prints, without the start of LLVM."""
    steps = dict(re.findall(r"([\w ]+) ([\d.]+)(?: ms)?(?:, |$)", text.strip()))
    return sum(float(spent) for step, spent in steps.items() if step != "start of LLVM")


class Compiled:
    """An object file of one kernel, loaded."""

    def __init__(self, path):
        library = ctypes.CDLL(str(path))
        self.entry = library.kernel
        self.entry.restype = ctypes.c_uint32
        self.entry.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_uint32] * 3, ctypes.c_void_p]
        self.scratch_bytes = WORD.in_dll(library, "kernel_scratch_bytes").value
        self.sequential = WORD.in_dll(library, "kernel_sequential").value
        count = WORD.in_dll(library, "kernel_site_count").value
        self.sites = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "kernel_sites"))).decode().split("\n") if count else []

    def run_blocks(self, launch, grid, numbers, faults):
        scratch = ctypes.create_string_buffer(self.scratch_bytes + 64)
        aligned = (ctypes.addressof(scratch) + 63) // 64 * 64
        width, height, _ = grid
        fault = Fault()
        for number in numbers:
            if faults:
                return
            x, y, z = number % width, number // width % height, number // (width * height)
            site = self.entry(ctypes.byref(launch), aligned, x, y, z, ctypes.byref(fault))
            if site:
                faults.append((number, self.sites[site - 1], fault.found, fault.limit))

    def run(self, name, arguments, grid):
        launch, kept = arguments.launch(grid)
        grid = (*grid, *[1] * (3 - len(grid)))
        numbers, faults = iter(range(grid[0] * grid[1] * grid[2])), []
        lock = threading.Lock()

        def taken():
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                yield number

        jobs = 1 if self.sequential else min(os.cpu_count(), grid[0] * grid[1] * grid[2])
        others = [threading.Thread(target=self.run_blocks, args=(launch, grid, taken(), faults)) for _ in range(jobs - 1)]
        for thread in others:
            thread.start()
        self.run_blocks(launch, grid, taken(), faults)
        for thread in others:
            thread.join()
        del kept
        if faults:
            number, site, found, limit = min(faults)
            block = number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1])
            kind, op, place, message = site.split("\t")
            about = f" ({message})" if message else ""
            raise LaunchError(f"{place}: kernel {name}: block {block}: {op}{about}: {kind}, found {found}, limit {limit}")


class Device:
    """Compiles into `folder` with the program `tileiras` and options for it; mode is ieee or payload."""

    def __init__(self, tileiras, folder, mode="ieee", options=()):
        self.tileiras, self.folder, self.mode, self.options = tileiras, Path(folder), mode, options
        self.kernels, self.numbers = {}, itertools.count()
        self.milliseconds = 0.0  # of processor time of the slowest compilation since it was last set

    def compile(self, code):
        if (code, self.mode) in self.kernels:
            return self.kernels[code, self.mode]
        stem = self.folder / f"{self.mode}{next(self.numbers)}"
        source, thing, library = (stem.with_suffix(s) for s in (".tileirbc", ".o", ".so"))
        source.write_bytes(code)
        instrument = ["--instrument=fpsan"] if self.mode == "payload" else []
        command = [self.tileiras, *self.options, *instrument, "--times", source, "-o", thing]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise LaunchError(f"tileiras: {done.stderr.strip()}")
        self.milliseconds = max(self.milliseconds, compile_milliseconds(done.stderr))
        subprocess.run(["cc", "-shared", "-o", library, thing, "-lmvec", "-lm"], check=True)
        self.kernels[code, self.mode] = Compiled(library)
        return self.kernels[code, self.mode]

    def launch(self, stream, grid, kernel, values, **ignored):
        arguments = Arguments(kernel, values)
        self.compile(bytecode(kernel, arguments.constraints)).run(kernel._pyfunc.__name__, arguments, tuple(grid))
