#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The range census of kernels of cuTile against one that numpy computes of their intermediate results:
# range_census.py FPDIFF ROOT [KERNEL...]. Each kernel has a function here that computes it op by op; what it makes of
# arrays without padding is what fpdiff must have counted, in the order of the code. Exact where all is arithmetic and
# roots. Behind an exp or the like, whose last bit numpy may have otherwise, magnitudes may differ by 1e-5 (those of sums
# by 2^-22 of the largest) and lost bits by one.
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

np.seterr(all="ignore")
F32 = np.float32
# Exponent bits, bits of the fraction.
TYPES = {"f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


def bias(kind):
    return (1 << (TYPES[kind][0] - 1)) - 1


def exponents(kind, x):
    """The bits of the exponent as the type stores them, 0 for subnormal numbers."""
    _, e = np.frexp(np.abs(x.astype(np.float64)))
    return np.where(x == 0, 0, np.maximum(e - 1 + bias(kind), 0))


def to_bf16(x):
    bits = np.ascontiguousarray(x, F32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(F32)


ROUND = {"f32": lambda x: np.asarray(x, F32), "f16": lambda x: np.asarray(x, np.float16), "bf16": to_bf16}


class Line:
    def __init__(self, op, kind):
        self.op, self.kind, self.exact = op, kind, True
        self.results = self.subnormal = self.not_finite = self.made = self.cancelled = 0
        self.largest, self.smallest, self.own, self.lost = 0.0, np.inf, 0.0, 0
        self.adds = op in ("addf", "subf", "fma")

    def see(self, result, operands, terms=None, mask=None, own=None):
        """`terms`: (exponent, whether it is not 0) of each summand. `own`: which results are the op's own; None: those
        that are larger than each operand."""
        keep = np.broadcast_to(True if mask is None else mask, result.shape)
        finite = np.isfinite(result) & keep
        size = np.abs(result.astype(np.float64))
        good = np.ones(result.shape, bool)
        for x in operands:
            good &= np.isfinite(x)
        self.results += int(keep.sum())
        self.not_finite += int((keep & ~np.isfinite(result)).sum())
        self.made += int((keep & ~np.isfinite(result) & good).sum())
        self.subnormal += int((finite & (size > 0) & (size < 2.0 ** (1 - bias(self.kind)))).sum())
        if (finite & (size > 0)).any():
            self.largest = max(self.largest, float(size[finite].max()))
            self.smallest = min(self.smallest, float(size[finite & (size > 0)].min()))
        if own is None:
            own = np.ones(result.shape, bool)
            for x in operands:
                own &= size > np.abs(x.astype(np.float64))
        if (finite & own).any():
            self.own = max(self.own, float(size[finite & own].max()))
        if not self.adds:
            return
        largest = np.maximum(*(e for e, _ in terms))
        lost = np.where(finite & (size > 0), largest - exponents(self.kind, result), 0)
        self.lost = max(self.lost, int(lost.max()))
        self.cancelled += int((keep & (size == 0) & (terms[0][1] | terms[1][1])).sum())


class Run:
    """Computes in the types of a kernel and keeps a line for each op; like ops of one place are one."""

    def __init__(self):
        self.lines, self.at = [], None

    def source(self, number):
        """The ops that follow are of that place in the source. None: of one each."""
        self.at = number

    def line(self, op, kind="f32", into=None):
        for line in self.lines:
            if self.at is not None and into is None and (line.op, line.kind, line.at) == (op, kind, self.at):
                into = line
        if into is None:
            into = Line(op, kind)
            into.at = self.at
            self.lines.append(into)
        return into

    def op(self, name, result, *operands, mask=None, into=None, exact=True):
        result = np.asarray(result, F32)
        shape = result.shape
        operands = [np.broadcast_to(np.asarray(x, F32), shape) for x in operands]
        line = self.line(name, into=into)
        line.exact &= exact
        terms = [(exponents("f32", x), x != 0) for x in operands]
        if name == "fma":
            a, b, _ = operands
            sum_ = np.maximum(terms[0][0] + terms[1][0] - bias("f32"), 0)
            none = (a == 0) | (b == 0)
            terms = [(np.where(none, 0, sum_), ~none), terms[2]]
        line.see(result, operands, terms, mask)
        return result

    def add(self, a, b, **more):
        return self.op("addf", F32(a) + F32(b), a, b, **more)

    def sub(self, a, b, **more):
        return self.op("subf", F32(a) - F32(b), a, b, **more)

    def mul(self, a, b, **more):
        return self.op("mulf", F32(a) * F32(b), a, b, **more)

    def div(self, a, b, **more):
        return self.op("divf", F32(a) / F32(b), a, b, **more)

    def fma(self, a, b, c, **more):
        """One rounding: the sum of doubles is rounded to odd first."""
        p, c64 = np.float64(a) * np.float64(b), np.float64(c)
        s = np.asarray(p + c64)
        t = s - p
        rest = (p - (s - t)) + (c64 - t)
        bits = s.view(np.int64).copy()
        fix = np.isfinite(s) & (rest != 0) & (bits & 1 == 0)
        bits[fix] += np.where((rest > 0) == (s > 0), 1, -1)[fix]
        return self.op("fma", bits.view(np.float64).astype(F32), a, b, c, **more)

    def sqrt(self, a):
        return self.op("sqrt", np.sqrt(F32(a)), a)

    def function(self, name, function, a, **more):
        return self.op(name, function(np.float64(a)).astype(F32), a, exact=False, **more)

    def convert(self, kind, a, mask=None):
        result = ROUND[kind](a)
        largest = {"f16": 65504.0, "bf16": 255 * 2.0**120, "f32": None}[kind]  # f32 has all numbers of the others
        own = np.zeros(result.shape, bool) if largest is None else np.abs(result.astype(np.float64)) != largest
        self.line("ftof", kind).see(result, [a], mask=mask, own=own)
        return result

    def integer(self, n, times):
        """An integer that each block makes a float of."""
        self.line("itof").see(np.full(times, n, F32), [])
        return F32(n)

    def sum_rows(self, x, width):
        """Rows of x, in tiles of `width` elements: 64 lanes fold every 64th element, then halves are folded."""
        rows, count = x.shape
        lanes = min(64, width)
        tile = np.zeros((rows, width), F32)
        tile[:, :count] = x
        inside = np.arange(width) < count
        line = self.line("addf")
        total = tile[:, :lanes]
        for first in range(lanes, width, lanes):
            now = slice(first, first + lanes)
            total = self.add(total, tile[:, now], mask=inside[now], into=line)
        while total.shape[1] > 1:
            half = total.shape[1] // 2
            total = self.add(total[:, :half], total[:, half:], into=line)
        return total


# ---- kernels: NAME(run, inputs...) in the order of the code --------------------------------------------------------


def element(name):
    return lambda run, x, y: getattr(run, name)(x, y)


def axpby(run, x, y):
    run.fma(x, F32(0.75), -run.mul(y, F32(0.3)))


def triad(run, x, y):
    run.fma(F32(3), y, x)


def formula(run, x, y):
    run.div(run.function("exp", np.exp, run.fma(x, y, F32(1.5))), y)


def silu(run, x):
    run.div(x, run.add(F32(1), run.function("exp", np.exp, -x)))


def widen(run, x):
    run.convert("f32", x)


def unary(name, function):
    return lambda run, x: run.function(name, function, x)


def sqrt(run, x):
    run.sqrt(x)


def softmax(width):
    def kernel(run, x):
        e = run.function("exp", np.exp, run.sub(x, x.max(axis=1, keepdims=True)))
        run.div(e, run.sum_rows(e, width))

    return kernel


def gelu(run, x):
    run.source(1)
    inner = run.fma(run.mul(run.mul(F32(0.044715), x), x), x, x)
    run.source(2)  # an expression of its own
    inner = run.mul(F32(0.7978845608028654), inner)
    run.source(3)
    half = run.mul(F32(0.5), x)
    run.mul(half, run.add(F32(1), run.function("tanh", np.tanh, inner)))


def gelu_half(run, x):
    t = run.convert("f32", x)
    run.source(1)
    inner = run.fma(run.mul(run.mul(F32(0.044715), t), t), t, t)
    run.source(2)  # an expression of its own
    inner = run.mul(F32(0.7978845608028654), inner)
    run.source(3)
    half = run.mul(F32(0.5), t)
    result = run.mul(half, run.add(F32(1), run.function("tanh", np.tanh, inner)))
    run.convert("f16", result)


def silu_stable(run, x):
    t = run.convert("f32", x)
    e = run.function("exp", np.exp, -np.abs(t))
    left = run.div(F32(1), run.add(F32(1), e))
    right = run.div(e, run.add(F32(1), e))
    run.convert("f16", run.mul(t, np.where(t >= 0, left, right)))


def mish(run, x):
    u = run.function("log", np.log, run.add(F32(1), run.function("exp", np.exp, x)))
    run.mul(x, run.function("tanh", np.tanh, u))


def estrin(run, x):
    c = [F32(0.5), F32(1), F32(0.0416666679), F32(0.166666672), F32(0.00833333377)]
    square = run.mul(x, x)
    low = run.fma(c[0], x, c[1])
    high = run.fma(square, c[4], run.fma(x, c[2], c[3]))
    run.fma(square, high, low)


def horner(run, x):
    p = run.fma(x, F32(0.00833333377), F32(0.0416666679))
    for c in (0.166666672, 0.5, 1.0):
        p = run.fma(x, p, F32(c))


def nesterov(run, *inputs):
    p, g, v = inputs
    velocity = run.fma(F32(0.875), v, g)
    run.fma(F32(-0.125), run.fma(F32(0.875), velocity, g), p)


def layer_norm(run, x, w, b):
    n = F32(x.shape[1])
    mean = run.div(run.sum_rows(x, x.shape[1]), n)
    centred = run.sub(x, mean)
    variance = run.div(run.sum_rows(run.mul(centred, centred), x.shape[1]), n)
    scale = run.function("rsqrt", lambda v: 1 / np.sqrt(v), run.add(variance, F32(1e-5)))
    run.fma(run.mul(centred, scale), w, b)


def rms_norm(run, x, w):
    t, weight = run.convert("f32", x), run.convert("f32", w)
    run.lines[1].results *= -(-x.shape[0] // 4)  # each block converts the weights
    total = run.sum_rows(run.mul(t, t), 1024)
    mean = run.div(total, run.integer(x.shape[1], -(-x.shape[0] // 4)))
    scale = run.function("rsqrt", lambda v: 1 / np.sqrt(v), run.add(mean, F32(1e-5), into=run.lines[3]))
    run.source(1)
    run.convert("bf16", run.mul(run.mul(t, scale), weight))


def unit_reciprocal(run, x):
    """Squares are added up over blocks of 32 columns; rows and columns stick out."""
    rows, count = x.shape
    squares = np.zeros((rows, 32), F32)
    line = run.line("fma")
    for first in range(0, count, 32):
        now = np.zeros((rows, 32), F32)
        part = x[:, first : first + 32]
        now[:, : part.shape[1]] = part
        squares = run.fma(now, now, squares, mask=np.arange(32) < part.shape[1], into=line)
    total = run.sum_rows(squares, 32)
    scale = run.function("rsqrt", lambda v: 1 / np.sqrt(v), total)
    blocks = -(-rows // 4)
    run.op("divf", np.full(blocks, F32(1) / F32(1e-5)), np.full(blocks, 1), np.full(blocks, F32(1e-5)))
    run.mul(np.minimum(scale, F32(1) / F32(1e-5)), x)


def reciprocal(run, x):
    run.div(F32(1), x)


def masked_softmax(run, x):
    e = run.function("exp", np.exp, run.div(F32(1), x))
    run.div(e, run.sum_rows(e, 512))


def masked_sums(run, x):
    run.div(F32(1), run.sum_rows(x, 64))


def product(kind, depth):
    """Sums of positive numbers, whose order matters little: each block of the depth adds to the accumulator."""

    def kernel(run, a, b):
        line = run.line("mmaf", kind)
        line.exact = False
        total = np.zeros((a.shape[0], b.shape[1]))
        for first in range(0, a.shape[1], depth):
            now = slice(first, first + depth)
            total = total + np.float64(a[:, now]) @ np.float64(b[now])
            result = ROUND[kind](total)
            line.see(result, [np.zeros(result.shape)])

    return kernel


# ---- inputs ---------------------------------------------------------------------------------------------------------

random = np.random.default_rng(19)


def normal(*shape, scale=1.0, kind="f32"):
    x = (random.standard_normal(shape) * scale).astype(F32)
    return ROUND[kind](x)


def positive(*shape, kind="f32"):
    return ROUND[kind]((0.5 + random.random(shape)).astype(F32))


def wide(*shape, kind="f32"):
    """Magnitudes from subnormal to near overflow, zeros, infinities and NaN."""
    e = TYPES[kind][0]
    x = random.standard_normal(shape) * np.exp2(random.uniform(-1.1, 0.999, shape) * (1 << (e - 1)))
    x = np.where(np.abs(x) >= 2.0 ** (1 << (e - 1)), 1, x)
    x.flat[::97] = 0
    x.flat[5::301] = np.inf
    x.flat[7::401] = np.nan
    return ROUND[kind](x.astype(F32))


def near(x):
    """The same numbers but for a few units, so that differences cancel."""
    y = x * (1 + np.ldexp(F32(1), -random.integers(2, 24, x.shape)).astype(F32))
    return np.where(random.random(x.shape) < 0.1, x, y).astype(F32)


X = normal(3000)
CASES = {  # name: (module, arguments, grid, function, inputs, shape of the result)
    "add": ("bench/element_add", "X Y Z", [3], element("add"), [X, -near(X)]),
    "mul": ("bench/element_mul", "X Y Z", [3], element("mul"), [wide(3000), wide(3000)]),
    "div": ("bench/element_div", "X Y Z", [3], element("div"), [wide(3000), wide(3000)]),
    "axpby": ("bench/element_axpby", "X Y Z", [3], axpby, [X, normal(3000)]),
    "sqrt": ("bench/element_sqrt", "X Z", [3], sqrt, [wide(3000)]),
    "exp": ("bench/element_exp", "X Z", [3], unary("exp", np.exp), [normal(3000, scale=40)]),
    "exp2": ("bench/element_exp2", "X Z", [3], unary("exp2", np.exp2), [normal(3000, scale=60)]),
    "log2": ("bench/element_log2", "X Z", [3], unary("log2", np.log2), [np.abs(wide(3000))]),
    "tanh": ("bench/element_tanh", "X Z", [3], unary("tanh", np.tanh), [normal(3000)]),
    "silu": ("bench/element_silu", "X Z", [3], silu, [normal(3000, scale=30)]),
    "widen": ("bench/element_widen", "X Z", [3], widen, [wide(3000, kind="f16")]),
    "vadd": ("bench/peer_vadd", "X Y Z", [3], element("add"), [wide(3000), wide(3000)]),
    "triad": ("bench/peer_triad", "X Y Z", [3], triad, [-near(F32(3) * X), X]),
    "formula": ("bench/peer_formula", "X Y Z", [3], formula, [X, positive(3000)]),
    "softmax": ("bench/peer_softmax", "X Z", [5, 1, 1], softmax(4096), [normal(5, 4096)]),
    "layer_norm": ("bench/peer_layer_norm", "X Y W Z f32", [3], layer_norm,
                   [normal(3, 4096), normal(4096), normal(4096)]),
    "gelu": ("bench/peer_gelu", "X Z", [3, 2], gelu, [normal(3, 1500)]),
    "softmax_exp": ("examples/softmax/softmax_exp", "X Z", [2], softmax(512), [normal(7, 300, scale=3)]),
    "rms_norm": ("examples/norm/rms_norm", "X Y Z f32", [2], rms_norm,
                 [normal(7, 600, kind="bf16"), normal(600, kind="bf16")]),
    "gelu_tanh": ("verdicts/elementwise/gelu_tanh", "X Z", [4], gelu_half, [normal(900, kind="f16")]),
    "silu_stable": ("verdicts/elementwise/silu_stable", "X Z", [8], silu_stable, [normal(900, scale=5, kind="f16")]),
    "mish": ("verdicts/elementwise/mish", "X Z", [4], mish, [normal(900)]),
    "estrin": ("verdicts/elementwise/estrin", "X Z", [8], estrin, [normal(900)]),
    "horner": ("verdicts/elementwise/horner", "X Z", [8], horner, [normal(900)]),
    "unit_reciprocal": ("verdicts/domains/unit_reciprocal", "X Z f32", [2], unit_reciprocal, [normal(7, 85)]),
    # Loads through pointers with a mask, in tiles that stick out; arguments that are numbers are i32.
    "masked_blocks": ("tests/cases/range/gathered:blocks", "X Z 300", [1], reciprocal, [wide(300)]),
    "masked_rows": ("tests/cases/range/gathered:rows", "X Z 300", [7], masked_softmax, [positive(7, 300)]),
    "masked_sums": ("tests/cases/range/gathered:sums", "X Z 13", [2], masked_sums, [normal(13, 64)]),
    "matmul_f32": ("bench/matmul_f32", "X Y Z", [2, 1], product("f32", 64), [positive(150, 96), positive(96, 100)]),
    "matmul_f16": ("bench/matmul_f16", "X Y Z", [2, 1], product("f32", 64),
                   [positive(150, 96, kind="f16"), positive(96, 100, kind="f16")]),
}


def type_of(x, name):
    return "f16" if x.dtype == np.float16 else "bf16" if name == "rms_norm" else "f32"


def write_case(folder, root, name, mode):
    module, names, grid, function, inputs = CASES[name][:5]
    names = names.split()
    lines, arguments = [], []
    inputs = list(inputs)
    for n in names:
        if n == "f32":
            arguments.append("f32 1e-5")
            continue
        arguments.append(f"i32 {n}" if n.isdigit() else n)
        if n.isdigit():
            continue
        if n == "Z":
            shape = inputs[0].shape
            if name.startswith("matmul"):
                shape = (inputs[0].shape[0], inputs[1].shape[1])
            kind = "f32" if name in ("widen",) or name.startswith("matmul") else type_of(inputs[0], name)
            lines.append(f"  Z: {{type: {kind}, shape: {list(shape)}}}")
            continue
        x = inputs[len(lines)]
        data = (x.view(np.uint32) >> 16).astype(np.uint16) if type_of(x, name) == "bf16" else x
        file = os.path.join(folder, f"{name}.{n}.bin")
        np.ascontiguousarray(data).tofile(file)
        lines.append(f"  {n}: {{type: {type_of(x, name)}, shape: {list(x.shape)}, fill: {{file: {file}}}}}")
    path = os.path.join(folder, f"{name}.{mode}.yaml")
    module, _, kernel = module.partition(":")
    module = f"{module}.mlir, kernel: {kernel}" if kernel else f"{module}.tileirbc"
    with open(path, "w") as out:
        out.write("buffers:\n" + "\n".join(lines) + "\nvariants:\n")
        out.write(f"  a: [{{module: {root}/{module}, grid: {grid}, args: [{', '.join(arguments)}]}}]\n")
        out.write(f"compare: [Z]\nmodes: [{mode}]\nallow: [vacuous]\n")
    return path


def differences(found, line, exact):
    """What of a line is not as numpy has it."""
    near = lambda a, b: a == b or (not exact and abs(a - b) <= 1e-5 * abs(b) + slack)
    slack = np.ldexp(line.largest, -22) if line.adds else 0  # of what cancels
    smallest = 0 if line.smallest == np.inf else line.smallest
    wrong = []
    if (found["op"], found["type"]) != (line.op, line.kind):
        return [f"{found['op']} {found['type']}, expected {line.op} {line.kind}"]
    for key in ("results", "subnormal", "not_finite", "made") + (("cancelled",) if line.adds else ()):
        if found[key] != getattr(line, key):
            wrong.append(f"{key} {found[key]}, expected {getattr(line, key)}")
    if not near(found["largest"], line.largest):
        wrong.append(f"largest {found['largest']}, expected {line.largest}")
    if not near(found.get("own", found["largest"]), line.own):
        wrong.append(f"own {found.get('own', found['largest'])}, expected {line.own}")
    if not near(found.get("smallest", 0), smallest):
        wrong.append(f"smallest {found.get('smallest', 0)}, expected {smallest}")
    if line.adds and abs(found["lost"] - line.lost) > (0 if exact else 1):
        wrong.append(f"lost {found['lost']}, expected {line.lost}")
    return wrong


def check(name, mode, report):
    run = Run()
    CASES[name][3](run, *CASES[name][4])
    lines = report["range"][0]["lines"]
    bad, exact = 0, True
    if len(lines) != len(run.lines):
        bad = 1
        print(f"{name}, {mode}: {len(lines)} lines, expected {len(run.lines)}:", [l["op"] for l in lines])
    for found, line in zip(lines, run.lines):
        exact &= line.exact
        for wrong in differences(found, line, exact):
            bad = 1
            print(f"{name}, {mode}: {line.op} of line {found.get('line')}: {wrong}")
    return bad


def main():
    fpdiff, root = sys.argv[1:3]
    names = sys.argv[3:] or list(CASES)
    with tempfile.TemporaryDirectory() as folder:
        tasks = [(name, mode) for name in names for mode in ("fpsan", "ieee")]
        paths = [write_case(folder, root, *task) for task in tasks]
        done = subprocess.run([fpdiff, "-O", "0", "--range", "--json", "-", *paths], stdout=subprocess.PIPE)
        reports = json.loads(done.stdout)["cases"]
        bad = 0
        for (name, mode), report in zip(tasks, reports):
            if "range" not in report:
                print(name, mode, report.get("errors"), report.get("result"))
                bad += 1
            else:
                bad += check(name, mode, report)
        print(f"{len(tasks) - bad} of {len(tasks)} are as numpy has them, of {len(names)} kernels")
        sys.exit(1 if bad or done.returncode else 0)


main()
