# SPDX-License-Identifier: Apache-2.0
# Expected results of operations on whole tiles: reductions, scans, moves, edges and dots.
import math

import numpy as np
from expect_tools import (
    FLOATS,
    HERE,
    INTEGERS,
    grid_of,
    model,
    payloads,
    random,
    shape_text,
    unembed,
    write_case,
    write_data,
)


# ---- reductions and scans --------------------------------------------------------------------------------------------
def fold_payload(name, operation):
    ring = model.Ring(FLOATS[name][2])
    return {
        "sum": lambda p, q: p + q & ring.mask,
        "prod": lambda p, q: p * q & ring.mask,
        "max": ring.smax,
        "min": ring.smin,
    }[operation]


def fold(operation, values):
    result = values[0]
    for value in values[1:]:
        result = operation(result, value)
    return result


def reductions():
    folder, shape = "reductions", (4, 8, 16)
    tolerances = {
        "f64": ("1.0e-14", "1.0e-14"),
        "f32": ("3.0e-6", "3.0e-6"),
        "f16": ("3.0e-2", "3.0e-2"),
        "bf16": ("2.0e-1", "2.0e-1"),
    }
    for name in ("f64", "f32", "f16", "bf16", "i32"):
        is_float = name in FLOATS
        values = (
            (random.normal(size=shape)).astype(FLOATS[name][0])
            if is_float
            else random.integers(-(2**31), 2**31, size=shape, dtype=np.int32)
        )
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
                        rows = [
                            f(axis=axis, **more).astype(dtype).ravel()
                            for f, more in (
                                (wide.sum, {"dtype": wide.dtype}),
                                (wide.max, {}),
                                (wide.min, {}),
                                (wide.prod, {"dtype": wide.dtype}),
                            )
                        ]
                data = f"{name}_axis{axis}" + (f"_{mode}" if is_float else "")
                write_data(folder, data, np.stack(rows))
                results[f"Y{axis}"] = (name, (4, len(rows[0])), data)
            write_case(
                folder,
                f"reductions_{name}" + (f"_{mode}" if is_float else ""),
                f"reductions of {name} along each axis, {mode}",
                {"X": (name, shape, "x_" + name)},
                results,
                (f"reductions_{name}", [1, 1, 1], ["X", *results]),
                mode,
                tolerances.get(name),
            )
    for name in ("f32", "f16", "i32"):
        values = random.permutation(512).reshape(16, 32)  # no ties: which of two equal elements is found is not defined
        values = (values - 200).astype(FLOATS[name][0] if name in FLOATS else np.int32)
        write_data(folder, "x_arg_" + name, values)
        for axis in (0, 1):
            write_data(
                folder, f"arg_{name}_axis{axis}", np.stack([values.argmax(axis), values.argmin(axis)]).astype(np.int32)
            )
        write_case(
            folder,
            f"arg_{name}",
            f"positions of the extremes of {name} along each axis",
            {"X": (name, (16, 32), "x_arg_" + name)},
            {"Y0": ("i32", (2, 32), f"arg_{name}_axis0"), "Y1": ("i32", (2, 16), f"arg_{name}_axis1")},
            (f"arg_reductions_{name}", [1, 1, 1], ["X", "Y0", "Y1"]),
            "fpsan, ieee",
        )


def scans():
    folder, shape = "scans", (8, 16)
    tolerances = {"f64": ("1.0e-13", "1.0e-13"), "f32": ("3.0e-5", "3.0e-5"), "f16": ("5.0e-2", "5.0e-2")}
    for name in ("f64", "f32", "f16", "i32"):
        is_float = name in FLOATS
        values = (
            random.normal(size=shape).astype(FLOATS[name][0])
            if is_float
            else random.integers(-(2**31), 2**31, size=shape, dtype=np.int32)
        )
        write_data(folder, "x_" + name, values)
        for mode in ("ieee", "fpsan") if is_float else ("fpsan, ieee",):
            results = {}
            for buffer, operation in (("S", "sum"), ("P", "prod")):
                if mode == "fpsan":
                    wide, function = np.array(payloads(name, values), dtype=object).reshape(shape), fold_payload(
                        name, operation
                    )
                elif is_float:
                    wide, function = (
                        values.astype(np.float64),
                        {"sum": lambda p, q: p + q, "prod": lambda p, q: p * q}[operation],
                    )
                else:
                    wrap = lambda v: (v + 2**31) % 2**32 - 2**31
                    wide, function = (
                        values.astype(object),
                        {"sum": lambda p, q: wrap(p + q), "prod": lambda p, q: wrap(p * q)}[operation],
                    )
                parts = []
                for axis, reverse in ((0, False), (0, True), (1, False), (1, True)):
                    t = np.flip(wide, axis) if reverse else wide
                    t = np.moveaxis(t.copy(), axis, 0)
                    for k in range(1, len(t)):
                        t[k] = [function(p, q) for p, q in zip(t[k - 1], t[k])]
                    t = np.moveaxis(t, 0, axis)
                    parts.append(np.flip(t, axis) if reverse else t)
                out = np.concatenate(parts)
                out = (
                    unembed(name, out.ravel().tolist())
                    if mode == "fpsan"
                    else out.astype(FLOATS[name][0] if is_float else np.int32)
                )
                data = f"{operation}_{name}" + (f"_{mode}" if is_float else "")
                write_data(folder, data, out)
                results[buffer] = (name, (32, 16), data)
            write_case(
                folder,
                f"scans_{name}" + (f"_{mode}" if is_float else ""),
                f"running sums and products of {name}, {mode}",
                {"X": (name, shape, "x_" + name)},
                results,
                (f"scans_{name}", [1, 1, 1], ["X", "S", "P"]),
                mode,
                tolerances.get(name),
            )


def in_lanes(operation, values, lanes):
    """Along the last axis: every lanes-th element in order, then the upper half of the lanes into the lower one."""
    result = fold(operation, [values[..., i : i + lanes] for i in range(0, values.shape[-1], lanes)])
    while result.shape[-1] > 1:
        half = result.shape[-1] // 2
        result = operation(result[..., :half], result[..., half:])
    return result[..., 0]


def trees():
    """The order that compiler/lower/reduce.c promises for what commutes, to the last bit."""
    folder, shape, own = "reductions", (8, 512), np.random.default_rng(512)
    for name, lanes in (("f64", 32), ("f32", 64), ("f16", 64)):
        x = (1 + 0.05 * own.normal(size=shape)).astype(FLOATS[name][0])
        rows = [in_lanes(f, x, lanes) for f in (np.add, np.multiply)]
        columns = [fold(f, list(x)) for f in (np.add, np.multiply)]
        running = [np.add.accumulate(x, axis=1), np.add.accumulate(x[:, ::-1], axis=1)[:, ::-1]]
        results = {"R": ("rows", (2, 8), rows), "C": ("columns", (2, 512), columns), "S": ("running", (16, 512), running)}
        write_data(folder, "trees_x_" + name, x)
        for word, _, values in results.values():
            write_data(folder, f"trees_{word}_{name}", np.stack(values))
        write_case(
            folder,
            "trees_" + name,
            f"the order in which elements of {name} are combined",
            {"X": (name, shape, "trees_x_" + name)},
            {buffer: (name, size, f"trees_{word}_{name}") for buffer, (word, size, _) in results.items()},
            ("trees_" + name, [1, 1, 1], ["X", "R", "C", "S"]),
            "ieee",
        )


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
        y = [
            x.T,
            x.reshape(4, 8, 16).transpose(2, 0, 1),
            x.reshape(2, 4, 8, 8).transpose(3, 1, 0, 2),
            np.concatenate((x[:, 16:], x[:, :16]), 1),
            np.concatenate((x[8:], x[:8]), 0),
            np.broadcast_to(x[3:4], (16, 32)),
            np.broadcast_to(x[:, 5:6], (16, 32)),
            np.broadcast_to(x[4:6, 16:].reshape(2, 1, 16), (2, 16, 16)),
            x.T,
            np.where(cols < 7, x, x.reshape(32, 16).reshape(16, 32)),
            np.where(rows == 5, x[:1], x),
        ]
        write_data(folder, "x_" + name, x), write_data(
            folder, "moves_" + name, np.stack([np.ascontiguousarray(t).reshape(512) for t in y])
        )
        write_case(
            folder,
            "moves_" + name,
            f"moves of {name} elements",
            {"X": (name, (16, 32), "x_" + name)},
            {"Y": (name, (len(y), 512), "moves_" + name)},
            ("moves_" + name, [1, 1, 1], ["X", "Y"]),
            "fpsan, ieee",
        )


def padding():
    folder, inner, outer = "padding", (21, 37), (24, 48)
    for name, modes in (
        ("f32", ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")),
        ("f16", ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")),
        ("i32", ("zero",)),
    ):
        dtype = FLOATS[name][0] if name in FLOATS else np.int32
        x = (random.normal(size=inner) * 100).astype(dtype)
        write_data(folder, "x_" + name, x)
        for mode in modes:
            y = np.full(
                outer,
                {"zero": 0, "neg_zero": -0.0, "pos_inf": math.inf, "neg_inf": -math.inf, "nan": math.nan}[mode],
                dtype=dtype,
            )
            y[:21, :37] = x
            data = f"pad_{name}_{mode}"
            write_data(folder, data, y)
            write_case(
                folder,
                data,
                f"padding of {name} with {mode}",
                {"X": (name, inner, "x_" + name)},
                {"Y": (name, outer, data)},
                (data, [3, 3, 1], ["X", "Y"]),
                "fpsan, ieee",
            )


# ---- dots ------------------------------------------------------------------------------------------------------------
def dots():
    folder, (m, k, n) = "dots", (40, 72, 48)
    types = {
        "f16": ("f16", "f32"),
        "f16_f16": ("f16", "f16"),
        "bf16": ("bf16", "f32"),
        "f32": ("f32", "f32"),
        "f64": ("f64", "f64"),
        "f8e4m3fn": ("f8e4m3fn", "f32"),
        "f8e5m2": ("f8e5m2", "f32"),
        "f8e4m3fn_f16": ("f8e4m3fn", "f16"),
    }
    for name, (operand, result) in types.items():
        x, y = (random.normal(size=(m, k))).astype(FLOATS[operand][0]), (random.normal(size=(k, n))).astype(
            FLOATS[operand][0]
        )
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
            write_case(
                folder,
                text_name,
                f"matrix product of {operand} in {result}, {mode}",
                sources,
                {"Z": (result, (m, n), f"z_{name}_{mode}")},
                (f"matmul_{name}", [2, 2, 1], ["X", "Y", "Z"]),
                mode,
                tolerance,
            )
            path = HERE / folder / (text_name + ".yaml")
            text = path.read_text()
            more = ""
            for variant, *tile in (("wide", 16, 64), ("outer_products", 16, 16), ("transposed", 64, 16)):
                grid = shape_text(grid_of((m, n), tile))
                more += f"  {variant}:\n    - {{module: {variant}_{name}.tileirbc, grid: {grid}, args: [X, Y, Z]}}\n"
            path.write_text(text.replace("compare: ", more + "compare: "))
    x, y = random.integers(-128, 128, size=(m, k), dtype=np.int8), random.integers(
        -128, 128, size=(k, n), dtype=np.int8
    )
    write_data(folder, "x_i8", x), write_data(folder, "y_i8", y), write_data(
        folder, "z_i8", x.astype(np.int32) @ y.astype(np.int32)
    )
    write_case(
        folder,
        "dot_i8",
        "matrix product of i8",
        {"X": ("i8", (m, k), "x_i8"), "Y": ("i8", (k, n), "y_i8")},
        {"Z": ("i32", (m, n), "z_i8")},
        ("matmul_i8", [2, 2, 1], ["X", "Y", "Z"]),
        "fpsan, ieee",
    )
