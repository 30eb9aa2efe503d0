# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments of a case file, exactly."""

import math
import re
import struct

from .errors import RecordError

# Types of scalars, as Triton, cuTile and numpy call them: as case files do, and how their bits are packed to be printed
# exactly.
SCALARS = {
    "i1": ("i1", None), "u1": ("i1", None), "i8": ("i8", None), "u8": ("i8", None), "i16": ("i16", None),
    "u16": ("i16", None), "i32": ("i32", None), "u32": ("i32", None), "i64": ("i64", None), "u64": ("i64", None),
    "fp16": ("f16", "<e"), "bf16": ("bf16", None), "fp32": ("f32", "<f"), "f32": ("f32", "<f"), "fp64": ("f64", "<d"),
}  # fmt: skip


def scalar(type_name, value, what):
    """A number as an argument of a case file."""
    if type_name not in SCALARS:
        raise RecordError(f"{what}: arguments of type {type_name} cannot be recorded")
    name, packed = SCALARS[type_name]
    if name.startswith("i"):
        bits = int(name[1:])
        value = int(value)
        if name == "i1":
            return f"i1 {'true' if value else 'false'}"
        if value >= 1 << (bits - 1):  # unsigned in Python, the same bits in the case
            value -= 1 << bits
        return f"{name} {value}"
    value = float(value)
    value = rounded(value, packed)
    return f"{name} {number(value, packed)}"


def rounded(value, packed):
    """A number as its type has it: infinite beyond the largest of the type."""
    if not packed:
        return value
    try:
        return struct.unpack(packed, struct.pack(packed, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def number(value, packed):
    """The shortest decimal that means this number in its type."""
    if value != value:
        return "nan"
    if value in (float("inf"), -float("inf")):
        return "inf" if value > 0 else "-inf"
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if rounded(float(text), packed) == value:
            break
    return text if re.search(r"[.e]", text) else text + ".0"
