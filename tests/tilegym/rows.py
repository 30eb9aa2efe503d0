# SPDX-License-Identifier: Apache-2.0
# The table of TileGym's operators: how each is called, and what PyTorch makes of the same data.
import math

import torch

ROWS, REFUSED = {}, {}
# Operators that compute gradients, too: those of their rows' inputs are compared.
GRADIENTS = """
    apply_rope_base geglu gelu get_apply_rope_func get_rms_norm_module get_swiglu get_swiglu_module
    liger.cross_entropy liger.dyt liger.fused_add_rms_norm liger.fused_linear_cross_entropy liger.fused_linear_jsd
    liger.fused_neighborhood_attention liger.geglu liger.group_norm liger.grpo_loss liger.jsd liger.kl_div
    liger.layer_norm liger.llama4_rope liger.modulated_rms_norm liger.multi_token_attention liger.poly_norm
    liger.qwen2vl_mrope liger.relu_squared liger.rms_norm liger.rope liger.softmax liger.sparsemax liger.swiglu
    liger.tiled_mlp liger.tvd nvfp4_quantize rms_norm silu_and_mul transpose unsloth.cross_entropy_loss
    unsloth.grouped_gemm unsloth.layernorm unsloth.rms_layernorm unsloth.rope_embedding unsloth.rope_embedding_qk
""".split()
LEAVES = None  # a list: the inputs whose gradients are wanted
# rtol, atol of what has elements of these types; a row may have its own.
TOLERANCES = {torch.float32: (1e-4, 1e-4), torch.float16: (1e-2, 1e-2), torch.bfloat16: (2e-2, 2e-2)}


def row(name, rtol=None, atol=None, note=""):
    """A function that calls the operator of this name, `op`, and returns pairs: what it gave, what PyTorch gives."""

    def keep(function):
        ROWS[name] = function, (rtol, atol) if rtol is not None else None, note
        return function

    return keep


def refused(name, why):
    """An operator that cannot be run here."""
    REFUSED[name] = why


def randn(*shape, dtype=torch.float16, scale=1.0):
    x = (torch.randn(shape) * scale).to(dtype).to("cuda")
    if LEAVES is not None:
        LEAVES.append(x.requires_grad_())
    return x


def integers(high, *shape, low=0, dtype=torch.int32):
    return torch.randint(low, high, shape, dtype=dtype, device="cuda")


def softmax(x):
    return torch.softmax(x.float(), -1)


def heads(x, count):
    """Keys or values for as many heads as queries have."""
    return x.repeat_interleave(count // x.shape[1], dim=1)


def allowed(rows, columns, causal=False, window=0, offset=None):
    """Which keys a query sees: of the end of the keys (offset: of what position the first query is), as many before it
    as the window has."""
    offset = columns - rows if offset is None else offset
    at, key = torch.arange(rows)[:, None] + offset, torch.arange(columns)[None, :]
    seen = torch.ones(rows, columns, dtype=torch.bool)
    if causal:
        seen &= key <= at
    if window:
        seen &= key > at - window
    return seen


def attend(q, k, v, scale=None, mask=None, cap=None, bias=None):
    """Attention in f32: (batch, heads, rows, elements)."""
    q, k, v = q.float(), heads(k, q.shape[1]).float(), heads(v, q.shape[1]).float()
    scores = q @ k.transpose(-1, -2) * (scale if scale is not None else 1 / math.sqrt(q.shape[-1]))
    if cap:
        scores = cap * torch.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores) @ v


def rms(x, weight, eps, offset=0.0):
    x = x.float()
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * (weight.float() + offset)


def rotated(x, cos, sin):
    """RoPE of halves."""
    x = x.float()
    half = x.shape[-1] // 2
    return x * cos.float() + torch.cat((-x[..., half:], x[..., :half]), -1) * sin.float()


def angles(length, size, batch=1):
    """cos and sin of RoPE, (batch, length, size)."""
    at = torch.arange(length).float()[:, None] / 100 ** (torch.arange(size // 2).float() / (size // 2))
    at = torch.cat((at, at), -1)[None].expand(batch, -1, -1)
    return at.cos().to("cuda").contiguous(), at.sin().to("cuda").contiguous()


def silu(x):
    return torch.nn.functional.silu(x.float())


def gelu(x, approximate="none"):
    return torch.nn.functional.gelu(x.float(), approximate=approximate)
