# SPDX-License-Identifier: Apache-2.0
"""Kernels of the material of ../make_oracle.py in @triton.jit: by name the launch, whose buffers are those of cases.json."""
import triton
import triton.language as tl

from library import Launch


@triton.jit
def attention(q, k, v, o, lse, scale, N, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    x = tl.load(q + row[:, None] * D + d[None, :])
    largest, total = tl.full((TM,), -float('inf'), tl.float32), tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    for start in range(0, N, TN):
        at = start + tl.arange(0, TN)
        s = tl.dot(x, tl.load(k + at[None, :] * D + d[:, None])) * scale
        new = tl.maximum(largest, tl.max(s, 1))
        p, shrink = tl.exp2(s - new[:, None]), tl.exp2(largest - new)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + at[:, None] * D + d[None, :]), acc * shrink[:, None])
        largest = new
    tl.store(o + row[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))
    tl.store(lse + row, largest + tl.log2(total))


@triton.jit
def scaled(a, b, c, a_scale, b_scale, FORMAT: tl.constexpr, PACKED: tl.constexpr, VECTOR: tl.constexpr, K: tl.constexpr, BLOCKS: tl.constexpr):
    i, k, s = tl.arange(0, 128), tl.arange(0, K // PACKED), tl.arange(0, K // VECTOR)
    x = tl.load(a + i[:, None] * (K // PACKED) + k[None, :])
    y = tl.load(b + i[None, :] * (K // PACKED) + k[:, None])
    if BLOCKS:  # of 32 rows and four scales; row 32 q + r, scale 4 p + s at byte 512 p + 16 r + 4 q + s
        at = (s // 4)[None, :] * 512 + (i % 32)[:, None] * 16 + (i // 32)[:, None] * 4 + (s % 4)[None, :]
    else:
        at = i[:, None] * (K // VECTOR) + s[None, :]
    z = tl.dot_scaled(x, tl.load(a_scale + at), FORMAT, y, tl.load(b_scale + at), FORMAT)
    tl.store(c + i[:, None] * 128 + i[None, :], z)


@triton.jit
def product(a, b, c, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr, TRANSPOSED: tl.constexpr):
    i, j, k = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * T + tl.arange(0, T), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + j[None, :] * K + k[:, None]) if TRANSPOSED else tl.load(b + k[:, None] * N + j[None, :])
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(x, y).to(tl.float16))


@triton.jit
def sums(x, y, z, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    tl.store(z + at, tl.load(x + at, mask=at < n, other=0.0) + tl.load(y + at, mask=at < n, other=0.0), mask=at < n)


@triton.jit
def sum_of_tiles(x, z, T: tl.constexpr, TILES: tl.constexpr):
    at = tl.arange(0, T)
    sum = tl.zeros((T,), tl.float32)
    for t in range(TILES):
        sum += tl.load(x + t * T + at)
    tl.store(z + at, sum)


@triton.jit
def tmem_round(x, z, N: tl.constexpr):
    i, j = tl.arange(0, 128)[:, None], tl.arange(0, N)[None, :]
    v = tl.load(x + i * N + j)
    tl.store(z + i * N + j, v * 2)
    h = tl.arange(0, N // 2)[None, :]
    r = tl.load(x + i * N + N // 2 + h)
    tl.store(z + 128 * N + i * (N // 2) + h, r)
    tl.store(z + 128 * N + 64 * N + i * N + j, tl.where(j < N // 2, v, v + 1))
    tl.store(z + 256 * N + 64 * N + i * N + j, v + v * 3)


@triton.jit
def views(x, z, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    t = tl.load(x + i * N + j)
    tl.store(z + i * N + j, tl.load(x + j * N + i) + t * 2)
    h = tl.arange(0, N // 2)[:, None]
    tl.store(z + N * N + h * N + j, tl.load(x + (N // 2 + h) * N + j) * 2)
    tl.store(z + 2 * N * N + i * N + j, t)
    g = tl.load(x + i * N + (i + j) % N)
    tl.store(z + 3 * N * N + i * N + j, g)
    tl.store(z + 4 * N * N + i * N + (j + 1) % N, g * 3)


@triton.jit
def rows(x, index, z, COLUMN: tl.constexpr, R: tl.constexpr, D: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.load(index + tl.arange(0, R))[:, None]
    j = COLUMN + tl.arange(0, D)[None, :]
    tl.store(z + row * WIDTH + j, tl.load(x + row * WIDTH + j))


def matmul(m, n, k, transposed=True):
    return Launch(product, (m // 64, n // 64, 1), dict(a='A', b='B', c='C', N=n, K=k, T=64, TRANSPOSED=transposed))


def scaled_launch(form, packed, vector, k, blocks=False):
    arguments = dict(a='A', b='B', c='C', a_scale='SA', b_scale='SB', FORMAT=form, PACKED=packed, VECTOR=vector, K=k, BLOCKS=blocks)
    return Launch(scaled, (1, 1, 1), arguments)


PLAIN = {
    'g_attention': Launch(attention, (4, 1, 1), dict(q='Q', k='K', v='V', o='O', lse='L', scale=('fp32', 0.18033688011112042), N=('i32', 128), D=64, TM=64, TN=64)),
    'g_scaled_mxfp8': scaled_launch('e4m3', 1, 32, 128),
    'g_scaled_nvfp4': scaled_launch('e2m1', 2, 16, 256),
    'g_scaled_copied': scaled_launch('e4m3', 1, 32, 128, True),
    'g_tcgen05_matmul': matmul(256, 64, 128),
    'g_tcgen05_late': matmul(128, 64, 128),
    'g_specialized_matmul': matmul(256, 256, 128),
    'g_wgmma_matmul': matmul(128, 128, 128, False),
    'g_async_copy_add': Launch(sums, (2, 1, 1), dict(x='X', y='Y', z='Z', n=('i32', 1000), T=512)),
    'g_specialized_add': Launch(sums, (16, 1, 1), dict(x='X', y='Y', z='Z', n=('i32', 8192), T=512)),
    'g_reduce_through_tma': Launch(sum_of_tiles, (1, 1, 1), dict(x='X', z='Z', T=1024, TILES=4)),
    'g_tmem_round': Launch(tmem_round, (1, 1, 1), dict(x='X', z='Z', N=64)),
    'g_views': Launch(views, (1, 1, 1), dict(x='X', z='Z', N=32)),
    'g_rows_by_number': Launch(rows, (1, 1, 1), dict(x='X', index='I', z='Z', COLUMN=64, R=32, D=64, WIDTH=128)),
}  # fmt: skip
