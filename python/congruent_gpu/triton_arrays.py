# SPDX-License-Identifier: Apache-2.0
"""Arrays of numpy as arguments of Triton's kernels, also in descriptors."""

import importlib

from .memory import is_numpy, memory_of

# Classes of descriptors by module.
DESCRIPTORS = {
    "triton.tools.tensor_descriptor": ["TensorDescriptor"],
    "triton.experimental.gluon.nvidia.hopper": ["TensorDescriptor", "TensorDescriptorIm2Col"],
}


class Numpy:
    """A numpy array as Triton wants its arguments: with an address, and a type that says its name as torch's do."""

    class Type:
        def __init__(self, name, itemsize, floating):
            self.name, self.itemsize, self.is_floating_point = name, itemsize, floating

        def __str__(self):
            return "torch." + self.name

        __repr__ = __str__

        def __hash__(self):
            return hash(self.name)

        def __eq__(self, other):
            return str(self) == str(other)

    types = {}

    def __init__(self, array):
        self.array = array
        name = array.dtype.name
        floating = "float" in name
        self.dtype = Numpy.types.setdefault(name, Numpy.Type(name, array.dtype.itemsize, floating))
        self.shape = array.shape

    def data_ptr(self):
        """An address on the GPU that is not there: allocations begin at multiples of 256, as CUDA's do."""
        return (1 << 40) + self.array.__array_interface__["data"][0] - memory_of(self.array)[0]

    def stride(self):
        return tuple(stride // self.array.dtype.itemsize for stride in self.array.strides)

    def numel(self):
        return self.array.size


def wrap(value):
    """An argument as Triton takes it: arrays of numpy, also below tuples and in descriptors, get an address."""
    if is_numpy(value):
        return Numpy(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(wrap, value))
    if type(value) in (tuple, list):
        return type(value)(map(wrap, value))
    return value


def unwrap(value):
    return value.array if isinstance(value, Numpy) else value


def take_descriptor(patch, kind):
    """A class of descriptors takes arrays of numpy."""
    old_post, old_from = kind.__post_init__, kind.from_tensor

    def post_init(descriptor):
        descriptor.base = wrap(descriptor.base)
        old_post(descriptor)

    def from_tensor(tensor, *more, **options):
        if not is_numpy(tensor):
            return old_from(tensor, *more, **options)
        tensor = wrap(tensor)
        return kind(tensor, list(tensor.shape), list(tensor.stride()), *more, **options)

    patch(kind, "__post_init__", post_init)
    patch(kind, "from_tensor", staticmethod(from_tensor))


def take_descriptors(patch):
    """Tensor descriptors of numpy arrays, too."""
    for module, names in DESCRIPTORS.items():
        try:
            module = importlib.import_module(module)
        except ImportError:  # before 3.4, before Gluon
            continue
        for name in names:
            if hasattr(module, name):
                take_descriptor(patch, getattr(module, name))
