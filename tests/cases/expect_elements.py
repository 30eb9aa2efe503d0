# SPDX-License-Identifier: Apache-2.0
# Expected results of operations on single elements: float and integer arithmetic, functions, conversions.
import math
from fractions import Fraction

import numpy as np
from expect_tools import (
    FLOATS,
    INTEGERS,
    bits_of,
    inputs,
    model,
    payloads,
    random,
    rational,
    round_exact,
    unembed,
    write_case,
    write_data,
)


# ---- element-wise ----------------------------------------------------------------------------------------------------
def comparisons(a, b):
    with np.errstate(invalid="ignore"):
        return [a < b, a <= b, a == b, a != b], np.where(a > b, a, b)


def exact_rows(name, a, b):
    dtype = FLOATS[name][0]
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    compare, where = comparisons(wide_a, wide_b)
    with np.errstate(all="ignore"):
        # 64 bits and one more rounding are exact enough for all but f64, whose own square root is right.
        root = np.sqrt(wide_a if name == "f64" else wide_a.astype(np.longdouble))
        quotient = rational(name, lambda x, y: x / y if y != 0 else Fraction(0), a, b)
        zero_divisor = wide_b == 0
        quotient = np.where(zero_divisor, (wide_a / wide_b).astype(dtype), quotient)
    return [
        (-wide_a).astype(dtype),
        np.abs(wide_a).astype(dtype),
        root.astype(dtype),
        np.floor(wide_a).astype(dtype),
        np.ceil(wide_a).astype(dtype),
        rational(name, lambda x, y: x + y, a, b),
        rational(name, lambda x, y: x - y, a, b),
        rational(name, lambda x, y: x * y, a, b),
        quotient,
        np.fmin(wide_a, wide_b).astype(dtype),
        np.fmax(wide_a, wide_b).astype(dtype),
        *(c.astype(dtype) for c in compare),
        rational(name, lambda x, y: x * y + x, a, b),
        where.astype(dtype),
    ]


def exact_payload_rows(name, a, b):
    ring = model.Ring(FLOATS[name][2])
    x, y = payloads(name, a), payloads(name, b)
    compare, _ = comparisons(a.astype(np.float64), b.astype(np.float64))
    both = lambda f: [f(p, q) for p, q in zip(x, y)]
    one = lambda f: [f(p) for p in x]
    unit = ring.embed({"f64": 0x3FF << 52, "f32": 0x7F << 23, "f16": 0x3C00, "bf16": 0x3F80}[name])
    with np.errstate(invalid="ignore"):
        greater = a.astype(np.float64) > b.astype(np.float64)
    rows = [
        one(lambda p: -p),
        [ring.embed(int(v) & ring.magnitude) for v in bits_of(name, a)],
        one(lambda p: ring.tag(p, "sqrt")),
        one(lambda p: ring.tag(p, "floor")),
        one(lambda p: ring.tag(p, "ceil")),
        both(lambda p, q: p + q),
        both(lambda p, q: p - q),
        both(lambda p, q: p * q),
        both(ring.div),
        both(ring.smin),
        both(ring.smax),
        *([unit if c else 0 for c in row] for row in compare),
        both(lambda p, q: p * q + p),
        [p if c else q for c, p, q in zip(greater, x, y)],
    ]
    return [unembed(name, row) for row in rows]


def function_rows(name, a, b):
    dtype = FLOATS[name][0]
    t, e = a.astype(np.longdouble), b.astype(np.longdouble)
    with np.errstate(all="ignore"):
        rows = [
            np.exp(t),
            np.exp2(t),
            np.log(t),
            np.log2(t),
            1 / np.sqrt(t),
            np.sin(t),
            np.cos(t),
            np.tan(t),
            np.sinh(t),
            np.cosh(t),
            np.tanh(t),
            np.power(np.abs(t), e),
        ]
        return [row.astype(np.float64).astype(dtype) for row in rows]


def function_payload_rows(name, a, b):
    ring = model.Ring(FLOATS[name][2])
    x, y = payloads(name, a), payloads(name, b)
    letter = "" if name == "f64" else "f"
    extern = lambda f: [ring.extern("__nv_" + f + letter, p) for p in x]
    absolute = [ring.embed(int(v) & ring.magnitude) for v in bits_of(name, a)]
    rows = [
        [ring.exp(p) for p in x],
        [ring.exp2(p) for p in x],
        *([ring.tag(p, f) for p in x] for f in ("log", "log2", "rsqrt")),
        [ring.cos_sin(p)[1] for p in x],
        [ring.cos_sin(p)[0] for p in x],
        extern("tan"),
        extern("sinh"),
        extern("cosh"),
        extern("tanh"),
        [ring.extern("__nv_pow" + letter, p, q) for p, q in zip(absolute, y)],
    ]
    return [unembed(name, row) for row in rows]


def elementwise():
    tolerances = {
        "f64": ("5.0e-16", "1.0e-323"),
        "f32": ("2.4e-7", "3.0e-45"),
        "f16": ("1.0e-3", "1.2e-7"),
        "bf16": ("7.9e-3", "2.0e-40"),
    }
    for name in ("f64", "f32", "f16", "bf16"):
        count, folder = 256, "elementwise"
        a, b = inputs(name, count, 3), inputs(name, count, 2)
        random.shuffle(b[1:])
        b[32:40] = a[32:40]
        write_data(folder, f"x_{name}", a), write_data(folder, f"z_{name}", b)
        sources = {"X": (name, (1, count), f"x_{name}"), "Z": (name, (1, count), f"z_{name}")}
        for kernel, tile, ieee, payload in (
            ("exact", 64, exact_rows, exact_payload_rows),
            ("functions", 128, function_rows, function_payload_rows),
        ):
            for mode, rows in (("ieee", ieee(name, a, b)), ("fpsan", payload(name, a, b))):
                data = f"{kernel}_{name}_{mode}"
                write_data(folder, data, np.stack([r.view(FLOATS[name][1]) for r in rows]))
                write_case(
                    folder,
                    data,
                    f"element-wise {kernel} operations of {name}, {mode}",
                    sources,
                    {"Y": (name, (len(rows), count), data)},
                    (f"{kernel}_{name}", [count // tile, 1, 1], ["X", "Z", "Y"]),
                    mode,
                    tolerances[name] if kernel == "functions" else None,
                )


# ---- casts -----------------------------------------------------------------------------------------------------------
def casts():
    folder, shape = "casts", (16, 64)
    buffers = dict(zip(FLOATS, ("D", "F", "H", "B", "E4", "E5")))
    for source in FLOATS:
        dtype, unsigned, ring_name, *_ = FLOATS[source]
        values = (
            (random.normal(size=shape) * np.exp2(random.integers(-12, 7, size=shape))).clip(-400, 400).astype(dtype)
        )
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
                    out = unembed(
                        target,
                        [model.cast_payload(p, *widths, kind == "homomorphic") for p in payloads(source, values)],
                    )
                data = f"{source}_to_{target}_{kind or mode}"
                write_data(folder, data, out)
                results[buffer] = (target, shape, data)
            write_case(
                folder,
                f"casts_{source}_{kind or mode}",
                f"conversion of {source} to every float type, {kind + ' casts' if kind else mode}",
                sources,
                results,
                (f"casts_{source}", [2, 1, 1], ["X", *results]),
                mode,
                casts=kind,
            )

    values = random.normal(size=shape).astype(np.float32) * 100
    write_data(folder, "x_tf32", values)
    sources = {"X": ("f32", shape, "x_tf32")}
    rounded = np.array([round_exact(Fraction(v), 11, -126, 127) for v in values.ravel().tolist()]).astype(np.float32)
    for mode, out in (("ieee", rounded), ("fpsan", values)):
        write_data(folder, "tf32_" + mode, out)
        write_case(
            folder,
            "tf32_" + mode,
            f"f32 to tf32 and back, {mode}",
            sources,
            {"Y": ("f32", shape, "tf32_" + mode)},
            ("tf32_and_back", [2, 1, 1], ["X", "Y"]),
            mode,
        )

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
                out = [
                    (
                        0
                        if math.isnan(v)
                        else max(
                            info.min, min(info.max, int(v) if math.isfinite(v) else (1 << 80) * (1 if v > 0 else -1))
                        )
                    )
                    for v in (np.abs(values) if target == "u32" else values).astype(np.float64).ravel().tolist()
                ]
                write_data(folder, f"{name}_{target}", np.array(out, dtype=INTEGERS[target]))
                results[buffer] = (target.replace("u", "i"), shape, f"{name}_{target}")
            write_case(
                folder,
                name,
                f"conversion of {source} to integers, {title}",
                {"X": (source, shape, "x_" + name)},
                results,
                (f"to_integers_{source}", [2, 1, 1], ["X", *results]),
                modes,
                ring=False,
                allow=None if scale == 40 else "unspecified",  # what is out of range
            )

    for source in ("i8", "i16", "i32", "i64", "u32", "u64"):
        info = np.iinfo(INTEGERS[source])
        values = random.integers(
            info.min, info.max, size=shape, dtype=INTEGERS[source], endpoint=True
        ) >> random.integers(0, info.bits, size=shape).astype(INTEGERS[source])
        values.ravel()[:3] = [info.min, info.max, 1]
        write_data(folder, "x_" + source, values)
        results = {}
        for target, buffer in list(buffers.items())[:4]:
            out = np.array([round_exact(Fraction(v), *FLOATS[target][3:]) for v in values.ravel().tolist()]).astype(
                FLOATS[target][0]
            )
            write_data(folder, f"{source}_to_{target}", out)
            results[buffer] = (target, shape, f"{source}_to_{target}")
        write_case(
            folder,
            "from_" + source,
            f"conversion of {source} to floats",
            {"X": (source.replace("u", "i"), shape, "x_" + source)},
            results,
            ("from_" + source, [2, 1, 1], ["X", *results]),
            "fpsan, ieee",
            ring=source != "i8",  # the others are rounded, which the tower does not see
        )

    values = random.integers(-(2**31), 2**31, size=shape, dtype=np.int32)
    write_data(folder, "x_widths", values)
    results = {}
    for buffer, (kind, out) in {
        "A": ("i8", values.astype(np.int8)),
        "B": ("i16", values.astype(np.int16)),
        "C": ("i64", values.astype(np.int64)),
        "D": ("i64", values.astype(np.uint32).astype(np.uint64)),
    }.items():
        write_data(folder, "widths_" + buffer.lower(), out)
        results[buffer] = (kind, shape, "widths_" + buffer.lower())
    write_case(
        folder,
        "widths",
        "integer truncation and extension",
        {"X": ("i32", shape, "x_widths")},
        results,
        ("widths", [2, 1, 1], ["X", *results]),
        "fpsan, ieee",
    )

    pattern = random.integers(0, 2**32, size=shape, dtype=np.uint32) & ~np.uint32(
        1 << 22
    )  # no NaN becomes quiet on the way
    pattern[(pattern & 0x7F800000) == 0x7F800000] &= 0xBFFFFFFF
    write_data(folder, "x_bits", pattern), write_data(folder, "bits_flipped", pattern ^ np.uint32(1 << 31))
    write_case(
        folder,
        "bits",
        "bit patterns of floats",
        {"X": ("f32", shape, "x_bits")},
        {"Y": ("f32", shape, "bits_flipped"), "Z": ("i32", shape, "x_bits")},
        ("bits", [2, 1, 1], ["X", "Y", "Z"]),
        "fpsan, ieee",
    )


# ---- integers --------------------------------------------------------------------------------------------------------
def integers():
    folder, count = "integers", 192
    for name, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        wrap = lambda values: np.array([(v - info.min) % (1 << info.bits) + info.min for v in values], dtype=dtype)
        a = random.integers(info.min, info.max, size=count, dtype=dtype, endpoint=True)
        b = random.integers(info.min, info.max, size=count, dtype=dtype, endpoint=True) >> random.integers(
            0, info.bits - 1, size=count
        ).astype(dtype)
        a[:4], b[:4] = [info.max, info.min, 0, 1], [1, 2, 3, info.max]
        a[4:8] = b[4:8]
        b[b == 0] = 3
        a[(b == -1 if info.min else b == 0) & (a == info.min)] = 5
        x, y = a.tolist(), b.tolist()
        both = lambda f: wrap(f(p, q) for p, q in zip(x, y))
        signed = info.min < 0
        arithmetic = (
            [both(lambda p, q: p + q), both(lambda p, q: p - q), both(lambda p, q: p * q)]
            + ([both(lambda p, q: p // q)] if signed else [])
            + [both(lambda p, q: p % q), both(lambda p, q: -(-p // q)), both(min), both(max)]
            + ([wrap(-p for p in x), wrap(abs(p) for p in x)] if signed else [])
        )
        by = [q & info.bits - 1 for q in y]
        logic = [
            both(lambda p, q: p & q),
            both(lambda p, q: p | q),
            both(lambda p, q: p ^ q),
            wrap(~p for p in x),
            wrap(p << s for p, s in zip(x, by)),
            wrap(p >> s for p, s in zip(x, by)),
            both(lambda p, q: p if p < q else q),
            both(lambda p, q: p if p >= q else q),
            both(lambda p, q: p if p == q or p != 0 else q),
        ]
        kind = name.replace("u", "i")
        write_data(folder, "x_" + name, a), write_data(folder, "z_" + name, b)
        sources = {"X": (kind, (1, count), "x_" + name), "Z": (kind, (1, count), "z_" + name)}
        for kernel, rows in (("arithmetic", arithmetic), ("logic", logic)):
            write_data(folder, f"{kernel}_{name}", np.stack(rows))
            write_case(
                folder,
                f"{kernel}_{name}",
                f"integer {kernel} of {name}",
                sources,
                {"Y": (kind, (len(rows), count), f"{kernel}_{name}")},
                (f"{kernel}_{name}", [count // 64, 1, 1], ["X", "Z", "Y"]),
                "fpsan, ieee",
            )


# ---- bytecode 13.3 ---------------------------------------------------------------------------------------------------
def newer():
    folder, count = "newer", 256
    for name in ("f32", "f64"):
        a, b = (random.normal(size=count) * 10).astype(FLOATS[name][0]), random.normal(size=count).astype(
            FLOATS[name][0]
        )
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
            write_case(
                folder,
                f"remainder_{name}_{mode}",
                f"remainder of {name} with the sign of the divisor, {mode}",
                sources,
                {"Y": (name, (1, count), f"remainder_{name}_{mode}")},
                (f"remainder_{name}", [2, 1, 1], ["X", "Z", "Y"]),
                mode,
            )
        if name == "f32":
            x, z = a.astype(np.longdouble), b.astype(np.longdouble)
            ieee = np.stack([f.astype(np.float32) for f in (np.arctan2(x, z), np.exp(x), np.tanh(x))])
            payload = np.stack(
                [
                    unembed(name, row)
                    for row in (
                        [ring.extern("__nv_atan2f", p, q) for p, q in zip(payloads(name, a), payloads(name, b))],
                        [ring.exp(p) for p in payloads(name, a)],
                        [ring.extern("__nv_tanhf", p) for p in payloads(name, a)],
                    )
                ]
            )
            for mode, out in (("ieee", ieee), ("fpsan", payload)):
                write_data(folder, f"functions_{mode}", out)
                write_case(
                    folder,
                    f"functions_{mode}",
                    f"atan2, approximate exp and tanh, {mode}",
                    sources,
                    {"Y": ("f32", (3, count), f"functions_{mode}")},
                    ("functions_f32", [2, 1, 1], ["X", "Z", "Y"]),
                    mode,
                    ("1.0e-5", "0"),
                )

    scale = np.arange(256, dtype=np.uint8).reshape(4, 64)
    scale[-1, -1] = 127  # not the NaN
    exponents = scale.astype(np.uint32)
    write_data(folder, "x_scales", scale)
    write_data(folder, "scales_f32", np.where(exponents == 0, 0x00400000, exponents << 23).astype(np.uint32))
    write_data(folder, "scales_bf16", np.where(exponents == 0, 0x0040, exponents << 7).astype(np.uint16))
    write_case(
        folder,
        "scales",
        "powers of two to floats",
        {"X": ("f8e8m0fnu", (4, 64), "x_scales")},
        {"F": ("f32", (4, 64), "scales_f32"), "B": ("bf16", (4, 64), "scales_bf16")},
        ("scales", [1, 1, 1], ["X", "F", "B"]),
        "fpsan, ieee",
    )
