# SPDX-License-Identifier: Apache-2.0
# tilegym.ops but for attention and state spaces.
import types

import cuda.tile as ct
import torch
from rows import angles, gelu, integers, randn, rms, rotated, row, silu
from torch.nn import functional as F


@row("apply_rope_base")
def apply_rope_base(op):
    q, k = randn(2, 4, 33, 64), randn(2, 2, 33, 64)
    cos, sin = angles(33, 64)
    expected = rotated(q, cos[:, None], sin[:, None]), rotated(k, cos[:, None], sin[:, None])
    return list(zip(op(q.clone(), k.clone(), cos.half(), sin.half()), expected))


@row("get_apply_rope_func")
def get_apply_rope_func(op):
    pairs = apply_rope_base(op("llama"))
    q, k = randn(1, 2, 16, 64), randn(1, 2, 16, 64)
    cos, sin = angles(16, 16)
    found = op("qwen3_5")(q.clone(), k.clone(), cos.half(), sin.half())
    for x, y in zip((q, k), found):
        pairs.append((y, torch.cat((rotated(x[..., :16], cos[:, None], sin[:, None]), x[..., 16:].float()), -1)))
    return pairs


@row("relu")
def relu(op):
    x = randn(33, 70)
    return [(op(x), x.relu())]


@row("gelu")
def gelu_(op):
    x = randn(33, 70)
    return [(op(x, approximate=kind), gelu(x, kind)) for kind in ("none", "tanh")]


@row("geglu")
def geglu(op):
    x = randn(33, 128)
    return [(op(x, approximate=kind), x[:, :64].float() * gelu(x[:, 64:], kind)) for kind in ("none", "tanh")]


@row("silu_and_mul")
def silu_and_mul(op):
    x = randn(5, 9, 200)
    return [(op(x), silu(x[..., :100]) * x[..., 100:].float())]


@row("get_swiglu")
def get_swiglu(op):
    a, b = randn(2, 9, 100), randn(2, 9, 100)
    return [(op()(a, b), silu(a) * b.float())]


@row("get_swiglu_module")
def get_swiglu_module(op):
    config = types.SimpleNamespace(hidden_size=32, intermediate_size=64, hidden_act="silu", mlp_bias=False)
    module = op()(config).half()
    x = randn(2, 9, 32)
    inner = silu(module.gate_proj(x)) * module.up_proj(x).float()
    return [(module(x), module.down_proj(inner.half()))]


@row("softmax")
def softmax(op):
    x, y = randn(9, 300, dtype=torch.float32), randn(5, 128)
    return [(op(x), torch.softmax(x, -1)), (op(y, use_tma=True), torch.softmax(y.float(), -1))]


@row("dropout")
def dropout(op):
    x = randn(40, 50, dtype=torch.float32)
    y = op(x, 7, p=0.25)
    kept = y != 0
    share = kept.float().mean()
    return [(y, torch.where(kept, x / 0.75, 0.0)), (op(x, 7, p=0.25), y), ((share - 0.75).abs() < 0.05, torch.tensor(True)),
            (op(x, 7, training=False), x)]  # fmt: skip


@row("rms_norm")
def rms_norm(op):
    x, w = randn(9, 200), randn(200)
    modes = (None, "static_persistent", "multi_wave_reload", "multi_wave_cached")
    return [(op(x, (200,), w, 1e-5, mode=mode), rms(x, w, 1e-5)) for mode in modes]


@row("get_rms_norm_module")
def get_rms_norm_module(op):
    module = op("llama")(64, eps=1e-5).half()
    x = randn(9, 64)
    return [(module(x), rms(x, module.weight, 1e-5))]


@row("layer_norm")
def layer_norm(op):
    x, w, b = randn(3, 5, 64), randn(64), randn(64)
    return [(op(x, 2, 3, w, b, 1e-5), F.layer_norm(x.float(), (64,), w.float(), b.float(), 1e-5))]


@row("layer_norm_legacy")
def layer_norm_legacy(op):
    x, w, b = randn(9, 200), randn(200), randn(200)
    return [(op(x, (200,), w, b, 1e-5), F.layer_norm(x.float(), (200,), w.float(), b.float(), 1e-5))]


@row("persistent_layer_norm")
def persistent_layer_norm(op):
    x, w, b = (randn(*shape, dtype=torch.bfloat16) for shape in ((9, 128), (128,), (128,)))
    y, mean, rstd = op(x, (128,), w, b, 1e-5)[:3]
    variance = x.float().var(-1, correction=0)
    return [(y, F.layer_norm(x.float(), (128,), w.float(), b.float(), 1e-5)), (mean, x.float().mean(-1)),
            (rstd, torch.rsqrt(variance + 1e-5))]  # fmt: skip


@row("matmul")
def matmul(op):
    a, b = randn(70, 48), randn(48, 90)
    return [(op(a, b, static_persistent=kind), a.float() @ b.float()) for kind in (True, False)]


@row("bmm")
def bmm(op):
    a, b = randn(3, 70, 48), randn(3, 48, 90)
    pairs = [(op(a, b, static_persistent=kind), a.float() @ b.float()) for kind in (True, False)]
    return pairs + [(op(a, b.transpose(1, 2).contiguous(), transpose_b=True), a.float() @ b.float())]


@row("group_gemm")
def group_gemm(op):
    a = [randn(m, 64) for m in (70, 33, 128)]
    b = [randn(64, n) for n in (40, 64, 50)]
    return [(found, x.float() @ y.float()) for found, x, y in zip(op(a, b), a, b)]


@row("transpose")
def transpose(op):
    x = randn(70, 33)
    return [(op(x), x.T)]


@row("linear_gluact_linear")
def linear_gluact_linear(op):
    x, act, other, last = randn(9, 64), randn(96, 64, scale=0.1), randn(96, 64, scale=0.1), randn(48, 96, scale=0.1)
    inner = silu(x.float() @ act.float().T) * (x.float() @ other.float().T)
    return [(op(x, act, other, last, act_type="silu"), inner @ last.float().T)]


@row("w8a8_block_fp8_matmul", rtol=1e-2, atol=1e-1, note="sums of 256 products")
def w8a8_block_fp8_matmul(op):
    a, b = (randn(size, 256).to(torch.float8_e4m3fn) for size in (40, 130))
    sa, sb = torch.rand(40, 2), torch.rand(2, 2)
    whole = (a.float().view(40, 2, 128) * sa[..., None]).view(40, 256)
    weights = b.float() * sb.repeat_interleave(128, 0)[:130].repeat_interleave(128, 1)
    return [(op(a, b, sa, sb, [128, 128], output_dtype=torch.float32), whole @ weights.T)]


@row("moe_align_block_size")
def moe_align_block_size(op):
    ids = integers(6, 20, 2)
    order, experts, padded, begins, largest = op(ids, 16, 6)
    counts = torch.bincount(ids.flatten().long(), minlength=6)
    blocks = (counts + 15) // 16
    wanted = torch.cat((torch.zeros(1, dtype=torch.long), (blocks * 16).cumsum(0)))
    pairs = [(begins, wanted.int()), (padded, wanted[-1:].int()), (largest, counts.max()[None].int())]
    pairs.append((experts[: int(blocks.sum())], torch.arange(6).repeat_interleave(blocks).int()))
    for expert in range(6):
        mine = order[int(wanted[expert]) : int(wanted[expert + 1])]
        inside = torch.nonzero(ids.flatten() == expert).flatten().int()
        pairs.append((mine[mine < ids.numel()].sort().values, inside))
    return pairs


@row("invoke_fused_moe_kernel")
def invoke_fused_moe_kernel(op):
    from tilegym.backend.dispatcher import _REGISTRY

    a, b, ids = randn(20, 64), randn(6, 96, 64, scale=0.2), integers(6, 20, 2)
    weights, c = torch.rand(20, 2), torch.zeros(20, 2, 96, dtype=torch.float16)
    order, experts, padded, _, _ = _REGISTRY["moe_align_block_size"]["cutile"](ids, 16, 6)
    config = {"TILE_SIZE_M": 16, "TILE_SIZE_N": 32, "TILE_SIZE_K": 32, "GROUP_SIZE_M": 1}
    op(a, b, c, None, None, weights, ids, order, experts, padded, True, 2, config, ct.float16, False)
    expected = torch.einsum("mk,mtnk->mtn", a.float(), b.float()[ids.long()]) * weights[..., None]
    return [(c, expected)]


@row("moe_actgrad_bwd")
def moe_actgrad_bwd(op):
    tokens, each, experts, hidden, inner = 24, 2, 3, 64, 64
    expert = torch.stack([torch.randperm(experts)[:each] for _ in range(tokens)]).flatten()
    order = torch.sort(expert, stable=True).indices
    begins = torch.cat((torch.zeros(1, dtype=torch.long), torch.bincount(expert, minlength=experts).cumsum(0))).int()
    dout, h = randn(tokens, hidden, dtype=torch.bfloat16), randn(tokens * each, 2 * inner, dtype=torch.bfloat16)
    w2, scores = randn(experts, inner, hidden, dtype=torch.bfloat16, scale=0.2), torch.rand(tokens * each)
    dh, a_prime = torch.empty_like(h), torch.empty(tokens * each, inner, dtype=torch.bfloat16)
    ds, gather = torch.zeros(tokens * each), (order // each).int()
    op(dout, h, w2, dh, ds, None, None, a_prime, scores, begins, gather, order.int(), "swiglu")
    x = h.float().requires_grad_()
    activated = F.silu(x[:, :inner]) * x[:, inner:]
    dy = torch.einsum("th,tih->ti", dout.float()[gather.long()], w2.float()[expert[order]])
    s = scores[order]
    activated.backward(dy * s[:, None])
    activated = activated.detach()
    return [(dh, x.grad), (a_prime, activated * s[:, None]), (ds, (dy * activated).sum(-1))]


@row("fused_linear_cross_entropy")
def fused_linear_cross_entropy(op):
    x, w, target = randn(20, 64), randn(100, 64, scale=0.3), integers(100, 20, dtype=torch.int64)
    target[3] = -100
    return [(op(x, w, target, chunk_size=8), F.cross_entropy(x.float() @ w.float().T, target))]


@row("mhc_gemm_rms_scale", rtol=1e-2, atol=1e-2, note="products of tf32")
def mhc_gemm_rms_scale(op):
    n, x, bias = 4, randn(20, 256, dtype=torch.float32), randn(24, dtype=torch.float32)
    w = randn(256, 24, dtype=torch.float32, scale=0.1)
    found, size = op(x, w, n, 0.5, 0.7, 0.9, bias)
    r = x.pow(2).mean(-1, keepdim=True).sqrt()
    scale = torch.tensor([0.5] * n + [0.7] * n + [0.9] * n * n)
    y = x @ w * scale / r + bias
    expected = torch.cat((torch.sigmoid(y[:, :n]), 2 * torch.sigmoid(y[:, n : 2 * n]), y[:, 2 * n :]), 1)
    return [(found, expected), (size, r)]


@row("mhc_apply_residual")
def mhc_apply_residual(op):
    n, c = 4, 1024
    x, f, y = (randn(3, size, dtype=torch.float32) for size in (n * c, c, n * n + 2 * n))
    residual = y[:, 2 * n :].view(3, n, n) @ x.view(3, n, c)
    return [(op(x, f, y, n), (residual + y[:, n : 2 * n, None] * f[:, None]).view(3, n * c))]


@row("mhc_sinkhorn")
def mhc_sinkhorn(op):
    n, y = 4, randn(5, 24, dtype=torch.float32)
    expected = y.clone()
    mat = y[:, 2 * n :].view(5, n, n).exp()
    for _ in range(20):
        mat = mat / mat.sum(-1, keepdim=True)
        mat = mat / mat.sum(-2, keepdim=True)
    expected[:, 2 * n :] = mat.view(5, n * n)
    return [(op(y, n), expected)]


@row("nvfp4_quantize")
def nvfp4_quantize(op):
    x = randn(128, 64, dtype=torch.float32)
    packed, scales = op(x)
    groups = x.view(128, 4, 16)
    s = (groups.abs().amax(-1) / 6).clamp(1.5259e-5, 448).to(torch.float8_e4m3fn)
    r, c = torch.meshgrid(torch.arange(128), torch.arange(4), indexing="ij")
    found = scales.view(torch.float8_e4m3fn).float()[(r % 32) * 16 + (r // 32) * 4 + c]
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    codes = torch.stack((packed & 15, packed >> 4), -1).view(128, 64).long()
    scaled = (groups / s.float()[..., None]).view(128, 64)
    distance = (values[codes] - scaled).abs()
    nearest = (values[:, None, None] - scaled).abs().amin(0)
    return [(found, s.float()), (distance, nearest)]
