# SPDX-License-Identifier: Apache-2.0
# Compares what launches are compiled for with what cuTile itself finds, with the driver of no_driver.c.
import sys

import numpy as np
from cuda.tile._cext import get_parameter_constraints_from_pyargs
from cuda.tile.compilation import CallingConvention, KernelSignature
from cutile_kernels import fixed, scale, total, transposed

from congruent_gpu.cutile_arguments import Arguments
from congruent_gpu.memory import Memory


class OnGpu:
    """A numpy array that says it is on a GPU, where its allocation begins at a multiple of 256."""

    def __init__(self, array):
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3, "data": ((1 << 40) + offset, False)}


def on_gpu(value):
    if isinstance(value, np.ndarray):
        return OnGpu(value)
    return type(value)(map(on_gpu, value)) if isinstance(value, (list, tuple)) else value


def main():
    x = np.ones((64, 64), np.float32)
    kinds = ("float64", "float16", "int8", "uint8", "int16", "uint16", "int64", "uint64", "bool")
    arrays = [x, x[1:], x[:, 1:], x[:, 4:], x.T, x[::3, ::2], x[:0], x[:1], x[:, :1], np.broadcast_to(x[0], (3, 64))]
    arrays += [np.ones((16, 24), kind) for kind in kinds]
    launches = [(transposed, (a, np.ones((4, 4), a.dtype), 4)) for a in arrays]
    launches += [(scale, (x[0], x[1], s, T)) for s in (1.5, 3, -7, True, False, float("nan")) for T in (4, 16)]
    launches += [(scale, (np.ones((), np.float32), x[0, 3:], 1.0, 4)), (scale, ((x[0], 2, (True, x)), x[1], 1.0, 4))]
    launches += [(total, (items, x[3], 4)) for items in ([x[0], x[1]], [x[0, :9], x[1, 2:], x[1, ::2]], [x[0, :32]])]
    launches += [(fixed, (x[0], x[1], 2**40, 4))]
    convention, wrong = CallingConvention.cutile_python_v2(), 0
    for kernel, values in launches:
        theirs = get_parameter_constraints_from_pyargs(kernel, tuple(map(on_gpu, values)), convention)
        ours = Arguments(kernel, values, Memory(), apart=True).constraints
        symbols = [KernelSignature(c, convention).with_mangled_symbol("k").symbol for c in (ours, theirs)]
        if symbols[0] != symbols[1]:
            wrong += 1
            print(f"{kernel._pyfunc.__name__}: {symbols[0]}, cuTile: {symbols[1]}")
    print(f"{len(launches)} launches, {f'{wrong} not alike' if wrong else 'all alike'}")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
