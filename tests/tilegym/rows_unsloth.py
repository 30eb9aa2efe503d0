# SPDX-License-Identifier: Apache-2.0
# tilegym.suites.unsloth
import torch
from rows import gelu, integers, randn, rms, rotated, row, silu
from torch.nn import functional as F

F32 = torch.float32


@row("unsloth.swiglu_fg")
def swiglu_fg(op):
    e, g = randn(2, 9, 200), randn(2, 9, 200)
    return [(op(e, g), silu(e) * g.float())]


def gated(op, activation):
    """What a gate's gradient leaves in its three arrays: the product, and the gradients of up and gate."""
    dw, e, g = (randn(18, 200, dtype=F32) for _ in range(3))
    x = e.clone().requires_grad_()
    f = activation(x)
    f.backward(dw * g)
    f = f.detach()
    return list(zip(op(dw.clone(), e.clone(), g.clone()), (f * g, dw * f, x.grad)))


@row("unsloth.swiglu_bwd")
def swiglu_bwd(op):
    return gated(op, F.silu)


@row("unsloth.geglu_exact_forward")
def geglu_exact_forward(op):
    gate, up = randn(2, 9, 200), randn(2, 9, 200)
    return [(op(gate, up), gelu(gate) * up.float())]


@row("unsloth.geglu_exact_backward")
def geglu_exact_backward(op):
    return gated(op, F.gelu)


@row("unsloth.geglu_approx_forward")
def geglu_approx_forward(op):
    gate, up = randn(2, 9, 200), randn(2, 9, 200)
    return [(op(gate, up), gelu(gate, "tanh") * up.float())]


@row("unsloth.geglu_approx_backward")
def geglu_approx_backward(op):
    return gated(op, lambda x: F.gelu(x, approximate="tanh"))


@row("unsloth.rms_layernorm")
def rms_layernorm(op):
    x, w = randn(2, 9, 200), randn(200)
    return [(op(x, w), rms(x, w, 1e-6)), (op(x, w, gemma=True), rms(x, w, 1e-6, 1.0))]


@row("unsloth.layernorm")
def layernorm(op):
    x, w, b = randn(2, 9, 200), randn(200), randn(200)
    return [(op(x, w, b), F.layer_norm(x.float(), (200,), w.float(), b.float(), 1e-6))]


@row("unsloth.weight_dequant")
def weight_dequant(op):
    x, s = randn(200, 300).to(torch.float8_e4m3fn), torch.rand(2, 3)
    whole = s.repeat_interleave(128, 0)[:200].repeat_interleave(128, 1)[:, :300]
    return [(op(x, s, dtype=F32), x.float() * whole)]


@row("unsloth.act_quant", rtol=0.13, atol=1e-3, note="the last bit of f8")
def act_quant(op):
    x = randn(9, 256, dtype=torch.bfloat16)
    y, s = op(x)
    wanted = x.float().view(9, 2, 128).abs().amax(-1) / 448
    return [(s, wanted), (y.float() * s.repeat_interleave(128, 1), x.float())]


@row("unsloth.w8a8_block_fp8_matmul", rtol=1e-2, atol=1e-1, note="sums of 256 products")
def w8a8_block_fp8_matmul(op):
    a, b = (randn(size, 256).to(torch.float8_e4m3fn) for size in (40, 130))
    sa, sb = torch.rand(40, 2), torch.rand(2, 2)
    whole = (a.float().view(40, 2, 128) * sa[..., None]).view(40, 256)
    weights = b.float() * sb.repeat_interleave(128, 0)[:130].repeat_interleave(128, 1)
    return [(op(a, b, sa, sb, [128, 128]), whole @ weights.T)]


def turns(length, half):
    angle = torch.randn(length, half)
    return angle.cos(), angle.sin(), *(torch.cat((x, x), -1) for x in (angle.cos(), angle.sin()))


@row("unsloth.rope_embedding")
def rope_embedding(op):
    q = randn(2, 17, 4, 32, dtype=F32)
    cos, sin, all_cos, all_sin = turns(17, 16)
    return [(op(q.clone(), cos, sin), rotated(q, all_cos[:, None], all_sin[:, None]))]


@row("unsloth.rope_embedding_qk")
def rope_embedding_qk(op):
    q, k = randn(2, 4, 17, 32, dtype=F32), randn(2, 2, 17, 32, dtype=F32)
    cos, sin, all_cos, all_sin = turns(17, 16)
    return list(zip(op(q.clone(), k.clone(), cos, sin), (rotated(x, all_cos, all_sin) for x in (q, k))))


@row("unsloth.cross_entropy_loss")
def cross_entropy_loss(op):
    x, labels = randn(2, 9, 130, dtype=F32), integers(130, 2, 9, dtype=torch.int64)
    labels[0, 3] = -100
    capped = 10 * torch.tanh(x / 10)
    return [(op(x.clone(), labels), F.cross_entropy(x.view(-1, 130), labels.view(-1))),
            (op(x.clone(), labels, 10.0), F.cross_entropy(capped.view(-1, 130), labels.view(-1)))]  # fmt: skip


@row("unsloth.grouped_gemm")
def grouped_gemm(op):
    sizes = torch.tensor([20, 0, 37], dtype=torch.int32)
    x, w = randn(57, 64), randn(3, 96, 64, scale=0.2)
    expert = torch.arange(3).repeat_interleave(sizes.long())
    return [(op(x, w, sizes, 1), torch.einsum("mk,mnk->mn", x.float(), w.float()[expert]))]
