# SPDX-License-Identifier: Apache-2.0
# Exact numbers, payloads and files for expect.py.
import math
import sys
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, sys.argv[1])
import payload_model as model  # noqa: E402

HERE = Path(__file__).resolve().parent
random = np.random.default_rng(20240229)
HEADER = "# SPDX-License-Identifier: Apache-2.0\n# Written by expect.py.\n"

# name: numpy type, unsigned type of its bits, name in the model, significand bits, smallest and largest exponent
FLOATS = {
    "f64": (np.float64, np.uint64, "fp64", 53, -1022, 1023),
    "f32": (np.float32, np.uint32, "fp32", 24, -126, 127),
    "f16": (np.float16, np.uint16, "fp16", 11, -14, 15),
    "bf16": (ml_dtypes.bfloat16, np.uint16, "bf16", 8, -126, 127),
    "f8e4m3fn": (ml_dtypes.float8_e4m3fn, np.uint8, "fp8e4nv", 4, -6, 8),
    "f8e5m2": (ml_dtypes.float8_e5m2, np.uint8, "fp8e5", 3, -14, 15),
}
INTEGERS = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u32": np.uint32,
    "u64": np.uint64,
}


# ---- numbers ---------------------------------------------------------------------------------------------------------
def round_exact(value, significand, low, high):
    """A fraction rounded to the nearest float with ties to even, as a Python float, which holds all results exactly."""
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, low) - significand + 1)
    rounded = round(magnitude / unit) * unit  # round() of a fraction takes ties to even
    if rounded >= Fraction(2) ** (high + 1):
        rounded = math.inf
    return float(rounded) if value > 0 else -float(rounded)


def rational(name, function, *columns):
    """function on exact fractions, rounded once; NaN and infinities are left to double arithmetic."""
    dtype, _, _, *layout = FLOATS[name]
    out = []
    for values in zip(*(c.astype(np.float64).ravel().tolist() for c in columns)):
        if all(map(math.isfinite, values)):
            exact = function(*map(Fraction, values))
            if exact != 0:
                out.append(round_exact(exact, *layout))
                continue
        with np.errstate(all="ignore"):
            out.append(float(function(*map(np.float64, values))))
    return np.array(out).astype(dtype)


def bits_of(name, values):
    return values.astype(FLOATS[name][0]).view(FLOATS[name][1]).ravel()


def payloads(name, values):
    ring = model.Ring(FLOATS[name][2])
    return [ring.embed(int(b)) for b in bits_of(name, values)]


def unembed(name, payload):
    ring = model.Ring(FLOATS[name][2])
    return np.array([ring.unembed(p & ring.mask) for p in payload], dtype=FLOATS[name][1])


def inputs(name, count, scale):
    """Special values first, then normally distributed ones."""
    dtype, unsigned, *_ = FLOATS[name]
    info = ml_dtypes.finfo(dtype)
    special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        -0.5,
        1.5,
        -2.5,
        3.0,
        float(info.tiny),
        -float(info.smallest_subnormal),
        float(info.max),
        -float(info.max),
        math.inf,
        -math.inf,
        math.nan,
    ]
    values = (random.normal(size=count) * scale).astype(dtype)
    values[: len(special)] = np.array(special).astype(dtype)
    return values


# ---- files -----------------------------------------------------------------------------------------------------------
def write_data(folder, name, array):
    data = np.ascontiguousarray(array).tobytes()
    (HERE / folder / (name + ".bin")).write_bytes(data)


def shape_text(shape):
    return "[" + ", ".join(map(str, shape)) + "]"


def grid_of(shape, tile=(8, 128)):
    return [-(-shape[0] // tile[0]), -(-shape[1] // tile[1]), 1]


def write_case(folder, name, title, sources, results, launch, mode, tolerance=None, casts=None, ring=None, allow=None):
    """sources and results: name -> (type, shape, data file); launch: module, grid, arguments.

    The reference variant copies the expected results. Without a tolerance IEEE results must be equal.
    ring: the results are equal in the ring only and not in the tower; without it where only payloads are compared.
    """
    text = HEADER + f"title: {title}\nbuffers:\n"
    for buffer, (kind, shape, data) in sources.items():
        text += f"  {buffer}: {{type: {kind}, shape: {shape_text(shape)}, fill: {{file: {data}.bin}}}}\n"
    for buffer, (kind, shape, data) in results.items():
        text += f"  E{buffer}: {{type: {kind}, shape: {shape_text(shape)}, fill: {{file: {data}.bin}}}}\n"
        text += f"  {buffer}: {{type: {kind}, shape: {shape_text(shape)}}}\n"
    text += "variants:\n  expected:\n"
    for buffer, (kind, shape, data) in results.items():
        grid = shape_text(grid_of(shape))
        text += f"    - {{module: ../copy/copy_{kind}.tileirbc, grid: {grid}, args: [E{buffer}, {buffer}]}}\n"
    module, grid, arguments = launch
    text += (
        f"  kernel:\n    - {{module: {module}.tileirbc, grid: {shape_text(grid)}, args: [{', '.join(arguments)}]}}\n"
    )
    text += f"compare: [{', '.join(results)}]\nmodes: [{mode}]\n"
    if mode == "fpsan" if ring is None else ring:
        text += "profile: triton-3.9\n"
    if casts:
        text += f"casts: {casts}\n"
    if allow:
        text += f"allow: [{allow}]\n"
    if "ieee" in mode:
        rtol, atol = tolerance or ("0", "0")
        text += f"tolerance: {{ieee: {{rtol: {rtol}, atol: {atol}}}}}\n"
    (HERE / folder / (name + ".yaml")).write_text(text)
