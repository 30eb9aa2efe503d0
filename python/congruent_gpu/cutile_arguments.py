# SPDX-License-Identifier: Apache-2.0
"""Arguments of a launch of cuTile: what the kernel is compiled for, and what a case file says.

What a kernel is compiled for is what cuTile itself would find (cuda.tile._cext.get_parameter_constraints_from_pyargs,
which needs a GPU's driver), with two exceptions: where an array lies is counted from the beginning of its allocation,
as on a GPU, where allocations are aligned, so that chance of this machine's memory is in no kernel; and arrays that
share memory are said to (cuTile takes all to be apart)."""

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, ConstantConstraint, ListConstraint, ScalarConstraint, TupleConstraint

from .casefile import view_of
from .errors import RecordError
from .memory import is_array, plain
from .scalars import scalar

ALIGNMENT = 16  # in bytes; of sizes in elements
SHARED = "memory"  # the alias group of arrays that share memory


def divisor(number, of):
    return of if number % of == 0 else 1


def dtype_of(value):
    """cuTile's type of an array's elements."""
    name = str(value.dtype).removeprefix("torch.")
    return getattr(ct, {"bool": "bool_"}.get(name, name), None)


def span(array):
    """First byte and the one behind the last of an Array, counted from anywhere; None if it is empty."""
    if 0 in array.shape:
        return None
    reach = [(size - 1) * stride * array.size for size, stride in zip(array.shape, array.strides)]
    first = array.allocation.start + array.offset
    return first + sum(min(r, 0) for r in reach), first + sum(max(r, 0) for r in reach) + array.size


class Arguments:
    """The arguments of one launch. `constraints`: of each parameter; `arrays`: (what it is in words, the parameter's
    name, Array) of each array, in order; `values(buffer)`: what a case file says, where buffer(what, name, array)
    gives the Buffer of an array. apart: nothing is said of arrays that share memory."""

    def __init__(self, kernel, values, memory, apart=False):
        function = kernel._annotated_function
        self.kernel, self.memory = kernel._pyfunc.__name__, memory
        names = list(function.pysig.parameters)
        if not isinstance(values, (tuple, list)):
            raise RecordError(f"{self.kernel}: its arguments are of type {type(values).__name__}, expected a tuple")
        if len(names) != len(values):
            raise RecordError(f"{self.kernel} has {len(names)} parameters ({', '.join(names)}), found {len(values)}")
        self.arrays = []
        for name, value in zip(names, values):
            self._collect(f"argument {name} of {self.kernel}", name, value)
        spans = sorted(filter(None, (span(array) for _, _, array in self.arrays)))
        self.shared = not apart and any(later[0] < earlier[1] for earlier, later in zip(spans, spans[1:]))
        self._next, self._parts = 0, []  # of each argument in a case file: ("array", count, is a list) or its text
        self.constraints = [
            self._add(f"argument {name} of {self.kernel}", node, plain(value))
            for name, node, value in zip(names, function.parameter_annotations, values)
        ]

    def _collect(self, what, name, value):
        if is_array(value):
            array = self.memory.array(value, what)
            array.dtype = dtype_of(value)
            if array.dtype is None:
                raise RecordError(f"{what} has elements of type {value.dtype}, which cuTile does not know")
            self.arrays.append((what, name, array))
        elif isinstance(value, (list, tuple)):
            kind = "array" if isinstance(value, list) else "item"
            for number, item in enumerate(value):
                self._collect(f"{kind} {number} of {what}", f"{name}_{number}", item)

    def values(self, buffer):
        arrays = iter(self.arrays)

        def view():
            what, name, array = next(arrays)
            return view_of(buffer(what, name, array), array)

        found = []
        for part in self._parts:
            if isinstance(part, int):
                found.append([view() for _ in range(part)])
            else:
                found.append(view() if part is None else part)
        return found

    # ---- constraints
    def _add(self, what, node, value):
        if is_array(value):
            self._parts.append(None)
            return self._array(what, [self._take()], getattr(node, "array", None))
        if isinstance(value, list):
            return self._list(what, node, value)
        if isinstance(value, tuple):
            nodes = [node.each] * len(value) if hasattr(node, "each") else getattr(node, "items", [node] * len(value))
            if len(nodes) != len(value):
                raise RecordError(f"{what} has {len(value)} items, its annotation {len(nodes)}")
            items = zip(range(len(value)), nodes, map(plain, value))
            return TupleConstraint(tuple(self._add(f"item {number} of {what}", n, v) for number, n, v in items))
        if getattr(node, "constant", False):
            try:
                return ConstantConstraint(value)
            except TypeError as error:
                raise RecordError(f"{what}: {error}") from None
        return self._scalar(what, node, value)

    def _take(self):
        self._next += 1
        return self.arrays[self._next - 1][2]

    def _scalar(self, what, node, value):
        if isinstance(value, bool):
            dtype, name = ct.bool_, "i1"
        elif isinstance(value, int):
            annotation = getattr(node, "scalar", None)
            dtype = annotation.dtype if annotation else ct.int32
            name = f"i{dtype.bitwidth}"
            if not -(1 << (dtype.bitwidth - 1)) <= value < 1 << (dtype.bitwidth - 1):
                raise RecordError(f"{what} is {value}, which {dtype.name} cannot hold (ct.ScalarInt64 is an annotation)")
        elif isinstance(value, float):
            dtype, name = ct.float32, "f32"
        else:
            raise RecordError(f"{what} is a {type(value).__name__}: arrays of numpy, tensors on the CPU, lists and tuples "
                              "of these, numbers and truth values can be passed")  # fmt: skip
        self._parts.append(scalar(name, value, what))
        return ScalarConstraint(dtype)

    def _list(self, what, node, value):
        if not value:
            raise RecordError(f"{what} is an empty list, which cuTile takes for no kernel")
        if not all(map(is_array, value)):
            raise RecordError(f"{what}: a list holds arrays alone")
        arrays = [self._take() for _ in value]
        first = arrays[0]
        for number, array in enumerate(arrays):
            if array.dtype is not first.dtype or len(array.shape) != len(first.shape):
                raise RecordError(f"array {number} of {what} has another type or number of dimensions than the first")
        annotation = getattr(node, "list", None)
        element = self._array(what, arrays, annotation and annotation.element)
        self._parts.append(len(arrays))
        return ListConstraint(element, alias_groups=(), elements_may_alias=True)

    def _array(self, what, arrays, annotation):
        """What is assumed of an array, or of all arrays of a list."""
        first = arrays[0]
        rank, index = len(first.shape), ct.int32
        strides = [1 if all(a.strides[d] == 1 for a in arrays) else None for d in range(rank)]
        shape = [1 if all(a.shape[d] == 1 for a in arrays) else None for d in range(rank)]
        if annotation is not None:
            index = annotation.index_dtype
            if annotation.static_stride_dims:
                strides = fixed(what, arrays, "strides", annotation.static_stride_dims)
            if annotation.static_shape_dims:
                shape = fixed(what, arrays, "shape", annotation.static_shape_dims)
        largest = max((abs(number) for a in arrays for number in (*a.shape, *a.strides)), default=0)
        if largest >= 1 << (index.bitwidth - 1):
            raise RecordError(f"{what} has a size or stride of {largest}, which {index.name} cannot hold "
                              "(ct.IndexedWithInt64 is an annotation)")  # fmt: skip
        if any(stride < 0 for a in arrays for stride in a.strides):
            raise RecordError(f"{what} has a negative stride, which cuTile does not support: pass a copy of it")
        step = max(1, ALIGNMENT * 8 // first.dtype.bitwidth)
        return ArrayConstraint(
            first.dtype,
            rank,
            index_dtype=index,
            stride_lower_bound_incl=0,
            alias_groups=(SHARED,) if self.shared else (),
            may_alias_internally=any(n > 1 and s == 0 for a in arrays for n, s in zip(a.shape, a.strides)),
            stride_constant=strides,
            shape_constant=shape,
            stride_divisible_by=[
                1 if strides[d] is not None else min(divisor(a.strides[d], step) for a in arrays) for d in range(rank)
            ],
            shape_divisible_by=[
                1 if shape[d] is not None else min(divisor(a.shape[d], ALIGNMENT) for a in arrays) for d in range(rank)
            ],
            base_addr_divisible_by=min(divisor(a.offset, ALIGNMENT) for a in arrays),
        )


def fixed(what, arrays, field, dimensions):
    """The sizes or strides that an annotation makes constants: of all arrays of a list the same."""
    first = getattr(arrays[0], field)
    rank = len(first)
    found = [None] * rank
    for dimension in dimensions:
        if not -rank <= dimension < rank:
            raise RecordError(f"{what} has {rank} dimensions, and its annotation names {dimension}")
        found[dimension] = first[dimension]
        if any(getattr(a, field)[dimension] != first[dimension] for a in arrays):
            raise RecordError(f"{what}: its annotation fixes {field}[{dimension}], which its arrays have different ones of")
    return found
