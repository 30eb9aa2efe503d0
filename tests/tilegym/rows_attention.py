# SPDX-License-Identifier: Apache-2.0
# tilegym.ops: attention.
import math

import torch
from rows import allowed, attend, heads, randn, row, softmax


def qkv(b=1, h=4, kv=2, rows=100, columns=None, d=64):
    columns = columns or rows
    return randn(b, h, rows, d), randn(b, kv, columns, d), randn(b, kv, columns, d)


@row("fmha")
def fmha(op):
    q, k, v = qkv()
    pairs = [(op(q, k, v, is_causal=causal), attend(q, k, v, mask=allowed(100, 100, causal))) for causal in (True, False)]
    q, k, v = qkv(rows=40, columns=90)
    return pairs + [(op(q, k, v, is_causal=False, scaling=0.2), attend(q, k, v, scale=0.2))]


@row("fmha_backward", rtol=2e-2, atol=2e-2, note="gradients in f16")
def fmha_backward(op):
    inputs = [x.requires_grad_() for x in qkv(rows=64, kv=4)]
    out = op(*inputs, is_causal=True)
    weights = torch.randn(out.shape)
    copies = [x.detach().float().requires_grad_() for x in inputs]
    expected = attend(*copies, mask=allowed(64, 64, True))
    (out.float() * weights).sum().backward()
    (expected * weights).sum().backward()
    return [(out, expected), *((x.grad, y.grad) for x, y in zip(inputs, copies))]


@row("fmha_decode")
def fmha_decode(op):
    q, k, v = qkv(b=2, h=8, rows=1, columns=300)
    return [(op(q, k, v, 0.125), attend(q, k, v, 0.125)), (op(q, k, v, 0.2, kv_len_per_split=128), attend(q, k, v, 0.2))]


@row("fmha_variant")
def fmha_variant(op):
    q, k, v = qkv(h=4, kv=4, rows=100)
    vector, matrix = randn(1, 4, 1, 100), randn(1, 4, 100, 100)
    at = torch.arange(100)
    window = (at[:, None] - at[None, :]).abs() <= 20
    return [
        (op(q, k, v, is_causal=True), attend(q, k, v, mask=allowed(100, 100, True))),
        (op(q, k, v, is_causal=False, bias_type="vector", bias=vector), attend(q, k, v, bias=vector.float())),
        (op(q, k, v, is_causal=False, bias_type="matrix", bias=matrix), attend(q, k, v, bias=matrix.float())),
        (op(q, k, v, is_causal=False, window_size=20), attend(q, k, v, mask=window)),
    ]


@row("fmha_varlen", note="loads tiles that are wholly outside")
def fmha_varlen(op):
    q, k, v = qkv(b=2, rows=70)
    lengths = torch.tensor([70, 33], dtype=torch.int32)
    mask = torch.arange(70)[None, :] < lengths[:, None]
    found = op(q, k, v, is_causal=False, kv_lens=lengths)
    return [(op(q, k, v, is_causal=True), attend(q, k, v, mask=allowed(70, 70, True))),
            (found, attend(q, k, v, mask=mask[:, None, None, :]))]  # fmt: skip


@row("gemma_attention")
def gemma_attention(op):
    q, k, v = qkv(rows=90)
    seen = allowed(90, 90, True)
    near = seen & allowed(90, 90, window=31)
    return [(op(q, k, v, soft_cap=20.0), attend(q, k, v, mask=seen, cap=20.0)),
            (op(q, k, v, window_size=30), attend(q, k, v, mask=near))]  # fmt: skip


@row("gemma_attention_decode")
def gemma_attention_decode(op):
    q, k, v = qkv(b=2, h=8, rows=1, columns=200)
    near = torch.arange(200) >= 199 - 64
    return [(op(q, k, v, soft_cap=20.0), attend(q, k, v, cap=20.0)), (op(q, k, v, window_size=64), attend(q, k, v, mask=near))]


@row("swa_attention")
def swa_attention(op):
    q, k, v = qkv(rows=150)
    return [(op(q, k, v, size), attend(q, k, v, mask=allowed(150, 150, True, size))) for size in (40, 200)]


def with_sinks(q, k, v, sinks, scale, mask):
    """Attention whose sums have the exponential of a number of each head beside the scores."""
    b, rows, kv, group, d = q.shape
    q = q.reshape(b, rows, kv * group, d).transpose(1, 2).float()
    k, v = (heads(x.transpose(1, 2), kv * group).float() for x in (k, v))
    scores = (q @ k.transpose(-1, -2) * scale).masked_fill(~mask, -math.inf)
    more = sinks.float().view(1, -1, 1, 1).expand(b, -1, rows, 1)
    return (softmax(torch.cat((scores, more), -1))[..., :-1] @ v).transpose(1, 2).reshape(b, rows, -1)


@row("attention_sink")
def attention_sink(op):
    q, k, v, sinks = randn(1, 70, 2, 2, 64), randn(1, 70, 2, 64), randn(1, 70, 2, 64), randn(4)
    pairs = []
    for window in (None, 16):
        mask = allowed(70, 70, True, window or 0)
        pairs.append((op(q, k, v, sinks, 0.125, window), with_sinks(q, k, v, sinks, 0.125, mask)))
    return pairs


@row("attention_sink_decode")
def attention_sink_decode(op):
    q, k, v, sinks = randn(2, 1, 2, 4, 64), randn(2, 200, 2, 64), randn(2, 200, 2, 64), randn(8)
    start = torch.tensor([199])
    return [(op(q, k, v, sinks, 0.125, None, start), with_sinks(q, k, v, sinks, 0.125, allowed(1, 200, True)))]


@row("mla")
def mla(op):
    q, k, v = qkv(h=4, kv=4, rows=90)
    qpe, kpe = randn(1, 4, 90, 32), randn(1, 1, 90, 32)
    whole = torch.cat((q, qpe), -1), torch.cat((k, kpe.expand(-1, 4, -1, -1)), -1), v
    return [(op(q, k, v, qpe, kpe, True, 96**-0.5), attend(*whole, mask=allowed(90, 90, True)))]


def latent(q, qpe, kv, kpe, scale):
    scores = (torch.einsum("bhd,bsd->bhs", q.float(), kv.float()) + torch.einsum("bhd,bsd->bhs", qpe.float(), kpe.float())) * scale
    return softmax(scores) @ kv.float(), torch.logsumexp(scores, -1) / math.log(2)


@row("mla_decoding")
def mla_decoding(op):
    inputs = randn(2, 16, 128), randn(2, 16, 32), randn(2, 200, 128), randn(2, 200, 32)
    return list(zip(op(*inputs, 0.08), latent(*inputs, 0.08)))


@row("mla_decoding_split_kv")
def mla_decoding_split_kv(op):
    inputs = randn(2, 16, 128), randn(2, 16, 32), randn(2, 300, 128), randn(2, 300, 32)
    return [(op(*inputs, 0.08, kv_len_per_split=128), latent(*inputs, 0.08)[0])]


@row("splitk_reduce")
def splitk_reduce(op):
    parts, sums, out = randn(2, 4, 5, 64), randn(2, 4, 5, dtype=torch.float32), torch.empty(2, 4, 64, dtype=torch.float16)
    weights = torch.softmax(sums * math.log(2), -1)
    return [(op(parts, sums, out, 500), (parts.float() * weights[..., None]).sum(2))]


@row("sparse_mla")
def sparse_mla(op):
    q, k, v = qkv(h=16, kv=1, rows=128)
    qpe, kpe = randn(1, 16, 128, 32), randn(1, 1, 128, 32)
    chosen = torch.stack([torch.randperm(128)[:64] for _ in range(128)])
    chosen[:, 0] = torch.where((chosen == 0).any(1), chosen[:, 0], 0)
    chosen[(chosen == 0).sum(1) == 0, 0] = 0
    mask = torch.zeros(128, 128, dtype=torch.bool).scatter(1, chosen, True) & allowed(128, 128, True)
    whole = torch.cat((q, qpe), -1), torch.cat((k, kpe), -1), v
    found = op(q, k, v, chosen.to(torch.int32).view(1, 128, 1, 64), qpe, kpe)
    return [(found, attend(*whole, mask=mask))]

