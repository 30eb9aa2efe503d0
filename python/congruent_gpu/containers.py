# SPDX-License-Identifier: Apache-2.0
"""Arrays in what a variant is called with and returns: by name, and copied with what holds them."""

import collections
import copy
import ctypes
import dataclasses
import gc
import random
import sys
import types
from collections.abc import Mapping

from .captured import cells
from .errors import UsageError
from .memory import has_memory, is_array, is_masked, is_numpy, is_torch, memory_of

ALIGNMENT = 16  # of new arrays of numpy
SEQUENCES = (list, tuple, collections.deque)
OBJECTS_MAX = 100_000  # that are looked into for arrays
# Numbers and texts hold nothing; what a class, a module of Python or a function holds, all of the program has.
OPAQUE = (int, float, complex, str, bytes, type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType)
GENERATORS = ("Generator", "RandomState")  # of numpy and torch


def attributes(value):
    """{name: value} of what is copied with its attributes: dataclasses, namespaces, and what was made a list, tuple,
    mapping, ... with more. None of anything else."""
    found = getattr(value, "__dict__", None)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {**{name: getattr(value, name) for name in names if hasattr(value, name)}, **(found or {})}
    is_known = isinstance(value, (types.SimpleNamespace, Mapping, *SEQUENCES))
    return found if is_known and isinstance(found, dict) else None


def is_module(value):
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "nn") and isinstance(value, torch.nn.Module)


def leaves(value, label, outside=()):
    """Pairs of what messages call it and the value, of all that is in lists, tuples, mappings, dataclasses, namespaces
    and modules of torch. outside: containers that this value is in."""
    if is_module(value):
        parts = [(f"{label}.{name}", item) for name, item in [*value.named_parameters(), *value.named_buffers()]]
        return [(name, item) for name, item in parts if item is not None]
    parts = []
    if isinstance(value, Mapping):
        parts = [(f"{label}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, SEQUENCES):
        parts = [(f"{label}[{number}]", item) for number, item in enumerate(value)]
    elif attributes(value) is None:
        return [(label, value)]
    if any(value is each for each in outside):
        raise UsageError(f"{label} is in itself")
    parts += [(f"{label}.{name}", item) for name, item in (attributes(value) or {}).items()]
    return [pair for name, item in parts for pair in leaves(item, name, (*outside, value))]


def labelled(value, label):
    """Those of leaves() that are arrays."""
    return [(name, item) for name, item in leaves(value, label) if is_array(item)]


def hides_arrays(value):
    """Whether an object that is not copied holds arrays, as far as OBJECTS_MAX objects: a function by what it was made
    with."""
    if isinstance(value, types.FunctionType):
        value = [*cells(value).values(), *(value.__defaults__ or ()), *vars(value).values()]
    elif isinstance(value, OPAQUE):
        return False
    seen, queue = {id(value)}, [value]
    while queue and len(seen) < OBJECTS_MAX:
        for item in gc.get_referents(queue.pop()):
            if is_array(item) or is_module(item):
                return True
            if id(item) not in seen and not isinstance(item, OPAQUE):
                seen.add(id(item))
                queue.append(item)
    return False


def merged_memory(arrays):
    """The memory that arrays lie in: lists of the first address, the one behind the last, and what keeps it. What
    overlaps is one. Tensors without memory here (sparse ones, say) are left out."""
    found = []
    for low, high, keep in sorted(map(memory_of, filter(has_memory, arrays)), key=lambda each: each[:2]):
        if found and low < found[-1][1]:
            found[-1][1] = max(high, found[-1][1])
            found[-1][2].append(keep)
        else:
            found.append([low, high, [keep]])
    return found


def new_memory(address, size):
    """An array of bytes: a copy of those at an address, aligned as they are."""
    import numpy

    skip = address % ALIGNMENT if size else 0
    memory = numpy.empty(size + skip, numpy.uint8)
    if skip:  # of its own, so that what lies in front is no part of it
        memory = numpy.frombuffer((ctypes.c_uint8 * size).from_buffer(memory, skip), numpy.uint8)
    ctypes.memmove(memory.ctypes.data, address, size)
    return memory


def is_generator(value):
    """What gives random numbers, and has a state of its own: Python's, numpy's, torch's."""
    module, name = type(value).__module__, type(value).__name__
    return isinstance(value, random.Random) or (module.split(".")[0] in ("numpy", "torch") and name in GENERATORS)


class Saved:
    """What is in the memory of arrays, to be put back."""

    def __init__(self, arrays):
        self.places = [(low, keep, ctypes.string_at(low, high - low)) for low, high, keep in merged_memory(arrays)]

    def restore(self):
        for low, _, data in self.places:
            if ctypes.string_at(low, len(data)) != data:
                ctypes.memmove(low, data, len(data))


class Copies:
    """Copies of arrays of numpy and torch, also in lists, tuples, mappings, dataclasses, namespaces and modules of torch.
    What shares memory shares it in the copies, too, and lies there with the same strides. Other objects are not copied;
    one that holds arrays is a UsageError, since variants would share them."""

    def __init__(self, value):
        """Of what is in `value`."""
        arrays = [array for _, array in labelled(value, "")]
        self.memo = {}  # of deepcopy: torch copies what lies in one storage of its own
        self.places = []  # of all other memory: first address, the one behind the last, its copy
        self.value = value
        of_numpy = [memory_of(array)[0] for array in arrays if is_numpy(array)]
        for low, high, keep in merged_memory(arrays):
            storages = {getattr(each, "_cdata", None) for each in keep}
            if len(storages) > 1 or any(low <= begin < high or begin == low for begin in of_numpy):
                self.places.append((low, high, new_memory(low, high - low)))

    def made(self):
        return self._of(self.value)

    def _of(self, value):
        if is_array(value):
            return self._array(value)
        if is_module(value):
            for array in [*value.parameters(), *value.buffers()]:
                if self._place(array):
                    self.memo[id(array)] = self._array(array)
            return copy.deepcopy(value, self.memo)
        if is_generator(value):
            return value.clone_state() if hasattr(value, "clone_state") else copy.deepcopy(value)
        if isinstance(value, Mapping) and not isinstance(value, dict):
            return {key: self._of(item) for key, item in value.items()}
        if isinstance(value, (dict, *SEQUENCES)) or attributes(value) is not None:
            try:
                return self._container(value)
            except (AttributeError, TypeError, ValueError) as error:
                raise UsageError(f"a {type(value).__name__} among the inputs cannot be copied: {error}") from None
        if hides_arrays(value):
            raise UsageError(
                f"a {type(value).__name__} among the inputs holds arrays, which all variants would share: pass them in "
                "lists, tuples, mappings or dataclasses"
            )
        return value

    def _container(self, value):
        if isinstance(value, tuple):
            items = list(map(self._of, value))
            if not attributes(value) and all(a is b for a, b in zip(items, value)):
                return value
            made = tuple.__new__(type(value), items)
        else:
            made = copy.copy(value)
        if isinstance(value, dict):
            for key, item in value.items():
                made[key] = self._of(item)
        elif isinstance(value, (list, collections.deque)):
            made.clear()
            made.extend(map(self._of, value))
        for name, item in (attributes(value) or {}).items():
            object.__setattr__(made, name, self._of(item))  # also of a frozen one
        return made

    def _place(self, value):
        """The copy of the memory that an array lies in, with where that is; None: torch copies it."""
        if not has_memory(value):
            return None
        low, high, _ = memory_of(value)
        return next((place for place in self.places if place[0] <= low and high <= place[1]), None)

    def _array(self, value):
        if is_masked(value):
            raise UsageError("a masked array is among the inputs, and kernels know of no mask: pass its data")
        place = self._place(value)
        if is_numpy(value):
            return self._numpy(value, *place)
        if place is None:
            made = copy.deepcopy(value if value.is_leaf else value.detach(), self.memo)
        else:
            made = self._torch(value, *place)
        return made if made.requires_grad == value.requires_grad else made.requires_grad_(value.requires_grad)

    @staticmethod
    def _numpy(value, low, high, memory):
        import numpy

        offset = value.__array_interface__["data"][0] - low if high > low else 0
        made = numpy.ndarray(value.shape, value.dtype, memory, offset, value.strides)
        if type(value) not in (numpy.ndarray, numpy.memmap):
            made = made.view(type(value))
        made.flags.writeable = value.flags.writeable
        return made

    @staticmethod
    def _torch(value, low, high, memory):
        import torch

        storage = torch.from_numpy(memory).untyped_storage()
        offset = (value.data_ptr() - low) // value.element_size() if value.numel() else 0
        made = torch.empty(0, dtype=value.dtype).set_(storage, offset, value.shape, value.stride())
        if isinstance(value, torch.nn.Parameter):
            made = torch.nn.Parameter(made, value.requires_grad)
        return made
