# SPDX-License-Identifier: Apache-2.0
# Products of f8 elements with a scale for each block of 32, in bytecode 13.3 (13.1 has no f8e8m0 scales).
import cuda.tile as ct
from corpus import buffer, mutant, pair, run
from export import array

VERSION = "13.3"
Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def dequantised(x, sx, y, sy, z, TM: Const, TN: Const, TK: Const, BLOCK: Const):
    """f8 elements times their block's scale (f8e8m0), then the product, BLOCK inner elements to a scale."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.float32)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.float32)
        sa = ct.load(sx, index=(i, k), shape=(TM, TK // BLOCK), padding_mode=ZERO).astype(ct.float32)
        sb = ct.load(sy, index=(k, j), shape=(TK // BLOCK, TN), padding_mode=ZERO).astype(ct.float32)
        a = (a.reshape((TM, TK // BLOCK, BLOCK)) * sa.reshape((TM, TK // BLOCK, 1))).reshape((TM, TK))
        b = (b.reshape((TK // BLOCK, BLOCK, TN)) * sb.reshape((TK // BLOCK, 1, TN))).reshape((TK, TN))
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def scaled_after(x, sx, y, sy, z, TM: Const, TN: Const, BLOCK: Const):
    """The product of one block of f8 elements at a time, scaled afterwards."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, BLOCK))):
        a = ct.load(x, index=(i, k), shape=(TM, BLOCK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(BLOCK, TN), padding_mode=ZERO)
        sa = ct.load(sx, index=(i, k), shape=(TM, 1), padding_mode=ZERO).astype(ct.float32)
        sb = ct.load(sy, index=(k, j), shape=(1, TN), padding_mode=ZERO).astype(ct.float32)
        acc = acc + ct.mma(a, b, ct.full((TM, TN), 0.0, dtype=ct.float32)) * (sa * sb)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def block_scaled(x, sx, y, sy, z, TM: Const, TN: Const, TK: Const, BLOCK: Const):
    """The same by the block-scaled product of the hardware."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        sa = ct.load(sx, index=(i, k), shape=(TM, TK // BLOCK), padding_mode=ZERO)
        sb = ct.load(sy, index=(k, j), shape=(TK // BLOCK, TN), padding_mode=ZERO)
        acc = ct.mma_scaled(a, sa, b, sb, acc)
    ct.store(z, index=(i, j), tile=acc)


E4, E8, F2 = array(ct.float8_e4m3fn, 2), array(ct.float8_e8m0fnu, 2), array(ct.float32, 2)
OPERANDS = [E4, E8, E4, E8, F2]
KERNELS = {
    "dequantised": (dequantised, [*OPERANDS, 16, 16, 64, 32]),
    "scaled_after": (scaled_after, [*OPERANDS, 16, 16, 32]),
    "block_scaled": (block_scaled, [*OPERANDS, 16, 16, 64, 32]),
}

E4M3, E8M0 = "{normal: {mean: 0, std: 4}}", "{uniform: {low: 0.125, high: 4}}"
BUFFERS = {
    "X": buffer("f8e4m3fn", [40, 128], E4M3),
    "SX": buffer("f8e8m0fnu", [40, 4], E8M0),
    "Y": buffer("f8e4m3fn", [128, 24], E4M3),
    "SY": buffer("f8e8m0fnu", [4, 24], E8M0),
    "Z": buffer("f32", [40, 24]),
}

PAIRS = [
    pair(
        "scaled_after",
        "f8 elements scaled before the product, and each block's product scaled afterwards",
        BUFFERS,
        [run("dequantised", (3, 2), "X", "SX", "Y", "SY", "Z")],
        [run("scaled_after", (3, 2), "X", "SX", "Y", "SY", "Z")],
        ["Z"],
        [
            mutant("one_scale", "scaled_after", "(sa * sb)", "sa", "y's scales are missing"),
            mutant(
                "scale_block",
                "scaled_after",
                "ct.load(sx, index=(i, k)",
                "ct.load(sx, index=(i, 0)",
                "always the first scale of a row",
            ),
            mutant("scale_twice", "scaled_after", "(sa * sb)", "(sa * sa * sb)", "x's scales count twice"),
        ],
        names=("before", "after"),
    ),
    pair(
        "block_scaled",
        "f8 elements scaled before the product, and the block-scaled product",
        BUFFERS,
        [run("dequantised", (3, 2), "X", "SX", "Y", "SY", "Z")],
        [run("block_scaled", (3, 2), "X", "SX", "Y", "SY", "Z")],
        ["Z"],
        [
            mutant(
                "scale_block",
                "block_scaled",
                "ct.load(sy, index=(k, j)",
                "ct.load(sy, index=(0, j)",
                "always the first scales of a column",
            ),
            mutant(
                "scales_one",
                "block_scaled",
                "mma_scaled(a, sa, b",
                "mma_scaled(a, ct.full((TM, TK // BLOCK), 1.0, dtype=sx.dtype), b",
                "x's scales are 1",
            ),
        ],
        names=("before", "hardware"),
    ),
]
