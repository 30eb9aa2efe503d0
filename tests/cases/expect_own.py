# SPDX-License-Identifier: Apache-2.0
# The folder own: ops of our own, which Triton needs and no public version of Tile IR has. Kernels, inputs, results and
# case files.
"""python tests/cases/expect_own.py FOLDER     (needs numpy, ml_dtypes and mpmath)

FOLDER holds payload_model.py. IEEE results come from numpy and mpmath, payloads from the model. Nothing here runs this
project."""

import math
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
import expect_ops  # noqa: E402
import mpmath  # noqa: E402
import numpy as np  # noqa: E402
from expect_ops import RING, Kernel, case  # noqa: E402
from expect_tools import FLOATS, HEADER, HERE, model, payloads, unembed, write_data  # noqa: E402

FOLDER = expect_ops.FOLDER = "own"
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
        ring_results += [ring.extern(symbol, *p) for p in zip(*(payloads(kind, a) for a in x))]
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
    rtol, atol = ("1.2e-7", "1.0e-45") if kind == "f32" else ("2.0e-15", "1.0e-16")
    for mode, extra in (("ieee", f"modes: [ieee]\ntolerance: {{ieee: {{rtol: {rtol}, atol: {atol}}}}}\n"), ("ring", RING)):
        case(f"{name}_{mode}", f"functions of {kind} by symbol, {mode}", sources,
             {"Y": (kind, len(ieee) * COUNT, f"{name}_{mode}")}, extra=extra, kernel=name)


def all_functions():
    names = list(FUNCTIONS)
    for kind in ("f32", "f64"):
        for part in range(4):
            functions(kind, names[part * 11 : part * 11 + 11 if part < 3 else None], part)


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
        values = random.integers(0, 5, 256).astype(np.float32)
        out = shape[:axis] + shape[axis + 1 :]
        size = int(np.prod(out))
        kernel = Kernel(f"argmax_{name}", [("x", "f32", 256), ("v", "f32", size), ("p", "i32", size)]).load("flat", "x")
        ones = ["1"] * len(shape)
        ones[axis] = str(shape[axis])
        kernel(f"%t = reshape %flat : tile<256xf32> -> {tile_of(shape, 'f32')}", f"%i = iota : tile<{shape[axis]}xi32>",
               f"%k = reshape %i : tile<{shape[axis]}xi32> -> tile<{'x'.join(ones)}xi32>",
               f"%places = broadcast %k : tile<{'x'.join(ones)}xi32> -> {tile_of(shape, 'i32')}",
               *fold("reduce", ["best", "place"], ["t", "places"], ["f32", "i32"], axis, shape, ARGMAX),
               f"%fv = reshape %best : {tile_of(out, 'f32')} -> tile<{size}xf32>", f"%fp = reshape %place : {tile_of(out, 'i32')} -> tile<{size}xi32>")  # fmt: skip
        kernel.store("fv", "v").store("fp", "p").write()
        tile = values.reshape(shape)
        write_data(FOLDER, f"argmax_{name}_x", values)
        write_data(FOLDER, f"argmax_{name}_v", tile.max(axis))
        write_data(FOLDER, f"argmax_{name}_p", tile.argmax(axis).astype(np.int32))
        case(f"argmax_{name}", f"the largest and its place and the smaller place of ties, {name}", {"X": ("f32", 256, f"argmax_{name}_x")},
             {"V": ("f32", size, f"argmax_{name}_v"), "P": ("i32", size, f"argmax_{name}_p")})  # fmt: skip


def linear(kind):
    """Scans z -> a z + x: what is earlier is the first argument. Forwards, backwards, and the last of all."""
    dtype = np.float32 if kind == "f32" else np.int32
    for name, (shape, axis) in SHAPES.items():
        a = random.integers(-1, 2, 256).astype(dtype)
        x = random.integers(-9, 10, 256).astype(dtype)
        out = shape[:axis] + shape[axis + 1 :]
        size = int(np.prod(out))
        arrays = [("a", kind, 256), ("x", kind, 256), ("f", kind, 256), ("b", kind, 256), ("l", kind, size)]
        kernel = Kernel(f"linear_{kind}_{name}", arrays).load("fa", "a").load("fx", "x")
        whole = tile_of(shape, kind)
        kernel(f"%ta = reshape %fa : tile<256x{kind}> -> {whole}", f"%tx = reshape %fx : tile<256x{kind}> -> {whole}",
               *fold("scan", ["sa", "sx"], ["ta", "tx"], [kind, kind], axis, shape, LINEAR[kind], False),
               *fold("scan", ["ra", "rx"], ["ta", "tx"], [kind, kind], axis, shape, LINEAR[kind], True),
               *fold("reduce", ["la", "lx"], ["ta", "tx"], [kind, kind], axis, shape, LINEAR[kind]),
               f"%flat_f = reshape %sx : {whole} -> tile<256x{kind}>", f"%flat_b = reshape %rx : {whole} -> tile<256x{kind}>",
               f"%flat_l = reshape %lx : {tile_of(out, kind)} -> tile<{size}x{kind}>")  # fmt: skip
        kernel.store("flat_f", "f").store("flat_b", "b").store("flat_l", "l").write()
        ta, tx = np.moveaxis(a.reshape(shape), axis, 0), np.moveaxis(x.reshape(shape), axis, 0)
        forwards, backwards = tx.copy(), tx.copy()
        for i in range(1, len(tx)):
            forwards[i] = ta[i] * forwards[i - 1] + tx[i]
            backwards[-1 - i] = ta[-1 - i] * backwards[-i] + tx[-1 - i]
        data = f"linear_{kind}_{name}"
        write_data(FOLDER, f"{data}_a", a), write_data(FOLDER, f"{data}_x", x)
        write_data(FOLDER, f"{data}_f", np.moveaxis(forwards, 0, axis)), write_data(FOLDER, f"{data}_b", np.moveaxis(backwards, 0, axis))
        write_data(FOLDER, f"{data}_l", forwards[-1])
        extra = "modes: [ieee]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n" if kind == "f32" else ""
        case(data, f"scans and reductions z -> a z + x of {kind}, {name}", {"A": (kind, 256, f"{data}_a"), "X": (kind, 256, f"{data}_x")},
             {"F": (kind, 256, f"{data}_f"), "B": (kind, 256, f"{data}_b"), "L": (kind, size, f"{data}_l")}, extra=extra)  # fmt: skip


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


all_functions()
argmax()
linear("f32")
linear("i32")
welford()
gathers()
histograms()
