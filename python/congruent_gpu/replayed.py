# SPDX-License-Identifier: Apache-2.0
"""Whether a recorded case computes what the script computed: of each result the numbers of both are compared."""

import types

from .memory import unwritten
from .report import NUMPY, elements

APART = 1e-2  # of the largest number: what another order of atomic operations does not do


def count_apart(array, data):
    """How many elements of an Array of the library are other numbers than those in `data`, beyond what orders of
    atomic operations do. Elements that nobody wrote do not count."""
    import numpy

    if array.data == data:
        return 0
    if len(array.data) != len(data):
        return max(1, len(data))
    mine = elements(array)
    theirs, nobody = (
        elements(types.SimpleNamespace(kind=array.kind, type=array.type, shape=array.shape, data=each))
        for each in (data, unwritten(len(data)))
    )
    if array.type not in NUMPY and mine.dtype.kind == "u":  # bits, where ml_dtypes is missing
        return 0
    bits = f"u{mine.dtype.itemsize}"
    count = (mine.view(bits) != theirs.view(bits)) & (theirs.view(bits) != nobody.view(bits))
    if array.type in ("f64", "f32", "f16", "bf16") or array.type.startswith("f8"):
        with numpy.errstate(all="ignore"):
            mine, theirs = mine.astype(numpy.float64), theirs.astype(numpy.float64)
            finite = numpy.abs(theirs[numpy.isfinite(theirs)])
            near = numpy.abs(mine - theirs) <= APART * finite.max(initial=0)
            count &= ~(near | (mine == theirs) | (numpy.isnan(mine) & numpy.isnan(theirs)))
    return int(count.sum())


def replay_notes(report, left):
    """Notes on results of which the report has other numbers than the script. `left`: {(index of the case, variant,
    buffer): its bytes}."""
    notes, left = [], dict(left)
    for array in report.arrays():
        key = array.case_index, array.variant, array.buffer
        if array.kind != "numbers" or array.mode != "ieee" or key not in left:
            continue
        count = count_apart(array, left.pop(key))
        if count:
            notes.append(
                f"variant {array.variant}: {count} elements of {array.buffer} are other numbers than those that the code "
                "computed: its launches depend on their order, or congruent recorded them wrongly"
            )
    return notes
