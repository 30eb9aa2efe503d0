# SPDX-License-Identifier: Apache-2.0
# tilegym.suites.flashinfer
import math

import torch
from rows import allowed, attend, randn, row

F32, F8 = torch.float32, torch.float8_e4m3fn


@row("flashinfer.gemm.gemm_alpha_beta")
def gemm_alpha_beta(op):
    a, b, c = randn(70, 64), randn(90, 64), randn(70, 90)
    expected = 0.5 * (a.float() @ b.float().T) + 2 * c.float()
    return [(op(a, b, c, alpha=0.5, beta=2.0), expected)]


@row("flashinfer.gemm.masked_bmm")
def masked_bmm(op):
    a, b, counts = randn(3, 70, 64), randn(3, 64, 90), torch.tensor([70, 20, 33], dtype=torch.int32)
    found = op(a, b, counts)
    return [(x[:count], (y[:count].float() @ z.float())) for x, y, z, count in zip(found, a, b, counts.tolist())]


def ragged(sizes):
    begins = torch.tensor([0, *sizes]).cumsum(0).int()
    return begins, torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))


@row("flashinfer.gemm.ragged_bmm")
def ragged_bmm(op):
    begins, batch = ragged([20, 0, 37])
    a, b = randn(57, 64), randn(3, 90, 64)
    return [(op(a, b, begins, 37), torch.einsum("mk,mnk->mn", a.float(), b.float()[batch]))]


@row("flashinfer.gemm.ragged_block_scaled_bmm", rtol=2e-2, atol=2e-1, note="sums of 256 products")
def ragged_block_scaled_bmm(op):
    begins, batch = ragged([20, 5, 37])
    a, b = randn(62, 256).to(F8), randn(3, 128, 256).to(F8)
    sa, sb = torch.rand(62, 2), torch.rand(3, 1, 2)
    left = a.float() * sa.repeat_interleave(128, 1)
    right = b.float() * sb.repeat_interleave(128, 1).repeat_interleave(128, 2)
    return [(op(a, b, sa, sb, begins, 37), torch.einsum("mk,mnk->mn", left, right[batch]))]


@row("flashinfer.quant.per_token_group_quant_8bit", rtol=0.13, atol=1e-3, note="the last bit of f8")
def per_token_group_quant_8bit(op):
    x = randn(9, 256, dtype=F32)
    y, s = op(x, 128, dst_dtype=F8)
    wanted = x.view(9, 2, 128).abs().amax(-1) / 448
    return [(s, wanted), (y.float() * s.repeat_interleave(128, 1), x)]


@row("flashinfer.rope.rope_quantize_fp8", rtol=0.13, atol=2e-2, note="the last bit of f8")
def rope_quantize_fp8(op):
    q, k, q_rest, k_rest = randn(9, 4, 32), randn(9, 32), randn(9, 4, 64), randn(9, 64)
    angle = torch.randn(20, 16)
    at = torch.randperm(20)[:9].int()
    found = op(q, k, q_rest, k_rest, torch.cat((angle.cos(), angle.sin()), -1), at, False, F8)
    turns = torch.polar(torch.ones(20, 16), angle)[at.long()]

    def turned(x, turns):
        pairs = torch.view_as_complex(x.float().view(*x.shape[:-1], 16, 2))
        return torch.view_as_real(pairs * turns).flatten(-2)

    expected = turned(q, turns[:, None]), turned(k, turns), q_rest, k_rest
    return [(x.float(), y.to(F8).float()) for x, y in zip(found, expected)]


def pages(values, lengths, size):
    """Pages of a cache in any order, and which a sequence has: of `values`, (batch, length, ...)."""
    each = values.shape[1] // size
    order = torch.randperm(values.shape[0] * each)
    cache = torch.empty(len(order), size, *values.shape[2:], dtype=values.dtype)
    cache[order] = values.reshape(len(order), size, *values.shape[2:])
    return cache, order.int().view(values.shape[0], each)


LENGTHS = torch.tensor([256, 150], dtype=torch.int32)


def several(values, tables, size):
    """The same, where pages of more arrays lie as those of the first."""
    cache = torch.empty(tables.numel(), size, *values.shape[2:], dtype=values.dtype)
    cache[tables.flatten().long()] = values.reshape(tables.numel(), size, *values.shape[2:])
    return cache


@row("flashinfer.attention.decode_attention_kv_paged")
def decode_attention_kv_paged(op):
    q, k, v = randn(2, 8, 64), randn(2, 256, 2, 64), randn(2, 256, 2, 64)
    cache, tables = pages(k, LENGTHS, 64)
    values = several(v, tables, 64)
    seen = torch.arange(256)[None, None, None, :] < LENGTHS[:, None, None, None]
    expected = attend(q[:, :, None], k.transpose(1, 2), v.transpose(1, 2), 0.125, seen)[:, :, 0]
    return [(op(q, cache, values, LENGTHS, tables, 0.125, 1.0, force_split_kv=split), expected) for split in (False, True)]


@row("flashinfer.attention.decode_mla_kv_paged")
def decode_mla_kv_paged(op):
    q, rope, kv, k_rope = randn(2, 16, 128), randn(2, 16, 64), randn(2, 256, 128), randn(2, 256, 64)
    cache, tables = pages(kv, LENGTHS, 64)
    scores = torch.einsum("bhd,bsd->bhs", q.float(), kv.float()) + torch.einsum("bhd,bsd->bhs", rope.float(), k_rope.float())
    seen = torch.arange(256)[None, None, :] < LENGTHS[:, None, None]
    expected = torch.softmax((scores * 0.08).masked_fill(~seen, -math.inf), -1) @ kv.float()
    return [(op(q, rope, cache, several(k_rope, tables, 64), LENGTHS, tables, 0.08, 1.0), expected)]


def prefill(q, k, v, queries, keys):
    """What each sequence's queries, the first of its positions, see of its keys."""
    found, begin = [], 0
    for b, (rows, columns) in enumerate(zip(queries.tolist(), keys.tolist())):
        part = q[begin : begin + rows].transpose(0, 1)[None]
        one = attend(part, k[b][None, :columns].transpose(1, 2), v[b][None, :columns].transpose(1, 2), 0.125,
                     allowed(rows, columns, True, offset=0))  # fmt: skip
        found.append(one[0].transpose(0, 1))
        begin += rows
    return torch.cat(found)


QUERIES = torch.tensor([100, 33], dtype=torch.int32)


@row("flashinfer.attention.prefill_attention_kv_paged")
def prefill_attention_kv_paged(op):
    q, k, v = randn(133, 4, 64), randn(2, 256, 2, 64), randn(2, 256, 2, 64)
    cache, tables = pages(k, LENGTHS, 64)
    begins = torch.tensor([0, 100, 133], dtype=torch.int32)
    out, _ = op(q, cache, several(v, tables, 64), QUERIES, LENGTHS, begins, tables, 0.125, 1.0, 2, 100)
    return [(out, prefill(q, k, v, QUERIES, LENGTHS))]


@row("flashinfer.attention.prefill_attention_kv_ragged")
def prefill_attention_kv_ragged(op):
    q, k, v = randn(133, 4, 64), randn(133, 2, 64), randn(133, 2, 64)
    begins = torch.tensor([0, 100, 133], dtype=torch.int32)
    out, _ = op(q, k, v, QUERIES, QUERIES, begins, None, 0.125, 1.0, 2, 100)
    parts = [torch.zeros(2, 100, 2, 64, dtype=torch.float16) for _ in range(2)]
    for part, x in zip(parts, (k, v)):
        part[0], part[1, :33] = x[:100], x[100:]
    return [(out, prefill(q, *parts, QUERIES, QUERIES))]
