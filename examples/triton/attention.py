# SPDX-License-Identifier: Apache-2.0
# Attention in Triton: in three kernels, in one, and in one with a bug. Runs where a GPU is, and records where none is:
#
#   python -m congruent_gpu record --output recorded --variant unfused examples/triton/attention.py unfused 450
#   python -m congruent_gpu record --output recorded --variant fused examples/triton/attention.py fused 450
#   fpdiff recorded/case.yaml
#
# `attention.py export` writes the TTIR beside this file (PYTHONPATH=python).
import math
import sys
from pathlib import Path

import numpy as np
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


# ---- in three kernels ------------------------------------------------------------------------------------------------
@triton.jit
def scores(q_ptr, k_ptr, s_ptr, scale, queries, keys, D: tl.constexpr, T: tl.constexpr):
    """s = q k^T scale; grid (key blocks, query blocks, heads)."""
    row, column = tl.program_id(1) * T + tl.arange(0, T), tl.program_id(0) * T + tl.arange(0, T)
    head, d = tl.program_id(2), tl.arange(0, D)
    q = tl.load(q_ptr + (head * queries + row)[:, None] * D + d[None, :], mask=row[:, None] < queries, other=0.0)
    k = tl.load(k_ptr + (head * keys + column)[None, :] * D + d[:, None], mask=column[None, :] < keys, other=0.0)
    inside = (row[:, None] < queries) & (column[None, :] < keys)
    tl.store(s_ptr + (head * queries + row)[:, None] * keys + column[None, :], tl.dot(q, k) * scale, mask=inside)


@triton.jit
def softmax(s_ptr, p_ptr, keys, T: tl.constexpr):
    """p = softmax of a row of s; T at least its length; grid (rows)."""
    row, column = tl.program_id(0), tl.arange(0, T)
    s = tl.load(s_ptr + row * keys + column, mask=column < keys, other=-float("inf"))
    e = tl.exp(s - tl.max(s, 0))
    tl.store(p_ptr + row * keys + column, (e / tl.sum(e, 0)).to(tl.float16), mask=column < keys)


@triton.jit
def weighted(p_ptr, v_ptr, o_ptr, queries, keys, D: tl.constexpr, T: tl.constexpr):
    """o = p v; grid (query blocks, heads)."""
    row, d, head = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D), tl.program_id(1)
    acc = tl.zeros((T, D), tl.float32)
    for start in range(0, keys, T):
        column = start + tl.arange(0, T)
        inside = (row[:, None] < queries) & (column[None, :] < keys)
        p = tl.load(p_ptr + (head * queries + row)[:, None] * keys + column[None, :], mask=inside, other=0.0)
        v = tl.load(v_ptr + (head * keys + column)[:, None] * D + d[None, :], mask=column[:, None] < keys, other=0.0)
        acc = tl.dot(p, v, acc)
    at = (head * queries + row)[:, None] * D + d[None, :]
    tl.store(o_ptr + at, acc.to(tl.float16), mask=row[:, None] < queries)


# ---- in one ----------------------------------------------------------------------------------------------------------
@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, queries, keys, D: tl.constexpr, T: tl.constexpr):
    """Flash attention in base 2; grid (query blocks, heads)."""
    row, d, head = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D), tl.program_id(1)
    at = (head * queries + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < queries, other=0.0)
    largest = tl.full((T,), -float("inf"), tl.float32)
    total = tl.zeros((T,), tl.float32)
    acc = tl.zeros((T, D), tl.float32)
    for start in range(0, keys, T):
        column = start + tl.arange(0, T)
        k = tl.load(k_ptr + (head * keys + column)[None, :] * D + d[:, None], mask=column[None, :] < keys, other=0.0)
        s = tl.dot(q, k) * (scale * LOG2E)
        s = tl.where(column[None, :] < keys, s, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (head * keys + column)[:, None] * D + d[None, :], mask=column[:, None] < keys, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        largest = new
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < queries)


@triton.jit
def attention_bug(q_ptr, k_ptr, v_ptr, o_ptr, scale, queries, keys, D: tl.constexpr, T: tl.constexpr):
    """As attention. BUG: keys are loaded with a mask, so those behind the end are 0, but their scores are not masked:
    each counts with the weight of score 0."""
    row, d, head = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D), tl.program_id(1)
    at = (head * queries + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < queries, other=0.0)
    largest = tl.full((T,), -float("inf"), tl.float32)
    total = tl.zeros((T,), tl.float32)
    acc = tl.zeros((T, D), tl.float32)
    for start in range(0, keys, T):
        column = start + tl.arange(0, T)
        k = tl.load(k_ptr + (head * keys + column)[None, :] * D + d[:, None], mask=column[None, :] < keys, other=0.0)
        s = tl.dot(q, k) * (scale * LOG2E)
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (head * keys + column)[:, None] * D + d[None, :], mask=column[:, None] < keys, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        largest = new
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < queries)


def export():
    """The kernels as TTIR, for the case files beside this one."""
    from congruent_gpu.export import ttir

    whole = "*fp16 *fp16 *fp16 *fp16 fp32 i32 i32"
    for function, types, constants in (
        (scores, "*fp16 *fp16 *fp32 fp32 i32 i32", {"D": 64, "T": 64}),
        (softmax, "*fp32 *fp16 i32", {"T": 512}),
        (weighted, "*fp16 *fp16 *fp16 i32 i32", {"D": 64, "T": 64}),
        (attention, whole, {"D": 64, "T": 64}),
        (attention_bug, whole, {"D": 64, "T": 64}),
    ):
        path = Path(__file__).parent / (function.__name__ + ".ttir")
        path.write_text(ttir(function, types, constants))


def main(how, keys, heads=2, queries=128, width=64):
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((heads, n, width)).astype(np.float16) for n in (queries, keys, keys))
    o, scale = np.empty((heads, queries, width), np.float16), width**-0.5
    blocks = triton.cdiv(queries, 64)
    if how == "unfused":
        s, p = (np.empty((heads, queries, keys), kind) for kind in (np.float32, np.float16))
        scores[(triton.cdiv(keys, 64), blocks, heads)](q, k, s, scale, queries, keys, D=width, T=64)
        softmax[(heads * queries,)](s, p, keys, T=triton.next_power_of_2(keys))
        weighted[(blocks, heads)](p, v, o, queries, keys, D=width, T=64)
    else:
        kernel = attention_bug if how == "bug" else attention
        kernel[(blocks, heads)](q, k, v, o, scale, queries, keys, D=width, T=64)
    s = np.float32(q) @ np.float32(k).transpose(0, 2, 1) * scale
    p = np.exp(s - s.max(-1, keepdims=True))
    apart = np.abs(p / p.sum(-1, keepdims=True) @ np.float32(v) - o).max()
    print(f"{how}: at most {apart:.2g} from numpy")
    return not math.isfinite(apart) or apart > 1e-2


if __name__ == "__main__":
    if sys.argv[1:] == ["export"]:
        export()
    else:
        sys.exit(main(sys.argv[1], int(sys.argv[2])))
