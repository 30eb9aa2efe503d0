# SPDX-License-Identifier: Apache-2.0
# Matrix products in Triton: grouped blocks, split, persistent with descriptors, int8, f8, mxf8 and mxf4, an MLP, experts.
import triton
import triton.language as tl
from corpus import NORMAL, buffer, given, integers, jit, launched, mutant, pair, run, uniform


@triton.jit
def block_of(program, m, n, TM: tl.constexpr, TN: tl.constexpr, GROUP: tl.constexpr):
    """The block of a program: columns of GROUP blocks, for the cache."""
    across = tl.cdiv(n, TN)
    group = program // (GROUP * across)
    height = tl.minimum(tl.cdiv(m, TM) - group * GROUP, GROUP)
    inner = program % (GROUP * across)
    return group * GROUP + inner % height, inner // height


@triton.jit
def matmul(
    x_ptr, y_ptr, z_ptr, m, n, depth, xs, ys,
    TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """z = x y, rows and columns wrapped around where they stick out; pointers walk along the depth."""
    i, j = block_of(tl.program_id(0), m, n, TM, TN, GROUP)
    row, column = (i * TM + tl.arange(0, TM)) % m, (j * TN + tl.arange(0, TN)) % n
    k = tl.arange(0, TK)
    xp = x_ptr + row[:, None] * xs + k[None, :]
    yp = y_ptr + k[:, None] * ys + column[None, :]
    acc = tl.zeros((TM, TN), tl.float32)
    for step in range(0, tl.cdiv(depth, TK)):
        left = depth - step * TK
        x = tl.load(xp, mask=k[None, :] < left, other=0.0)
        y = tl.load(yp, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc)
        xp += TK
        yp += TK * ys
    row, column = i * TM + tl.arange(0, TM), j * TN + tl.arange(0, TN)
    tl.store(z_ptr + row[:, None] * n + column[None, :], acc, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def split(x_ptr, y_ptr, z_ptr, m, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """As matmul; a program has every SPLIT-th part of the depth, and adds by atomics; grid (rows, columns, parts)."""
    row, column = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), tl.float32)
    for start in range(tl.program_id(2) * TK, depth, tl.num_programs(2) * TK):
        k = start + tl.arange(0, TK)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=(row[:, None] < m) & (k[None, :] < depth), other=0.0)
        y = tl.load(y_ptr + k[:, None] * n + column[None, :], mask=(k[:, None] < depth) & (column[None, :] < n), other=0.0)
        acc += tl.dot(x, y)
    inside = (row[:, None] < m) & (column[None, :] < n)
    tl.atomic_add(z_ptr + row[:, None] * n + column[None, :], acc, mask=inside)


@triton.jit
def persistent(x_ptr, y_ptr, z_ptr, m, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """Descriptors made here; each program has every GRID-th block."""
    x = tl.make_tensor_descriptor(x_ptr, [m, depth], [depth, 1], [TM, TK])
    y = tl.make_tensor_descriptor(y_ptr, [depth, n], [n, 1], [TK, TN])
    z = tl.make_tensor_descriptor(z_ptr, [m, n], [n, 1], [TM, TN])
    across = tl.cdiv(n, TN)
    for block in range(tl.program_id(0), tl.cdiv(m, TM) * across, tl.num_programs(0)):
        i, j = block // across * TM, block % across * TN
        acc = tl.zeros((TM, TN), tl.float32)
        for k in range(0, depth, TK):
            acc = tl.dot(x.load([i, k]), y.load([k, j]), acc)
        z.store([i, j], acc)


# ---- quantised -------------------------------------------------------------------------------------------------------
@triton.jit
def round_rows(x_ptr, q_ptr, s_ptr, n, T: tl.constexpr):
    """q = x / s rounded, s the largest magnitude of the row over 127."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(x), 0), 0.001) / 127.0
    tl.store(s_ptr + row, scale)
    tl.store(q_ptr + row * n + at, tl.floor(x / scale + 0.5).to(tl.int8), mask=at < n)


@triton.jit
def int8_matmul(q_ptr, s_ptr, w_ptr, c_ptr, z_ptr, m, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """z = (q w) s c: sums in i32, a scale for each row and column; grid (rows, columns)."""
    row, column = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), tl.int32)
    for start in range(0, depth, TK):
        k = start + tl.arange(0, TK)
        q = tl.load(q_ptr + row[:, None] * depth + k[None, :], mask=(row[:, None] < m) & (k[None, :] < depth), other=0)
        w = tl.load(w_ptr + k[:, None] * n + column[None, :], mask=(k[:, None] < depth) & (column[None, :] < n), other=0)
        acc = tl.dot(q, w, acc)
    s = tl.load(s_ptr + row, mask=row < m, other=0.0)
    c = tl.load(c_ptr + column, mask=column < n, other=0.0)
    z = acc.to(tl.float32) * s[:, None] * c[None, :]
    tl.store(z_ptr + row[:, None] * n + column[None, :], z, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def block_scaled(x_ptr, sx_ptr, y_ptr, sy_ptr, z_ptr, m, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """f8 with a power of 2 for 32 elements along the depth, by the scaled product; grid (rows, columns)."""
    row, column = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), tl.float32)
    for start in range(0, depth, TK):
        k, g = start + tl.arange(0, TK), start // 32 + tl.arange(0, TK // 32)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=row[:, None] < m, other=0.0)
        y = tl.load(y_ptr + k[:, None] * n + column[None, :], mask=column[None, :] < n, other=0.0)
        sx = tl.load(sx_ptr + row[:, None] * (depth // 32) + g[None, :], mask=row[:, None] < m, other=127)
        sy = tl.load(sy_ptr + g[None, :] * n + column[:, None], mask=column[:, None] < n, other=127)
        acc = tl.dot_scaled(x, sx, "e4m3", y, sy, "e4m3", acc)
    tl.store(z_ptr + row[:, None] * n + column[None, :], acc, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def mxf4(x_ptr, sx_ptr, y_ptr, sy_ptr, z_ptr, n, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """f4 elements, two in a byte along the depth, with a power of 2 for 32 of them; one block; y is N x K."""
    i, j = tl.arange(0, TM), tl.arange(0, TN)
    k, g = tl.arange(0, TK // 2), tl.arange(0, TK // 32)
    x = tl.load(x_ptr + i[:, None] * (TK // 2) + k[None, :])
    y = tl.load(y_ptr + j[None, :] * (TK // 2) + k[:, None])
    sx = tl.load(sx_ptr + i[:, None] * (TK // 32) + g[None, :])
    sy = tl.load(sy_ptr + j[:, None] * (TK // 32) + g[None, :])
    tl.store(z_ptr + i[:, None] * n + j[None, :], tl.dot_scaled(x, sx, "e2m1", y, sy, "e2m1"))


@triton.jit
def number_of(nibble):
    """The number of an f4: sign, two bits of exponent, one of mantissa."""
    exponent, half = (nibble >> 1) & 3, nibble & 1
    power = tl.exp2(exponent.to(tl.float32) - 1.0)
    magnitude = tl.where(exponent == 0, 0.5 * half.to(tl.float32), power * (1.0 + 0.5 * half.to(tl.float32)))
    return tl.where(nibble >= 8, -magnitude, magnitude)


@triton.jit
def unpack_f4(q_ptr, s_ptr, x_ptr, n, T: tl.constexpr):
    """x = the numbers of a row's nibbles times their scales; grid (rows)."""
    row, at = tl.program_id(0), tl.arange(0, T)
    byte = tl.load(q_ptr + row * (n // 2) + at // 2, mask=at < n, other=0).to(tl.int32) & 255
    nibble = (byte >> (at % 2 * 4)) & 15
    scale = tl.load(s_ptr + row * (n // 32) + at // 32, mask=at < n, other=127).to(tl.int32) & 255
    tl.store(x_ptr + row * n + at, number_of(nibble) * tl.exp2(scale.to(tl.float32) - 127.0), mask=at < n)


@triton.jit
def product_turned(x_ptr, y_ptr, z_ptr, n, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """z = x y^T in f32; one block."""
    i, j, k = tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, TK)
    x = tl.load(x_ptr + i[:, None] * TK + k[None, :])
    y = tl.load(y_ptr + j[:, None] * TK + k[None, :])
    tl.store(z_ptr + i[:, None] * n + j[None, :], tl.dot(x, tl.trans(y), input_precision="ieee"))


@triton.jit
def f8_blocks(x_ptr, sx_ptr, w_ptr, sw_ptr, z_ptr, m, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """e4m3 with a scale for each row and TK of the depth of x, and for each TK x TN of w; scaled after each product."""
    row, column = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    steps = depth // TK
    acc = tl.zeros((TM, TN), tl.float32)
    for step in range(0, steps):
        k = step * TK + tl.arange(0, TK)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=row[:, None] < m, other=0.0)
        w = tl.load(w_ptr + k[:, None] * n + column[None, :], mask=column[None, :] < n, other=0.0)
        sx = tl.load(sx_ptr + row * steps + step, mask=row < m, other=0.0)
        sw = tl.load(sw_ptr + step * tl.cdiv(n, TN) + tl.program_id(1))
        acc += tl.dot(x, w) * sx[:, None] * sw
    tl.store(z_ptr + row[:, None] * n + column[None, :], acc, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def f8_dequantised(x_ptr, sx_ptr, w_ptr, sw_ptr, z_ptr, m, n, depth, BLOCK: tl.constexpr, ACROSS: tl.constexpr, T: tl.constexpr):
    """The same from numbers that are scaled before the product, in f32."""
    row, column = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * T + tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, depth, T):
        k = start + tl.arange(0, T)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=row[:, None] < m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + k[:, None] * n + column[None, :], mask=column[None, :] < n, other=0.0).to(tl.float32)
        sx = sx_ptr + row[:, None] * (depth // BLOCK) + k[None, :] // BLOCK
        sw = sw_ptr + k[:, None] // BLOCK * tl.cdiv(n, ACROSS) + column[None, :] // ACROSS
        x *= tl.load(sx, mask=row[:, None] < m, other=0.0)
        w *= tl.load(sw, mask=column[None, :] < n, other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    tl.store(z_ptr + row[:, None] * n + column[None, :], acc, mask=(row[:, None] < m) & (column[None, :] < n))


# ---- an MLP, experts -------------------------------------------------------------------------------------------------
@triton.jit
def product(x_ptr, w_ptr, z_ptr, m, n, depth, T: tl.constexpr):
    """z = x w in f32; grid (rows, columns)."""
    row, column = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * T + tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, depth, T):
        k = start + tl.arange(0, T)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=(row[:, None] < m) & (k[None, :] < depth), other=0.0)
        w = tl.load(w_ptr + k[:, None] * n + column[None, :], mask=(k[:, None] < depth) & (column[None, :] < n), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    tl.store(z_ptr + row[:, None] * n + column[None, :], acc, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def gate(a_ptr, u_ptr, h_ptr, n, T: tl.constexpr):
    """h = silu(a) u."""
    at = tl.program_id(0) * T + tl.arange(0, T)
    a = tl.load(a_ptr + at, mask=at < n, other=0.0)
    tl.store(h_ptr + at, a * tl.sigmoid(a) * tl.load(u_ptr + at, mask=at < n, other=0.0), mask=at < n)


@triton.jit
def mlp(x_ptr, wa_ptr, wu_ptr, wd_ptr, z_ptr, m, width, hidden, W: tl.constexpr, TM: tl.constexpr, TH: tl.constexpr):
    """z = (silu(x wa) (x wu)) wd in one: blocks of the hidden width are summed up; grid (rows)."""
    row, k = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, W)
    x = tl.load(x_ptr + row[:, None] * width + k[None, :], mask=(row[:, None] < m) & (k[None, :] < width), other=0.0)
    acc = tl.zeros((TM, W), tl.float32)
    for start in range(0, hidden, TH):
        h = start + tl.arange(0, TH)
        inside = (k[:, None] < width) & (h[None, :] < hidden)
        up = k[:, None] * hidden + h[None, :]
        a = tl.dot(x, tl.load(wa_ptr + up, mask=inside, other=0.0), input_precision="ieee")
        u = tl.dot(x, tl.load(wu_ptr + up, mask=inside, other=0.0), input_precision="ieee")
        down = wd_ptr + h[:, None] * width + k[None, :]
        wd = tl.load(down, mask=(h[:, None] < hidden) & (k[None, :] < width), other=0.0)
        acc += tl.dot(a * tl.sigmoid(a) * u, wd, input_precision="ieee")
    tl.store(z_ptr + row[:, None] * width + k[None, :], acc, mask=(row[:, None] < m) & (k[None, :] < width))


@triton.jit
def experts(
    x_ptr, w_ptr, order_ptr, starts_ptr, gate_ptr, y_ptr, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr
):
    """Sorted tokens of each expert, in blocks; grid (blocks, column blocks, experts)."""
    expert = tl.program_id(2)
    first, end = tl.load(starts_ptr + expert), tl.load(starts_ptr + expert + 1)
    place = first + tl.program_id(0) * TM + tl.arange(0, TM)
    if first + tl.program_id(0) * TM >= end:
        return
    token = tl.load(order_ptr + place, mask=place < end, other=0)
    column = tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), tl.float32)
    for start in range(0, depth, TK):
        k = start + tl.arange(0, TK)
        inside = (place[:, None] < end) & (k[None, :] < depth)
        x = tl.load(x_ptr + token[:, None] * depth + k[None, :], mask=inside, other=0.0)
        rows = (expert * depth + k)[:, None] * n + column[None, :]
        w = tl.load(w_ptr + rows, mask=(k[:, None] < depth) & (column[None, :] < n), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    acc *= tl.load(gate_ptr + token, mask=place < end, other=0.0)[:, None]
    inside = (place[:, None] < end) & (column[None, :] < n)
    tl.store(y_ptr + token[:, None] * n + column[None, :], acc, mask=inside)


XYZ = "*fp16 *fp16 *fp32 i32 i32 i32"
KERNELS = {
    "matmul": jit(matmul, XYZ + " i32 i32", TM=16, TN=16, TK=16, GROUP=2),
    "split_k": jit(split, XYZ, TM=16, TN=16, TK=16),
    "persistent": jit(persistent, XYZ, TM=16, TN=32, TK=16),
    "round_rows": jit(round_rows, "*fp32 *i8 *fp32 i32", T=128),
    "int8_matmul": jit(int8_matmul, "*i8 *fp32 *i8 *fp32 *fp32 i32 i32 i32", TM=32, TN=32, TK=32),
    "block_scaled": jit(block_scaled, "*fp8e4nv *u8 *fp8e4nv *u8 *fp32 i32 i32 i32", TM=16, TN=16, TK=64),
    "mxf4": jit(mxf4, "*u8 *u8 *u8 *u8 *fp32 i32", TM=16, TN=16, TK=64),
    "unpack_f4": jit(unpack_f4, "*u8 *u8 *fp32 i32", T=64),
    "product_turned": jit(product_turned, "*fp32 *fp32 *fp32 i32", TM=16, TN=16, TK=64),
    "f8_blocks": jit(f8_blocks, "*fp8e4nv *fp32 *fp8e4nv *fp32 *fp32 i32 i32 i32", TM=16, TN=32, TK=32),
    "f8_dequantised": jit(
        f8_dequantised, "*fp8e4nv *fp32 *fp8e4nv *fp32 *fp32 i32 i32 i32", BLOCK=32, ACROSS=32, T=16
    ),
    "product": jit(product, "*fp32 *fp32 *fp32 i32 i32 i32", T=16),
    "gate": jit(gate, "*fp32 *fp32 *fp32 i32", T=256),
    "mlp": jit(mlp, "*fp32 *fp32 *fp32 *fp32 *fp32 i32 i32 i32", W=32, TM=16, TH=16),
    "experts": jit(experts, "*fp32 *fp32 *i32 *i32 *fp32 *fp32 i32 i32", TM=16, TN=16, TK=16),
}

DEPTHS = {"K": [72, 80, 65, 16, 1]}
OPERANDS = {
    "X": buffer("f16", [40, "K"], NORMAL),
    "Y": buffer("f16", ["K", 56], NORMAL),
    "Z": buffer("f32", [40, 56]),
}
SIZE = ("i32 40", "i32 56", "i32 K")
CUTILE = [run("../matmul/matmul.tileirbc", (3, 4), "X", "Y", "Z")]
BOTH = ("cutile", "triton")
E4M3, E8M0 = "{normal: {mean: 0, std: 4}}", uniform(0.125, 4)
BYTES = integers(-128, 127)
MX_SCALES = integers(120, 127)

PAIRS = [
    pair(
        "grouped_blocks",
        "a product of cuTile, and of Triton with blocks in groups and rows wrapped around",
        OPERANDS,
        CUTILE,
        [run("matmul", (12,), "X", "Y", "Z", *SIZE, "i32 K", "i32 56")],
        ["Z"],
        [
            mutant("height", "matmul:block_of", "tl.minimum(tl.cdiv(m, TM) - group * GROUP, GROUP)", "GROUP",
                   "the last group is as high as the others"),
            mutant("depth", "matmul", "k[:, None] < left", "k[:, None] < left - 1", "the last row of each step of y"),
            mutant("dropped", "matmul", "acc = tl.dot(x, y, acc)", "acc = tl.dot(x, y)", "the accumulator is dropped"),
            mutant("block", "matmul:block_of", "inner % height, inner // height", "inner // height, inner % height",
                   "rows and columns of blocks are swapped"),
        ],
        names=BOTH,
        parameters=DEPTHS,
    ),
    pair(
        "split_k",
        "a product of cuTile, and of Triton split over the depth and added by atomics",
        OPERANDS | {"Z": buffer("f32", [40, 56], "zeros")},
        CUTILE,
        [run("split_k", (3, 4, 3), "X", "Y", "Z", *SIZE)],
        ["Z"],
        [
            mutant("start", "split_k", "range(tl.program_id(2) * TK, depth", "range(tl.program_id(2), depth", "parts overlap"),
            mutant("stored", "split_k", "tl.atomic_add(", "tl.store(", "stored, not added"),
            launched("part", "[3, 4, 3]", "[2, 4, 3]", "the last rows are left out"),
        ],
        names=BOTH,
        parameters=DEPTHS,
    ),
    pair(
        "persistent",
        "products of Triton with pointers, and persistent with descriptors",
        {
            "X": buffer("f16", [40, "K"], NORMAL),
            "Y": buffer("f16", ["K", 56], NORMAL),
            "Z": buffer("f32", [40, 56]),
        },
        [run("matmul", (12,), "X", "Y", "Z", *SIZE, "i32 K", "i32 56")],
        [run("persistent", (4,), "X", "Y", "Z", *SIZE)],
        ["Z"],
        [
            mutant("coordinates", "persistent", "y.load([k, j])", "y.load([j, k])", "coordinates are swapped"),
            mutant("block", "persistent", "block // across * TM", "block // across * TN", "rows by the columns' tile"),
            mutant("depth", "persistent", "range(0, depth, TK)", "range(0, depth - TK, TK)", "the last step is left out"),
        ],
        parameters={"K": [72, 80, 64]},
    ),
    pair(
        "int8",
        "a linear layer of integers of cuTile in one, and of Triton with rows rounded before",
        {
            "X": buffer("f32", [33, "K"], NORMAL),
            "W": buffer("i8", ["K", 72], integers(-127, 127)),
            "C": buffer("f32", [1, 72], uniform(0.01, 0.03)),
            "Q": buffer("i8", [33, "K"]),
            "S": buffer("f32", [33]),
            "Y": buffer("f32", [33, 72]),
        },
        [run("../quantised/linear_rounded.tileirbc", (2, 3), "X", "W", "C", "Y")],
        [
            run("round_rows", (33,), "X", "Q", "S", "i32 K"),
            run("int8_matmul", (2, 3), "Q", "S", "W", "C", "Y", "i32 33", "i32 72", "i32 K"),
        ],
        ["Y"],
        [
            mutant("row_scale", "int8_matmul", "* s[:, None] * c", "* c", "the rows' scales are missing"),
            mutant("scale_of_row", "int8_matmul", "tl.load(s_ptr + row, mask=row < m", "tl.load(s_ptr + row // 2, mask=row < m",
                   "a scale for two rows"),
            mutant("truncated", "round_rows", "x / scale + 0.5", "x / scale", "rounded down, not to the nearest"),
            mutant("without_abs", "round_rows", "tl.max(tl.abs(x), 0)", "tl.max(x, 0)", "the largest, not its magnitude"),
        ],
        names=BOTH,
        parameters={"K": [96, 128, 65, 1]},
    ),
    pair(
        "mxf8",
        "f8 elements scaled before the product of cuTile, and the block-scaled product of Triton",
        {
            "X": buffer("f8e4m3fn", [40, 128], E4M3),
            "SX": buffer("f8e8m0fnu", [40, 4], E8M0),
            "Y": buffer("f8e4m3fn", [128, 24], E4M3),
            "SY": buffer("f8e8m0fnu", [4, 24], E8M0),
            "Z": buffer("f32", [40, 24]),
        },
        [run("../scaled/dequantised.tileirbc", (3, 2), "X", "SX", "Y", "SY", "Z")],
        [
            run("block_scaled", (3, 2), "X", "{view: SX, shape: [40, 4], type: i8}", "Y",
                "{view: SY, shape: [4, 24], type: i8}", "Z", "i32 40", "i32 24", "i32 128"),
        ],
        ["Z"],
        [
            mutant("first_scale", "block_scaled", "start // 32 + tl.arange(0, TK // 32)", "tl.arange(0, TK // 32)",
                   "always the first scales"),
            mutant("scale_stride", "block_scaled", "row[:, None] * (depth // 32)", "row[:, None] * (TK // 32)", "wrong stride"),
            mutant("dropped", "block_scaled", "\"e4m3\", acc)", "\"e4m3\")", "the accumulator is dropped"),
        ],
        names=BOTH,
    ),
    pair(
        "mxf4",
        "f4 elements unpacked and scaled before the product, and the block-scaled product, both of Triton",
        {
            "QX": buffer("i8", [16, 32], BYTES),
            "SX": buffer("i8", [16, 2], MX_SCALES),
            "QY": buffer("i8", [16, 32], BYTES),
            "SY": buffer("i8", [16, 2], MX_SCALES),
            "X": buffer("f32", [16, 64]),
            "Y": buffer("f32", [16, 64]),
            "Z": buffer("f32", [16, 16]),
        },
        [
            run("unpack_f4", (16,), "QX", "SX", "X", "i32 64"),
            run("unpack_f4", (16,), "QY", "SY", "Y", "i32 64"),
            run("product_turned", (1,), "X", "Y", "Z", "i32 16"),
        ],
        [run("mxf4", (1,), "QX", "SX", "QY", "SY", "Z", "i32 16")],
        ["Z"],
        [
            mutant("scales_of_x", "mxf4", "tl.load(sy_ptr + j[:, None]", "tl.load(sx_ptr + j[:, None]", "x's scales for y"),
            mutant("columns", "mxf4", "y_ptr + j[None, :] * (TK // 2) + k[:, None]", "y_ptr + j[None, :] + k[:, None] * TN",
                   "y is read as K x N"),
            mutant("one_scale", "mxf4", "sx_ptr + i[:, None] * (TK // 32) + g[None, :]",
                   "sx_ptr + i[:, None] * (TK // 32) + g[None, :] * 0", "one scale for a row"),
        ],
        names=("before", "hardware"),
    ),
    pair(
        "f8_blocks",
        "f8 scaled by blocks before the product, and each block's product scaled, both of Triton",
        {
            "X": buffer("f8e4m3fn", [40, 64], NORMAL),
            "SX": buffer("f32", [40, 2], uniform(0.5, 2)),
            "W": buffer("f8e4m3fn", [64, 56], NORMAL),
            "SW": buffer("f32", [2, 2], uniform(0.5, 2)),
            "Z": buffer("f32", [40, 56]),
        },
        [run("f8_dequantised", (3, 4), "X", "SX", "W", "SW", "Z", "i32 40", "i32 56", "i32 64")],
        [run("f8_blocks", (3, 2), "X", "SX", "W", "SW", "Z", "i32 40", "i32 56", "i32 64")],
        ["Z"],
        [
            mutant("after", "f8_blocks", "acc += tl.dot(x, w) * sx[:, None] * sw", "acc = (acc + tl.dot(x, w)) * sx[:, None] * sw",
                   "what was summed is scaled again"),
            mutant("scale_of_step", "f8_blocks", "sx_ptr + row * steps + step", "sx_ptr + row * steps", "the first scale"),
            mutant("block_scale", "f8_blocks", "sw_ptr + step * tl.cdiv(n, TN)", "sw_ptr + step", "wrong stride of w's scales"),
        ],
        names=("before", "after"),
    ),
    pair(
        "mlp",
        "a gated MLP in four launches, and in one, both of Triton",
        {
            "X": buffer("f32", [21, 24], NORMAL),
            "WA": buffer("f32", [24, "H"], NORMAL),
            "WU": buffer("f32", [24, "H"], NORMAL),
            "WD": buffer("f32", ["H", 24], NORMAL),
            "A": buffer("f32", [21, "H"]),
            "U": buffer("f32", [21, "H"]),
            "G": buffer("f32", [21, "H"]),
            "Z": buffer("f32", [21, 24]),
        },
        [
            run("product", (2, "cdiv(H, 16)"), "X", "WA", "A", "i32 21", "i32 H", "i32 24"),
            run("product", (2, "cdiv(H, 16)"), "X", "WU", "U", "i32 21", "i32 H", "i32 24"),
            run("gate", ("cdiv(21 * H, 256)",), "A", "U", "G", "i32 21 * H"),
            run("product", (2, 2), "G", "WD", "Z", "i32 21", "i32 24", "i32 H"),
        ],
        [run("mlp", (2,), "X", "WA", "WU", "WD", "Z", "i32 21", "i32 24", "i32 H")],
        ["Z"],
        [
            mutant("not_added", "mlp", "acc += tl.dot(a * tl.sigmoid(a) * u", "acc = tl.dot(a * tl.sigmoid(a) * u",
                   "only the last block of the hidden width"),
            mutant("wrong_gate", "mlp", "a * tl.sigmoid(a) * u", "u * tl.sigmoid(u) * a", "gate and up are swapped"),
            mutant("sigmoid", "mlp", "a * tl.sigmoid(a) * u", "tl.sigmoid(a) * u", "a sigmoid in place of SiLU"),
            mutant("last_block", "mlp", "range(0, hidden, TH)", "range(0, hidden // TH * TH, TH)", "the ragged block"),
        ],
        names=("launches", "fused"),
        parameters={"H": [40, 48, 33, 1]},
    ),
    pair(
        "experts",
        "every expert for every token of cuTile, and each expert's sorted tokens of Triton",
        {
            "X": buffer("f32", [29, "D"], NORMAL),
            "W": buffer("f32", [5, "D", 24], NORMAL),
            "E": buffer("i32", [29], given("experts.i32")),
            "ORDER": buffer("i32", [29], given("experts_order.i32")),
            "STARTS": buffer("i32", [6], given("experts_starts.i32")),
            "P": buffer("f32", [29], uniform(0.2, 1)),
            "Y": buffer("f32", [29, 24]),
        },
        [run("../experts/dense_top_1.tileirbc", (4, 2), "X", "W", "E", "P", "Y")],
        [run("experts", (2, 2, 5), "X", "W", "ORDER", "STARTS", "P", "Y", "i32 24", "i32 D")],
        ["Y"],
        [
            mutant("gate_of_place", "experts", "tl.load(gate_ptr + token", "tl.load(gate_ptr + place", "gates in sorted order"),
            mutant("not_sorted", "experts", "tl.load(order_ptr + place, mask=place < end, other=0)", "place",
                   "the order is not looked up"),
            mutant("no_gate", "experts", "acc *= tl.load(gate_ptr + token, mask=place < end, other=0.0)[:, None]", "acc *= 1.0",
                   "results are not weighted"),
            mutant("expert_stride", "experts", "(expert * depth + k)", "(expert // 2 * depth + k)", "two experts share weights"),
            mutant("end", "experts", "acc *= tl.load(gate_ptr + token, mask=place < end", "acc *= tl.load(gate_ptr + token, mask=place < end - 1",
                   "the last token of each expert has no weight"),
        ],
        names=BOTH,
        parameters={"D": [40, 64, 33, 1]},
    ),
]
