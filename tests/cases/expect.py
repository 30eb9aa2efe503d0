# SPDX-License-Identifier: Apache-2.0
# Writes the inputs and expected results of the cases whose results are known bit by bit, and the case files themselves.
"""python tests/cases/expect.py FOLDER     (needs numpy and ml_dtypes)

FOLDER holds payload_model.py, the executable form of the payload algebra (profile triton-3.9). IEEE results come from exact fractions,
rounded once, or from numpy's long double where the function is not rational; payloads come from the model. Nothing here runs this project."""
import math
import struct
import sys
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np

if len(sys.argv) != 2:
    sys.exit(__doc__)
sys.path.insert(0, sys.argv[1])
import payload_model as model  # noqa: E402

HERE = Path(__file__).resolve().parent
random = np.random.default_rng(20240229)
HEADER = "# SPDX-License-Identifier: Apache-2.0\n# Written by expect.py.\n"

# name: numpy type, unsigned type of its bits, name in the model, significand bits, smallest and largest exponent
FLOATS = {"f64": (np.float64, np.uint64, "fp64", 53, -1022, 1023), "f32": (np.float32, np.uint32, "fp32", 24, -126, 127),
          "f16": (np.float16, np.uint16, "fp16", 11, -14, 15), "bf16": (ml_dtypes.bfloat16, np.uint16, "bf16", 8, -126, 127),
          "f8e4m3fn": (ml_dtypes.float8_e4m3fn, np.uint8, "fp8e4nv", 4, -6, 8), "f8e5m2": (ml_dtypes.float8_e5m2, np.uint8, "fp8e5", 3, -14, 15)}
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32, "u64": np.uint64}


# ---- numbers ---------------------------------------------------------------------------------------------------------
def round_exact(value, significand, low, high):
    """A fraction rounded to the nearest float with ties to even, as a Python float (which holds every result but f64's overflow exactly)."""
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
    special = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 1.5, -2.5, 3.0, float(info.tiny), -float(info.smallest_subnormal), float(info.max), -float(info.max),
               math.inf, -math.inf, math.nan]
    values = (random.normal(size=count) * scale).astype(dtype)
    values[:len(special)] = np.array(special).astype(dtype)
    return values


# ---- files -----------------------------------------------------------------------------------------------------------
def write_data(folder, name, array):
    data = np.ascontiguousarray(array).tobytes()
    (HERE / folder / (name + ".bin")).write_bytes(data)


def shape_text(shape):
    return "[" + ", ".join(map(str, shape)) + "]"


def grid_of(shape, tile=(8, 128)):
    return [-(-shape[0] // tile[0]), -(-shape[1] // tile[1]), 1]


def write_case(folder, name, title, sources, results, launch, mode, tolerance=None, casts=None):
    """sources and results: name -> (type, shape, data file); launch: module, grid, arguments. The reference variant copies the expected results.
    mode is a mode or both; without a tolerance IEEE results must be equal."""
    text = HEADER + f"title: {title}\nbuffers:\n"
    for buffer, (kind, shape, data) in sources.items():
        text += f"  {buffer}: {{type: {kind}, shape: {shape_text(shape)}, fill: {{file: {data}.bin}}}}\n"
    for buffer, (kind, shape, data) in results.items():
        text += f"  E{buffer}: {{type: {kind}, shape: {shape_text(shape)}, fill: {{file: {data}.bin}}}}\n"
        text += f"  {buffer}: {{type: {kind}, shape: {shape_text(shape)}}}\n"
    text += "variants:\n  expected:\n"
    for buffer, (kind, shape, data) in results.items():
        text += f"    - {{module: ../copy/copy_{kind}.tileirbc, grid: {shape_text(grid_of(shape))}, args: [E{buffer}, {buffer}]}}\n"
    module, grid, arguments = launch
    text += f"  kernel:\n    - {{module: {module}.tileirbc, grid: {shape_text(grid)}, args: [{', '.join(arguments)}]}}\n"
    text += f"compare: [{', '.join(results)}]\nmodes: [{mode}]\n"
    if casts:
        text += f"casts: {casts}\n"
    if "ieee" in mode:
        rtol, atol = tolerance or ("0", "0")
        text += f"tolerance: {{ieee: {{rtol: {rtol}, atol: {atol}}}}}\n"
    (HERE / folder / (name + ".yaml")).write_text(text)


# ---- element-wise ----------------------------------------------------------------------------------------------------
def comparisons(a, b):
    with np.errstate(invalid="ignore"):
        return [a < b, a <= b, a == b, a != b], np.where(a > b, a, b)


def exact_rows(name, a, b):
    dtype = FLOATS[name][0]
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    compare, where = comparisons(wide_a, wide_b)
    with np.errstate(all="ignore"):
        root = np.sqrt(wide_a.astype(np.longdouble))  # 64 bits and one more rounding: exact enough for all but f64, which has its own
        root = np.sqrt(wide_a) if name == "f64" else root
        quotient = rational(name, lambda x, y: x / y if y != 0 else Fraction(0), a, b)
        zero_divisor = wide_b == 0
        quotient = np.where(zero_divisor, (wide_a / wide_b).astype(dtype), quotient)
    return [(-wide_a).astype(dtype), np.abs(wide_a).astype(dtype), root.astype(dtype), np.floor(wide_a).astype(dtype), np.ceil(wide_a).astype(dtype),
            rational(name, lambda x, y: x + y, a, b), rational(name, lambda x, y: x - y, a, b), rational(name, lambda x, y: x * y, a, b), quotient,
            np.fmin(wide_a, wide_b).astype(dtype), np.fmax(wide_a, wide_b).astype(dtype), *(c.astype(dtype) for c in compare),
            rational(name, lambda x, y: x * y + x, a, b), where.astype(dtype)]


def exact_payload_rows(name, a, b):
    ring = model.Ring(FLOATS[name][2])
    x, y = payloads(name, a), payloads(name, b)
    compare, _ = comparisons(a.astype(np.float64), b.astype(np.float64))
    both = lambda f: [f(p, q) for p, q in zip(x, y)]
    one = lambda f: [f(p) for p in x]
    unit = ring.embed({"f64": 0x3ff << 52, "f32": 0x7f << 23, "f16": 0x3c00, "bf16": 0x3f80}[name])
    with np.errstate(invalid="ignore"):
        greater = a.astype(np.float64) > b.astype(np.float64)
    rows = [one(lambda p: -p), [ring.embed(int(v) & ring.magnitude) for v in bits_of(name, a)], one(lambda p: ring.tag(p, "sqrt")),
            one(lambda p: ring.tag(p, "floor")), one(lambda p: ring.tag(p, "ceil")), both(lambda p, q: p + q), both(lambda p, q: p - q),
            both(lambda p, q: p * q), both(ring.div), both(ring.smin), both(ring.smax), *([unit if c else 0 for c in row] for row in compare),
            both(lambda p, q: p * q + p), [p if c else q for c, p, q in zip(greater, x, y)]]
    return [unembed(name, row) for row in rows]


def function_rows(name, a, b):
    dtype = FLOATS[name][0]
    t, e = a.astype(np.longdouble), b.astype(np.longdouble)
    with np.errstate(all="ignore"):
        rows = [np.exp(t), np.exp2(t), np.log(t), np.log2(t), 1 / np.sqrt(t), np.sin(t), np.cos(t), np.tan(t), np.sinh(t), np.cosh(t), np.tanh(t),
                np.power(np.abs(t), e)]
        return [row.astype(np.float64).astype(dtype) for row in rows]


def function_payload_rows(name, a, b):
    ring = model.Ring(FLOATS[name][2])
    x, y = payloads(name, a), payloads(name, b)
    letter = "" if name == "f64" else "f"
    extern = lambda f: [ring.extern("__nv_" + f + letter, p) for p in x]
    absolute = [ring.embed(int(v) & ring.magnitude) for v in bits_of(name, a)]
    rows = [[ring.exp(p) for p in x], [ring.exp2(p) for p in x], *([ring.tag(p, f) for p in x] for f in ("log", "log2", "rsqrt")),
            [ring.cos_sin(p)[1] for p in x], [ring.cos_sin(p)[0] for p in x], extern("tan"), extern("sinh"), extern("cosh"), extern("tanh"),
            [ring.extern("__nv_pow" + letter, p, q) for p, q in zip(absolute, y)]]
    return [unembed(name, row) for row in rows]


def elementwise():
    tolerances = {"f64": ("5.0e-16", "1.0e-323"), "f32": ("2.4e-7", "3.0e-45"), "f16": ("1.0e-3", "1.2e-7"), "bf16": ("7.9e-3", "2.0e-40")}
    for name in ("f64", "f32", "f16", "bf16"):
        count, folder = 256, "elementwise"
        a, b = inputs(name, count, 3), inputs(name, count, 2)
        random.shuffle(b[1:])
        b[32:40] = a[32:40]
        write_data(folder, f"x_{name}", a), write_data(folder, f"z_{name}", b)
        sources = {"X": (name, (1, count), f"x_{name}"), "Z": (name, (1, count), f"z_{name}")}
        for kernel, tile, ieee, payload in (("exact", 64, exact_rows, exact_payload_rows), ("functions", 128, function_rows, function_payload_rows)):
            for mode, rows in (("ieee", ieee(name, a, b)), ("fpsan", payload(name, a, b))):
                data = f"{kernel}_{name}_{mode}"
                write_data(folder, data, np.stack([r.view(FLOATS[name][1]) for r in rows]))
                write_case(folder, data, f"element-wise {kernel} operations of {name}, {mode}", sources, {"Y": (name, (len(rows), count), data)},
                           (f"{kernel}_{name}", [count // tile, 1, 1], ["X", "Z", "Y"]), mode, tolerances[name] if kernel == "functions" else None)


# ---- casts -----------------------------------------------------------------------------------------------------------
def casts():
    folder, shape = "casts", (16, 64)
    buffers = dict(zip(FLOATS, ("D", "F", "H", "B", "E4", "E5")))
    for source in FLOATS:
        dtype, unsigned, ring_name, *_ = FLOATS[source]
        values = (random.normal(size=shape) * np.exp2(random.integers(-12, 7, size=shape))).clip(-400, 400).astype(dtype)
        write_data(folder, f"x_{source}", values)
        sources = {"X": (source, shape, f"x_{source}")}
        for mode, kind in (("ieee", None), ("fpsan", "mix"), ("fpsan", "homomorphic")):
            results = {}
            for target, buffer in buffers.items():
                if mode == "ieee":
                    out = bits_of(target, rational(target, lambda x: x, values))
                elif target == source:
                    out = bits_of(source, values)
                else:
                    widths = model.TYPES[ring_name][0], model.TYPES[FLOATS[target][2]][0]
                    out = unembed(target, [model.cast_payload(p, *widths, kind == "homomorphic") for p in payloads(source, values)])
                data = f"{source}_to_{target}_{kind or mode}"
                write_data(folder, data, out)
                results[buffer] = (target, shape, data)
            write_case(folder, f"casts_{source}_{kind or mode}", f"conversion of {source} to every float type, {kind + ' casts' if kind else mode}", sources, results,
                       (f"casts_{source}", [2, 1, 1], ["X", *results]), mode, casts=kind)

    values = random.normal(size=shape).astype(np.float32) * 100
    write_data(folder, "x_tf32", values)
    sources = {"X": ("f32", shape, "x_tf32")}
    rounded = np.array([round_exact(Fraction(v), 11, -126, 127) for v in values.ravel().tolist()]).astype(np.float32)
    for mode, out in (("ieee", rounded), ("fpsan", values)):
        write_data(folder, "tf32_" + mode, out)
        write_case(folder, "tf32_" + mode, f"f32 to tf32 and back, {mode}", sources, {"Y": ("f32", shape, "tf32_" + mode)},
                   ("tf32_and_back", [2, 1, 1], ["X", "Y"]), mode)

    targets = {"A": "i8", "B": "i16", "C": "i32", "D": "i64", "U": "u32"}
    for source in ("f64", "f32", "f16", "bf16"):
        for title, scale, modes in (("in range", 40, "fpsan, ieee"), ("out of range too", 1e10, "fpsan")):
            name = f"to_integers_{source}" + ("" if scale == 40 else "_saturating")
            with np.errstate(over="ignore"):
                values = (random.normal(size=shape) * scale).astype(FLOATS[source][0])
            if scale == 40:
                values = values.clip(-127, 127).astype(FLOATS[source][0])
            else:
                values.ravel()[:6] = np.array([math.nan, math.inf, -math.inf, 0.99, -0.99, 255.5]).astype(values.dtype)
            write_data(folder, "x_" + name, values)
            results = {}
            for buffer, target in targets.items():
                info = np.iinfo(INTEGERS[target])
                out = [0 if math.isnan(v) else max(info.min, min(info.max, int(v) if math.isfinite(v) else (1 << 80) * (1 if v > 0 else -1)))
                       for v in (np.abs(values) if target == "u32" else values).astype(np.float64).ravel().tolist()]
                write_data(folder, f"{name}_{target}", np.array(out, dtype=INTEGERS[target]))
                results[buffer] = (target.replace("u", "i"), shape, f"{name}_{target}")
            write_case(folder, name, f"conversion of {source} to integers, {title}", {"X": (source, shape, "x_" + name)}, results,
                       (f"to_integers_{source}", [2, 1, 1], ["X", *results]), modes)

    for source in ("i8", "i16", "i32", "i64", "u32", "u64"):
        info = np.iinfo(INTEGERS[source])
        values = random.integers(info.min, info.max, size=shape, dtype=INTEGERS[source], endpoint=True) >> random.integers(0, info.bits, size=shape).astype(INTEGERS[source])
        values.ravel()[:3] = [info.min, info.max, 1]
        write_data(folder, "x_" + source, values)
        results = {}
        for target, buffer in list(buffers.items())[:4]:
            out = np.array([round_exact(Fraction(v), *FLOATS[target][3:]) for v in values.ravel().tolist()]).astype(FLOATS[target][0])
            write_data(folder, f"{source}_to_{target}", out)
            results[buffer] = (target, shape, f"{source}_to_{target}")
        write_case(folder, "from_" + source, f"conversion of {source} to floats", {"X": (source.replace("u", "i"), shape, "x_" + source)}, results,
                   ("from_" + source, [2, 1, 1], ["X", *results]), "fpsan, ieee")

    values = random.integers(-2 ** 31, 2 ** 31, size=shape, dtype=np.int32)
    write_data(folder, "x_widths", values)
    results = {}
    for buffer, (kind, out) in {"A": ("i8", values.astype(np.int8)), "B": ("i16", values.astype(np.int16)), "C": ("i64", values.astype(np.int64)),
                                "D": ("i64", values.astype(np.uint32).astype(np.uint64))}.items():
        write_data(folder, "widths_" + buffer.lower(), out)
        results[buffer] = (kind, shape, "widths_" + buffer.lower())
    write_case(folder, "widths", "integer truncation and extension", {"X": ("i32", shape, "x_widths")}, results, ("widths", [2, 1, 1], ["X", *results]), "fpsan, ieee")

    pattern = random.integers(0, 2 ** 32, size=shape, dtype=np.uint32) & ~np.uint32(1 << 22)  # no NaN becomes quiet on the way
    pattern[(pattern & 0x7f800000) == 0x7f800000] &= 0xbfffffff
    write_data(folder, "x_bits", pattern), write_data(folder, "bits_flipped", pattern ^ np.uint32(1 << 31))
    write_case(folder, "bits", "bit patterns of floats", {"X": ("f32", shape, "x_bits")},
               {"Y": ("f32", shape, "bits_flipped"), "Z": ("i32", shape, "x_bits")}, ("bits", [2, 1, 1], ["X", "Y", "Z"]), "fpsan, ieee")


# ---- integers --------------------------------------------------------------------------------------------------------
def integers():
    folder, count = "integers", 192
    for name, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        wrap = lambda values: np.array([(v - info.min) % (1 << info.bits) + info.min for v in values], dtype=dtype)
        a = random.integers(info.min, info.max, size=count, dtype=dtype, endpoint=True)
        b = random.integers(info.min, info.max, size=count, dtype=dtype, endpoint=True) >> random.integers(0, info.bits - 1, size=count).astype(dtype)
        a[:4], b[:4] = [info.max, info.min, 0, 1], [1, 2, 3, info.max]
        a[4:8] = b[4:8]
        b[b == 0] = 3
        a[(b == -1 if info.min else b == 0) & (a == info.min)] = 5
        x, y = a.tolist(), b.tolist()
        both = lambda f: wrap(f(p, q) for p, q in zip(x, y))
        signed = info.min < 0
        arithmetic = [both(lambda p, q: p + q), both(lambda p, q: p - q), both(lambda p, q: p * q)] + ([both(lambda p, q: p // q)] if signed else []) + \
            [both(lambda p, q: p % q), both(lambda p, q: -(-p // q)), both(min), both(max)] + \
            ([wrap(-p for p in x), wrap(abs(p) for p in x)] if signed else [])
        by = [q & info.bits - 1 for q in y]
        logic = [both(lambda p, q: p & q), both(lambda p, q: p | q), both(lambda p, q: p ^ q), wrap(~p for p in x), wrap(p << s for p, s in zip(x, by)),
                 wrap(p >> s for p, s in zip(x, by)), both(lambda p, q: p if p < q else q), both(lambda p, q: p if p >= q else q),
                 both(lambda p, q: p if p == q or p != 0 else q)]
        kind = name.replace("u", "i")
        write_data(folder, "x_" + name, a), write_data(folder, "z_" + name, b)
        sources = {"X": (kind, (1, count), "x_" + name), "Z": (kind, (1, count), "z_" + name)}
        for kernel, rows in (("arithmetic", arithmetic), ("logic", logic)):
            write_data(folder, f"{kernel}_{name}", np.stack(rows))
            write_case(folder, f"{kernel}_{name}", f"integer {kernel} of {name}", sources, {"Y": (kind, (len(rows), count), f"{kernel}_{name}")},
                       (f"{kernel}_{name}", [count // 64, 1, 1], ["X", "Z", "Y"]), "fpsan, ieee")


# ---- reductions and scans --------------------------------------------------------------------------------------------
def fold_payload(name, operation):
    ring = model.Ring(FLOATS[name][2])
    return {"sum": lambda p, q: p + q & ring.mask, "prod": lambda p, q: p * q & ring.mask, "max": ring.smax, "min": ring.smin}[operation]


def fold(operation, values):
    result = values[0]
    for value in values[1:]:
        result = operation(result, value)
    return result


def reductions():
    folder, shape = "reductions", (4, 8, 16)
    tolerances = {"f64": ("1.0e-14", "1.0e-14"), "f32": ("3.0e-6", "3.0e-6"), "f16": ("3.0e-2", "3.0e-2"), "bf16": ("2.0e-1", "2.0e-1")}
    for name in ("f64", "f32", "f16", "bf16", "i32"):
        is_float = name in FLOATS
        values = (random.normal(size=shape)).astype(FLOATS[name][0]) if is_float else random.integers(-2 ** 31, 2 ** 31, size=shape, dtype=np.int32)
        write_data(folder, "x_" + name, values)
        for mode in ("ieee", "fpsan") if is_float else ("fpsan, ieee",):
            results = {}
            for axis in range(3):
                if mode == "fpsan":
                    p = np.array(payloads(name, values), dtype=object).reshape(shape)
                    rows = []
                    for operation in ("sum", "max", "min", "prod"):
                        lines = np.moveaxis(p, axis, -1).reshape(-1, shape[axis]).tolist()
                        rows.append(unembed(name, [fold(fold_payload(name, operation), line) for line in lines]))
                else:
                    wide = values.astype(np.float64) if is_float else values
                    dtype = FLOATS[name][0] if is_float else np.int32
                    with np.errstate(over="ignore"):
                        rows = [f(axis=axis, **more).astype(dtype).ravel() for f, more in
                                ((wide.sum, {"dtype": wide.dtype}), (wide.max, {}), (wide.min, {}), (wide.prod, {"dtype": wide.dtype}))]
                data = f"{name}_axis{axis}" + (f"_{mode}" if is_float else "")
                write_data(folder, data, np.stack(rows))
                results[f"Y{axis}"] = (name, (4, len(rows[0])), data)
            write_case(folder, f"reductions_{name}" + (f"_{mode}" if is_float else ""), f"reductions of {name} along each axis, {mode}",
                       {"X": (name, shape, "x_" + name)}, results, (f"reductions_{name}", [1, 1, 1], ["X", *results]), mode,
                       tolerances.get(name))
    for name in ("f32", "f16", "i32"):
        values = random.permutation(512).reshape(16, 32)  # no ties: which of two equal elements is found is not defined
        values = (values - 200).astype(FLOATS[name][0] if name in FLOATS else np.int32)
        write_data(folder, "x_arg_" + name, values)
        for axis in (0, 1):
            write_data(folder, f"arg_{name}_axis{axis}", np.stack([values.argmax(axis), values.argmin(axis)]).astype(np.int32))
        write_case(folder, f"arg_{name}", f"positions of the extremes of {name} along each axis", {"X": (name, (16, 32), "x_arg_" + name)},
                   {"Y0": ("i32", (2, 32), f"arg_{name}_axis0"), "Y1": ("i32", (2, 16), f"arg_{name}_axis1")},
                   (f"arg_reductions_{name}", [1, 1, 1], ["X", "Y0", "Y1"]), "fpsan, ieee")


def scans():
    folder, shape = "scans", (8, 16)
    tolerances = {"f64": ("1.0e-13", "1.0e-13"), "f32": ("3.0e-5", "3.0e-5"), "f16": ("5.0e-2", "5.0e-2")}
    for name in ("f64", "f32", "f16", "i32"):
        is_float = name in FLOATS
        values = random.normal(size=shape).astype(FLOATS[name][0]) if is_float else random.integers(-2 ** 31, 2 ** 31, size=shape, dtype=np.int32)
        write_data(folder, "x_" + name, values)
        for mode in ("ieee", "fpsan") if is_float else ("fpsan, ieee",):
            results = {}
            for buffer, operation in (("S", "sum"), ("P", "prod")):
                if mode == "fpsan":
                    wide, function = np.array(payloads(name, values), dtype=object).reshape(shape), fold_payload(name, operation)
                elif is_float:
                    wide, function = values.astype(np.float64), {"sum": lambda p, q: p + q, "prod": lambda p, q: p * q}[operation]
                else:
                    wrap = lambda v: (v + 2 ** 31) % 2 ** 32 - 2 ** 31
                    wide, function = values.astype(object), {"sum": lambda p, q: wrap(p + q), "prod": lambda p, q: wrap(p * q)}[operation]
                parts = []
                for axis, reverse in ((0, False), (0, True), (1, False), (1, True)):
                    t = np.flip(wide, axis) if reverse else wide
                    t = np.moveaxis(t.copy(), axis, 0)
                    for k in range(1, len(t)):
                        t[k] = [function(p, q) for p, q in zip(t[k - 1], t[k])]
                    t = np.moveaxis(t, 0, axis)
                    parts.append(np.flip(t, axis) if reverse else t)
                out = np.concatenate(parts)
                out = unembed(name, out.ravel().tolist()) if mode == "fpsan" else out.astype(FLOATS[name][0] if is_float else np.int32)
                data = f"{operation}_{name}" + (f"_{mode}" if is_float else "")
                write_data(folder, data, out)
                results[buffer] = (name, (32, 16), data)
            write_case(folder, f"scans_{name}" + (f"_{mode}" if is_float else ""), f"running sums and products of {name}, {mode}", {"X": (name, shape, "x_" + name)},
                       results, (f"scans_{name}", [1, 1, 1], ["X", "S", "P"]), mode, tolerances.get(name))


# ---- moves -----------------------------------------------------------------------------------------------------------
def shapes():
    folder = "shapes"
    for name in ("f64", "f32", "f16", "f8e4m3fn", "i8", "i64"):
        if name in FLOATS:
            unsigned = FLOATS[name][1]
            x = random.normal(size=(16, 32)).astype(FLOATS[name][0]).view(unsigned)
        else:
            x = random.integers(-100, 100, size=(16, 32)).astype(INTEGERS[name])
        cols, rows = np.arange(32), np.arange(16)[:, None]
        y = [x.T, x.reshape(4, 8, 16).transpose(2, 0, 1), x.reshape(2, 4, 8, 8).transpose(3, 1, 0, 2), np.concatenate((x[:, 16:], x[:, :16]), 1),
             np.concatenate((x[8:], x[:8]), 0), np.broadcast_to(x[3:4], (16, 32)), np.broadcast_to(x[:, 5:6], (16, 32)),
             np.broadcast_to(x[4:6, 16:].reshape(2, 1, 16), (2, 16, 16)), x.T, np.where(cols < 7, x, x.reshape(32, 16).reshape(16, 32)),
             np.where(rows == 5, x[:1], x)]
        write_data(folder, "x_" + name, x), write_data(folder, "moves_" + name, np.stack([np.ascontiguousarray(t).reshape(512) for t in y]))
        write_case(folder, "moves_" + name, f"moves of {name} elements", {"X": (name, (16, 32), "x_" + name)}, {"Y": (name, (len(y), 512), "moves_" + name)},
                   ("moves_" + name, [1, 1, 1], ["X", "Y"]), "fpsan, ieee")


def padding():
    folder, inner, outer = "padding", (21, 37), (24, 48)
    for name, modes in (("f32", ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")), ("f16", ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")), ("i32", ("zero",))):
        dtype = FLOATS[name][0] if name in FLOATS else np.int32
        x = (random.normal(size=inner) * 100).astype(dtype)
        write_data(folder, "x_" + name, x)
        for mode in modes:
            y = np.full(outer, {"zero": 0, "neg_zero": -0.0, "pos_inf": math.inf, "neg_inf": -math.inf, "nan": math.nan}[mode], dtype=dtype)
            y[:21, :37] = x
            data = f"pad_{name}_{mode}"
            write_data(folder, data, y)
            write_case(folder, data, f"padding of {name} with {mode}", {"X": (name, inner, "x_" + name)}, {"Y": (name, outer, data)}, (data, [3, 3, 1], ["X", "Y"]), "fpsan, ieee")


# ---- dots ------------------------------------------------------------------------------------------------------------
def dots():
    folder, (m, k, n) = "dots", (40, 72, 48)
    types = {"f16": ("f16", "f32"), "f16_f16": ("f16", "f16"), "bf16": ("bf16", "f32"), "f32": ("f32", "f32"), "f64": ("f64", "f64"),
             "f8e4m3fn": ("f8e4m3fn", "f32"), "f8e5m2": ("f8e5m2", "f32"), "f8e4m3fn_f16": ("f8e4m3fn", "f16")}
    for name, (operand, result) in types.items():
        x, y = (random.normal(size=(m, k))).astype(FLOATS[operand][0]), (random.normal(size=(k, n))).astype(FLOATS[operand][0])
        write_data(folder, "x_" + name, x), write_data(folder, "y_" + name, y)
        sources = {"X": (operand, (m, k), "x_" + name), "Y": (operand, (k, n), "y_" + name)}
        a = [payloads(operand, row) for row in x]
        b = [payloads(operand, row) for row in y]
        z = model.dot(a, b, [[0] * n for _ in range(m)], FLOATS[operand][2], FLOATS[operand][2], FLOATS[result][2])
        write_data(folder, f"z_{name}_fpsan", unembed(result, [p for row in z for p in row]))
        exact = x.astype(np.float64) @ y.astype(np.float64)
        write_data(folder, f"z_{name}_ieee", exact.astype(FLOATS[result][0]))
        tolerance = {"f64": ("1.0e-13", "1.0e-13"), "f16": ("2.0e-2", "5.0e-2")}.get(result, ("2.0e-5", "2.0e-5"))
        for mode in ("ieee", "fpsan"):
            text_name = f"dot_{name}_{mode}"
            write_case(folder, text_name, f"matrix product of {operand} in {result}, {mode}", sources, {"Z": (result, (m, n), f"z_{name}_{mode}")},
                       (f"matmul_{name}", [2, 2, 1], ["X", "Y", "Z"]), mode, tolerance)
            path = HERE / folder / (text_name + ".yaml")
            text = path.read_text()
            more = "".join(f"  {variant}:\n    - {{module: {variant}_{name}.tileirbc, grid: [{-(-m // tm)}, {-(-n // tn)}, 1], args: [X, Y, Z]}}\n"
                           for variant, tm, tn in (("wide", 16, 64), ("outer_products", 16, 16), ("transposed", 64, 16)))
            path.write_text(text.replace("compare: ", more + "compare: "))
    x, y = random.integers(-128, 128, size=(m, k), dtype=np.int8), random.integers(-128, 128, size=(k, n), dtype=np.int8)
    write_data(folder, "x_i8", x), write_data(folder, "y_i8", y), write_data(folder, "z_i8", x.astype(np.int32) @ y.astype(np.int32))
    write_case(folder, "dot_i8", "matrix product of i8", {"X": ("i8", (m, k), "x_i8"), "Y": ("i8", (k, n), "y_i8")}, {"Z": ("i32", (m, n), "z_i8")},
               ("matmul_i8", [2, 2, 1], ["X", "Y", "Z"]), "fpsan, ieee")


# ---- bytecode 13.3 ---------------------------------------------------------------------------------------------------
def newer():
    folder, count = "newer", 256
    for name in ("f32", "f64"):
        a, b = (random.normal(size=count) * 10).astype(FLOATS[name][0]), random.normal(size=count).astype(FLOATS[name][0])
        write_data(folder, "x_" + name, a), write_data(folder, "z_" + name, b)
        sources = {"X": (name, (1, count), "x_" + name), "Z": (name, (1, count), "z_" + name)}
        ring = model.Ring(FLOATS[name][2])
        negative = lambda p: ring.unembed(p) & ring.sign
        remainders = []
        for p, q in zip(payloads(name, a), payloads(name, b)):
            r = ring.rem(p, q)
            remainders.append(r + q if r and bool(negative(r)) != bool(negative(q)) else r)
        for mode, out in (("ieee", rational(name, lambda x, y: x % y, a, b)), ("fpsan", unembed(name, remainders))):
            write_data(folder, f"remainder_{name}_{mode}", out)
            write_case(folder, f"remainder_{name}_{mode}", f"remainder of {name} with the sign of the divisor, {mode}", sources,
                       {"Y": (name, (1, count), f"remainder_{name}_{mode}")}, (f"remainder_{name}", [2, 1, 1], ["X", "Z", "Y"]), mode)
        if name == "f32":
            x, z = a.astype(np.longdouble), b.astype(np.longdouble)
            ieee = np.stack([f.astype(np.float32) for f in (np.arctan2(x, z), np.exp(x), np.tanh(x))])
            payload = np.stack([unembed(name, row) for row in ([ring.extern("__nv_atan2f", p, q) for p, q in zip(payloads(name, a), payloads(name, b))],
                                                               [ring.exp(p) for p in payloads(name, a)],
                                                               [ring.extern("__nv_tanhf", p) for p in payloads(name, a)])])
            for mode, out in (("ieee", ieee), ("fpsan", payload)):
                write_data(folder, f"functions_{mode}", out)
                write_case(folder, f"functions_{mode}", f"atan2, approximate exp and tanh, {mode}", sources, {"Y": ("f32", (3, count), f"functions_{mode}")},
                           ("functions_f32", [2, 1, 1], ["X", "Z", "Y"]), mode, ("1.0e-5", "0"))

    scale = np.arange(256, dtype=np.uint8).reshape(4, 64)
    scale[-1, -1] = 127  # not the NaN
    exponents = scale.astype(np.uint32)
    write_data(folder, "x_scales", scale)
    write_data(folder, "scales_f32", np.where(exponents == 0, 0x00400000, exponents << 23).astype(np.uint32))
    write_data(folder, "scales_bf16", np.where(exponents == 0, 0x0040, exponents << 7).astype(np.uint16))
    write_case(folder, "scales", "powers of two to floats", {"X": ("f8e8m0fnu", (4, 64), "x_scales")},
               {"F": ("f32", (4, 64), "scales_f32"), "B": ("bf16", (4, 64), "scales_bf16")}, ("scales", [1, 1, 1], ["X", "F", "B"]), "fpsan, ieee")


for write in (elementwise, casts, integers, reductions, scans, shapes, padding, dots, newer):
    write()
