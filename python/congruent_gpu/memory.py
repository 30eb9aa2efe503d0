# SPDX-License-Identifier: Apache-2.0
"""Arrays of numpy and torch as buffers of a case: which memory they lie in, and what is in it.

Memory is read and written by address, which is one way for both. An allocation is kept alive as long as the recording
lasts: a second one at the same address would be taken for the first."""

import ctypes
import hashlib
import math
import sys
from dataclasses import dataclass, field

from .errors import RecordError

# name of the element type, as numpy, ml_dtypes and torch say it: what case files call it, bytes
TYPES = {
    "float64": ("f64", 8),
    "float32": ("f32", 4),
    "float16": ("f16", 2),
    "bfloat16": ("bf16", 2),
    "float8_e4m3fn": ("f8e4m3fn", 1),
    "float8_e5m2": ("f8e5m2", 1),
    "float8_e4m3fnuz": ("f8e4m3fnuz", 1),
    "float8_e5m2fnuz": ("f8e5m2fnuz", 1),
    "float8_e8m0fnu": ("f8e8m0fnu", 1),
    "int64": ("i64", 8),
    "uint64": ("i64", 8),
    "int32": ("i32", 4),
    "uint32": ("i32", 4),
    "int16": ("i16", 2),
    "uint16": ("i16", 2),
    "int8": ("i8", 1),
    "uint8": ("i8", 1),
    "bool": ("i1", 1),
}
SIZES = {name: size for name, size in TYPES.values()}
# What np.empty and torch.empty hold while recording, over and over, so that memory which nobody has written is told
# apart: bytes of large negative floats and of no bool, and not all the same, as those that a script fills in may be.
UNWRITTEN = bytes(0xF0 + byte % 11 for byte in hashlib.sha512(b"nobody has written this").digest())
PIECE = 1 << 20  # bytes; a multiple of UNWRITTEN's
BOOLS = b"\0" + b"\1" * 255


@dataclass
class Allocation:
    """Memory that a script's arrays lie in. `current`: its bytes after the last launch that had it."""

    start: int
    size: int
    keep: object
    unwritten: bool = False  # made by an `empty` and not written since
    current: bytes | None = None
    buffer: object = None  # of casefile.Buffer, once a launch has used it
    writable: bool = True  # for the script, by an array that the launch at hand has

    def read(self):
        return ctypes.string_at(self.start, self.size)

    def write(self, data):
        assert len(data) == self.size
        ctypes.memmove(self.start, data, self.size)

    def is_protected(self):
        """Whether writing would end this process: files that are mapped to be read. Known on Linux only."""
        try:
            with open("/proc/self/maps") as lines:
                rows = [line.split(None, 2)[:2] for line in lines]
        except OSError:
            return False
        for bounds_text, rights in rows:
            first, last = (int(bound, 16) for bound in bounds_text.split("-"))
            if first < self.start + self.size and self.start < last and "w" not in rights:
                return True
        return False


@dataclass
class Array:
    """One array of the script: a view of an allocation, sizes and strides in elements."""

    allocation: Allocation
    type: str
    offset: int  # bytes from the allocation's start
    shape: tuple
    strides: tuple
    writable: bool = True
    dtype: object = None  # cuTile's, which has a sign

    @property
    def size(self):
        """Bytes of an element."""
        return SIZES[self.type]

    def is_whole(self):
        """Whether it is all of its allocation, row by row."""
        return (
            self.offset == 0
            and fills(self.shape, self.strides)
            and math.prod(self.shape) * self.size == self.allocation.size
        )

    def buffer_form(self):
        """Shape and element type of a buffer for its allocation: its own where it is the whole, else one dimension."""
        elements, rest = divmod(self.allocation.size, self.size)
        if rest:
            return (self.allocation.size,), "i8"
        return (self.shape if self.is_whole() else (elements,)), self.type


@dataclass
class Memory:
    """All allocations that were seen, found by address."""

    allocations: list = field(default_factory=list)

    def find(self, address):
        for allocation in self.allocations:
            if allocation.start <= address < allocation.start + max(allocation.size, 1):
                return allocation
        return None

    def add(self, start, size, keep):
        """The allocation of these bytes, which may be part of one that is known."""
        end = start + size
        for allocation in self.allocations:
            first, last = allocation.start, allocation.start + allocation.size
            if first <= start and end <= last and (size or not allocation.size):
                return allocation
            if first < end and start < last:
                raise RecordError(
                    "an array overlaps one of an earlier launch, and neither lies in the other: make both views of "
                    "one array"
                )
        allocation = Allocation(start, size, keep)
        self.allocations.append(allocation)
        return allocation

    def array(self, value, what):
        """The Array of a numpy array or a CPU tensor of torch; `what` names it in errors."""
        if is_numpy(value):
            return self._numpy(value, what)
        return self._torch(value, what)

    def _numpy(self, value, what):
        low, high, root = memory_of(value)
        if is_masked(value):
            raise RecordError(f"{what} is a masked array, and kernels know of no mask: pass its data")
        name, size = element_type(value.dtype.name, what)
        address = value.__array_interface__["data"][0]
        if not value.dtype.isnative:
            raise RecordError(f"{what} has elements in the other order of bytes (dtype {value.dtype.str})")
        if any(stride % size for stride in value.strides):
            raise RecordError(f"{what}: its strides are no multiples of its elements")
        allocation = self.add(low, high - low, root)
        strides = tuple(stride // size for stride in value.strides)
        return Array(allocation, name, address - allocation.start, value.shape, strides, value.flags.writeable)

    def _torch(self, value, what):
        if value.device.type != "cpu":
            raise RecordError(f"{what} is on {value.device}: only tensors on the CPU are recorded; make it on 'cpu'")
        if value.layout != sys.modules["torch"].strided:
            raise RecordError(f"{what} is a tensor of layout {value.layout}: only strided ones are recorded")
        if value.is_neg() or value.is_conj():
            raise RecordError(f"{what} is a view that negates or conjugates: pass value.resolve_neg().resolve_conj()")
        name, size = element_type(str(value.dtype).removeprefix("torch."), what)
        low, high, storage = memory_of(value)
        allocation = self.add(low, high - low, storage)
        address = low + value.storage_offset() * size
        return Array(allocation, name, address - allocation.start, tuple(value.shape), tuple(value.stride()))

    def mark_unwritten(self, value):
        """Fills a new array with a pattern, so that what nobody writes can be told from data. Returns the array."""
        if not is_array(value):
            return value
        if is_numpy(value):
            name = value.dtype.name
        elif value.device.type == "cpu" and value.layout == sys.modules["torch"].strided:
            name = str(value.dtype).removeprefix("torch.")
        else:
            return value
        if name not in TYPES:
            return value
        allocation = self.array(value, "an empty array").allocation
        if allocation.buffer is None:
            for begin in range(0, allocation.size, PIECE):
                pattern = unwritten(min(PIECE, allocation.size - begin))
                ctypes.memmove(allocation.start + begin, pattern, len(pattern))
            allocation.unwritten = True
        return value


def unwritten(size):
    """That many bytes that nobody has written."""
    return (UNWRITTEN * (size // len(UNWRITTEN) + 1))[:size]


def contents(type_name, data):
    """The bytes of a buffer of that type: of bools 0 and 1. What nobody wrote may be others, which mean true."""
    return data.translate(BOOLS) if type_name == "i1" else data


def is_numpy(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def memory_of(value):
    """First address of the memory that an array lies in with all views of it, the one behind the last, what keeps it."""
    if is_torch(value):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), storage
    import numpy

    root, base = value, value.base
    while base is not None:
        if is_torch(base):
            return memory_of(base)
        if isinstance(base, memoryview):
            base = base.obj  # bytes, say
            if not is_numpy(base):
                return *bounds(numpy.frombuffer(base, numpy.uint8) if value.nbytes else value), base
        if is_numpy(base):
            root = base
        base = getattr(base, "base", None)  # also of what numpy puts between a view with other strides and its array
    return *bounds(root), root


def plain(value):
    """Scalars of numpy as Python's."""
    numpy = sys.modules.get("numpy")
    return value.item() if numpy is not None and isinstance(value, numpy.generic) else value


def is_masked(value):
    return is_numpy(value) and hasattr(value, "mask") and hasattr(value, "fill_value")


def has_memory(value):
    """Whether an array is memory of this process: no sparse tensor, none on another device."""
    return is_numpy(value) or (value.device.type == "cpu" and value.layout == sys.modules["torch"].strided)


def is_torch(value):
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "Tensor") and isinstance(value, torch.Tensor)


def is_array(value):
    return is_numpy(value) or is_torch(value)


def element_type(name, what):
    if name not in TYPES:
        raise RecordError(f"{what} has elements of type {name}, which a case file does not know")
    return TYPES[name]


def bounds(array):
    """First address and the one behind the last byte of a numpy array."""
    low = high = array.__array_interface__["data"][0]
    if array.size == 0:
        return low, low
    for size, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high + array.itemsize


def digest(data):
    return hashlib.sha256(data).hexdigest()


def row_major(shape):
    """Strides of an array of this shape without gaps, in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def fills(shape, strides):
    """Whether these strides are those of a row-major array without gaps (strides of single elements do not count)."""
    return all(size == 1 or stride == plain for size, stride, plain in zip(shape, strides, row_major(shape)))
