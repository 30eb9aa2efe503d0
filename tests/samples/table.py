# SPDX-License-Identifier: Apache-2.0
# The public kernels: for each how to call it, with which data, and what a reference in float64 says.
"""A row's function gets the module of its file, a random generator and the tile sizes; it returns the launches and the results, each
result with its reference. The first of the row's `tiles` is what the table's error is of; the payloads of the others must have the same
bits, since these kernels differ by the order of exact sums only: so their tiles have the same number of masked elements, as 0 ** 2 and
exp2(-inf) are not 0 in the payload algebra (docs/limits.md). `tolerance` is of the largest error over the largest reference."""

import dataclasses
import math

import cuda.tile as ct
import ml_dtypes
import numpy as np

F16, F32, F64 = np.float16, np.float32, np.float64
BF16, E4M3, E8M0 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu


@dataclasses.dataclass
class Row:
    name: str
    file: str
    call: object
    tiles: list
    tolerance: float
    more: dict = dataclasses.field(default_factory=dict)
    like: str = ""  # another row, of the same data, whose payloads must have the same bits, too
    allow: tuple = ()  # for tower.py: what its case allows


def cdiv(a, b):
    return -(-a // b)


def normal(rng, *shape, dtype=F32):
    return rng.standard_normal(shape).astype(dtype)


def wide(array):
    return array.astype(F64)


def grid_2d(shape, tile):
    return cdiv(shape[0], tile[0]) * cdiv(shape[1], tile[1])


# ---- element by element


def vector_add(m, rng, tile, kernel, shape, dtype=F32):
    a, b = normal(rng, *shape, dtype=dtype), normal(rng, *shape, dtype=dtype)
    c = np.zeros_like(a)
    grid = tuple(cdiv(n, t) for n, t in zip(shape, tile))
    return [(getattr(m, kernel), grid, (a, b, c, *tile))], [(c, wide(a + b))]


def transpose(m, rng, tile, dtype=F32):
    x = normal(rng, 300, 200, dtype=dtype)
    y = np.zeros((200, 300), dtype)
    return [(m.transpose_kernel, (cdiv(300, tile[0]), cdiv(200, tile[1])), (x, y, *tile))], [(y, wide(x.T))]


def silu_and_mul(m, rng, tile):
    ab = normal(rng, 37, 256, dtype=F16)
    a, b = ab[:, :128], ab[:, 128:]
    c = np.zeros((37, 128), F16)
    return [(m.silu_and_mul_kernel, (37,), (a, b, c, tile))], [(c, wide(a) / (1 + np.exp(-wide(a))) * wide(b))]


# ---- matrix products


def matmul(m, rng, tile, kernel="matmul_kernel", dtype=F16, shape=(200, 136, 176), blocks=None):
    rows, columns, depth = shape
    a, b = normal(rng, rows, depth, dtype=dtype), normal(rng, depth, columns, dtype=dtype)
    c = np.zeros((rows, columns), dtype)
    grid = blocks or grid_2d(c.shape, tile)
    return [(getattr(m, kernel), (grid,), (a, b, c, *tile))], [(c, wide(a) @ wide(b))]


def matmul_split(m, rng, tile, split):
    """Several blocks add to each tile of the result, each behind a lock."""
    a, b = normal(rng, 100, 512), normal(rng, 512, 136)
    c = np.zeros((100, 136), F32)
    tiles = grid_2d(c.shape, tile)
    locks, counts = np.zeros(tiles, np.int32), np.zeros(tiles, np.int32)
    launch = m.matmul_split_k_kernel, (tiles, split), (a, b, c, locks, counts, *tile, split)
    return [launch], [(c, wide(a) @ wide(b)), (locks, np.zeros(tiles)), (counts, np.zeros(tiles))]


def batch_matmul(m, rng, tile, dtype=F16, out=F16):
    a, b = normal(rng, 3, 70, 96, dtype=dtype), normal(rng, 3, 96, 80, dtype=dtype)
    c = np.zeros((3, 70, 80), out)
    return [(m.batch_matmul_kernel, (3, cdiv(70, tile[0]), cdiv(80, tile[1])), (a, b, c, *tile))], [(c, wide(a) @ wide(b))]


def grouped_matmul(m, rng, tile, blocks):
    sizes = [(64, 96, 80), (130, 32, 48), (16, 200, 64)]
    a = [normal(rng, rows, depth, dtype=F16) for rows, _, depth in sizes]
    b = [normal(rng, depth, columns, dtype=F16) for _, columns, depth in sizes]
    c = [np.zeros((rows, columns), F16) for rows, columns, _ in sizes]
    launch = m.grouped_matmul_kernel, (blocks,), (a, b, c, blocks, *tile)
    return [launch], [(z, wide(x) @ wide(y)) for x, y, z in zip(a, b, c)]


def gather_matmul(m, rng, tile):
    """The sample's arrays of several GPUs are a list of arrays here."""
    a, w = [normal(rng, 128, 128) for _ in range(3)], normal(rng, 128, 64)
    c = np.zeros((3 * 128, 64), F32)
    launch = m.gather_matmul_kernel, (cdiv(3 * 128, tile[0]), cdiv(64, tile[1])), (a, w, c, *tile)
    return [launch], [(c, wide(np.concatenate(a)) @ wide(w))]


def swizzled(scale):
    """As the tensor cores want their scales: 128 x 4 of them as 32 rows of 16."""
    rows, columns = scale.shape
    blocks = scale.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(blocks).reshape(rows // 128, columns // 4, 32, 16)


def scaled_matmul(m, rng, tile, swizzle):
    size, depth, block = 256, 256, 32
    a, b = normal(rng, size, depth, dtype=E4M3), normal(rng, depth, size, dtype=E4M3)
    exponents = rng.integers(-4, 5, (2, size, depth // block))
    a_scale, b_scale = ((2.0**e).astype(E8M0) for e in exponents)
    c = np.zeros((size, size), F32)
    scales = (swizzled(a_scale), swizzled(b_scale)) if swizzle else (a_scale, np.ascontiguousarray(b_scale.T))
    launch = m.block_scaled_matmul_kernel, (grid_2d(c.shape, tile),), (a, scales[0], b, scales[1], c, *tile, block)
    left, right = (np.repeat(wide(s), block, axis=1) for s in (a_scale, b_scale))
    return [launch], [(c, (wide(a) * left) @ (wide(b) * right.T))]


# ---- attention, mixture of experts, Fourier transform


def attention(m, rng, tile, causal, keys, group=1, dtype=F16, position=0):
    batch, heads, queries, depth = 2, 2, 96, 64
    q = normal(rng, batch, heads, queries, depth, dtype=dtype)
    k, v = (normal(rng, batch, heads // group, keys, depth, dtype=dtype) for _ in range(2))
    out = np.zeros_like(q)
    scale = 1 / math.sqrt(depth)
    even = keys % tile[1] == 0
    launch = m.fmha_kernel, (cdiv(queries, tile[0]), batch * heads), (q, k, v, out, scale, position, depth, heads, *tile, group, causal, even)
    k, v = (np.repeat(wide(x), group, axis=1) for x in (k, v))
    scores = wide(q) @ k.swapaxes(2, 3) * scale
    if causal:
        scores = np.where(np.arange(queries)[:, None] + position >= np.arange(keys)[None, :], scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return [launch], [(out, weights / weights.sum(axis=-1, keepdims=True) @ v)]


def experts(m, rng, tile, weighted):
    """Each token goes to two of four experts; rows of a block are of one expert, behind the last of them is padding."""
    tokens, choices, count, depth, columns = 50, 2, 4, 96, 80
    a, b = normal(rng, tokens, depth, dtype=F16), normal(rng, count, columns, depth, dtype=F16)
    c = np.zeros((tokens * choices, columns), F16)
    weights = rng.random(tokens * choices).astype(F32)
    chosen = np.array([rng.permutation(count)[:choices] for _ in range(tokens)]).reshape(-1)
    ids, owners = [], []
    for expert in range(count):
        mine = np.flatnonzero(chosen == expert)
        blocks = cdiv(len(mine), tile[0])
        ids += [*mine, *[tokens * choices] * (blocks * tile[0] - len(mine))]
        owners += [expert] * blocks
    ids, owners = np.array(ids, np.int32), np.array(owners, np.int32)
    grid = (grid_2d((len(ids), columns), tile),)
    reference = np.einsum("td,tcd->tc", wide(a)[np.arange(tokens * choices) // choices], wide(b)[chosen])
    launch = m.fused_moe_kernel, grid, (a, b, c, weights, ids, owners, choices, weighted, *tile)
    return [launch], [(c, reference * wide(weights)[:, None] if weighted else reference)]


def turns(rows, columns, period):
    angles = -2j * np.pi * np.outer(np.arange(rows), np.arange(columns)) / period
    return np.ascontiguousarray(np.exp(angles)).view(F64).reshape(rows, columns, 2).astype(F32)


def fourier(m, rng, tile, packed):
    factors, batch = (4, 8, 16), 3
    first, second, third = factors
    n = first * second * third
    x = normal(rng, batch, n, 2)
    tables = [turns(f, f, f) for f in factors] + [turns(first, second * third, n), turns(second, third, second * third)]
    y = np.zeros_like(x)
    if packed:
        pairs = (batch, n * 2 // tile, tile)
        launch = m.fft_kernel, (batch,), (x.reshape(pairs), y.reshape(pairs), *tables, n, *factors, 1, tile)
    else:
        launch = m.fft_kernel, (batch,), (x, y, *tables, n, *factors)
    return [launch], [(y, np.fft.fft(wide(x).view(np.complex128)[..., 0]).view(F64).reshape(x.shape))]


# ---- norms


def normalised(x, eps):
    x = wide(x)
    mean = x.mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    return mean, inverse, (x - mean) * inverse


def layer_norm(m, rng, tile, dtype=F32):
    rows, columns, eps = 20, 300, 1e-5
    x, w, b = normal(rng, rows, columns, dtype=dtype), normal(rng, columns, dtype=dtype), normal(rng, columns, dtype=dtype)
    y, mean, inverse = np.zeros_like(x), np.zeros(rows, F32), np.zeros(rows, F32)
    means, inverses, hat = normalised(x, eps)
    launch = m.layer_norm_fwd, (rows,), (x, w, b, y, mean, inverse, eps, tile)
    return [launch], [(y, hat * wide(w) + wide(b)), (mean, means[:, 0]), (inverse, inverses[:, 0])]


def layer_norm_backward(m, rng, tile, groups):
    """Rows of a group add to the same partial sums, each behind a lock; a second kernel adds these up."""
    rows, columns, eps = 64, 300, 1e-5
    x, dy, w = normal(rng, rows, columns), normal(rng, rows, columns), normal(rng, columns)
    means, inverses, hat = normalised(x, eps)
    dx, dw, db = np.zeros_like(x), np.zeros((groups, columns), F32), np.zeros((groups, columns), F32)
    sum_w, sum_b, locks = np.zeros(columns, F32), np.zeros(columns, F32), np.zeros(groups, np.int32)
    mean, inverse = means[:, 0].astype(F32), inverses[:, 0].astype(F32)
    launches = [
        (m.layer_norm_bwd_dx_partial_dwdb, (rows,), (dx, dy, dw, db, x, w, mean, inverse, locks, tile)),
        (m.layer_norm_bwd_dwdb, (cdiv(columns, tile),), (dw, db, sum_w, sum_b, 4, tile)),
    ]
    weighted = wide(dy) * wide(w)
    along = (hat * weighted).mean(axis=1, keepdims=True) * hat + weighted.mean(axis=1, keepdims=True)
    return launches, [(dx, (weighted - along) * inverses), (sum_w, (wide(dy) * hat).sum(axis=0)), (sum_b, wide(dy).sum(axis=0))]


def rms_norm(m, rng, tile, kernel, dtype=F16):
    rows, columns, eps = 20, 256, 1e-5
    x, w = normal(rng, rows, columns, dtype=dtype), normal(rng, columns, dtype=dtype)
    y, inverse = np.zeros_like(x), np.zeros(rows, F32)
    inverses = 1 / np.sqrt((wide(x) ** 2).mean(axis=1, keepdims=True) + eps)
    results = [(y, wide(x) * inverses * wide(w)), (inverse, inverses[:, 0])]
    if kernel == "rms_norm_kernel_static_persistent":
        return [(m.rms_norm_kernel_static_persistent, (3,), (x, y, w, *tile, columns, eps))], results[:1]
    return [(getattr(m, kernel), (rows,), (x, w, y, inverse, columns, eps, tile))], results


# ---- the rows

HALF, TF32, SINGLE, EXACT = 1e-3, 1e-3, 2e-6, 0.0
MATMUL_TILES = [(64, 64, 32), (32, 128, 64)]
S, T = "samples/", "test/kernels/"

ROWS = [
    Row("vector_add f64", S + "quickstart/VectorAdd_quickstart.py", vector_add, [(16,), (64,)], EXACT,
        {"kernel": "vector_add", "shape": (1000,), "dtype": F64}),
    *(Row(name, S + "VectorAddition.py", vector_add, tiles, EXACT, {"kernel": name, "shape": shape}, like=name.removesuffix("_gather")) for name, shape, tiles in (
        ("vec_add_kernel_1d", (3000,), [(1024,), (256,)]),
        ("vec_add_kernel_2d", (100, 70), [(16, 64), (32, 32)]),
        ("vec_add_kernel_1d_gather", (3000,), [(1024,), (256,)]),
        ("vec_add_kernel_2d_gather", (100, 70), [(16, 64), (32, 32)]))),
    Row("transpose_kernel", S + "Transpose.py", transpose, [(32, 64), (128, 16)], EXACT),
    Row("transpose_kernel f16", S + "Transpose.py", transpose, [(64, 128), (16, 16)], EXACT, {"dtype": F16}),
    Row("matmul_kernel f16", S + "MatMul.py", matmul, [(128, 256, 64), *MATMUL_TILES], HALF),
    Row("matmul_kernel bf16", S + "MatMul.py", matmul, MATMUL_TILES, 8e-3, {"dtype": BF16}),
    Row("matmul_kernel f32", S + "MatMul.py", matmul, [(32, 32, 32), (64, 64, 64)], TF32, {"dtype": F32}),
    Row("persistent_matmul_kernel f16", S + "MatMul.py", matmul, MATMUL_TILES, HALF, {"kernel": "persistent_matmul_kernel", "blocks": 3},
        like="matmul_kernel f16"),
    Row("persistent_matmul_kernel f32", S + "MatMul.py", matmul, MATMUL_TILES, TF32,
        {"kernel": "persistent_matmul_kernel", "blocks": 3, "dtype": F32}, like="matmul_kernel f32"),
    Row("matmul_split_k_kernel", T + "matmul.py", matmul_split, [(32, 32, 32), (64, 64, 16)], TF32, {"split": 4},
        allow=("vacuous",)),  # the locks end as they began
    Row("batch_matmul_kernel f16", S + "BatchMatMul.py", batch_matmul, [(128, 256, 64), (32, 32, 32)], HALF),
    Row("batch_matmul_kernel e4m3", S + "BatchMatMul.py", batch_matmul, [(128, 128, 64), (32, 32, 32)], HALF, {"dtype": E4M3}),
    Row("grouped_matmul_kernel", T + "group_gemm.py", grouped_matmul, [(64, 64, 32), (32, 32, 64)], HALF, {"blocks": 4}),
    Row("gather_matmul_kernel", S + "AllGatherMatmul.py", gather_matmul, [(128, 64, 128), (64, 32, 32)], TF32),
    Row("block_scaled_matmul_kernel", S + "BlockScaledMatMul.py", scaled_matmul, [(256, 256, 128), (128, 64, 64)], SINGLE, {"swizzle": False}),
    Row("block_scaled_matmul_kernel 4d", S + "BlockScaledMatMul.py", scaled_matmul, [(256, 256, 128), (128, 128, 256)], SINGLE, {"swizzle": True}),
    Row("fmha_kernel", S + "AttentionFMHA.py", attention, [(64, 64), (32, 64)], HALF, {"causal": False, "keys": 128}),
    Row("fmha_kernel, large tiles", S + "AttentionFMHA.py", attention, [(128, 128)], HALF, {"causal": True, "keys": 256, "position": 160}),
    Row("fmha_kernel causal", S + "AttentionFMHA.py", attention, [(32, 32), (16, 32)], HALF, {"causal": True, "keys": 96}),
    Row("fmha_kernel causal, cached", S + "AttentionFMHA.py", attention, [(32, 32), (16, 32)], HALF, {"causal": True, "keys": 160, "position": 64}),
    Row("fmha_kernel uneven, grouped", S + "AttentionFMHA.py", attention, [(32, 64), (16, 64)], HALF, {"causal": False, "keys": 100, "group": 2},
        allow=("unspecified",)),  # weights 0 times rows of V behind the last key, which nothing pads
    Row("fmha_kernel f32", S + "AttentionFMHA.py", attention, [(32, 32), (16, 32)], SINGLE, {"causal": True, "keys": 96, "dtype": F32}),
    Row("fused_moe_kernel", S + "MoE.py", experts, [(16, 32, 32), (32, 16, 64)], HALF, {"weighted": False}),
    Row("fused_moe_kernel weighted", S + "MoE.py", experts, [(16, 32, 32), (32, 16, 64)], HALF, {"weighted": True}),
    Row("silu_and_mul_kernel", S + "MoE.py", silu_and_mul, [128], HALF),
    Row("fft_kernel", S + "FFT.py", fourier, [64, 16], SINGLE, {"packed": True}),
    Row("fft_kernel, reference", T + "fft_ref.py", fourier, [None], SINGLE, {"packed": False}, like="fft_kernel"),
    Row("layer_norm_fwd", S + "LayerNorm.py", layer_norm, [64, 32], SINGLE),
    Row("layer_norm_fwd, large tile", S + "LayerNorm.py", layer_norm, [1024], SINGLE),
    Row("layer_norm_fwd f16", S + "LayerNorm.py", layer_norm, [512, 256], HALF, {"dtype": F16}),
    Row("layer_norm_bwd, both", S + "LayerNorm.py", layer_norm_backward, [128, 64], 1e-5, {"groups": 8}),
    Row("rms_norm_kernel", T + "rms_norm.py", rms_norm, [256, 64], HALF, {"kernel": "rms_norm_kernel"}),
    Row("rms_norm_kernel_gather", T + "rms_norm.py", rms_norm, [256, 64], HALF, {"kernel": "rms_norm_kernel_gather"}, like="rms_norm_kernel"),
    Row("rms_norm_kernel_static_persistent", T + "rms_norm.py", rms_norm, [(4, 64), (8, 128)], HALF, {"kernel": "rms_norm_kernel_static_persistent"},
        like="rms_norm_kernel"),
]  # fmt: skip
