# SPDX-License-Identifier: Apache-2.0
# The folder ops: operations that cuTile does not have or has only newly. Their kernels are texts, written here too.
import math
from fractions import Fraction

import expect_tools
import numpy as np
from expect_tools import FLOATS, HERE, HEADER, model, payloads, round_exact, shape_text, unembed, write_data

FOLDER = "ops"
random = np.random.default_rng(1304)
MLIR = {"f8e4m3fn": "f8E4M3FN", "f8e5m2": "f8E5M2", "f8e8m0fnu": "f8E8M0FNU", "f4e2m1fn": "f4E2M1FN"}
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


# ---- texts of kernels ------------------------------------------------------------------------------------------------
def mlir(kind):
    return MLIR.get(kind, kind)


class Kernel:
    """Text of a kernel of one block: parameters are arrays (name, type, count), read and written whole."""

    def __init__(self, name, parameters, declarations=""):
        self.name, self.lines, self.arrays = name, [], dict((n, (k, c)) for n, k, c in parameters)
        words = ", ".join(f"%{n}_base: tile<ptr<{mlir(k)}>>" for n, k, _ in parameters)
        self.head = f"// SPDX-License-Identifier: Apache-2.0\n// Written by expect.py.\ncuda_tile.module @kernels {{\n{declarations}entry @{name}({words}) {{\n"
        self("%zero = constant <i32: 0> : tile<i32>")
        for n, k, count in parameters:
            view = f"tensor_view<{count}x{mlir(k)}, strides=[1]>"
            self(f"%{n}_tensor = make_tensor_view %{n}_base, shape = [{count}], strides = [1] : {view}")
            self(f"%{n}_view = make_partition_view %{n}_tensor : partition_view<tile=({count}), {view}>")

    def __call__(self, *lines):
        self.lines += lines
        return self

    def view_type(self, array):
        kind, count = self.arrays[array]
        return f"partition_view<tile=({count}), tensor_view<{count}x{mlir(kind)}, strides=[1]>>, tile<i32>"

    def load(self, value, array):
        kind, count = self.arrays[array]
        tile = f"tile<{count}x{mlir(kind)}>"
        return self(f"%{value}, %{value}_t = load_view_tko weak %{array}_view[%zero] : {self.view_type(array)} -> {tile}, token")

    def store(self, value, array):
        kind, count = self.arrays[array]
        tile = f"tile<{count}x{mlir(kind)}>"
        return self(f"%{value}_to_{array} = store_view_tko weak %{value}, %{array}_view[%zero] : {tile}, {self.view_type(array)} -> token")

    def write(self):
        body = "".join(f"  {line}\n" for line in self.lines)
        (HERE / FOLDER / (self.name + ".mlir")).write_text(f"{self.head}{body}  return\n}}\n}}\n")


# ---- case files ------------------------------------------------------------------------------------------------------
def case(name, title, sources, results, arguments=None, extra="", kernel=None):
    """sources, results: name -> (type, count, data). Extra lines say for which modes the expected results are."""
    text = HEADER + f"title: {title}\nbuffers:\n"
    for buffer, (kind, count, data) in sources.items():
        text += f"  {buffer}: {{type: {kind}, shape: [{count}], fill: {{file: {data}.bin}}}}\n"
    for buffer, (kind, count, data) in results.items():
        text += f"  E{buffer}: {{type: {kind}, shape: [1, {count}], fill: {{file: {data}.bin}}}}\n"
        text += f"  {buffer}: {{type: {kind}, shape: [1, {count}]}}\n"
    text += "variants:\n  expected:\n"
    for buffer, (kind, count, data) in results.items():
        grid = shape_text([1, -(-count // 128), 1])
        text += f"    - {{module: ../copy/copy_{kind}.tileirbc, grid: {grid}, args: [E{buffer}, {buffer}]}}\n"
    arguments = arguments or [f"{b}.ptr" for b in [*sources, *results]]
    text += f"  kernel:\n    - {{module: {kernel or name}.mlir, grid: [1], args: [{', '.join(arguments)}]}}\n"
    text += f"compare: [{', '.join(results)}]\n{extra}"
    if "profile" not in extra and "tolerance" not in extra:
        text += "tolerance: {ieee: {rtol: 0, atol: 0}}\n"
    (HERE / FOLDER / (name + ".yaml")).write_text(text)


RING = "modes: [fpsan]\nprofile: triton-3.9\n"


def bits_like(kind, count):
    """Random bits of floats: numbers of all sizes, infinities, NaN."""
    unsigned = FLOATS[kind][1]
    return random.integers(0, 1 << 8 * unsigned().itemsize, count, dtype=np.uint64).astype(unsigned)


# ---- fpowi -----------------------------------------------------------------------------------------------------------
def power(name, x, n):
    x = float(x)
    if math.isfinite(x) and x != 0:
        exact = Fraction(x) ** n
        return round_exact(exact, *FLOATS[name][3:])
    with np.errstate(all="ignore"):
        return float(np.power(np.float64(x), np.float64(n)))


def fpowi():
    count = 256
    tolerances = {"f16": ("1.0e-3", "1.0e-7"), "bf16": ("8.0e-3", "0"), "f32": ("1.2e-7", "0"), "f64": ("3.0e-16", "0")}
    exponents = {"f16": "i8", "bf16": "i16", "f32": "i32", "f64": "i8"}
    for name, kind in exponents.items():
        x = expect_tools.inputs(name, count, 2)
        n = random.integers(-6, 7, count)
        n[:17], n[17:40], n[40] = np.resize([0, 1, -1, 2, -3, 5], 17), random.integers(-100, 100, 23), 127
        kernel = Kernel(f"fpowi_{name}", [("x", name, count), ("n", kind, count), ("y", name, count)])
        kernel.load("base", "x").load("exponent", "n")
        tile = f"tile<{count}x{name}>"
        kernel(f"%power = fpowi %base, %exponent : {tile}, tile<{count}x{kind}>")
        kernel.store("power", "y").write()
        ring = model.Ring(FLOATS[name][2])
        symbol = "__nv_powi" if name == "f64" else "__nv_powif"
        ieee = np.array([power(name, a, int(b)) for a, b in zip(x.astype(np.float64), n)]).astype(FLOATS[name][0])
        ring_results = [ring.extern(symbol, p, int(b) & ring.mask) for p, b in zip(payloads(name, x), n)]
        write_data(FOLDER, f"fpowi_{name}_x", x), write_data(FOLDER, f"fpowi_{name}_n", n.astype(INTEGERS[kind]))
        write_data(FOLDER, f"fpowi_{name}_ieee", ieee), write_data(FOLDER, f"fpowi_{name}_ring", unembed(name, ring_results))
        sources = {"X": (name, count, f"fpowi_{name}_x"), "N": (kind, count, f"fpowi_{name}_n")}
        rtol, atol = tolerances[name]
        for mode, extra in (("ieee", f"modes: [ieee]\ntolerance: {{ieee: {{rtol: {rtol}, atol: {atol}}}}}\n"), ("ring", RING)):
            case(f"fpowi_{name}_{mode}", f"powers of {name} by integers of {kind}, {mode}", sources,
                 {"Y": (name, count, f"fpowi_{name}_{mode}")}, extra=extra, kernel=f"fpowi_{name}")
    # In the tower a power by an integer is a product; and an exponent of one bit is 0 or -1.
    count = 64
    product = Kernel("powers_by_product", [("x", "f32", count), ("y", "f32", count)])
    product.load("x1", "x")(
        f"%x2 = mulf %x1, %x1 : tile<{count}xf32>",
        f"%x3 = mulf %x1, %x2 : tile<{count}xf32>",
        f"%one = constant <f32: 1.0> : tile<{count}xf32>",
        f"%inverse = divf %one, %x1 : tile<{count}xf32>",
        f"%r = addf %x3, %inverse : tile<{count}xf32>",
    ).store("r", "y").write()
    powers = Kernel("powers_by_fpowi", [("x", "f32", count), ("y", "f32", count)])
    powers.load("x1", "x")(
        f"%three = constant <i16: 3> : tile<{count}xi16>",
        f"%true = constant <i1: true> : tile<{count}xi1>",
        f"%cube = fpowi %x1, %three : tile<{count}xf32>, tile<{count}xi16>",
        f"%inverse = fpowi %x1, %true : tile<{count}xf32>, tile<{count}xi1>",
        f"%r = addf %cube, %inverse : tile<{count}xf32>",
    ).store("r", "y").write()
    text = HEADER + "title: powers by integers as products\nprofile: tower\nbuffers:\n"
    text += "  X: {type: f32, shape: [64], fill: {uniform: {low: 0.5, high: 2}}}\n  Y: {type: f32, shape: [64]}\nvariants:\n"
    for variant in ("product", "fpowi"):
        text += f"  {variant}:\n    - {{module: powers_by_{variant}.mlir, grid: [1], args: [X.ptr, Y.ptr]}}\n"
    (HERE / FOLDER / "powers.yaml").write_text(text + "compare: [Y]\ntolerance: {ieee: {rtol: 3.0e-7, atol: 0}}\n")


# ---- pack and unpack -------------------------------------------------------------------------------------------------
def repack():
    """Bits in, the same bits out, whatever they mean; two cases a type: pack and unpack."""
    for kind, width in (("f64", 8), ("f32", 4), ("bf16", 2), ("f16", 2), ("i64", 8), ("i16", 2)):
        count = 32
        if kind in FLOATS:
            bits = bits_like(kind, count)
            ordinary = np.isfinite(bits.view(FLOATS[kind][0]).astype(np.float64))
            bits[~ordinary] = np.array([1.5]).astype(FLOATS[kind][0]).view(bits.dtype)
        else:
            bits = random.integers(-(1 << 8 * width - 1), (1 << 8 * width - 1) - 1, count).astype(INTEGERS[kind])
        write_data(FOLDER, f"repack_{kind}", bits)
        pack = Kernel(f"pack_{kind}", [("x", kind, count), ("y", "i8", count * width)]).load("a", "x")
        pack(f"%b = pack %a : tile<{count}x{kind}> -> tile<{count * width}xi8>").store("b", "y").write()
        unpack = Kernel(f"unpack_{kind}", [("x", "i8", count * width), ("y", kind, count)]).load("a", "x")
        unpack(f"%b = unpack %a : tile<{count * width}xi8> -> tile<{count}x{kind}>").store("b", "y").write()
        whole, parts = (kind, count, f"repack_{kind}"), ("i8", count * width, f"repack_{kind}")
        case(f"pack_{kind}", f"{kind} as bytes", {"X": whole}, {"Y": parts})
        case(f"unpack_{kind}", f"bytes as {kind}", {"X": parts}, {"Y": whole})


def repack_small():
    """Two or eight elements in a byte: the first in the lowest bits."""
    data = random.integers(0, 256, 64).astype(np.uint8)
    low, high = data & 15, data >> 4
    nibbles = np.stack([low, high], 1).ravel()
    signed_nibbles = (nibbles.astype(np.int8) ^ 8) - 8
    bits = np.unpackbits(data, bitorder="little")
    f4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    numbers = np.where(nibbles & 8, -f4[nibbles & 7], f4[nibbles & 7]).astype(np.float32)
    write_data(FOLDER, "bytes", data)
    write_data(FOLDER, "nibbles_signed", signed_nibbles.astype(np.int32))
    write_data(FOLDER, "nibbles_unsigned", nibbles.astype(np.int16))
    write_data(FOLDER, "bits", bits.astype(np.int32))
    write_data(FOLDER, "nibbles_f4", numbers)
    source = {"X": ("i8", 64, "bytes")}
    kernel = Kernel("unpack_i4", [("x", "i8", 64), ("s", "i32", 128), ("u", "i16", 128), ("y", "i8", 64)]).load("a", "x")
    kernel(
        "%b = unpack %a : tile<64xi8> -> tile<128xi4>",
        "%signed = exti %b signed : tile<128xi4> -> tile<128xi32>",
        "%unsigned = exti %b unsigned : tile<128xi4> -> tile<128xi16>",
        "%back = trunci %signed : tile<128xi32> -> tile<128xi4>",
        "%packed = pack %back : tile<128xi4> -> tile<64xi8>",
    ).store("signed", "s").store("unsigned", "u").store("packed", "y").write()
    case("unpack_i4", "bytes as two i4 and back", source,
         {"S": ("i32", 128, "nibbles_signed"), "U": ("i16", 128, "nibbles_unsigned"), "Y": ("i8", 64, "bytes")})
    kernel = Kernel("unpack_i1", [("x", "i8", 64), ("s", "i32", 512), ("y", "i8", 64)]).load("a", "x")
    kernel(
        "%b = unpack %a : tile<64xi8> -> tile<512xi1>",
        "%wide = exti %b unsigned : tile<512xi1> -> tile<512xi32>",
        "%packed = pack %b : tile<512xi1> -> tile<64xi8>",
    ).store("wide", "s").store("packed", "y").write()
    case("unpack_i1", "bytes as eight i1 and back", source, {"S": ("i32", 512, "bits"), "Y": ("i8", 64, "bytes")})
    kernel = Kernel("unpack_f4", [("x", "i8", 64), ("s", "f32", 128), ("y", "i8", 64), ("z", "i8", 64)]).load("a", "x")
    kernel(
        "%b = unpack %a : tile<64xi8> -> tile<128xf4E2M1FN>",
        "%wide = ftof %b : tile<128xf4E2M1FN> -> tile<128xf32>",
        "%narrow = ftof %wide : tile<128xf32> -> tile<128xf4E2M1FN>",
        "%packed = pack %b : tile<128xf4E2M1FN> -> tile<64xi8>",
        "%again = pack %narrow : tile<128xf4E2M1FN> -> tile<64xi8>",
    ).store("wide", "s").store("packed", "y").store("again", "z").write()
    results = {"S": ("f32", 128, "nibbles_f4"), "Y": ("i8", 64, "bytes"), "Z": ("i8", 64, "bytes")}
    case("unpack_f4_ieee", "bytes as two f4 and back, ieee", source, results,
         extra="modes: [ieee]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n", kernel="unpack_f4")
    write_data(FOLDER, "nibbles_f4_ring", unembed("f32", [int(v) for v in nibbles]))
    results["S"] = ("f32", 128, "nibbles_f4_ring")
    case("unpack_f4_ring", "bytes as two f4 and back, the nibble being the payload", source, results, extra=RING, kernel="unpack_f4")


def moves_of_i4():
    """i4 through every op that moves elements; numpy moves the bytes' halves."""
    data = random.integers(0, 256, 32).astype(np.uint8)
    nibbles = np.stack([data & 15, data >> 4], 1).ravel()
    grid = nibbles.reshape(8, 8)
    turned = grid.T.copy()
    wide = np.concatenate([turned, grid], 1)
    part = wide[4:8, 8:12]
    filled = grid.copy()
    filled[4:8, 0:4] = part
    spread = np.broadcast_to(part[:, :1], (4, 8))
    chosen = np.where(np.arange(32).reshape(4, 8) % 3 == 0, spread, filled[:4]).ravel()
    packed = chosen[0::2] | chosen[1::2] << 4
    write_data(FOLDER, "moves_bytes", data)
    write_data(FOLDER, "moves_expected", packed.astype(np.uint8))
    mask = ", ".join("true" if i % 3 == 0 else "false" for i in range(32))
    kernel = Kernel("moves_i4", [("x", "i8", 32), ("y", "i8", 16)]).load("a", "x")
    kernel(
        "%one = constant <i32: 1> : tile<i32>",
        "%two = constant <i32: 2> : tile<i32>",
        "%flat = unpack %a : tile<32xi8> -> tile<64xi4>",
        "%grid = reshape %flat : tile<64xi4> -> tile<8x8xi4>",
        "%turned = permute %grid [1, 0] : tile<8x8xi4> -> tile<8x8xi4>",
        "%wide = cat %turned, %grid dim = 1 : tile<8x8xi4>, tile<8x8xi4> -> tile<8x16xi4>",
        "%part = extract %wide[%one, %two] : tile<8x16xi4> -> tile<4x4xi4>",
        "%filled = insert %part, %grid[%one, %zero] : tile<4x4xi4>, tile<8x8xi4>",
        "%column = extract %part[%zero, %zero] : tile<4x4xi4> -> tile<4x1xi4>",
        "%spread = broadcast %column : tile<4x1xi4> -> tile<4x8xi4>",
        "%upper = extract %filled[%zero, %zero] : tile<8x8xi4> -> tile<4x8xi4>",
        f"%mask = constant <i1: [{mask}]> : tile<32xi1>",
        "%mask2 = reshape %mask : tile<32xi1> -> tile<4x8xi1>",
        "%chosen = select %mask2, %spread, %upper : tile<4x8xi1>, tile<4x8xi4>",
        "%line = reshape %chosen : tile<4x8xi4> -> tile<32xi4>",
        "%packed = pack %line : tile<32xi4> -> tile<16xi8>",
    ).store("packed", "y").write()
    case("moves_i4", "i4 moved by every op that moves", {"X": ("i8", 32, "moves_bytes")}, {"Y": ("i8", 16, "moves_expected")})


def payloads_through_bytes():
    """Bytes lose a float's payload, but an unpack of a pack gives it back, as a bitcast of a bitcast does."""
    count = 32
    direct = Kernel("through_nothing", [("x", "f32", count), ("y", "f32", count)]).load("a", "x")
    direct(f"%b = mulf %a, %a : tile<{count}xf32>").store("b", "y").write()
    around = Kernel("through_bytes", [("x", "f32", count), ("y", "f32", count)]).load("a", "x")
    around(
        f"%b = mulf %a, %a : tile<{count}xf32>",
        f"%c = pack %b : tile<{count}xf32> -> tile<{4 * count}xi8>",
        f"%d = unpack %c : tile<{4 * count}xi8> -> tile<{count}xf32>",
    ).store("d", "y").write()
    text = HEADER + "title: floats as bytes and back keep their payloads\nbuffers:\n"
    text += "  X: {type: f32, shape: [32], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [32]}\nvariants:\n"
    for variant in ("nothing", "bytes"):
        text += f"  {variant}:\n    - {{module: through_{variant}.mlir, grid: [1], args: [X.ptr, Y.ptr]}}\n"
    (HERE / FOLDER / "through_bytes.yaml").write_text(text + "compare: [Y]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")


def bytes_in_a_loop():
    """What an unpack gives back is the tile as it was packed, though the loop goes on with it."""
    count = 64
    tile = f"tile<{count}xf32>"
    for variant, again in (("nothing", ["%old = addf %x, %zeros : " + tile]),
                           ("bytes", [f"%bytes = pack %x : {tile} -> tile<{4 * count}xi8>",
                                      f"%old = unpack %bytes : tile<{4 * count}xi8> -> {tile}"])):
        kernel = Kernel(f"loop_with_{variant}", [("x", "f32", count), ("y", "f32", count)]).load("a", "x")
        kernel(
            "%one = constant <i32: 1> : tile<i32>",
            "%five = constant <i32: 5> : tile<i32>",
            f"%zeros = constant <f32: 0.0> : {tile}",
            f"%r, %s = for %i in (%zero to %five, step %one) : tile<i32> iter_values(%x = %a, %sum = %zeros) -> ({tile}, {tile}) {{",
            *again,
            f"%next = mulf %x, %a : {tile}",
            f"%more = addf %sum, %old : {tile}",
            f"continue %next, %more : {tile}, {tile}",
            "}",
            f"%both = addf %r, %s : {tile}",
        ).store("both", "y").write()
    text = HEADER + "title: a tile unpacked in a loop that carries it on\nbuffers:\n"
    text += "  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [64]}\nvariants:\n"
    for variant in ("nothing", "bytes"):
        text += f"  {variant}:\n    - {{module: loop_with_{variant}.mlir, grid: [1], args: [X.ptr, Y.ptr]}}\n"
    (HERE / FOLDER / "loop_with_bytes.yaml").write_text(text + "compare: [Y]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")


# ---- insert ----------------------------------------------------------------------------------------------------------
def insert():
    for kind in ("f32", "f16", "f64", "i64", "i8", "f8e5m2"):
        size = 8 if kind in ("f64", "i64") else 4 if kind == "f32" else 2 if kind == "f16" else 1
        whole = (random.integers(0, 60, 4 * 8 * 2) * (1 << 8 * size - 8)).astype(f"u{size}")
        part = (random.integers(60, 100, 2 * 2 * 2) * (1 << 8 * size - 8)).astype(f"u{size}")
        expected = whole.reshape(4, 8, 2).copy()
        expected[2:4, 4:6, :] = part.reshape(2, 2, 2)
        expected[0:2, 0:2, :] = expected[2:4, 4:6, :]
        write_data(FOLDER, f"insert_{kind}_whole", whole), write_data(FOLDER, f"insert_{kind}_part", part)
        write_data(FOLDER, f"insert_{kind}", expected)
        k = mlir(kind)
        kernel = Kernel(f"insert_{kind}", [("x", kind, 64), ("p", kind, 8), ("y", kind, 64)]).load("a", "x").load("b", "p")
        kernel(
            "%one = constant <i32: 1> : tile<i32>",
            "%two = constant <i32: 2> : tile<i32>",
            f"%whole = reshape %a : tile<64x{k}> -> tile<4x8x2x{k}>",
            f"%part = reshape %b : tile<8x{k}> -> tile<2x2x2x{k}>",
            f"%first = insert %part, %whole[%one, %two, %zero] : tile<2x2x2x{k}>, tile<4x8x2x{k}>",
            f"%again = extract %first[%one, %two, %zero] : tile<4x8x2x{k}> -> tile<2x2x2x{k}>",
            f"%second = insert %again, %first[%zero, %zero, %zero] : tile<2x2x2x{k}>, tile<4x8x2x{k}>",
            f"%c = reshape %second : tile<4x8x2x{k}> -> tile<64x{k}>",
        ).store("c", "y").write()
        case(f"insert_{kind}", f"slices of {kind} inserted, and the original as it was",
             {"X": (kind, 64, f"insert_{kind}_whole"), "P": (kind, 8, f"insert_{kind}_part")},
             {"Y": (kind, 64, f"insert_{kind}")})


def insert_in_a_loop():
    """A tile that is carried and filled slice by slice, also from its own other slices."""
    x = random.integers(-1000, 1000, (8, 4)).astype(np.int32)
    filled, mixed = np.repeat(np.arange(8, dtype=np.int32) * 3, 4).reshape(8, 4), x.copy()
    for i in range(8):
        mixed[i] = mixed[7 - i] + i
    write_data(FOLDER, "insert_loop_x", x), write_data(FOLDER, "insert_loop_filled", filled)
    write_data(FOLDER, "insert_loop_mixed", mixed)
    kernel = Kernel("insert_in_loop", [("x", "i32", 32), ("f", "i32", 32), ("y", "i32", 32)]).load("a", "x")
    kernel(
        "%one = constant <i32: 1> : tile<i32>",
        "%seven = constant <i32: 7> : tile<i32>",
        "%eight = constant <i32: 8> : tile<i32>",
        "%three = constant <i32: 3> : tile<i32>",
        "%start = reshape %a : tile<32xi32> -> tile<8x4xi32>",
        "%rows = for %i in (%zero to %eight, step %one) : tile<i32> iter_values(%t = %start) -> (tile<8x4xi32>) {",
        "%n = muli %i, %three : tile<i32>",
        "%n2 = reshape %n : tile<i32> -> tile<1x1xi32>",
        "%row = broadcast %n2 : tile<1x1xi32> -> tile<1x4xi32>",
        "%next = insert %row, %t[%i, %zero] : tile<1x4xi32>, tile<8x4xi32>",
        "continue %next : tile<8x4xi32>",
        "}",
        "%mixed = for %j in (%zero to %eight, step %one) : tile<i32> iter_values(%u = %start) -> (tile<8x4xi32>) {",
        "%back = subi %seven, %j : tile<i32>",
        "%other = extract %u[%back, %zero] : tile<8x4xi32> -> tile<1x4xi32>",
        "%m2 = reshape %j : tile<i32> -> tile<1x1xi32>",
        "%m = broadcast %m2 : tile<1x1xi32> -> tile<1x4xi32>",
        "%sum = addi %other, %m : tile<1x4xi32>",
        "%after = insert %sum, %u[%j, %zero] : tile<1x4xi32>, tile<8x4xi32>",
        "continue %after : tile<8x4xi32>",
        "}",
        "%b = reshape %rows : tile<8x4xi32> -> tile<32xi32>",
        "%c = reshape %mixed : tile<8x4xi32> -> tile<32xi32>",
    ).store("b", "f").store("c", "y").write()
    case("insert_in_loop", "a carried tile filled slice by slice", {"X": ("i32", 32, "insert_loop_x")},
         {"F": ("i32", 32, "insert_loop_filled"), "Y": ("i32", 32, "insert_loop_mixed")})


# ---- bodies of reduce and scan ---------------------------------------------------------------------------------------
def fold(result, op, source, kind, identity, body, to, dim, more=""):
    return [
        f"%{result} = {op} %{source} dim={dim}{more} identities=[{identity} : {kind}] : tile<16x32x{kind}> -> {to} (%x: tile<{kind}>, %y: tile<{kind}>) {{",
        *body,
        "}",
    ]


def bodies():
    """Bodies of any pure ops against bodies of one op."""
    count = 16 * 32
    plain = {
        "f32": ["%z = addf %x, %y : tile<f32>", "yield %z : tile<f32>"],
        "i32": ["%z = maxi %x, %y signed : tile<i32>", "yield %z : tile<i32>"],
    }
    odd = {
        "f32": [
            "%x1 = reshape %x : tile<f32> -> tile<1xf32>",
            "%y1 = reshape %y : tile<f32> -> tile<1xf32>",
            "%both = cat %x1, %y1 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>",
            "%z = reduce %both dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32> (%v: tile<f32>, %w: tile<f32>) {",
            "%s = addf %v, %w : tile<f32>",
            "yield %s : tile<f32>",
            "}",
            "yield %z : tile<f32>",
        ],
        "i32": [
            "%two = constant <i32: 2> : tile<i32>",
            "%twice = muli %x, %two : tile<i32>",
            "%again = divi %twice, %two signed : tile<i32>",
            "%less = cmpi less_than %again, %y, signed : tile<i32> -> tile<i1>",
            "%z = if %less -> (tile<i32>) {",
            "yield %y : tile<i32>",
            "} else {",
            "yield %again : tile<i32>",
            "}",
            "yield %z : tile<i32>",
        ],
    }
    for kind, identity in (("f32", "0.0"), ("i32", "-2147483648")):
        for variant, body in (("plain", plain[kind]), ("odd", odd[kind])):
            kernel = Kernel(f"bodies_{variant}_{kind}", [("x", kind, count), ("r", kind, 16), ("c", kind, 32), ("s", kind, count)])
            kernel.load("a", "x")(f"%t = reshape %a : tile<{count}x{kind}> -> tile<16x32x{kind}>")
            kernel(*fold("rows", "reduce", "t", kind, identity, body, f"tile<16x{kind}>", 1))
            kernel(*fold("columns", "reduce", "t", kind, identity, body, f"tile<32x{kind}>", 0))
            kernel(*fold("sums", "scan", "t", kind, identity, body, f"tile<16x32x{kind}>", 1, " reverse=true"))
            kernel(f"%flat = reshape %sums : tile<16x32x{kind}> -> tile<{count}x{kind}>")
            kernel.store("rows", "r").store("columns", "c").store("flat", "s").write()
        # Sums of floats are exact here, as a body that is not known to commute combines in another order.
        most = 1000 if kind == "f32" else 1000000
        fill = f"{{integers: {{low: -{most}, high: {most}}}}}"
        text = HEADER + f"title: bodies of reduce and scan on {kind} that are more than one op\nbuffers:\n"
        text += f"  X: {{type: {kind}, shape: [{count}], fill: {fill}}}\n  R: {{type: {kind}, shape: [16]}}\n"
        text += f"  C: {{type: {kind}, shape: [32]}}\n  S: {{type: {kind}, shape: [{count}]}}\nvariants:\n"
        for variant in ("plain", "odd"):
            text += f"  {variant}:\n    - {{module: bodies_{variant}_{kind}.mlir, grid: [1], args: [X.ptr, R.ptr, C.ptr, S.ptr]}}\n"
        tolerance = "tolerance: {ieee: {rtol: 0, atol: 0}}\n"
        (HERE / FOLDER / f"bodies_{kind}.yaml").write_text(text + "compare: [R, C, S]\n" + tolerance)


def many_operands():
    """Six operands at once are six reductions."""
    variants = ("one", "many")
    tile, scalar = "tile<8x8xf32>", "tile<f32>"
    for variant in variants:
        kernel = Kernel(f"operands_{variant}", [("x", "f32", 64), ("y", "f32", 64)]).load("a", "x")
        kernel("%t0 = reshape %a : tile<64xf32> -> tile<8x8xf32>")
        for i in range(1, 6):
            kernel(f"%t{i} = mulf %t{i - 1}, %t0 : {tile}")
        if variant == "many":
            names = ", ".join(f"%x{i}: {scalar}, %y{i}: {scalar}" for i in range(6))
            results = ", ".join(["tile<8xf32>"] * 6)
            kernel(
                f"%r:6 = reduce {', '.join(f'%t{i}' for i in range(6))} dim=0 identities=[{', '.join(['0.0 : f32'] * 6)}] : "
                f"{', '.join([tile] * 6)} -> {results} ({names}) {{",
                *[f"%z{i} = addf %x{i}, %y{i} : {scalar}" for i in range(6)],
                f"yield {', '.join(f'%z{i}' for i in range(6))} : {', '.join([scalar] * 6)}",
                "}",
                *[f"%s{i} = reshape %r#{i} : tile<8xf32> -> tile<1x8xf32>" for i in range(6)],
            )
        else:
            for i in range(6):
                kernel(
                    f"%r{i} = reduce %t{i} dim=0 identities=[0.0 : f32] : {tile} -> tile<8xf32> (%x: {scalar}, %y: {scalar}) {{",
                    f"%z = addf %x, %y : {scalar}",
                    f"yield %z : {scalar}",
                    "}",
                    f"%s{i} = reshape %r{i} : tile<8xf32> -> tile<1x8xf32>",
                )
        kernel("%all0 = constant <f32: 0.0> : tile<8x8xf32>")
        for i in range(6):
            kernel(f"%row{i} = constant <i32: {i}> : tile<i32>",
                   f"%all{i + 1} = insert %s{i}, %all{i}[%row{i}, %zero] : tile<1x8xf32>, {tile}")
        kernel("%flat = reshape %all6 : tile<8x8xf32> -> tile<64xf32>").store("flat", "y").write()
    text = HEADER + "title: a reduction of six operands\nbuffers:\n"
    text += "  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [64]}\nvariants:\n"
    for variant in variants:
        text += f"  {variant}:\n    - {{module: operands_{variant}.mlir, grid: [1], args: [X.ptr, Y.ptr]}}\n"
    (HERE / FOLDER / "operands.yaml").write_text(text + "compare: [Y]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")


# ---- globals and alloca ----------------------------------------------------------------------------------------------
GLOBALS = """  global @weights <f32: [0.1, 0.25, -1.5, 0.33333334]> : tile<4xf32>
  global private constant @halves alignment = 256 <f16: 0.333251953125> : tile<4xf16>
  global @flags <i1: [true, false, true, true]> : tile<4xi1>
  global @total alignment = 8 <i64: 7> : tile<1xi64>
"""


def pointers(base, result, kind, count):
    """Lines that make `result` a tile of pointers to `count` elements from `base` on."""
    return [
        f"%{result}_1 = reshape {base} : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>",
        f"%{result}_n = broadcast %{result}_1 : tile<1xptr<{kind}>> -> tile<{count}xptr<{kind}>>",
        f"%{result}_i = iota : tile<{count}xi32>",
        f"%{result} = offset %{result}_n, %{result}_i : tile<{count}xptr<{kind}>>, tile<{count}xi32> -> tile<{count}xptr<{kind}>>",
    ]


def load(value, pointer, kind, count):
    return f"%{value}, %{value}_t = load_ptr_tko weak %{pointer} : tile<{count}xptr<{kind}>> -> tile<{count}x{kind}>, token"


def store(value, pointer, kind, count):
    return f"%{value}_at_{pointer} = store_ptr_tko weak %{pointer}, %{value} : tile<{count}xptr<{kind}>>, tile<{count}x{kind}> -> token"


def globals_():
    # Constants in memory are what constants of the program are; and what is stored stays for the next launch.
    name = "global_values"
    kernel = Kernel(name, [("x", "f32", 4), ("y", "f32", 4), ("n", "i64", 1), ("b", "i32", 4)], GLOBALS).load("a", "x")
    kernel(
        "%w_base = get_global @weights : tile<ptr<f32>>",
        *pointers("%w_base", "w", "f32", 4),
        load("weights", "w", "f32", 4),
        "%h_base = get_global @halves : tile<ptr<f16>>",
        *pointers("%h_base", "h", "f16", 4),
        load("halves", "h", "f16", 4),
        "%f_base = get_global @flags : tile<ptr<i1>>",
        *pointers("%f_base", "f", "i1", 4),
        load("flags", "f", "i1", 4),
        "%bits = exti %flags unsigned : tile<4xi1> -> tile<4xi32>",
        "%wide = ftof %halves : tile<4xf16> -> tile<4xf32>",
        "%product = mulf %a, %weights : tile<4xf32>",
        "%r = mulf %product, %wide : tile<4xf32>",
        store("product", "w", "f32", 4),
        "%t_base = get_global @total : tile<ptr<i64>>",
        "%five = constant <i64: 5> : tile<i64>",
        "%old, %old_t = atomic_rmw_tko relaxed device %t_base, add, %five : tile<ptr<i64>>, tile<i64> -> tile<i64>, token",
        "%total = reshape %old : tile<i64> -> tile<1xi64>",
    ).store("r", "y").store("total", "n").store("bits", "b").write()
    constants = Kernel("constant_values", [("x", "f32", 4), ("y", "f32", 4), ("n", "i64", 1), ("b", "i32", 4)]).load("a", "x")
    constants(
        "%weights = constant <f32: [0.1, 0.25, -1.5, 0.33333334]> : tile<4xf32>",
        "%halves = constant <f16: 0.333251953125> : tile<4xf16>",
        "%wide = ftof %halves : tile<4xf16> -> tile<4xf32>",
        "%product = mulf %a, %weights : tile<4xf32>",
        "%second = mulf %a, %product : tile<4xf32>",
        "%r = mulf %second, %wide : tile<4xf32>",
        "%total = constant <i64: 12> : tile<1xi64>",
        "%bits = constant <i32: [1, 0, 1, 1]> : tile<4xi32>",
    ).store("r", "y").store("total", "n").store("bits", "b").write()
    text = HEADER + "title: globals are constants in memory, and keep what is stored\nbuffers:\n"
    text += "  X: {type: f32, shape: [4], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [4]}\n"
    text += "  N: {type: i64, shape: [1]}\n  B: {type: i32, shape: [4]}\nvariants:\n"
    launch = "    - {module: %s_values.mlir, grid: [1], args: [X.ptr, Y.ptr, N.ptr, B.ptr]}\n"
    text += "  constants:\n" + launch % "constant" + "  globals:\n" + 2 * (launch % "global")
    (HERE / FOLDER / "globals.yaml").write_text(text + "compare: [Y, N, B]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")


def alloca():
    # Floats through memory of the block's own keep their payloads; it begins as zeros in each round.
    count = 64
    kernel = Kernel("local_memory", [("x", "f32", count), ("y", "f32", count)]).load("a", "x")
    kernel(
        "%three = constant <i32: 3> : tile<i32>",
        "%one = constant <i32: 1> : tile<i32>",
        "%last = constant <i32: 63> : tile<64xi32>",
        "%square = mulf %a, %a : tile<64xf32>",
        "%far = alloca num_elem = 64, alignment = 4096 global : tile<ptr<f32>>",
        *pointers("%far", "q", "f32", count),
        store("square", "q", "f32", count),
        "%back = subi %last, %q_i : tile<64xi32>",
        "%p = offset %q_n, %back : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>",
        load("turned", "p", "f32", count),
        "%sum = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%so_far = %turned) -> (tile<64xf32>) {",
        "%near = alloca num_elem = 64, alignment = 4 : tile<ptr<f32>>",
        *pointers("%near", "r", "f32", count),
        load("zeros", "r", "f32", count),
        "%more = addf %zeros, %a : tile<64xf32>",
        store("more", "r", "f32", count),
        load("again", "r", "f32", count),
        "%next = addf %so_far, %again : tile<64xf32>",
        "continue %next : tile<64xf32>",
        "}",
        "%even = cmpi equal %one, %three, signed : tile<i32> -> tile<i1>",
        "%either = select %even, %x_base, %far : tile<i1>, tile<ptr<f32>>",
        *pointers("%either", "e", "f32", count),
        load("chosen", "e", "f32", count),
        "%result = addf %sum, %chosen : tile<64xf32>",
    ).store("result", "y").write()
    direct = Kernel("no_memory", [("x", "f32", count), ("y", "f32", count)])
    direct(
        "%last = constant <i32: 63> : tile<64xi32>",
        *pointers("%x_base", "x", "f32", count),
        "%back = subi %last, %x_i : tile<64xi32>",
        "%p = offset %x_n, %back : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>",
        load("turned", "p", "f32", count),
    ).load("a", "x")(
        "%square = mulf %a, %a : tile<64xf32>",
        "%other = mulf %turned, %turned : tile<64xf32>",
        "%s1 = addf %other, %a : tile<64xf32>",
        "%s2 = addf %s1, %a : tile<64xf32>",
        "%s3 = addf %s2, %a : tile<64xf32>",
        "%result = addf %s3, %square : tile<64xf32>",
    ).store("result", "y").write()
    text = HEADER + "title: memory of the block's own\nallow: [unspecified]\nbuffers:\n"
    text += "  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [64]}\nvariants:\n"
    for variant in ("no", "local"):
        text += f"  {variant}:\n    - {{module: {variant}_memory.mlir, grid: [1], args: [X.ptr, Y.ptr]}}\n"
    (HERE / FOLDER / "local_memory.yaml").write_text(text + "compare: [Y]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n")


# ---- what kernels print ----------------------------------------------------------------------------------------------
def nested(items, shape):
    if not shape:
        return items[0]
    step = len(items) // shape[0]
    return "[" + ", ".join(nested(items[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"


def tile_text(conversion, values, shape, kind=None):
    """Python's % is C's printf; of payloads all digits in hexadecimal, with its width."""
    if kind is None:
        return nested([conversion % v for v in values], shape)
    ring = model.Ring(FLOATS[kind][2])
    return nested([conversion % f"0x{v & ring.mask:0{ring.width // 4}x}" for v in values], shape)


def prints():
    folder, count, tile = "print", 40, 4
    x = (random.normal(size=count) * 100).astype(np.float32)
    h = (random.normal(size=count)).astype(np.float16)
    n = random.integers(-300, 300, count).astype(np.int16)
    x[0], x[5], h[3] = -0.0, np.inf, np.nan
    for name, data in (("x", x), ("h", h), ("n", n)):
        (HERE / folder / f"{name}.bin").write_bytes(data.tobytes())
    squares = payloads("f32", x)
    ring = model.Ring("fp32")
    texts = {"ieee": "", "fpsan": ""}
    for block in range(count // tile):
        part = slice(block * tile, (block + 1) * tile)
        integers = [tile_text("%-7d", n[part], (tile,)), tile_text("%x", n[part].astype(np.uint16), (tile,))]
        total = int(n[part].sum(dtype=np.int16))
        with np.errstate(all="ignore"):
            square = x[part] * x[part]
        for mode, floats in (
            ("ieee", [tile_text("%.5f", x[part], (tile,)), tile_text("%+8.2e", h[part], (tile,)),
                      tile_text("%f", square, (2, tile // 2))]),
            ("fpsan", [tile_text("%s", payloads("f32", x[part]), (tile,), "f32"),
                       tile_text("%8s", payloads("f16", h[part]), (tile,), "f16"),
                       tile_text("%s", [p * p & ring.mask for p in squares[part]], (2, tile // 2), "f32")]),
        ):
            texts[mode] += f"block {block}: {floats[0]} 100%\n"
            texts[mode] += f"{floats[1]}|{integers[0]}|{integers[1]}\n"
            texts[mode] += f"{floats[2]} and {total}\n"
    for mode, text in texts.items():
        (HERE / folder / f"print_tiles.{mode}.txt").write_text(text)


def ops():
    (HERE / FOLDER).mkdir(exist_ok=True)
    shared, expect_tools.random = expect_tools.random, random  # so that these bytes depend on this file alone
    fpowi()
    expect_tools.random = shared
    repack()
    repack_small()
    moves_of_i4()
    payloads_through_bytes()
    bytes_in_a_loop()
    insert()
    insert_in_a_loop()
    bodies()
    many_operands()
    globals_()
    alloca()
    prints()
