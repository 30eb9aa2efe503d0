# SPDX-License-Identifier: Apache-2.0
# tilegym.ops: state spaces and delta rules, against loops over the tokens.
import torch
from rows import randn, row
from torch.nn import functional as F


def delta_rule(query, key, value, g, beta, state):
    q, k, v, g, beta = (x.float() for x in (query, key, value, g, beta))
    outputs, scale = [], q.shape[-1] ** -0.5
    state = state.float().clone()
    for t in range(q.shape[1]):
        state = state * g[:, t].exp()[..., None, None]
        change = (v[:, t] - torch.einsum("bhkv,bhk->bhv", state, k[:, t])) * beta[:, t][..., None]
        state = state + k[:, t][..., None] * change[..., None, :]
        outputs.append(torch.einsum("bhkv,bhk->bhv", state, q[:, t] * scale))
    return torch.stack(outputs, 1), state


def delta_inputs(tokens):
    q, k, v = (randn(1, tokens, 2, 64) for _ in range(3))
    k = F.normalize(k.float(), dim=-1).half()
    g, beta = -torch.rand(1, tokens, 2), torch.rand(1, tokens, 2)
    return q, k, v, g, beta, randn(1, 2, 64, 64, dtype=torch.float32, scale=0.1)


@row("recurrent_gated_delta_rule")
def recurrent_gated_delta_rule(op):
    *inputs, state = delta_inputs(20)
    return list(zip(op(*inputs, initial_state=state, output_final_state=True), delta_rule(*inputs, state)))


@row("chunk_gated_delta_rule", rtol=2e-2, atol=2e-2, note="a chain of 128 tokens in f16")
def chunk_gated_delta_rule(op):
    *inputs, state = delta_inputs(128)
    return list(zip(op(*inputs, initial_state=state, output_final_state=True), delta_rule(*inputs, state)))


def mamba(x, a, b, c, d, dt, state):
    groups = x.shape[2] // b.shape[2]
    b, c = b.repeat_interleave(groups, 2), c.repeat_interleave(groups, 2)
    outputs = []
    for t in range(x.shape[1]):
        decay = (a * dt[:, t]).exp()[..., None, None]
        state = state * decay + (dt[:, t][..., None] * x[:, t])[..., None] * b[:, t][..., None, :]
        outputs.append(torch.einsum("bhds,bhs->bhd", state, c[:, t]) + d[:, None] * x[:, t])
    return torch.stack(outputs, 1), state


def mamba_inputs(tokens=128, count=4, size=64, states=64):
    x = randn(1, tokens, count, size, dtype=torch.bfloat16)
    a, d = -torch.rand(count) - 0.2, randn(count, dtype=torch.float32)
    b, c = (randn(1, tokens, 1, states, dtype=torch.bfloat16, scale=0.3) for _ in range(2))
    dt = torch.rand(1, tokens, count) * 0.5 + 0.05
    return x, a, b, c, d, dt, randn(1, count, size, states, dtype=torch.float32, scale=0.3)


@row("mamba2_chunk_forward", rtol=3e-2, atol=3e-2, note="a chain of 128 tokens in bf16")
def mamba2_chunk_forward(op):
    inputs = mamba_inputs()
    return list(zip(op(*inputs), mamba(*(x.float() for x in inputs))))


@row("mamba2_chunk_backward", rtol=5e-2, atol=1e-1, note="a chain of 128 tokens in bf16")
def mamba2_chunk_backward(op):
    inputs = mamba_inputs()
    copies = [x.detach().float().requires_grad_() for x in inputs]
    out, state = mamba(*copies)
    dout, dstate = randn(*out.shape, dtype=torch.bfloat16), randn(*state.shape, dtype=torch.float32)
    ((out * dout.float()).sum() + (state * dstate).sum()).backward()
    return list(zip(op(*inputs, dout, dstate), (x.grad for x in copies)))
