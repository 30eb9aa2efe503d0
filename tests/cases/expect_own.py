# SPDX-License-Identifier: Apache-2.0
# The folder own: ops of our own, which Triton needs and no public version of Tile IR has. Kernels, inputs, results and
# case files.
"""python tests/cases/expect_own.py FOLDER TRITON     (needs numpy, ml_dtypes and mpmath)

FOLDER holds payload_model.py; TRITON cases run by the real Triton and its FpSan (data/CASE/BUFFER.WHAT.bin). IEEE
results come from numpy and mpmath, payloads from the model or the real FpSan. Nothing here runs this project."""

import math
import sys
from pathlib import Path

if len(sys.argv) != 3:
    sys.exit(__doc__)
import expect_ops  # noqa: E402
import mpmath  # noqa: E402
import numpy as np  # noqa: E402
from expect_ops import RING, Kernel, case  # noqa: E402
from expect_tools import FLOATS, HEADER, HERE, model, payloads, unembed, write_data  # noqa: E402

FOLDER = expect_ops.FOLDER = "own"
TRITON = Path(sys.argv[2]) / "data"
mpmath.mp.prec = 200
random = np.random.default_rng(20261127)
COUNT = 64


# ---- functions by name -----------------------------------------------------------------------------------------------
def nearest(x):
    return mpmath.nint(x)  # ties to even


def away(x):
    return mpmath.sign(x) * mpmath.floor(abs(x) + mpmath.mpf(0.5))


def norm(*x):
    return mpmath.sqrt(sum(a * a for a in x))


def normcdfinv(p):
    return -mpmath.sqrt(2) * erfcinv(2 * p)


def erfcinv(q):
    return mpmath.findroot(lambda y: mpmath.erfc(y) - q, mpmath.erfinv(1 - q))


def bessel_y(n):
    return lambda x: mpmath.bessely(n, x)


def bessel_j(n):
    return lambda x: mpmath.besselj(n, x)


ANY, POSITIVE, UNIT, FROM_1, OPEN = (-6, 6), (0.01, 8), (-0.999, 0.999), (1, 50), (0.001, 0.999)
# name -> operands, domain of each, function
FUNCTIONS = {
    "acos": (1, UNIT, mpmath.acos), "acosh": (1, FROM_1, mpmath.acosh), "asin": (1, UNIT, mpmath.asin),
    "asinh": (1, ANY, mpmath.asinh), "atan": (1, ANY, mpmath.atan), "atanh": (1, UNIT, mpmath.atanh),
    "cbrt": (1, ANY, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))), "rcbrt": (1, POSITIVE, lambda x: 1 / mpmath.cbrt(x)),
    "erf": (1, ANY, mpmath.erf), "erfc": (1, ANY, mpmath.erfc),
    "erfcx": (1, (-3, 40), lambda x: mpmath.exp(x * x) * mpmath.erfc(x)), "erfinv": (1, UNIT, mpmath.erfinv),
    "erfcinv": (1, (0.001, 1.999), erfcinv), "normcdf": (1, ANY, mpmath.ncdf), "normcdfinv": (1, OPEN, normcdfinv),
    "exp10": (1, ANY, lambda x: mpmath.power(10, x)), "expm1": (1, ANY, mpmath.expm1), "log10": (1, POSITIVE, mpmath.log10),
    "log1p": (1, POSITIVE, mpmath.log1p), "logb": (1, POSITIVE, lambda x: mpmath.floor(mpmath.log(x, 2))),
    "hypot": (2, ANY, norm), "rhypot": (2, POSITIVE, lambda *x: 1 / norm(*x)), "norm3d": (3, ANY, norm),
    "rnorm3d": (3, POSITIVE, lambda *x: 1 / norm(*x)), "norm4d": (4, ANY, norm),
    "rnorm4d": (4, POSITIVE, lambda *x: 1 / norm(*x)), "sinpi": (1, ANY, mpmath.sinpi), "cospi": (1, ANY, mpmath.cospi),
    "lgamma": (1, POSITIVE, mpmath.loggamma), "tgamma": (1, POSITIVE, mpmath.gamma), "j0": (1, POSITIVE, bessel_j(0)),
    "j1": (1, POSITIVE, bessel_j(1)), "y0": (1, POSITIVE, bessel_y(0)), "y1": (1, POSITIVE, bessel_y(1)),
    "trunc": (1, ANY, lambda x: mpmath.sign(x) * mpmath.floor(abs(x))), "round": (1, ANY, away), "rint": (1, ANY, nearest),
    "nearbyint": (1, ANY, nearest), "copysign": (2, ANY, lambda x, y: abs(x) * (1 if y >= 0 else -1)),
    "fdim": (2, ANY, lambda x, y: max(x - y, mpmath.mpf(0))), "remainder": (2, ANY, lambda x, y: x - y * nearest(x / y)),
    "fmod": (2, ANY, lambda x, y: x - y * mpmath.sign(x / y) * mpmath.floor(abs(x / y))), "tanh": (1, ANY, mpmath.tanh),
    "sqrt": (1, POSITIVE, mpmath.sqrt), "tan": (1, UNIT, mpmath.tan), "pow": (2, POSITIVE, mpmath.power),
}  # fmt: skip
# Symbols that FpSan knows by more than their name are in functions_triton.
TIES = [0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 0.25]


def rounded(kind, value):
    """Rounded once, to the nearest."""
    digits = FLOATS[kind][3]
    with mpmath.workprec(digits):
        return float(+value)


def operand(kind, name, number):
    low, high = FUNCTIONS[name][1]
    x = random.uniform(low, high, COUNT)
    if name in ("trunc", "round", "rint", "nearbyint"):
        x[: len(TIES)] = TIES
    return x.astype(FLOATS[kind][0])


# Symbols for which Triton's FpSan takes the rule of an op (tests/ttir/own/symbols.ttir has its bits).
RULES = {"__nv_erff": lambda ring, p: ring.tag(p, "erf")}


def functions(kind, names, part):
    """Functions of a kind, by symbol: one after the other in one array."""
    tile, suffix = f"tile<{COUNT}x{kind}>", "f" if kind == "f32" else ""
    arrays, ieee, ring_results, lines = [], [], [], []
    ring = model.Ring(FLOATS[kind][2])
    name = f"functions_{kind}_{part}"
    for function in names:
        count, _, exact = FUNCTIONS[function]
        x = [operand(kind, function, i) for i in range(count)]
        base = sum(a.shape[0] for a in arrays) // COUNT
        arrays += x
        symbol = f"__nv_{function}{suffix}"
        words = ", ".join(f"%{function}_{i}" for i in range(count))
        for i in range(count):
            lines += [f"%at_{function}_{i} = constant <i32: {base + i}> : tile<i32>",
                      f"%{function}_{i}, %{function}_{i}_t = load_view_tko weak %x_view[%at_{function}_{i}] : VIEW_x -> {tile}, token"]  # fmt: skip
        lines += [f"%{function}_r = function \"{symbol}\"({words}) : {', '.join([tile] * count)} -> {tile}",
                  f"%to_{function} = constant <i32: {len(ieee)}> : tile<i32>",
                  f"%{function}_s = store_view_tko weak %{function}_r, %y_view[%to_{function}] : {tile}, VIEW_y -> token"]  # fmt: skip
        ieee.append([rounded(kind, exact(*map(mpmath.mpf, values))) for values in zip(*(a.astype(np.float64).tolist() for a in x))])
        by_symbol = RULES.get(symbol, lambda ring, *p: ring.extern(symbol, *p))
        ring_results += [by_symbol(ring, *p) for p in zip(*(payloads(kind, a) for a in x))]
    total = sum(a.shape[0] for a in arrays)
    kernel = Kernel(name, [("x", kind, total), ("y", kind, len(ieee) * COUNT)])
    kernel.lines = [line.replace(f"tile=({total})", f"tile=({COUNT})").replace(f"tile=({len(ieee) * COUNT})", f"tile=({COUNT})") for line in kernel.lines]
    for array, size in (("x", total), ("y", len(ieee) * COUNT)):
        view = f"partition_view<tile=({COUNT}), tensor_view<{size}x{kind}, strides=[1]>>, tile<i32>"
        lines = [line.replace(f"VIEW_{array}", view) for line in lines]
    kernel(*lines).write()
    write_data(FOLDER, f"{name}_x", np.concatenate(arrays))
    write_data(FOLDER, f"{name}_ieee", np.array(ieee).ravel().astype(FLOATS[kind][0]))
    write_data(FOLDER, f"{name}_ring", unembed(kind, ring_results))
    sources = {"X": (kind, total, f"{name}_x")}
    rtol, atol = ("3.0e-7", "1.0e-45") if kind == "f32" else ("2.0e-15", "1.0e-16")
    for mode, extra in (("ieee", f"modes: [ieee]\ntolerance: {{ieee: {{rtol: {rtol}, atol: {atol}}}}}\n"), ("ring", RING)):
        case(f"{name}_{mode}", f"functions of {kind} by symbol, {mode}", sources,
             {"Y": (kind, len(ieee) * COUNT, f"{name}_{mode}")}, extra=extra, kernel=name)


def all_functions():
    names = list(FUNCTIONS)
    for kind in ("f32", "f64"):
        for part in range(4):
            functions(kind, names[part * 11 : part * 11 + 11 if part < 3 else None], part)


def functions_of_triton():
    """Rows of case `functions`, as the real FpSan has them: rules of names, hashes of symbols."""
    rows = {12: ("t, %p", "fdiv_rn"), 13: ("p", "sqrt_rn"), 14: ("t", "__nv_tanhf"), 15: ("p, %t", "__nv_powf"), 16: ("p", "__nv_log1pf"),
            20: ("t, %p", "__nv_atan2f"), 21: ("t", "erf")}  # fmt: skip
    tile = "tile<64xf32>"
    read = lambda what: np.fromfile(TRITON / "functions" / what, np.float32).reshape(-1, 64)  # noqa: E731
    x, size = read("X.in.bin"), 64 * len(rows)
    kernel = Kernel("functions_triton", [("x", "f32", 64), ("y", "f32", size)]).load("t", "x")
    kernel.lines = [line.replace(f"tile=({size})", "tile=(64)") for line in kernel.lines]
    kernel(f"%size = absf %t : {tile}", f"%half = constant <f32: 0.5> : {tile}", f"%p = addf %size, %half rounding<nearest_even> : {tile}")
    for i, (row, (operands, name)) in enumerate(rows.items()):
        types = ", ".join([tile] * (1 + operands.count(",")))
        kernel(f'%r{row} = function "{name}"(%{operands}) : {types} -> {tile}', f"%to{row} = constant <i32: {i}> : tile<i32>",
               f"%s{row} = store_view_tko weak %r{row}, %y_view[%to{row}] : {tile}, partition_view<tile=(64), tensor_view<{size}xf32, strides=[1]>>, tile<i32> -> token")  # fmt: skip
    kernel.write()
    write_data(FOLDER, "functions_triton_x", x)
    write_data(FOLDER, "functions_triton_y", read("Z.mix.bin")[list(rows)])
    case("functions_triton", "functions as the real FpSan computes them", {"X": ("f32", 64, "functions_triton_x")},
         {"Y": ("f32", size, "functions_triton_y")}, extra=RING)  # fmt: skip


def casts_of_triton():
    """f32 to narrower floats, also toward zero, as the real FpSan has them; nv_tileaa.cast is what ftof cannot round."""
    kinds = {"H": ("f16", "cast", "rz"), "B": ("bf16", "ftof", None), "E": ("f8e4m3fn", "ftof", None), "F": ("f8e5m2", "cast", "rz")}
    x = np.fromfile(TRITON / "casts" / "X.in.bin", np.float32)
    size = x.size
    kernel = Kernel("casts_triton", [("x", "f32", size)] + [(n.lower(), k, size) for n, (k, _, _) in kinds.items()]).load("t", "x")
    for buffer, (kind, op, rounding) in kinds.items():
        to, name = f"tile<{size}x{expect_ops.mlir(kind)}>", buffer.lower()
        if op == "ftof":
            kernel(f"%r{name} = ftof %t rounding<nearest_even> : tile<{size}xf32> -> {to}")
        else:
            kernel(f"%r{name} = nv_tileaa.cast %t : tile<{size}xf32> to {to} {{rounding = #{rounding}, satf = false}}")
        kernel.store(f"r{name}", name)
    kernel.write()
    write_data(FOLDER, "casts_triton_x", x)
    for casts, what in (("mix", "mix"), ("homomorphic", "hom")):
        results = {}
        for buffer, (kind, _, _) in kinds.items():
            bits = np.fromfile(TRITON / "casts" / f"{buffer}.{what}.bin", FLOATS[kind][1])
            write_data(FOLDER, f"casts_triton_{what}_{buffer.lower()}", bits)
            results[buffer] = (kind, size, f"casts_triton_{what}_{buffer.lower()}")
        case(f"casts_triton_{what}", f"casts as the real FpSan computes them, {casts}", {"X": ("f32", size, "casts_triton_x")}, results,
             extra=RING + f"casts: {casts}\n", kernel="casts_triton")  # fmt: skip


# Two formulas of one number, and a third of another: lines that make %r of %x, %y and %z.
LAWS = {
    "log1p": ("log1p(x)", "%s = 1 + x; r = log s", "r = log x"),
    "expm1": ("expm1(x)", "%s = exp x; r = s - 1", "r = exp x"),
    "log10": ("log10(x)", "%a = log2 x; %b = log2 10; r = a / b", "r = log2 x"),
    "exp10": ("exp10(x)", "%b = log2 10; %a = x * b; r = exp2 a", "r = exp2 x"),
    "erfc": ("erfc(x)", "%a = erf(x); r = 1 - a", "r = erf(x)"),
    "erf_odd": ("erf(x)", "%m = negf x; %a = erf(m); r = negf a", "%m = negf x; r = erf(m)"),
    "asin_odd": ("asin(u)", "%m = negf u; %a = asin(m); r = negf a", "r = atan(u)"),
    "cospi_even": ("cospi(x)", "%m = negf x; r = cospi(m)", "r = sinpi(x)"),
    "rcbrt": ("rcbrt(x)", "%a = cbrt(x); r = 1 / a", "r = cbrt(x)"),
    "hypot": ("hypot(x, y)", "%a = x * x; %b = y * y; %s = a + b; r = sqrt s", "%s = x + y; r = sqrt s"),
    "rhypot": ("rhypot(x, y)", "%a = x * x; %b = y * y; %s = a + b; r = rsqrt s", "r = hypot(x, y)"),
    "norm3d": ("norm3d(x, y, z)", "%a = x * x; %b = y * y; %s = a + b; %c = z * z; %t = s + c; r = sqrt t", "r = hypot(x, y)"),
    "rnorm4d": ("rnorm4d(x, y, z, x)", "%a = x * x; %b = y * y; %s = a + b; %c = z * z; %t = s + c; %v = t + a; r = rsqrt v", "r = rnorm3d(x, y, z)"),
    "normcdf": ("normcdf(x)", "%a = x * ROOT_HALF; %e = erf(a); %s = 1 + e; r = s * HALF", "%e = erf(x); %s = 1 + e; r = s * HALF"),
    "ldexp": ("ldexp(x, 3)", "r = x * 8", "r = x * 10"),
    "copysign": ("copysign(x, u)", "%a = absf x; %p = negf a; %c = u < 0; r = c ? p : a", "r = copysign(y, u)"),
    "fdim": ("fdim(x, y)", "%d = x - y; r = d maxf 0", "%d = y - x; r = d maxf 0"),
    "trunc": ("trunc(x)", "r = floor x", "r = ceil x"),
    "remainder": ("remainder(x, y)", "%q = x / y; %n = rint(q); %p = n * y; r = x - p", "%q = x / y; %n = trunc(q); %p = n * y; r = x - p"),
}  # fmt: skip
LITERALS = {"ROOT_HALF": "0.707106769", "HALF": "0.5", "0": "0.0"}
TILE = f"tile<{COUNT}xf32>"


def line_of(text, names, rename):
    """A line of LAWS as text of Tile IR; values get the suffix of the kernel's part."""
    target, words = text.strip().lstrip("%").split(" = ")
    lines = []

    def value(word):
        word = word.strip().lstrip("%")
        if word in names:
            return f"%{word}{rename if names[word] else ''}"
        if word[0].isdigit() or word in LITERALS:
            literal = LITERALS.get(word, f"{word}.0")
            lines.append(f"%c{len(names)}{rename} = constant <f32: {literal}> : {TILE}")
            names[f"c{len(names)}"] = True
            return f"%c{len(names) - 1}{rename}"
        raise ValueError(word)

    binary = {"+": "addf", "-": "subf", "*": "mulf", "/": "divf"}
    out, parts = f"%{target}{rename}", words.split()
    if "(" in words:
        function, arguments = words.rstrip(")").split("(")
        if function == "ldexp":
            lines.append(f"%n{rename} = constant <i32: 3> : tile<{COUNT}xi32>")
            operands, types = f"{value('x')}, %n{rename}", f"{TILE}, tile<{COUNT}xi32>"
        else:
            operands = ", ".join(map(value, arguments.split(",")))
            types = ", ".join([TILE] * (1 + arguments.count(",")))
        lines.append(f'{out} = function "{function}"({operands}) : {types} -> {TILE}')
    elif "?" in parts:
        lines.append(f"{out} = select {value(parts[0])}, {value(parts[2])}, {value(parts[4])} : tile<{COUNT}xi1>, {TILE}")
    elif "<" in parts:
        lines.append(f"{out} = cmpf less_than ordered {value(parts[0])}, {value(parts[2])} : {TILE} -> tile<{COUNT}xi1>")
    elif len(parts) == 3 and parts[1] in binary:
        lines.append(f"{out} = {binary[parts[1]]} {value(parts[0])}, {value(parts[2])} rounding<nearest_even> : {TILE}")
    elif len(parts) == 3:
        lines.append(f"{out} = {parts[1]} {value(parts[0])}, {value(parts[2])} : {TILE}")
    else:
        rounding = " rounding<nearest_even>" if parts[0] == "sqrt" else ""
        lines.append(f"{out} = {parts[0]} {value(parts[1])}{rounding} : {TILE}")
    names[target] = True
    return lines


def laws():
    """What functions are in the tower: all formulas in a kernel, and the wrong ones alone."""
    size = COUNT * len(LAWS)
    head = "profile: tower\nbuffers:\n" + "".join(
        f"  {n}: {{type: f32, shape: [{COUNT}], fill: {{uniform: {{low: {low}, high: {high}}}}}}}\n"
        for n, (low, high) in {"X": (0.25, 3), "Y": (0.25, 3), "Z": (0.25, 3), "U": (-0.9, 0.9)}.items())  # fmt: skip
    arrays = [(n, "f32", COUNT) for n in "xyzu"] + [("r", "f32", size)]
    view = f"{TILE}, partition_view<tile=({COUNT}), tensor_view<{size}xf32, strides=[1]>>, tile<i32>"
    for which, title in enumerate(("functions", "formulas", "wrong")):
        kernel = Kernel(f"laws_{title}", arrays)
        kernel.lines = [line.replace(f"tile=({size})", f"tile=({COUNT})") for line in kernel.lines]
        for n in "xyzu":
            kernel.load(n, n)
        for i, (name, formulas) in enumerate(LAWS.items()):
            names = dict.fromkeys("xyzu", False)
            text = formulas[which] if which else f"r = {formulas[0]}"
            for line in text.split(";"):
                kernel(*line_of(line, names, f"_{name}"))
            kernel(f"%to_{name} = constant <i32: {i}> : tile<i32>", f"%stored_{name} = store_view_tko weak %r_{name}, %r_view[%to_{name}] : {view} -> token")
        kernel.write()
    arguments = "grid: [1], args: [X.ptr, Y.ptr, Z.ptr, U.ptr, R.ptr]"
    for other, title in (("formulas", "functions as formulas"), ("wrong", "functions as wrong formulas")):
        wrong = other == "wrong"
        text = HEADER + f"title: {title}\n{head}  R: {{type: f32, shape: [{size}]}}\nvariants:\n"
        text += f"  functions:\n    - {{module: laws_functions.mlir, {arguments}}}\n  {other}:\n    - {{module: laws_{other}.mlir, {arguments}}}\n"
        text += "compare: [R]\n" + ("expect: diverge\n" if wrong else "tolerance: {ieee: {rtol: 1.0e-5, atol: 1.0e-6}}\n")
        (HERE / FOLDER / f"laws_{other}.yaml").write_text(text)


# ---- reduce and scan without identities ------------------------------------------------------------------------------
def tile_of(shape, kind):
    return "tile<" + "".join(f"{n}x" for n in shape) + kind + ">"


def fold(op, results, operands, kinds, axis, shape, body, reverse=None):
    """Lines of a reduce (or scan, if `reverse` is given) of tiles of one shape; body: from a0, b0, a1, b1, .. to r0, .."""
    out = shape if reverse is not None else shape[:axis] + shape[axis + 1 :]
    arguments = ", ".join(f"%a{i}: tile<{k}>, %b{i}: tile<{k}>" for i, k in enumerate(kinds))
    turn = "" if reverse is None else f" reverse={'true' if reverse else 'false'}"
    head = f"{', '.join('%' + r for r in results)} = {op} {', '.join('%' + x for x in operands)} dim={axis}{turn} identities=[]"
    types = ", ".join(tile_of(shape, k) for k in kinds) + " -> " + ", ".join(tile_of(out, k) for k in kinds)
    last = "yield " + ", ".join(f"%r{i}" for i in range(len(kinds))) + " : " + ", ".join(f"tile<{k}>" for k in kinds)
    return [f"{head} : {types} ({arguments}) {{", *body, last, "}"]


# The larger value; of equal ones the one with the smaller number. Operands: value, number.
ARGMAX = [
    "%larger = cmpf greater_than ordered %a0, %b0 : tile<f32> -> tile<i1>",
    "%equal = cmpf equal ordered %a0, %b0 : tile<f32> -> tile<i1>",
    "%before = cmpi less_than %a1, %b1, signed : tile<i32> -> tile<i1>",
    "%tie = andi %equal, %before : tile<i1>",
    "%first = ori %larger, %tie : tile<i1>",
    "%r0 = select %first, %a0, %b0 : tile<i1>, tile<f32>",
    "%r1 = select %first, %a1, %b1 : tile<i1>, tile<i32>",
]
# Of (a, x) and then (b, y), which are maps z -> a z + x: (b a, b x + y).
LINEAR = {
    "f32": ["%r0 = mulf %b0, %a0 rounding<nearest_even> : tile<f32>", "%p = mulf %b0, %a1 rounding<nearest_even> : tile<f32>",
            "%r1 = addf %p, %b1 rounding<nearest_even> : tile<f32>"],
    "i32": ["%r0 = muli %b0, %a0 : tile<i32>", "%p = muli %b0, %a1 : tile<i32>", "%r1 = addi %p, %b1 : tile<i32>"],
}  # fmt: skip
SHAPES = {"rows": ([8, 32], 1), "columns": ([32, 8], 0), "long": ([2, 128], 1), "middle": ([4, 16, 4], 1), "one": ([8, 1, 32], 1), "single": ([1, 256], 0)}


def argmax():
    """Many ties; the smaller place wins, however lanes are combined."""
    for name, (shape, axis) in SHAPES.items():
        out = shape[:axis] + shape[axis + 1 :]
        size, alone = int(np.prod(out)), shape[axis] == 1
        values = random.integers(0, 5, shape) + np.expand_dims(np.arange(size).reshape(out), axis)
        values = values.astype(np.float32).ravel()
        arrays = [("x", "f32", 256), ("v", "f32", size), ("p", "i32", size)]
        kernel = Kernel(f"argmax_{name}", arrays[: 2 if alone else 3]).load("flat", "x")
        ones = ["1"] * len(shape)
        ones[axis] = str(shape[axis])
        kernel(f"%t = reshape %flat : tile<256xf32> -> {tile_of(shape, 'f32')}", f"%i = iota : tile<{shape[axis]}xi32>",
               f"%k = reshape %i : tile<{shape[axis]}xi32> -> tile<{'x'.join(ones)}xi32>",
               f"%places = broadcast %k : tile<{'x'.join(ones)}xi32> -> {tile_of(shape, 'i32')}",
               *fold("reduce", ["best", "place"], ["t", "places"], ["f32", "i32"], axis, shape, ARGMAX),
               f"%fv = reshape %best : {tile_of(out, 'f32')} -> tile<{size}xf32>", f"%fp = reshape %place : {tile_of(out, 'i32')} -> tile<{size}xi32>")  # fmt: skip
        kernel.store("fv", "v")
        if not alone:  # else it is 0
            kernel.store("fp", "p")
        kernel.write()
        tile = values.reshape(shape)
        write_data(FOLDER, f"argmax_{name}_x", values)
        write_data(FOLDER, f"argmax_{name}_v", tile.max(axis))
        if not alone:
            write_data(FOLDER, f"argmax_{name}_p", tile.argmax(axis).astype(np.int32))
        case(f"argmax_{name}", f"the largest and its place and the smaller place of ties, {name}", {"X": ("f32", 256, f"argmax_{name}_x")},
             {"V": ("f32", size, f"argmax_{name}_v")} | ({} if alone else {"P": ("i32", size, f"argmax_{name}_p")}))  # fmt: skip


def linear(kind):
    """Scans z -> a z + x, forwards and backwards: what is earlier is the first argument. (Reductions without identities
    combine in any order, which these do not allow.)"""
    dtype = np.float32 if kind == "f32" else np.int32
    for name, (shape, axis) in SHAPES.items():
        a = random.integers(-1, 2, 256).astype(dtype)
        x = random.integers(-9, 10, 256).astype(dtype)
        arrays = [("a", kind, 256), ("x", kind, 256), ("f", kind, 256), ("b", kind, 256)]
        kernel = Kernel(f"linear_{kind}_{name}", arrays).load("fa", "a").load("fx", "x")
        whole = tile_of(shape, kind)
        kernel(f"%ta = reshape %fa : tile<256x{kind}> -> {whole}", f"%tx = reshape %fx : tile<256x{kind}> -> {whole}",
               *fold("scan", ["sa", "sx"], ["ta", "tx"], [kind, kind], axis, shape, LINEAR[kind], False),
               *fold("scan", ["ra", "rx"], ["ta", "tx"], [kind, kind], axis, shape, LINEAR[kind], True),
               f"%flat_f = reshape %sx : {whole} -> tile<256x{kind}>", f"%flat_b = reshape %rx : {whole} -> tile<256x{kind}>")  # fmt: skip
        kernel.store("flat_f", "f").store("flat_b", "b").write()
        ta, tx = np.moveaxis(a.reshape(shape), axis, 0), np.moveaxis(x.reshape(shape), axis, 0)
        forwards, backwards = tx.copy(), tx.copy()
        for i in range(1, len(tx)):
            forwards[i] = ta[i] * forwards[i - 1] + tx[i]
            backwards[-1 - i] = ta[-1 - i] * backwards[-i] + tx[-1 - i]
        data = f"linear_{kind}_{name}"
        write_data(FOLDER, f"{data}_a", a), write_data(FOLDER, f"{data}_x", x)
        write_data(FOLDER, f"{data}_f", np.moveaxis(forwards, 0, axis)), write_data(FOLDER, f"{data}_b", np.moveaxis(backwards, 0, axis))
        extra = "modes: [ieee]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n" if kind == "f32" else ""
        case(data, f"scans z -> a z + x of {kind}, {name}", {"A": (kind, 256, f"{data}_a"), "X": (kind, 256, f"{data}_x")},
             {"F": (kind, 256, f"{data}_f"), "B": (kind, 256, f"{data}_b")}, extra=extra)  # fmt: skip


def f32(value):
    return f"constant <f32: {value}> : "


def welford():
    """Mean, squares and weights in one reduction, as variance by two passes: the order of combination does not matter."""
    body = [
        "%r2 = addf %a2, %b2 rounding<nearest_even> : tile<f32>",
        "%d = subf %b0, %a0 rounding<nearest_even> : tile<f32>",
        "%share = divf %b2, %r2 rounding<nearest_even> : tile<f32>",
        "%step = mulf %d, %share rounding<nearest_even> : tile<f32>",
        "%r0 = addf %a0, %step rounding<nearest_even> : tile<f32>",
        "%dd = mulf %d, %d rounding<nearest_even> : tile<f32>",
        "%part = mulf %a2, %share rounding<nearest_even> : tile<f32>",
        "%more = mulf %dd, %part rounding<nearest_even> : tile<f32>",
        "%sum = addf %a1, %b1 rounding<nearest_even> : tile<f32>",
        "%r1 = addf %sum, %more rounding<nearest_even> : tile<f32>",
    ]
    text = HEADER + "title: variance by one reduction of three tiles and by two passes\nbuffers:\n"
    text += "  X: {type: f32, shape: [256], fill: {normal: {mean: 1, std: 2}}}\n  M: {type: f32, shape: [8]}\n  V: {type: f32, shape: [8]}\nvariants:\n"
    for variant, axis in (("passes", 1), ("welford", 1), ("welford_across", 0)):
        shape = [8, 32] if axis else [32, 8]
        whole = tile_of(shape, "f32")
        kernel = Kernel(f"variance_{variant}", [("x", "f32", 256), ("m", "f32", 8), ("v", "f32", 8)]).load("flat", "x")
        kernel("%rows = reshape %flat : tile<256xf32> -> tile<8x32xf32>")
        kernel("%t = permute %rows [1, 0] : tile<8x32xf32> -> tile<32x8xf32>" if not axis else f"%t = reshape %rows : {whole} -> {whole}")
        kernel("%n = constant <f32: 32.0> : tile<8xf32>")
        if variant == "passes":
            add = ["%r0 = addf %a0, %b0 rounding<nearest_even> : tile<f32>"]
            kernel(*fold("reduce", ["s"], ["t"], ["f32"], axis, shape, add), "%mean = divf %s, %n rounding<nearest_even> : tile<8xf32>",
                   "%c = reshape %mean : tile<8xf32> -> tile<8x1xf32>", f"%w = broadcast %c : tile<8x1xf32> -> {whole}",
                   f"%d = subf %t, %w rounding<nearest_even> : {whole}", f"%dd = mulf %d, %d rounding<nearest_even> : {whole}",
                   *fold("reduce", ["squares"], ["dd"], ["f32"], axis, shape, add))  # fmt: skip
        else:
            kernel(f"%zeros = constant <f32: 0.0> : {whole}", f"%weights = constant <f32: 1.0> : {whole}",
                   *fold("reduce", ["mean", "squares", "count"], ["t", "zeros", "weights"], ["f32"] * 3, axis, shape, body))  # fmt: skip
        kernel("%variance = divf %squares, %n rounding<nearest_even> : tile<8xf32>")
        kernel.store("mean", "m").store("variance", "v").write()
        text += f"  {variant}:\n    - {{module: variance_{variant}.mlir, grid: [1], args: [X.ptr, M.ptr, V.ptr]}}\n"
    (HERE / FOLDER / "variance.yaml").write_text(text.replace("title", "profile: tower\ntitle") + "compare: [M, V]\ntolerance: {ieee: {rtol: 1.0e-5, atol: 1.0e-6}}\n")


# ---- gather and histogram --------------------------------------------------------------------------------------------
def gathers():
    cases = {"last": ([4, 16], [4, 32], 1), "first": ([16, 4], [8, 4], 0), "middle": ([2, 8, 4], [2, 16, 4], 1), "flat": ([64], [128], 0),
             "from_one": ([4, 1], [4, 16], 1), "to_one": ([8, 8], [8, 1], 1)}  # fmt: skip
    for name, (whole, part, axis) in cases.items():
        for kind, index in (("f32", "i32"), ("i8", "i64")):
            size, count = int(np.prod(whole)), int(np.prod(part))
            x = random.normal(size=size).astype(np.float32) if kind == "f32" else random.integers(-128, 128, size).astype(np.int8)
            places = random.integers(0, whole[axis], count)
            full = f"gather_{name}_{kind}"
            kernel = Kernel(full, [("x", kind, size), ("i", index, count), ("y", kind, count)]).load("fx", "x").load("fi", "i")
            kernel(f"%s = reshape %fx : tile<{size}x{kind}> -> {tile_of(whole, kind)}", f"%k = reshape %fi : tile<{count}x{index}> -> {tile_of(part, index)}",
                   f"%g = gather %s[%k] dim={axis} : {tile_of(whole, kind)}, {tile_of(part, index)} -> {tile_of(part, kind)}",
                   f"%r = reshape %g : {tile_of(part, kind)} -> tile<{count}x{kind}>")  # fmt: skip
            kernel.store("r", "y").write()
            write_data(FOLDER, f"{full}_x", x)
            write_data(FOLDER, f"{full}_i", places.astype(np.int32 if index == "i32" else np.int64))
            write_data(FOLDER, f"{full}_y", np.take_along_axis(x.reshape(whole), places.reshape(part), axis))
            case(full, f"gather of {kind} along an axis, {name}", {"X": (kind, size, f"{full}_x"), "I": (index, count, f"{full}_i")},
                 {"Y": (kind, count, f"{full}_y")})  # fmt: skip


def histograms():
    for name, bins, masked in (("few", 4, False), ("masked", 64, True), ("many", 1024, True), ("one", 1, False)):
        x = random.integers(-3, bins + 9, 512).astype(np.int32)
        mask = random.integers(0, 2, 512).astype(np.int32) if masked else np.ones(512, np.int32)
        kernel = Kernel(f"histogram_{name}", [("x", "i32", 512), ("m", "i32", 512), ("y", "i32", bins)]).load("a", "x").load("k", "m")
        if masked:
            kernel("%none = constant <i32: 0> : tile<512xi32>", "%on = cmpi not_equal %k, %none, signed : tile<512xi32> -> tile<i1>".replace("-> tile<i1>", "-> tile<512xi1>"),
                   f"%h = histogram %a, %on : tile<512xi32>, tile<512xi1> -> tile<{bins}xi32>")  # fmt: skip
        else:
            kernel(f"%h = histogram %a : tile<512xi32> -> tile<{bins}xi32>")
        kernel.store("h", "y").write()
        counted = x[(mask != 0) & (x >= 0) & (x < bins)]
        write_data(FOLDER, f"histogram_{name}_x", x), write_data(FOLDER, f"histogram_{name}_m", mask)
        write_data(FOLDER, f"histogram_{name}_y", np.bincount(counted, minlength=bins).astype(np.int32))
        case(f"histogram_{name}", f"histogram, {name}", {"X": ("i32", 512, f"histogram_{name}_x"), "M": ("i32", 512, f"histogram_{name}_m")},
             {"Y": ("i32", bins, f"histogram_{name}_y")})  # fmt: skip


# ---- float atomics as Triton writes them -----------------------------------------------------------------------------
def atomic_extremes():
    """The largest and smallest floats of many blocks in memory: on integers that are their bits, where the sign is
    clear a signed max (min), where it is set an unsigned min (max); against the same by loops over a whole tile."""
    cells, blocks = 64, 16
    size = cells * blocks
    tile, ints, bools = f"tile<{cells}xf32>", f"tile<{cells}xi32>", f"tile<{cells}xi1>"
    head = f"// SPDX-License-Identifier: Apache-2.0\n// Written by expect_own.py.\ncuda_tile.module @kernels {{\n"
    view = f"partition_view<tile=({cells}), tensor_view<{size}xf32, strides=[1]>>"
    lines = ["%x, %y, %z = get_tile_block_id : tile<i32>", f"%tv = make_tensor_view %x_base, shape = [{size}], strides = [1] : tensor_view<{size}xf32, strides=[1]>",
             f"%v = make_partition_view %tv : {view}", f"%raw, %t = load_view_tko weak %v[%x] : {view}, tile<i32> -> {tile}, token",
             f"%half = constant <f32: 0.5> : {tile}", f"%f = mulf %raw, %half rounding<nearest_even> : {tile}", f"%bits = bitcast %f : {tile} -> {ints}",
             f"%at = iota : {ints}", f"%none = constant <i32: 0> : {ints}", f"%plus = cmpi greater_than_or_equal %bits, %none, signed : {ints} -> {bools}",
             f"%minus = cmpi less_than %bits, %none, signed : {ints} -> {bools}"]  # fmt: skip
    for array, above, below in (("m", "max", "umin"), ("n", "min", "umax")):
        lines += [f"%{array}1 = reshape %{array}_base : tile<ptr<f32>> -> tile<1xptr<f32>>", f"%{array}2 = broadcast %{array}1 : tile<1xptr<f32>> -> tile<{cells}xptr<f32>>",
                  f"%{array}3 = offset %{array}2, %at : tile<{cells}xptr<f32>>, {ints} -> tile<{cells}xptr<f32>>",
                  f"%{array}p = ptr_to_ptr %{array}3 : tile<{cells}xptr<f32>> -> tile<{cells}xptr<i32>>",
                  f"%{array}a, %{array}s = atomic_rmw_tko acq_rel device %{array}p, {above}, %bits, %plus : tile<{cells}xptr<i32>>, {ints}, {bools} -> {ints}, token",
                  f"%{array}b, %{array}u = atomic_rmw_tko acq_rel device %{array}p, {below}, %bits, %minus token=%{array}s : tile<{cells}xptr<i32>>, {ints}, {bools} -> {ints}, token"]  # fmt: skip
    body = "".join(f"  {line}\n" for line in lines)
    (HERE / FOLDER / "atomic_extremes.mlir").write_text(
        f"{head}entry @atomic_extremes(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %n_base: tile<ptr<f32>>) {{\n{body}  return\n}}\n}}\n")  # fmt: skip
    old = [line for line in lines if not line.startswith(("%n1", "%n2", "%n3", "%np", "%na", "%nb", "%raw", "%mb"))]
    old.insert(4, f"%raw, %t = load_view_tko weak %v[%x] : {view}, tile<i32> -> {tile}, token")
    old += [f"%mb, %mu = atomic_rmw_tko acq_rel device %mp, umin, %bits, %minus : tile<{cells}xptr<i32>>, {ints}, {bools} -> {ints}, token",
            f"%chosen = select %plus, %ma, %mb : {bools}, {ints}", f"%before = bitcast %chosen : {ints} -> {tile}"]  # fmt: skip
    plain = [f"%before, %bt = load_ptr_tko weak %m3 : tile<{cells}xptr<f32>> -> {tile}, token"]
    store = [f"%ot = make_tensor_view %o_base, shape = [{cells}], strides = [1] : tensor_view<{cells}xf32, strides=[1]>",
             f"%ov = make_partition_view %ot : partition_view<tile=({cells}), tensor_view<{cells}xf32, strides=[1]>>",
             f"%scaled = mulf %before, %half rounding<nearest_even> : {tile}",
             f"%os = store_view_tko weak %scaled, %ov[%x] : {tile}, partition_view<tile=({cells}), tensor_view<{cells}xf32, strides=[1]>>, tile<i32> -> token"]  # fmt: skip
    until = next(i for i, line in enumerate(old) if line.startswith("%mp"))
    for name, middle in (("old_atomic", old), ("old_plain", old[:until] + plain)):
        body = "".join(f"  {line}\n" for line in middle + store)
        (HERE / FOLDER / f"{name}.mlir").write_text(
            f"{head}entry @{name}(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %o_base: tile<ptr<f32>>) {{\n{body}  return\n}}\n}}\n")  # fmt: skip
    text = HEADER + "title: the floats that were in memory before integer atomics\nprofile: tower\nbuffers:\n"
    text += f"  X: {{type: f32, shape: [{size}], fill: {{normal: {{mean: 0, std: 1}}}}}}\n  M: {{type: f32, shape: [{cells}]}}\n"
    text += f"  S: {{type: f32, shape: [{cells}], fill: {{normal: {{mean: 0, std: 1}}}}}}\n  Z: {{type: f32, shape: [{cells}]}}\n  O: {{type: f32, shape: [{cells}]}}\nvariants:\n"
    for variant in ("old_plain", "old_atomic"):  # M is half of S
        text += f"  {variant}:\n    - {{module: old_plain.mlir, grid: [1], args: [X.ptr, S.ptr, M.ptr]}}\n"
        text += f"    - {{module: {variant}.mlir, grid: [1], args: [X.ptr, M.ptr, O.ptr]}}\n"
    (HERE / FOLDER / "old_floats.yaml").write_text(text + "compare: [O]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")
    kernel = Kernel("whole_extremes", [("x", "f32", size), ("m", "f32", cells), ("n", "f32", cells)]).load("raw", "x")
    whole = f"tile<{blocks}x{cells}xf32>"
    kernel(f"%half = constant <f32: 0.5> : tile<{size}xf32>", f"%f = mulf %raw, %half rounding<nearest_even> : tile<{size}xf32>",
           f"%t = reshape %f : tile<{size}xf32> -> {whole}",
           *fold("reduce", ["high"], ["t"], ["f32"], 0, [blocks, cells], ["%r0 = maxf %a0, %b0 : tile<f32>"]),
           *fold("reduce", ["low"], ["t"], ["f32"], 0, [blocks, cells], ["%r0 = minf %a0, %b0 : tile<f32>"]))  # fmt: skip
    kernel.store("high", "m").store("low", "n").write()
    text = HEADER + "title: the largest and smallest floats by integer atomics under masks of their signs\nprofile: tower\nbuffers:\n"
    text += f"  X: {{type: f32, shape: [{size}], fill: {{normal: {{mean: 0, std: 1}}}}}}\n"
    text += f"  M: {{type: f32, shape: [{cells}], fill: {{constant: -1000}}}}\n  N: {{type: f32, shape: [{cells}], fill: {{constant: 1000}}}}\nvariants:\n"
    text += "  whole:\n    - {module: whole_extremes.mlir, grid: [1], args: [X.ptr, M.ptr, N.ptr]}\n"
    text += f"  atomic:\n    - {{module: atomic_extremes.mlir, grid: [{blocks}], args: [X.ptr, M.ptr, N.ptr]}}\n"
    (HERE / FOLDER / "atomic_extremes.yaml").write_text(text + "compare: [M, N]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")


all_functions()
atomic_extremes()
functions_of_triton()
casts_of_triton()
laws()
argmax()
linear("f32")
linear("i32")
welford()
gathers()
histograms()
