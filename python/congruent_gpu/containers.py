# SPDX-License-Identifier: Apache-2.0
"""Arrays in what a variant is called with and returns: by name, and copied with what holds them."""

import copy
import ctypes
import dataclasses
import sys
import types
from collections.abc import Mapping

from .errors import UsageError
from .memory import bounds, is_array, is_numpy, is_torch, root_of


def attributes(value):
    """{name: value} of what is copied with its attributes: dataclasses and namespaces. None of anything else."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: getattr(value, name) for name in names if hasattr(value, name)}
    return vars(value) if isinstance(value, types.SimpleNamespace) else None


def is_module(value):
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "nn") and isinstance(value, torch.nn.Module)


def labelled(value, label):
    """Pairs of what messages call an array and the array, of all that is in lists, tuples, mappings, dataclasses,
    namespaces and modules of torch."""
    if is_array(value):
        return [(label, value)]
    if isinstance(value, Mapping):
        parts = [(f"{label}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"{label}[{number}]", item) for number, item in enumerate(value)]
    elif is_module(value):
        parts = [(f"{label}.{name}", item) for name, item in [*value.named_parameters(), *value.named_buffers()]]
    else:
        parts = [(f"{label}.{name}", item) for name, item in (attributes(value) or {}).items()]
    return [pair for name, item in parts for pair in labelled(item, name)]


class Copies:
    """Copies of arrays of numpy and torch, also in lists, tuples, mappings, dataclasses, namespaces and modules of torch.
    What shares memory shares it in the copies, too, and lies there with the same strides. Other objects are not copied;
    one that has an array as an attribute is a UsageError, since variants would share it."""

    def __init__(self):
        self.memo, self.roots = {}, {}

    def of(self, value):
        if is_numpy(value):
            return self._numpy(value)
        if is_torch(value):
            return copy.deepcopy(value.detach(), self.memo)
        if is_module(value):
            return copy.deepcopy(value, self.memo)
        if isinstance(value, dict):
            made = copy.copy(value)
            for key, item in value.items():
                made[key] = self.of(item)
            return made
        if isinstance(value, Mapping):
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, list):
            made = copy.copy(value)
            made[:] = map(self.of, value)
            return made
        if isinstance(value, tuple):
            items = list(map(self.of, value))
            if all(a is b for a, b in zip(items, value)):
                return value  # of a class of its own, perhaps
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        found = attributes(value)
        if found is not None:
            made = copy.copy(value)
            for name, item in found.items():
                object.__setattr__(made, name, self.of(item))  # also of a frozen one
            return made
        self._check(value)
        return value

    @staticmethod
    def _check(value):
        if isinstance(value, (type, types.ModuleType, types.FunctionType)):
            return
        for name, item in getattr(value, "__dict__", {}).items():
            if is_array(item) or is_module(item):
                raise UsageError(
                    f"a {type(value).__name__} among the inputs has an array, {name}, which all variants would share: "
                    "pass the array, or make it a dataclass"
                )

    def _numpy(self, value):
        import numpy

        root = root_of(value)
        low, high = bounds(root)
        if id(root) not in self.roots:
            memory = numpy.empty(high - low, numpy.uint8)
            memory[:] = numpy.frombuffer(ctypes.string_at(low, high - low), numpy.uint8)
            self.roots[id(root)] = memory, root
        memory = self.roots[id(root)][0]
        offset = value.__array_interface__["data"][0] - low
        return numpy.ndarray(value.shape, value.dtype, memory, offset if memory.size else 0, value.strides)
