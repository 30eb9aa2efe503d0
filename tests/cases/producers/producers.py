# SPDX-License-Identifier: Apache-2.0
# What kernels of other producers are compared with. examples/export.sh tests/cases/producers exports this file.
# stencil_heat.tileirbc is not from here: cutile-stencil 0.3.0 (PyPI, MIT), a compiler built on xDSL 0.75.0, made a cuTile kernel of
#     0.25 * (u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1])
# and export_cutile.py exported it: --kernel 'stencil_heat=heat_kernel(f32[2], f32[2], 1, 64, 1, 16)' --bytecode 13.4
import cuda.tile as ct

from export import array

VERSION = "13.4"


@ct.kernel
def four_neighbours(u, out, width: ct.Constant[int], rows: ct.Constant[int], columns: ct.Constant[int]):
    """A quarter of each of the four neighbours, but for a border of so many rows and columns."""
    row = ct.bid(0) + rows
    column = columns + ct.bid(1) * width + ct.arange(width, dtype=ct.int32)
    result = 0.25 * ct.gather(u, (row - 1, column)) + 0.25 * ct.gather(u, (row + 1, column))
    result = result + 0.25 * ct.gather(u, (row, column - 1)) + 0.25 * ct.gather(u, (row, column + 1))
    ct.scatter(out, (row, column), result)


EXPORTS = {"four_neighbours": (four_neighbours, [array(ct.float32, 2), array(ct.float32, 2), 64, 1, 16])}
