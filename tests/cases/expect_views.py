# SPDX-License-Identifier: Apache-2.0
# Strided and gather-scatter views: the kernels as text, and what they must give, one element after the other.
import math
from dataclasses import dataclass

import numpy as np
from expect_tools import FLOATS, HEADER, HERE, INTEGERS, grid_of, payloads, shape_text, unembed, write_data

FOLDER = "views"
random = np.random.default_rng(20261121)
PACKED = "f4e2m1fn"
ELEMENTS = {"f8e4m3fn": "f8E4M3FN", "f8e5m2": "f8E5M2", PACKED: "f4E2M1FN"}  # names that text spells otherwise
PADDINGS = {"zero": 0.0, "neg_zero": -0.0, "nan": math.nan, "pos_inf": math.inf, "neg_inf": -math.inf}


@dataclass
class Access:
    """A kernel that loads, stores or reduces one tile in each block.

    index: for each dimension of the view (axis, a, b), where a block's index is a * block + b, or "rows"."""

    name: str
    element: str
    kind: str  # partition, strided, gather_scatter
    shape: tuple
    strides: tuple
    tile: tuple
    grid: tuple
    index: tuple = None
    steps: tuple = None
    dim_map: tuple = None
    sparse: int = None
    padding: str = None
    rows: list = None  # one list for each block in x
    rows_type: str = "i32"
    index_type: str = "i32"
    dynamic: bool = False
    does: str = "load"
    ordering: str = "weak"
    inbounds: tuple = None
    result_at: int = 0  # where its elements and row numbers begin in the case's buffers
    rows_at: int = 0

    def dtype(self):
        return FLOATS[self.element][0] if self.element in FLOATS else INTEGERS.get(self.element, np.int8)

    def size(self):
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides))

    def blocks(self):
        """Each block's number and position, in the order of the grid."""
        x, y, z = self.grid
        return [((k * y + j) * x + i, (i, j, k)) for k in range(z) for j in range(y) for i in range(x)]

    def packed(self):
        return self.element == PACKED

    def source(self):
        """The types of the buffers that are read and written."""
        return "i8" if self.packed() else self.element

    def target(self):
        return self.source() if self.does != "load" or not self.packed() else "f32"

    # ---- what it must do
    def dimension(self, k):
        return self.dim_map[k] if self.dim_map else k

    def offset(self, position, t):
        """Where element t of the block's tile is in the buffer; None outside the tensor."""
        offset = 0
        for k, within in enumerate(t):
            d = self.dimension(k)
            if self.index[k] == "rows":
                at = self.rows[position[0]][within]
            else:
                axis, a, b = self.index[k]
                step = {"partition": self.tile, "strided": self.steps}.get(self.kind, (1,) * len(self.tile))[k]
                at = (position[axis] * a + b) * step + within
            if not 0 <= at < self.shape[d]:
                return None
            offset += at * self.strides[d]
        return offset

    def load(self, data):
        result = np.zeros((len(self.blocks()), math.prod(self.tile)), dtype=data.dtype)
        for block, position in self.blocks():
            for i, t in enumerate(np.ndindex(*self.tile)):
                offset = self.offset(position, t)
                result[block, i] = PADDINGS[self.padding] if offset is None else data[offset]
        return result

    def update(self, data, tiles, combine):
        data = data.copy()
        for block, position in self.blocks():
            for i, t in enumerate(np.ndindex(*self.tile)):
                offset = self.offset(position, t)
                if offset is not None:
                    data[offset] = combine(data[offset], tiles[block, i])
        return data

    # ---- the kernel
    def spelled(self, element):
        return ELEMENTS.get(element, element)

    def text(self):
        element = self.spelled(self.element)
        by_x = lambda numbers: "x".join(map(str, numbers))  # noqa: E731
        extents = ["?" if self.dynamic else n for n in self.shape]
        steps = ["?" if self.dynamic and s != 1 else s for s in self.strides]
        comma = lambda numbers: ", ".join(map(str, numbers))  # noqa: E731
        tensor = f"tensor_view<{by_x(extents)}x{element}, strides=[{','.join(map(str, steps))}]>"
        view = f"{self.kind}_view<tile=({by_x(self.tile)})"
        if self.steps:
            view += f", traversal_strides=[{','.join(map(str, self.steps))}]"
        if self.padding:
            view += f", padding_value = {self.padding}"
        view += f", {tensor}"
        if self.dim_map:
            view += f", dim_map=[{comma(self.dim_map)}]"
        if self.sparse is not None:
            view += f", sparse_dim={self.sparse}"
        view += ">"
        target = self.target()
        parameters = [f"%x: tile<ptr<{self.spelled(self.source())}>>", f"%y: tile<ptr<{self.spelled(target)}>>"]
        if self.rows:
            parameters.append(f"%rows: tile<ptr<{self.rows_type}>>")
        out = [f"entry @{self.name}({comma(parameters)}) {{"]
        add = out.append
        add("  %b0, %b1, %b2 = get_tile_block_id : tile<i32>")
        add("  %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>")
        add("  %n0 = muli %b2, %g1 : tile<i32>")
        add("  %n1 = addi %n0, %b1 : tile<i32>")
        add("  %n2 = muli %n1, %g0 : tile<i32>")
        add("  %block = addi %n2, %b0 : tile<i32>")
        add("  %zero = constant <i32: 0> : tile<i32>")
        shape, strides = list(map(str, self.shape)), list(map(str, self.strides))
        operands = 0
        for numbers, types in ((shape, extents), (strides, steps)):
            for d, known in enumerate(types):
                if known == "?":
                    add(f"  %d{operands} = constant <i64: {numbers[d]}> : tile<i64>")
                    numbers[d] = f"%d{operands}"
                    operands += 1
        typed = f"tile<i64> -> {tensor}" if operands else tensor
        data, other = ("%x", "%at") if self.does == "load" else ("%at", "%x")
        pointer = f"tile<ptr<{self.spelled(target)}>>"
        add(f"  %begin = constant <i32: {self.result_at}> : tile<i32>")
        add(f"  %at = offset %y, %begin : {pointer}, tile<i32> -> {pointer}")
        if self.packed():  # the buffers of four-bit elements are bytes
            for name in {"%x", data}:
                add(f"  {name}4 = ptr_to_ptr {name} : tile<ptr<i8>> -> tile<ptr<{element}>>")
            data, other = data + "4", other if self.does == "load" else other + "4"
        add(f"  %tensor = make_tensor_view {data}, shape = [{comma(shape)}], strides = [{comma(strides)}] : {typed}")
        add(f"  %view = make_{self.kind}_view %tensor : {view}")
        index, types = [], []
        for k, how in enumerate(self.index):
            if how == "rows":
                count, rows = self.tile[k], len(self.rows)
                row_tensor = f"tensor_view<{rows}x{count}x{self.rows_type}, strides=[{count},1]>"
                row_view = f"partition_view<tile=(1x{count}), {row_tensor}>"
                pointer = f"tile<ptr<{self.rows_type}>>"
                add(f"  %first = constant <i32: {self.rows_at}> : tile<i32>")
                add(f"  %rp = offset %rows, %first : {pointer}, tile<i32> -> {pointer}")
                add(f"  %rt = make_tensor_view %rp, shape = [{rows}, {count}], strides = [{count}, 1] : {row_tensor}")
                add(f"  %rv = make_partition_view %rt : {row_view}")
                add(f"  %r0, %rk = load_view_tko weak %rv[%b0, %zero] : {row_view}, tile<i32> "
                    f"-> tile<1x{count}x{self.rows_type}>, token")
                add(f"  %row = reshape %r0 : tile<1x{count}x{self.rows_type}> -> tile<{count}x{self.rows_type}>")
                index.append("%row")
                types.append(f"tile<{count}x{self.rows_type}>")
                continue
            axis, a, b = how
            wide = self.index_type
            change = {"i32": "", "i64": "exti", "i16": "trunci"}[wide]
            source = f"%b{axis}"
            if change:
                signed = " unsigned" if change == "exti" else ""
                add(f"  %w{k} = {change} {source}{signed} : tile<i32> -> tile<{wide}>")
                source = f"%w{k}"
            add(f"  %a{k} = constant <{wide}: {a}> : tile<{wide}>")
            add(f"  %c{k} = constant <{wide}: {b}> : tile<{wide}>")
            add(f"  %p{k} = muli {source}, %a{k} : tile<{wide}>")
            add(f"  %i{k} = addi %p{k}, %c{k} : tile<{wide}>")
            index.append(f"%i{k}")
            types.append(f"tile<{wide}>")
        count, blocks = math.prod(self.tile), len(self.blocks())
        tile, flat = f"tile<{by_x(self.tile)}x{element}>", f"tile<1x{count}x{element}>"
        stored = self.spelled(target) if self.does == "load" else element
        plain = f"tensor_view<{blocks}x{count}x{stored}, strides=[{count},1]>"
        tiles = f"partition_view<tile=(1x{count}), {plain}>"
        add(f"  %all = make_tensor_view {other}, shape = [{blocks}, {count}], strides = [{count}, 1] : {plain}")
        add(f"  %tiles = make_partition_view %all : {tiles}")
        at = f"%view[{comma(index)}]"
        of = types[0] if len(set(types)) == 1 else comma(types)
        said = f" inbounds = [{comma('true' if b else 'false' for b in self.inbounds)}]" if self.inbounds else ""
        if self.does == "load":
            add(f"  %tile, %k0 = load_view_tko {self.ordering} {at}{said} : {view}, {of} -> {tile}, token")
            if self.packed():
                wide = tile.replace(element, stored)
                add(f"  %wide = ftof %tile : {tile} -> {wide}")
                tile, flat = wide, flat.replace(element, stored)
            add(f"  %flat = reshape {'%wide' if self.packed() else '%tile'} : {tile} -> {flat}")
            add(f"  %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : {flat}, {tiles}, tile<i32> -> token")
        else:
            add(f"  %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : {tiles}, tile<i32> -> {flat}, token")
            add(f"  %tile = reshape %flat : {flat} -> {tile}")
            if self.does == "store":
                add(f"  %k1 = store_view_tko {self.ordering} %tile, {at}{said} : {tile}, {view}, {of} -> token")
            else:
                types = f"{tile}, {view}, {of}"
                add(f"  %k1 = atomic_red_view_tko relaxed device {at}, {self.does}, %tile : {types} -> token")
        add("  return")
        add("}")
        return "\n".join("  " + line for line in out)


# ---- files -----------------------------------------------------------------------------------------------------------
def write_module(name, accesses):
    text = "// SPDX-License-Identifier: Apache-2.0\n// Written by expect.py.\ncuda_tile.module @" + name + " {\n"
    text += "\n".join(access.text() for access in accesses) + "\n}\n"
    (HERE / FOLDER / (name + ".mlir")).write_text(text)


class Case:
    """Kernels of one module, their results one after the other in a buffer for each type of elements.

    All take their data from one buffer X of the type. inputs: element -> data of X."""

    def __init__(self, module, title, modes, profile=None):
        self.module, self.title, self.modes, self.profile = module, title, modes, profile
        self.inputs, self.before, self.results, self.rows = {}, {}, {}, {}
        self.launches = ""

    def add(self, access, before, result):
        """before: what the access's part of the results holds at first; None: nothing."""
        target = access.target()
        access.result_at = sum(map(len, self.results.setdefault(target, [])))
        self.results[target].append(result.ravel())
        if before is not None:
            self.before.setdefault(target, []).append(before)
        arguments = ["X_" + access.source(), "Y_" + target]
        if access.rows:
            rows = self.rows.setdefault(access.rows_type, [])
            access.rows_at = sum(map(len, rows))
            rows.append(np.array(access.rows, dtype=INTEGERS[access.rows_type]).ravel())
            arguments.append("R_" + access.rows_type)
        self.launches += f"    - {{module: {self.module}.mlir, kernel: {access.name}, grid: {shape_text(access.grid)}, "
        self.launches += f"args: [{', '.join(arguments)}]}}\n"

    def write(self, name):
        text = HEADER + f"title: {self.title}\nbuffers:\n"

        def buffer(title, element, array, data):
            nonlocal text
            fill = ""
            if data:
                fill = f", fill: {{file: {data}_{element}.bin}}"
                write_data(FOLDER, f"{data}_{element}", array)
            text += f"  {title}_{element}: {{type: {element}, shape: [1, {len(array)}]{fill}}}\n"

        for element, data in self.inputs.items():
            buffer("X", element, data, self.module + "_x")
        for element, parts in self.results.items():
            before = self.before.get(element)
            buffer("Y", element, np.concatenate(parts), before and self.module + "_y")
            buffer("E", element, np.concatenate(parts), name)
            if before:
                write_data(FOLDER, f"{self.module}_y_{element}", np.concatenate(before))
        for element, parts in self.rows.items():
            buffer("R", element, np.concatenate(parts), name + "_rows")
        text += "variants:\n  expected:\n"
        for element, parts in self.results.items():
            grid = shape_text(grid_of((1, sum(map(len, parts)))))
            arguments = f"E_{element}, Y_{element}"
            text += f"    - {{module: ../copy/copy_{element}.tileirbc, grid: {grid}, args: [{arguments}]}}\n"
        text += f"  kernel:\n{self.launches}"
        text += f"compare: [{', '.join('Y_' + e for e in self.results)}]\nmodes: [{self.modes}]\n"
        if self.profile:
            text += f"profile: {self.profile}\n"
        if self.before:  # what is left alone is part of the result
            text += "allow: [vacuous]\n"
        if "ieee" in self.modes:
            text += "tolerance: {ieee: {rtol: 0, atol: 0}}\n"
        (HERE / FOLDER / (name + ".yaml")).write_text(text)


def values(element, count):
    if element in FLOATS:
        return (random.normal(size=count) * 20).astype(FLOATS[element][0])
    info = np.iinfo(INTEGERS[element])
    return random.integers(info.min, info.max, size=count, dtype=INTEGERS[element], endpoint=True)


def small_values(element, count):
    return random.integers(-20, 21, size=count).astype(FLOATS[element][0])


# ---- the accesses ----------------------------------------------------------------------------------------------------
def whole(rank):
    return tuple((k, 1, 0) for k in range(rank))


def strided(name, element, shape, tile, steps, **more):
    """Over the whole index space, row-major unless said otherwise."""
    strides = more.pop("strides", None) or tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))
    dim_map = more.get("dim_map") or tuple(range(len(shape)))
    space = [-(-shape[dim_map[k]] // steps[k]) for k in range(len(shape))] + [1, 1]
    grid = more.pop("grid", tuple(space[:3]))
    return Access(name, element, "strided", shape, strides, tile, grid, whole(len(shape)), steps, **more)


def strided_loads():
    paddings = [
        strided(f"windows_{element}_{padding}", element, (9, 21), (4, 8), (3, 5), padding=padding)
        for element, names in (
            ("f32", PADDINGS),
            ("f16", ("neg_inf", "nan")),
            ("bf16", ("pos_inf",)),
            ("f64", ("neg_zero",)),
            ("f8e5m2", ("nan", "neg_inf")),
            ("i8", ("zero",)),
            ("i16", ("zero",)),
            ("i64", ("zero",)),
        )
        for padding in names
    ]
    return [
        *paddings,
        strided("gaps", "f32", (13, 40), (2, 4), (5, 16), padding="zero"),
        strided("one_by_one", "f32", (5, 19), (4, 16), (1, 1), padding="zero"),
        strided("columns_first", "f32", (11, 12), (4, 8), (3, 4), padding="nan", dim_map=(1, 0)),
        strided("column_major", "f32", (12, 11), (8, 4), (7, 2), padding="zero", strides=(1, 13)),
        strided("no_unit_stride", "i32", (7, 6), (4, 4), (2, 3), padding="zero", strides=(18, 2), dynamic=True),
        strided("dynamic", "f16", (10, 33), (4, 16), (3, 9), padding="neg_inf", dynamic=True, index_type="i64"),
        strided("rank_3", "f32", (3, 5, 9), (2, 4, 4), (1, 3, 2), padding="zero", dim_map=(2, 0, 1)),
        strided("rank_1", "f32", (61,), (16,), (9,), padding="pos_inf", index_type="i16"),
        strided("inbounds", "f32", (12, 20), (4, 8), (4, 6), padding="zero", inbounds=(True, True), grid=(3, 3, 1)),
        strided("half_inbounds", "f32", (13, 20), (4, 8), (4, 6), padding="nan", inbounds=(False, True),
                grid=(4, 3, 1)),
        strided("relaxed", "f32", (9, 21), (4, 8), (3, 5), padding="neg_zero", ordering="relaxed device"),
        strided("acquire", "f64", (9, 21), (4, 8), (3, 5), padding="nan", ordering="acquire sys"),
    ]


def gather(name, element, shape, tile, sparse, rows, index, **more):
    """rows: one list of row numbers for each block in x; index as in Access."""
    strides = more.pop("strides", None) or tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))
    grid = more.pop("grid", (len(rows), 1, 1))
    return Access(
        name, element, "gather_scatter", shape, strides, tile, grid, tuple(index), sparse=sparse, rows=rows, **more
    )


FAR = {"i16": 2**15 - 1, "i32": 2**31 - 1, "i64": 2**62}


def gathered_loads():
    rows = [[5, 0, 5, 12], [13, 3, -1, 1], [FAR["i32"], -(2**31), 14, 2]]  # of 13: some outside
    return [
        gather("rows", "f32", (13, 30), (4, 16), 0, rows, ["rows", (1, 11, 3)], padding="zero", grid=(3, 3, 1)),
        gather("rows_before", "f32", (13, 30), (4, 16), 0, rows, ["rows", (1, 15, -14)], padding="zero",
               grid=(3, 3, 1)),
        gather("rows_around", "i16", (5, 6), (2, 16), 0, [[4, 1], [0, 5]], ["rows", (1, 1, -3)], padding="zero",
               index_type="i64"),
        gather("rows_nan", "f16", (13, 30), (4, 8), 0, rows, ["rows", (1, 7, 0)], padding="nan", grid=(3, 5, 1)),
        gather("rows_of_i64", "i32", (13, 30), (4, 16), 0, [[1, FAR["i64"], -1, 12]], ["rows", (1, 1, 29)],
               padding="zero", rows_type="i64"),
        gather("rows_of_i16", "bf16", (13, 30), (4, 16), 0, [[1, FAR["i16"], -1, 12]], ["rows", (1, 1, 2)],
               padding="neg_inf", rows_type="i16", index_type="i64"),
        gather("columns", "f32", (6, 13), (4, 16), 1, [list(range(12, -4, -1))], [(1, 2, 1), "rows"], padding="zero",
               grid=(1, 2, 1)),
        gather("planes", "f32", (4, 7, 10), (2, 4, 8), 1, [[6, 7, 0, 6], [1, 2, 3, 4]], [(1, 1, 0), "rows", (2, 3, 2)],
               padding="pos_inf", grid=(2, 4, 2)),
        gather("column_major_rows", "f64", (9, 8), (8, 4), 0, [[8, 7, 9, 5, 4, 3, 2, 0]], ["rows", (1, 3, 1)],
               padding="zero", strides=(1, 10), dynamic=True, grid=(1, 2, 1)),
        gather("one_row", "i8", (5, 40), (1, 32), 0, [[4], [5]], ["rows", (1, 20, 0)], padding="zero", grid=(2, 2, 1)),
        gather("rows_inbounds", "f32", (6, 32), (8, 16), 0, [[5, 5, 4, 0, 1, 2, 3, 3]], ["rows", (1, 15, 1)],
               padding="zero", inbounds=(True, False), grid=(1, 2, 1)),
        gather("rows_acquire", "i32", (6, 32), (4, 8), 0, [[5, 6, 4, 0]], ["rows", (1, 10, 1)], padding="zero",
               ordering="acquire device", grid=(1, 4, 1)),
    ]


def stores():
    return [
        strided("gaps", "f32", (13, 41), (2, 4), (5, 7), does="store"),
        strided("columns_first", "f16", (11, 19), (4, 8), (5, 9), dim_map=(1, 0), does="store"),
        strided("dynamic", "i32", (7, 22), (2, 8), (3, 9), dynamic=True, strides=(1, 8), does="store"),
        strided("rank_3", "f64", (3, 5, 9), (1, 2, 4), (2, 2, 5), does="store"),
        strided("release", "f32", (9, 21), (2, 4), (3, 5), does="store", ordering="release device"),
        strided("relaxed", "i8", (9, 21), (2, 4), (3, 5), does="store", ordering="relaxed tl_blk"),
        strided("inbounds", "bf16", (9, 18), (2, 4), (4, 7), does="store", inbounds=(False, True)),
        gather("rows", "f32", (13, 30), (4, 16), 0, [[5, 0, 13, 12], [-1, 3, 1, 2**31 - 1]], ["rows", (1, 16, 1)],
               grid=(2, 2, 1), does="store"),
        gather("rows_before", "f32", (13, 30), (4, 16), 0, [[5, 0, 13, 12]], ["rows", (1, 16, -9)], grid=(1, 2, 1),
               does="store"),
        gather("columns", "i16", (6, 13), (2, 16), 1, [[*range(12, -4, -1)]], [(1, 2, 1), "rows"], grid=(1, 3, 1),
               does="store"),
        gather("planes", "f8e5m2", (4, 7, 10), (2, 4, 8), 1, [[6, 7, 0, 5], [1, 2, 3, 4]],
               [(1, 2, 0), "rows", (2, 8, 1)],
               grid=(2, 2, 2), does="store"),
        gather("rows_release", "i64", (6, 32), (4, 8), 0, [[5, 6, 4, 0]], ["rows", (1, 10, 1)], grid=(1, 4, 1),
               does="store", ordering="release sys"),
    ]


SIGNED = {"max": max, "min": min}
UNSIGNED = {"umax": max, "umin": min}
BITS = {"add": np.add, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def combine_integers(mode, dtype):
    unsigned = {np.int32: np.uint32, np.int64: np.uint64}[dtype]
    if mode in SIGNED:
        return SIGNED[mode]
    if mode in UNSIGNED:
        return lambda a, b: UNSIGNED[mode](a.view(unsigned), b.view(unsigned)).view(dtype)
    return lambda a, b: BITS[mode](a, b)


def reductions(element, modes):
    """Windows that overlap: up to four blocks update an element. And plain tiles, in the first mode."""
    tiles = Access(f"{modes[0]}_{element}_tiles", element, "partition", (7, 22), (22, 1), (2, 8), (4, 3, 2), whole(2),
                   does=modes[0])
    windows = [strided(f"{mode}_{element}", element, (7, 22), (4, 8), (2, 5), does=mode) for mode in modes]
    return [tiles, *windows]


# ---- the cases -------------------------------------------------------------------------------------------------------
INPUTS = 2048  # elements of X


def write_loads(name, accesses):
    case = Case(name, name.replace("_", " ") + " of tiles", "fpsan, ieee")
    for access in accesses:
        if access.element not in case.inputs:
            case.inputs[access.element] = values(access.element, INPUTS)
        case.add(access, None, access.load(case.inputs[access.element]))
    case.write(name)
    write_module(name, accesses)


# Elements of four bits: sign, two bits of exponent, one of mantissa.
HALVES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=np.float32)


def pack(codes):
    return (codes[0::2] | codes[1::2] << 4).astype(np.uint8).view(np.int8)


def unpack(data):
    data = data.view(np.uint8)
    return np.stack([data & 15, data >> 4], axis=-1).ravel()


def packed_loads():
    return [
        strided("even_rows", PACKED, (6, 44), (2, 16), (2, 16), padding="neg_zero"),
        strided("odd_windows", PACKED, (9, 44), (4, 8), (3, 5), padding="zero"),
        strided("odd_rows", PACKED, (4, 32), (4, 32), (1, 32), padding="zero", strides=(37, 1)),
        strided("columns", PACKED, (8, 6), (8, 1), (8, 1), padding="zero"),
        strided("column_major", PACKED, (12, 9), (8, 2), (4, 2), padding="neg_zero", strides=(1, 12), dim_map=(1, 0)),
        strided("dynamic", PACKED, (5, 70), (2, 64), (2, 64), padding="zero", dynamic=True, strides=(72, 1)),
        strided("pairs", PACKED, (26,), (2,), (3,), padding="neg_zero", ordering="acquire device"),
        gather("rows", PACKED, (7, 40), (4, 32), 0, [[6, 7, 0, -1], [1, 1, 5, 2]], ["rows", (1, 3, 0)],
               padding="neg_zero", grid=(2, 3, 1)),
        gather("rows_before", PACKED, (7, 40), (4, 32), 0, [[6, 7, 0, -1]], ["rows", (1, 1, -6)], padding="neg_zero",
               grid=(1, 3, 1)),
        gather("row_columns", PACKED, (6, 14), (2, 8), 1, [[13, 0, 7, 14, 3, 3, 8, 1]], [(1, 1, 0), "rows"],
               padding="zero", grid=(1, 6, 1)),
    ]


def packed_stores():
    return [
        strided("even_rows", PACKED, (6, 44), (2, 16), (2, 16), does="store"),
        strided("odd_windows", PACKED, (9, 44), (2, 4), (3, 5), does="store"),
        strided("odd_rows", PACKED, (4, 32), (2, 16), (2, 17), does="store", strides=(33, 1)),
        strided("halves_of_bytes", PACKED, (16, 30), (16, 1), (16, 1), does="store"),
        strided("release", PACKED, (26,), (2,), (3,), does="store", ordering="release device"),
        strided("odd_size", PACKED, (27,), (8,), (8,), does="store", dynamic=True),
        gather("rows", PACKED, (7, 40), (4, 32), 0, [[6, 7, 0, -1]], ["rows", (1, 33, 3)], does="store",
               grid=(1, 2, 1)),
    ]


def write_packed():
    halves = random.integers(0, 16, size=INPUTS).astype(np.uint8)
    case = Case("packed_loads", "loads of elements that share a byte", "fpsan, ieee", "tower")
    case.inputs["i8"] = pack(halves)
    for access in (accesses := packed_loads()):
        codes = np.zeros((len(access.blocks()), math.prod(access.tile)), dtype=np.uint8)
        for block, position in access.blocks():
            for i, t in enumerate(np.ndindex(*access.tile)):
                offset = access.offset(position, t)
                codes[block, i] = {"zero": 0, "neg_zero": 8}[access.padding] if offset is None else halves[offset]
        case.add(access, None, HALVES[codes])
    case.write("packed_loads")
    write_module("packed_loads", accesses)

    case = Case("packed_stores", "stores of elements that share a byte", "fpsan, ieee")
    case.inputs["i8"] = pack(halves)
    for access in (accesses := packed_stores()):
        before = random.integers(0, 16, size=access.size() + access.size() % 2).astype(np.uint8)
        result = access.update(before, tiles_of(access, halves), lambda old, new: new)
        case.add(access, pack(before), pack(result))
    case.write("packed_stores")
    write_module("packed_stores", accesses)


def tiles_of(access, data):
    count = len(access.blocks()) * math.prod(access.tile)
    return data[:count].reshape(len(access.blocks()), -1)


def write_updates(case, accesses, fill, combine):
    for access in accesses:
        if access.element not in case.inputs:
            case.inputs[access.element] = fill(access.element, INPUTS)
        before = fill(access.element, access.size())
        with np.errstate(over="ignore"):
            result = access.update(before, tiles_of(access, case.inputs[access.element]), combine(access))
        case.add(access, before, result)
    case.write(case.module)
    write_module(case.module, accesses)


def write_sums():
    accesses = [a for e in ("f16", "bf16", "f32", "f64") for a in reductions(e, ["addf"])]
    title = "sums of floats in tiles of views: whole numbers, so that their order does not show"
    case = Case("reduce_floats", f'"{title}"', "fpsan, ieee", "tower")
    write_updates(case, accesses, small_values, lambda access: lambda a, b: (float(a) + float(b)))
    ring = Case("reduce_floats", "sums of floats in tiles of views, in the ring", "fpsan", "triton-3.9")
    ring.inputs = case.inputs
    for element, befores in case.before.items():
        summands = np.array(payloads(element, case.inputs[element]), dtype=object)
        for access, before in zip((a for a in accesses if a.element == element), befores):
            old = np.array(payloads(element, before), dtype=object)
            sums = access.update(old, tiles_of(access, summands), lambda a, b: a + b)
            ring.add(access, before, unembed(element, sums))
    ring.write("reduce_floats_ring")


def views():
    write_loads("strided_loads", strided_loads())
    write_loads("gathered_loads", gathered_loads())
    write_updates(
        Case("stores", "stores through views, which leave all else alone", "fpsan, ieee"),
        stores(),
        values,
        lambda access: lambda old, new: new,
    )
    write_updates(
        Case("reduce_integers", "reductions of integers into tiles of views, in every mode", "fpsan, ieee"),
        [a for e in ("i32", "i64") for a in reductions(e, [*BITS, *SIGNED, *UNSIGNED])],
        values,
        lambda access: combine_integers(access.does, access.dtype()),
    )
    write_sums()
    write_packed()
    # Every row once, in any order, and numbers of no row.
    rows = random.permutation(np.concatenate([np.arange(50), np.full(7, 50), np.full(7, -1)]))
    write_data(FOLDER, "expert_rows", rows.astype(np.int32))
