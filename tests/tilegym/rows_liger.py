# SPDX-License-Identifier: Apache-2.0
# tilegym.suites.liger
import math

import torch
from rows import allowed, angles, gelu, integers, randn, rms, rotated, row, silu
from torch.nn import functional as F

F32 = torch.float32


def logits(rows=9, size=130, scale=2.0):
    return randn(rows, size, dtype=F32, scale=scale)


def jensen_shannon(x, y, beta):
    """Of log probabilities, the mean over rows."""
    p, q = x.exp(), y.exp()
    mean = (beta * q + (1 - beta) * p).log()
    return (beta * (q * (y - mean)) + (1 - beta) * (p * (x - mean))).sum(-1).mean()


@row("liger.jsd")
def jsd(op):
    x, y = logits().log_softmax(-1), logits().log_softmax(-1)
    return [(op(x, y, beta=beta), jensen_shannon(x, y, beta)) for beta in (0.5, 0.3)]


@row("liger.fused_linear_jsd", rtol=1e-2, atol=1e-2, note="products of tf32")
def fused_linear_jsd(op):
    x, y, v, w = (randn(*shape, dtype=F32, scale=0.3) for shape in ((9, 64), (9, 64), (130, 64), (130, 64)))
    return [(op(x, v, y, w), jensen_shannon((x @ v.T).log_softmax(-1), (y @ w.T).log_softmax(-1), 0.5))]


@row("liger.poly_norm")
def poly_norm(op):
    x, w, b = randn(9, 200, dtype=F32), randn(3, dtype=F32), randn(1, dtype=F32)
    parts = [w[i] * rms(x ** (3 - i), torch.ones(200), 1e-6) for i in range(3)]
    return [(op(x, w, b), sum(parts) + b)]


@row("liger.fused_neighborhood_attention", rtol=1e-2, atol=2e-3, note="products of tf32")
def fused_neighborhood_attention(op):
    q, k, v = (randn(1, 2, 40, 32, dtype=F32) for _ in range(3))
    at = torch.arange(40)
    seen = (at[:, None] - at[None, :]).abs() <= 3
    scores = (q @ k.transpose(-1, -2) / math.sqrt(32)).masked_fill(~seen, -math.inf)
    return [(op(q, k, v, kernel_size=7), torch.softmax(scores, -1) @ v)]


@row("liger.cross_entropy")
def cross_entropy(op):
    x, target = logits(), integers(130, 9, dtype=torch.int64)
    target[2] = -100
    pairs = [(op(x.clone(), target), F.cross_entropy(x, target))]
    smooth = op(x.clone(), target, label_smoothing=0.1, reduction="sum")
    pairs.append((smooth, F.cross_entropy(x, target, label_smoothing=0.1, reduction="sum")))
    x.requires_grad_()
    F.cross_entropy(x, target).backward()
    y = x.detach().clone().requires_grad_()
    op(y, target).backward()
    return pairs + [(y.grad, x.grad)]


@row("liger.fused_linear_cross_entropy", rtol=1e-2, atol=1e-2, note="products of tf32")
def fused_linear_cross_entropy(op):
    x, w, target = randn(9, 64, dtype=F32), randn(130, 64, dtype=F32, scale=0.3), integers(130, 9, dtype=torch.int64)
    return [(op(x, w, target), F.cross_entropy(x @ w.T, target))]


@row("liger.fused_add_rms_norm")
def fused_add_rms_norm(op):
    x, r, w = randn(9, 200), randn(9, 200), randn(200)
    total = (x + r).float()
    return list(zip(op(x, r, w), (rms(total, w, 1e-6), total)))


@row("liger.geglu")
def geglu(op):
    a, b = randn(9, 200), randn(9, 200)
    return [(op(a, b), gelu(a, "tanh") * b.float())]


@row("liger.group_norm")
def group_norm(op):
    x, w, b = randn(2, 12, 35, dtype=F32), randn(12, dtype=F32), randn(12, dtype=F32)
    return [(op(x, 12, 3, w, b), F.group_norm(x, 3, w, b, 1e-5))]


@row("liger.dyt")
def dyt(op):
    x, alpha, gamma, beta = randn(9, 200), randn(1), randn(200), randn(200)
    y = torch.tanh(alpha.float() * x.float()) * gamma.float()
    return [(op(x, alpha, gamma, beta), y + beta.float()), (op(x, alpha, gamma), y)]


@row("liger.kl_div")
def kl_div(op):
    x, y = logits().log_softmax(-1), logits().softmax(-1)
    return [(op(x, y, reduction=kind), F.kl_div(x, y, reduction=kind)) for kind in ("batchmean", "sum", "none")]


@row("liger.layer_norm")
def layer_norm(op):
    x, w, b = randn(9, 200), randn(200), randn(200)
    return [(op(x, w, b), F.layer_norm(x.float(), (200,), w.float(), b.float(), 1e-5))]


@row("liger.llama4_rope")
def llama4_rope(op):
    q, k = randn(2, 17, 4, 32, dtype=F32), randn(2, 17, 2, 32, dtype=F32)
    turns = torch.polar(torch.ones(17, 16), torch.randn(17, 16))
    expected = [
        torch.view_as_real(torch.view_as_complex(x.view(*x.shape[:-1], 16, 2)) * turns[:, None]).flatten(-2) for x in (q, k)
    ]
    return list(zip(op(q.clone(), k.clone(), turns), expected))


@row("liger.grpo_loss")
def grpo_loss(op):
    x, ids = randn(2, 8, 64, dtype=F32), integers(64, 2, 7, dtype=torch.int64)
    old, advantages = -torch.rand(2, 7) - 3, torch.randn(2)
    loss, _, clipped = op(x.clone(), old, None, ids, advantages)
    new = (x[:, :-1] / 0.9).log_softmax(-1).gather(-1, ids[..., None])[..., 0]
    ratio, a = (new - old).exp(), advantages[:, None]
    expected = -torch.minimum(ratio * a, ratio.clamp(0.8, 1.2) * a)
    outside = ((ratio < 0.8) & (a < 0)) | ((ratio > 1.2) & (a > 0))
    return [(loss, expected), (clipped, outside.float())]


@row("liger.modulated_rms_norm")
def modulated_rms_norm(op):
    x, w, scale, shift = randn(9, 200), randn(200), randn(200), randn(200)
    return [(op(x, w, scale, shift), rms(x, w, 1e-6) * (1 + scale.float()) + shift.float())]


@row("liger.rms_norm")
def rms_norm(op):
    x, w = randn(9, 200), randn(200)
    return [(op(x, w, 1e-6), rms(x, w, 1e-6)), (op(x, w, 1e-6, offset=1.0, casting_mode="gemma"), rms(x, w, 1e-6, 1.0))]


@row("liger.qwen2vl_mrope")
def qwen2vl_mrope(op):
    q, k = randn(2, 4, 17, 32, dtype=F32), randn(2, 2, 17, 32, dtype=F32)
    angle = torch.randn(3, 2, 17, 16)
    cos, sin = (torch.cat((x, x), -1).contiguous() for x in (angle.cos(), angle.sin()))
    part = torch.tensor([0] * 4 + [1] * 6 + [2] * 6).repeat(2)
    chosen = [x.gather(0, part.expand(1, 2, 17, 32))[0][:, None] for x in (cos, sin)]
    found = op(q.clone(), k.clone(), cos, sin, [4, 6, 6])
    return list(zip(found, (rotated(q, *chosen), rotated(k, *chosen))))


@row("liger.rope")
def rope(op):
    q, k = randn(2, 4, 17, 32, dtype=F32), randn(2, 2, 17, 32, dtype=F32)
    cos, sin = angles(17, 32)
    return list(zip(op(q.clone(), k.clone(), cos, sin), (rotated(x, cos[:, None], sin[:, None]) for x in (q, k))))


@row("liger.softmax")
def softmax(op):
    x = logits(5, 300)
    return [(op(x), x.softmax(-1))]


def project(x):
    """Onto the simplex: the rows of sparsemax."""
    ordered = x.sort(-1, descending=True).values
    sums = ordered.cumsum(-1) - 1
    count = torch.arange(1, x.shape[-1] + 1)
    kept = (count * ordered > sums).sum(-1, keepdim=True)
    return (x - sums.gather(-1, kept - 1) / kept).clamp(min=0)


@row("liger.sparsemax")
def sparsemax(op):
    x = logits(9, 100, 1.0)
    return [(op(x), project(x))]


@row("liger.swiglu")
def swiglu(op):
    a, b, c, d = (randn(9, 200) for _ in range(4))  # gradients are stored into the inputs
    return [(op(a, b), silu(a) * b.float()), (op(c, d, 2.0, 0.5), silu(2 * c.float()) * d.float() * 0.5)]


@row("liger.tiled_mlp")
def tiled_mlp(op):
    from tilegym.suites.liger.cutile.swiglu import swiglu as activation

    module = torch.nn.ModuleList([torch.nn.Linear(32, 64), torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)])
    x = randn(70, 32, dtype=F32)
    found = op(lambda m, part: m[2](activation(m[0](part), m[1](part))), module, x, num_shards=3)
    return [(found, module[2](F.silu(module[0](x)) * module[1](x)))]


@row("liger.tvd")
def tvd(op):
    p, q = logits().softmax(-1), logits().softmax(-1)
    return [(op(p, q), 0.5 * (p - q).abs().sum(-1).mean()), (op(p, q, reduction="none"), 0.5 * (p - q).abs())]


@row("liger.multi_token_attention")
def multi_token_attention(op):
    scores, weight = randn(1, 2, 33, 33, dtype=F32), randn(2, 2, 3, 3, dtype=F32)
    seen = allowed(33, 33, True)
    weights = scores.masked_fill(~seen, -math.inf).softmax(-1)
    return [(op(scores, weight, padding=1), F.conv2d(weights, weight, padding=1).masked_fill(~seen, 0))]


@row("liger.relu_squared")
def relu_squared(op):
    x = randn(9, 200)
    return [(op(x), x.float().relu() ** 2)]
