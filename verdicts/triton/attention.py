# SPDX-License-Identifier: Apache-2.0
# Attention in Triton: whole, causal, in a window, with a sink, capped, of grouped heads, split, paged, backward.
import triton
import triton.language as tl
from corpus import buffer, jit, launched, mutant, pair, run
from triton.language.extra import libdevice

LOG2E = tl.constexpr(1.4426950408889634)


# ---- in three kernels ------------------------------------------------------------------------------------------------
@triton.jit
def scores(q_ptr, k_ptr, s_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, T: tl.constexpr):
    """s = q k^T scale; grid (key blocks, query blocks, heads)."""
    head = tl.program_id(2)
    row, column = tl.program_id(1) * T + tl.arange(0, T), tl.program_id(0) * T + tl.arange(0, T)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + (head * n + row)[:, None] * D + d[None, :], mask=row[:, None] < n, other=0.0)
    keys = (head // GROUP * n + column)[:, None] * D + d[None, :]
    k = tl.load(k_ptr + keys, mask=column[:, None] < n, other=0.0)
    inside = (row[:, None] < n) & (column[None, :] < n)
    tl.store(s_ptr + (head * n + row)[:, None] * n + column[None, :], tl.dot(q, tl.trans(k)) * scale, mask=inside)


@triton.jit
def weights(s_ptr, p_ptr, n, T: tl.constexpr):
    """p = softmax of a row of s in f16; grid (rows)."""
    row, column = tl.program_id(0), tl.arange(0, T)
    s = tl.load(s_ptr + row * n + column, mask=column < n, other=-float("inf"))
    e = tl.exp(s - tl.max(s, 0))
    tl.store(p_ptr + row * n + column, (e / tl.sum(e, 0)).to(tl.float16), mask=column < n)


@triton.jit
def weighted(p_ptr, v_ptr, o_ptr, n, GROUP: tl.constexpr, D: tl.constexpr, T: tl.constexpr):
    """o = p v; grid (query blocks, heads)."""
    head, row, d = tl.program_id(1), tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    acc = tl.zeros((T, D), tl.float32)
    for start in range(0, n, T):
        column = start + tl.arange(0, T)
        inside = (row[:, None] < n) & (column[None, :] < n)
        p = tl.load(p_ptr + (head * n + row)[:, None] * n + column[None, :], mask=inside, other=0.0)
        values = (head // GROUP * n + column)[:, None] * D + d[None, :]
        acc += tl.dot(p, tl.load(v_ptr + values, mask=column[:, None] < n, other=0.0))
    tl.store(o_ptr + (head * n + row)[:, None] * D + d[None, :], acc.to(tl.float16), mask=row[:, None] < n)


# ---- in one kernel ---------------------------------------------------------------------------------------------------
@triton.jit
def flash(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    """Flash attention, base 2; grid (query blocks, heads)."""
    head = tl.program_id(1)
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    k_ptr += head // GROUP * n * D
    v_ptr += head // GROUP * n * D
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    scale *= LOG2E
    for start in range(0, n, TN):
        column = start + tl.arange(0, TN)
        k = tl.load(k_ptr + column[None, :] * D + d[:, None], mask=column[None, :] < n, other=0.0)
        s = tl.where(column[None, :] < n, tl.dot(q, k) * scale, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + column[:, None] * D + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        largest = new
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < n)


@triton.jit
def walk(
    acc, total, largest, q, k_ptr, v_ptr, row, first, last, scale, n, D: tl.constexpr, TN: tl.constexpr, MASK: tl.constexpr
):
    """The keys from first to last, for queries `row`; with MASK only those up to the query's own."""
    d = tl.arange(0, D)
    for start in range(first, last, TN):
        column = start + tl.arange(0, TN)
        k = tl.load(k_ptr + column[None, :] * D + d[:, None], mask=column[None, :] < n, other=0.0)
        s = tl.dot(q, k) * scale
        if MASK:
            s = tl.where(column[None, :] <= row[:, None], s, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + column[:, None] * D + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        largest = new
    return acc, total, largest


@triton.jit
def causal(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    """Causal attention in two stretches: keys that all queries see, without a mask, and those on the diagonal."""
    head = tl.program_id(1)
    begin = tl.program_id(0) * TM
    row, d = begin + tl.arange(0, TM), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    k, v = k_ptr + head // GROUP * n * D, v_ptr + head // GROUP * n * D
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    acc, total, largest = walk(acc, total, largest, q, k, v, row, 0, begin, scale * LOG2E, n, D, TN, False)
    acc, total, largest = walk(acc, total, largest, q, k, v, row, begin, begin + TM, scale * LOG2E, n, D, TN, True)
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < n)


@triton.jit
def window(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, n,
    GROUP: tl.constexpr, WINDOW: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr,
):  # fmt: skip
    """A query sees the last WINDOW keys up to its own; blocks outside are skipped; base e."""
    head = tl.program_id(1)
    begin = tl.program_id(0) * TM
    row, d = begin + tl.arange(0, TM), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    k_ptr += head // GROUP * n * D
    v_ptr += head // GROUP * n * D
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    first = tl.maximum(0, begin - WINDOW + 1) // TN * TN
    for start in range(first, tl.minimum(begin + TM, n), TN):
        column = start + tl.arange(0, TN)
        k = tl.load(k_ptr + column[None, :] * D + d[:, None], mask=column[None, :] < n, other=0.0)
        distance = row[:, None] - column[None, :]
        s = tl.where((distance >= 0) & (distance < WINDOW), tl.dot(q, k) * scale, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        shift = tl.where(new == -float("inf"), 0.0, new)
        p = tl.exp(s - shift[:, None])
        alpha = tl.exp(largest - shift)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + column[:, None] * D + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), v)
        largest = new
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < n)


@triton.jit
def sink(
    q_ptr, k_ptr, v_ptr, sink_ptr, o_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr
):
    """One more score for each head that no key has: it joins the sum at the end; base e."""
    head = tl.program_id(1)
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    k_ptr += head // GROUP * n * D
    v_ptr += head // GROUP * n * D
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    for start in range(0, n, TN):
        column = start + tl.arange(0, TN)
        k = tl.load(k_ptr + column[None, :] * D + d[:, None], mask=column[None, :] < n, other=0.0)
        s = tl.where(column[None, :] < n, tl.dot(q, k) * scale, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + column[:, None] * D + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), v)
        largest = new
    total += tl.exp(tl.load(sink_ptr + head) - largest)
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < n)


@triton.jit
def capped(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, cap, n, GROUP: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr
):
    """Scores are squeezed into -cap to cap; base e."""
    head = tl.program_id(1)
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    k_ptr += head // GROUP * n * D
    v_ptr += head // GROUP * n * D
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    for start in range(0, n, TN):
        column = start + tl.arange(0, TN)
        k = tl.load(k_ptr + column[None, :] * D + d[:, None], mask=column[None, :] < n, other=0.0)
        s = cap * libdevice.tanh(tl.dot(q, k) * scale / cap)
        s = tl.where(column[None, :] < n, s, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + column[:, None] * D + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), v)
        largest = new
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < n)


@triton.jit
def grouped(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    """The queries of a group of heads in one tile of GROUP * TM rows; base 2; grid (query blocks, key heads)."""
    kv = tl.program_id(1)
    i, d = tl.arange(0, GROUP * TM), tl.arange(0, D)
    head, row = kv * GROUP + i // TM, tl.program_id(0) * TM + i % TM
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    largest = tl.full((GROUP * TM,), -float("inf"), tl.float32)
    total = tl.zeros((GROUP * TM,), tl.float32)
    acc = tl.zeros((GROUP * TM, D), tl.float32)
    for start in range(0, n, TN):
        column = start + tl.arange(0, TN)
        keys = (kv * n + column) * D
        k = tl.load(k_ptr + keys[None, :] + d[:, None], mask=column[None, :] < n, other=0.0)
        s = tl.where(column[None, :] < n, tl.dot(q, k) * (scale * LOG2E), -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + keys[:, None] + d[None, :], mask=column[:, None] < n, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        largest = new
    tl.store(o_ptr + at, (acc / total[:, None]).to(tl.float16), mask=row[:, None] < n)


# ---- split over the keys, paged --------------------------------------------------------------------------------------
@triton.jit
def part(
    q_ptr, k_ptr, v_ptr, part_ptr, lse_ptr, scale, n, share,
    GROUP: tl.constexpr, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr,
):  # fmt: skip
    """Attention over `share` keys, normalised, and its log-sum-exp; grid (query blocks, heads, parts)."""
    head, split = tl.program_id(1), tl.program_id(2)
    heads = tl.num_programs(1)
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    q = tl.load(q_ptr + (head * n + row)[:, None] * D + d[None, :], mask=row[:, None] < n, other=0.0)
    k, v = k_ptr + head // GROUP * n * D, v_ptr + head // GROUP * n * D
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    last = tl.minimum(n, split * share + share)
    for start in range(split * share, last, TN):
        column = start + tl.arange(0, TN)
        kt = tl.load(k + column[None, :] * D + d[:, None], mask=column[None, :] < last, other=0.0)
        s = tl.where(column[None, :] < last, tl.dot(q, kt) * scale, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(largest - new)
        total = total * alpha + tl.sum(p, 1)
        vt = tl.load(v + column[:, None] * D + d[None, :], mask=column[:, None] < last, other=0.0)
        acc = tl.dot(p.to(tl.float16), vt, acc * alpha[:, None])
        largest = new
    here = (split * heads + head) * n + row
    tl.store(part_ptr + here[:, None] * D + d[None, :], acc / total[:, None], mask=row[:, None] < n)
    tl.store(lse_ptr + here, largest + tl.log(total), mask=row < n)


@triton.jit
def merge(part_ptr, lse_ptr, o_ptr, parts, n, D: tl.constexpr, TM: tl.constexpr):
    """o = the parts weighted by their share of the whole sum; grid (query blocks, heads)."""
    head, heads = tl.program_id(1), tl.num_programs(1)
    row, d = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    largest = tl.full((TM,), -float("inf"), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    for split in range(0, parts):
        here = (split * heads + head) * n + row
        lse = tl.load(lse_ptr + here, mask=row < n, other=0.0)
        new = tl.maximum(largest, lse)
        old, weight = tl.exp(largest - new), tl.exp(lse - new)
        t = tl.load(part_ptr + here[:, None] * D + d[None, :], mask=row[:, None] < n, other=0.0)
        acc = acc * old[:, None] + t * weight[:, None]
        total = total * old + weight
        largest = new
    o = (acc / total[:, None]).to(tl.float16)
    tl.store(o_ptr + (head * n + row)[:, None] * D + d[None, :], o, mask=row[:, None] < n)


@triton.jit
def decode(
    q_ptr, k_ptr, v_ptr, table_ptr, o_ptr, scale, n,
    GROUP: tl.constexpr, HEADS: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr,
):  # fmt: skip
    """The last query of each head against pages of keys and values; grid (heads)."""
    head = tl.program_id(0)
    j, d = tl.arange(0, PAGE), tl.arange(0, D)
    q = tl.load(q_ptr + (head * n + n - 1) * D + d).to(tl.float32) * scale
    largest = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for page in range(0, tl.cdiv(n, PAGE)):
        base = (tl.load(table_ptr + page) * HEADS + head // GROUP) * PAGE * D
        inside = page * PAGE + j < n
        k = tl.load(k_ptr + base + j[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        s = tl.where(inside, tl.sum(k.to(tl.float32) * q[None, :], 1), -float("inf"))
        new = tl.maximum(largest, tl.max(s, 0))
        p = tl.exp(s - new)
        alpha = tl.exp(largest - new)
        v = tl.load(v_ptr + base + j[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        acc = acc * alpha + tl.sum(v.to(tl.float32) * p[:, None], 0)
        total = total * alpha + tl.sum(p, 0)
        largest = new
    tl.store(o_ptr + head * D + d, (acc / total).to(tl.float16))


# ---- backward --------------------------------------------------------------------------------------------------------
@triton.jit
def forward_lse(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, T: tl.constexpr):
    """Attention in f32 and its log-sum-exps; grid (query blocks, heads)."""
    head = tl.program_id(1)
    row, d = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    largest = tl.full((T,), -float("inf"), tl.float32)
    total = tl.zeros((T,), tl.float32)
    acc = tl.zeros((T, D), tl.float32)
    for start in range(0, n, T):
        column = start + tl.arange(0, T)
        keys = (head // GROUP * n + column)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + keys, mask=column[:, None] < n, other=0.0)
        s = tl.where(column[None, :] < n, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + keys, mask=column[:, None] < n, other=0.0).to(tl.float32)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        largest = new
    tl.store(o_ptr + at, acc / total[:, None], mask=row[:, None] < n)
    tl.store(lse_ptr + head * n + row, largest + tl.log(total), mask=row < n)


@triton.jit
def delta(o_ptr, do_ptr, delta_ptr, n, D: tl.constexpr, T: tl.constexpr):
    """delta = the sum of o do over the columns; grid (query blocks, heads)."""
    row, d = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    line = tl.program_id(1) * n + row
    at = line[:, None] * D + d[None, :]
    o = tl.load(o_ptr + at, mask=row[:, None] < n, other=0.0)
    do = tl.load(do_ptr + at, mask=row[:, None] < n, other=0.0).to(tl.float32)
    tl.store(delta_ptr + line, tl.sum(o * do, 1), mask=row < n)


@triton.jit
def backward_q(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, scale, n, GROUP: tl.constexpr, D: tl.constexpr, T: tl.constexpr
):
    """dq, from weights that are computed again; grid (query blocks, heads)."""
    head = tl.program_id(1)
    row, d = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    at = (head * n + row)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
    do = tl.load(do_ptr + at, mask=row[:, None] < n, other=0.0)
    lse = tl.load(lse_ptr + head * n + row, mask=row < n, other=0.0)
    dt = tl.load(delta_ptr + head * n + row, mask=row < n, other=0.0)
    dq = tl.zeros((T, D), tl.float32)
    for start in range(0, n, T):
        column = start + tl.arange(0, T)
        keys = (head // GROUP * n + column)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + keys, mask=column[:, None] < n, other=0.0)
        v = tl.load(v_ptr + keys, mask=column[:, None] < n, other=0.0)
        p = tl.exp(tl.dot(q, tl.trans(k)) * scale - lse[:, None])
        p = tl.where(column[None, :] < n, p, 0.0)
        ds = p * (tl.dot(do, tl.trans(v)) - dt[:, None]) * scale
        dq += tl.dot(ds, k.to(tl.float32), input_precision="ieee")
    tl.store(dq_ptr + at, dq.to(tl.float16), mask=row[:, None] < n)


@triton.jit
def backward_kv(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, scale, n,
    GROUP: tl.constexpr, D: tl.constexpr, T: tl.constexpr,
):  # fmt: skip
    """dk and dv, summed over the heads of a group; grid (key blocks, key heads)."""
    kv = tl.program_id(1)
    column, d = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    keys = (kv * n + column)[:, None] * D + d[None, :]
    k = tl.load(k_ptr + keys, mask=column[:, None] < n, other=0.0)
    v = tl.load(v_ptr + keys, mask=column[:, None] < n, other=0.0)
    dk = tl.zeros((T, D), tl.float32)
    dv = tl.zeros((T, D), tl.float32)
    for head in range(kv * GROUP, kv * GROUP + GROUP):
        for start in range(0, n, T):
            row = start + tl.arange(0, T)
            at = (head * n + row)[:, None] * D + d[None, :]
            q = tl.load(q_ptr + at, mask=row[:, None] < n, other=0.0)
            do = tl.load(do_ptr + at, mask=row[:, None] < n, other=0.0)
            lse = tl.load(lse_ptr + head * n + row, mask=row < n, other=0.0)
            dt = tl.load(delta_ptr + head * n + row, mask=row < n, other=0.0)
            p = tl.exp(tl.dot(k, tl.trans(q)) * scale - lse[None, :])
            p = tl.where(row[None, :] < n, p, 0.0)
            dv += tl.dot(p, do.to(tl.float32), input_precision="ieee")
            ds = p * (tl.dot(v, tl.trans(do)) - dt[None, :]) * scale
            dk += tl.dot(ds, q.to(tl.float32), input_precision="ieee")
    tl.store(dk_ptr + keys, dk.to(tl.float16), mask=column[:, None] < n)
    tl.store(dv_ptr + keys, dv.to(tl.float16), mask=column[:, None] < n)


HALF = {"GROUP": 2, "D": 16}
QKVO = "*fp16 *fp16 *fp16 *fp16 fp32 i32"
KERNELS = {
    "scores": jit(scores, "*fp16 *fp16 *fp32 fp32 i32", **HALF, T=16),
    "weights": jit(weights, "*fp32 *fp16 i32", T=128),
    "weighted": jit(weighted, "*fp16 *fp16 *fp16 i32", **HALF, T=16),
    "flash": jit(flash, QKVO, **HALF, TM=16, TN=32),
    "flash_32": jit(flash, QKVO, **HALF, TM=32, TN=16),
    "causal": jit(causal, QKVO, **HALF, TM=32, TN=16),
    "window": jit(window, QKVO, **HALF, WINDOW=20, TM=16, TN=16),
    "sink": jit(sink, "*fp16 *fp16 *fp16 *fp32 *fp16 fp32 i32", **HALF, TM=16, TN=16),
    "capped": jit(capped, "*fp16 *fp16 *fp16 *fp16 fp32 fp32 i32", **HALF, TM=16, TN=16),
    "grouped": jit(grouped, QKVO, **HALF, TM=16, TN=16),
    "part": jit(part, "*fp16 *fp16 *fp16 *fp32 *fp32 fp32 i32 i32", **HALF, TM=16, TN=16),
    "merge": jit(merge, "*fp32 *fp32 *fp16 i32 i32", D=16, TM=16),
    "decode": jit(decode, "*fp16 *fp16 *fp16 *i32 *fp16 fp32 i32", GROUP=2, HEADS=2, D=16, PAGE=16),
    "forward_lse": jit(forward_lse, "*fp16 *fp16 *fp16 *fp32 *fp32 fp32 i32", **HALF, T=16),
    "delta": jit(delta, "*fp32 *fp16 *fp32 i32", D=16, T=16),
    "backward_q": jit(backward_q, "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 *fp16 fp32 i32", **HALF, T=16),
    "backward_kv": jit(backward_kv, "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 *fp16 *fp16 fp32 i32", **HALF, T=16),
}

SMALL, UNIT = "{normal: {mean: 0, std: 0.3}}", "{normal: {mean: 0, std: 1}}"
QKV = {
    "Q": buffer("f16", [4, "N", 16], SMALL),
    "K": buffer("f16", [2, "N", 16], SMALL),
    "V": buffer("f16", [2, "N", 16], UNIT),
}
ATTENTION = QKV | {"O": buffer("f16", [4, "N", 16])}
UNFUSED = ATTENTION | {"S": buffer("f32", [4, "N", "N"]), "P": buffer("f16", [4, "N", "N"])}
SIZES = {"N": [40, 64, 33, 16, 1]}
SCALE = "f32 0.25"
B16 = "cdiv(N, 16)"


def cutile(softmax, *more):
    """Attention of cuTile in three kernels, with one of its softmaxes."""
    return [
        run("../attention/scores.tileirbc", ("cdiv(N, 32)", B16, 4), "Q", "K", "S", SCALE),
        run(f"../attention/{softmax}.tileirbc", ("cdiv(N, 8)", 4), "S", *more[:-1], "P", *more[-1:])
        if softmax == "softmax_capped"
        else run(f"../attention/{softmax}.tileirbc", ("cdiv(N, 8)", 4), "S", *more, "P"),
        run("../attention/pv.tileirbc", (B16, 4), "P", "V", "O"),
    ]


UNFUSED_TRITON = [
    run("scores", (B16, B16, 4), "Q", "K", "S", SCALE, "i32 N"),
    run("weights", ("4 * N",), "S", "P", "i32 N"),
    run("weighted", (B16, 4), "P", "V", "O", "i32 N"),
]


def fused(kernel, block=16, *more):
    return [run(kernel, (f"cdiv(N, {block})", 4), "Q", "K", "V", "O", SCALE, *more, "i32 N")]


BOTH = ("cutile", "triton")
PAIRS = [
    pair(
        "flash",
        "attention of cuTile in three kernels, and flash attention of Triton",
        UNFUSED,
        cutile("softmax"),
        fused("flash"),
        ["O"],
        [
            mutant("no_mask", "flash", "tl.where(column[None, :] < n, tl.dot(q, k) * scale, -float(\"inf\"))",
                   "tl.dot(q, k) * scale", "keys behind the end have score 0"),
            mutant("sum_not_rescaled", "flash", "total * alpha + ", "total + ", "the running sum is not rescaled"),
            mutant("acc_not_rescaled", "flash", "v, acc * alpha[:, None])", "v, acc)", "the accumulator is not rescaled"),
            mutant("base_mixed", "flash", "alpha = tl.exp2(", "alpha = tl.exp(", "the rescale to base e, weights to base 2"),
            mutant("no_log2e", "flash", "scale *= LOG2E", "scale *= 1.0", "base 2 without log2(e) in the scale"),
            mutant("last_block", "flash", "range(0, n, TN)", "range(0, n // TN * TN, TN)", "the last block is left out"),
            mutant("key_stride", "flash", "k_ptr + column[None, :] * D", "k_ptr + column[None, :] * (D // 2)", "half the stride"),
            mutant("head_of_keys", "flash", "k_ptr += head // GROUP * n * D", "k_ptr += head % GROUP * n * D",
                   "keys of the wrong head"),
            mutant("stale_maximum", "flash", "p = tl.exp2(s - new[:, None])", "p = tl.exp2(s - largest[:, None])",
                   "weights by the maximum of the blocks before"),
            launched("scale", "f32 0.25", "f32 0.0625", "the scale is 1 / D in place of 1 / sqrt(D)"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "unfused",
        "attention in three kernels, and in one, both of Triton",
        UNFUSED,
        UNFUSED_TRITON,
        fused("flash_32", 32),
        ["O"],
        [
            mutant("weights_missing", "flash_32", "total * alpha + tl.sum(p, 1)", "total * alpha + tl.max(p, 1)",
                   "the largest weight in place of their sum"),
            mutant("not_divided", "flash_32", "(acc / total[:, None])", "acc", "the result is not divided by the sum"),
            mutant("product_dropped", "flash_32", "acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])",
                   "acc = tl.dot(p.to(tl.float16), v)", "the accumulator of the blocks before is dropped"),
        ],
        names=("unfused", "fused"),
        parameters=SIZES,
    ),
    pair(
        "causal",
        "causal attention of cuTile in three kernels, and of Triton in two stretches",
        UNFUSED,
        cutile("softmax_causal"),
        fused("causal", 32),
        ["O"],
        [
            mutant("strict", "causal:walk", "<= row[:, None]", "< row[:, None]", "a query does not see its own key"),
            mutant("sees_next", "causal:walk", "<= row[:, None]", "<= row[:, None] + 1", "a query sees the next key"),
            mutant("no_mask", "causal", "scale * LOG2E, n, D, TN, True)", "scale * LOG2E, n, D, TN, False)",
                   "the diagonal is not masked"),
            mutant("diagonal_short", "causal", "begin, begin + TM, scale", "begin, begin + TN, scale",
                   "only the first block of the diagonal"),
            mutant("before_short", "causal", "row, 0, begin, scale", "row, 0, begin - TN, scale",
                   "the block before the diagonal is left out"),
            mutant("row_of_tile", "causal", "row, d = begin + tl.arange(0, TM), tl.arange(0, D)",
                   "row, d = begin + tl.arange(0, TM) // 2 * 2, tl.arange(0, D)", "two queries are the same row"),
        ],
        names=BOTH,
        parameters={"N": [40, 64, 33, 16]},
    ),
    pair(
        "window",
        "attention in a window of cuTile in three kernels, and of Triton that skips blocks on both sides",
        UNFUSED,
        cutile("softmax_window"),
        fused("window"),
        ["O"],
        [
            mutant("one_more", "window", "distance < WINDOW", "distance <= WINDOW", "the window is one key too long"),
            mutant("first_block", "window", "begin - WINDOW + 1)", "begin - WINDOW + TN)", "the first block may be skipped"),
            mutant("future", "window", "(distance >= 0) & (distance < WINDOW)", "distance < WINDOW", "keys of the future"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "sink",
        "attention with a sink of cuTile in three kernels, and of Triton with the sink at the end",
        UNFUSED | {"SINK": buffer("f32", [4], UNIT)},
        cutile("softmax_sink", "SINK"),
        [run("sink", (B16, 4), "Q", "K", "V", "SINK", "O", SCALE, "i32 N")],
        ["O"],
        [
            mutant("not_shifted", "sink", "tl.exp(tl.load(sink_ptr + head) - largest)", "tl.exp(tl.load(sink_ptr + head))",
                   "the sink's weight is not relative to the maximum"),
            mutant("key_head", "sink", "tl.load(sink_ptr + head)", "tl.load(sink_ptr + head // GROUP)", "of the key's head"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "capped",
        "attention with capped scores of cuTile in three kernels, and of Triton in one",
        UNFUSED,
        cutile("softmax_capped", "f32 5"),
        fused("capped", 16, "f32 5"),
        ["O"],
        [
            mutant("not_back", "capped", "s = cap * libdevice.tanh(", "s = libdevice.tanh(", "not multiplied by the cap"),
            mutant("masked_first", "capped", "column[None, :] < n, s, -float(\"inf\"))", "column[None, :] < n, s, -cap)",
                   "what is masked is capped, too"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "grouped",
        "flash attention of cuTile head by head, and of Triton with a group's queries in one tile",
        ATTENTION,
        [run("../attention/flash.tileirbc", (B16, 4), "Q", "K", "V", "O", "f32 0.36067376")],
        [run("grouped", (B16, 2), "Q", "K", "V", "O", SCALE, "i32 N")],
        ["O"],
        [
            mutant("row", "grouped", "* TM + i % TM", "* TM + i // TM", "rows and heads are swapped in the row's number"),
            mutant("heads_apart", "grouped", "kv * GROUP + i // TM", "kv + i // TM", "heads of neighbouring groups"),
            mutant("keys_shared", "grouped", "(kv * n + column) * D", "column * D", "all groups take the first head's keys"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "split",
        "flash attention, and split over the keys and merged by log-sum-exps, both of Triton",
        ATTENTION | {"PARTS": buffer("f32", ["cdiv(N, 32)", 4, "N", 16]), "L": buffer("f32", ["cdiv(N, 32)", 4, "N"])},
        fused("flash"),
        [
            run("part", (B16, 4, "cdiv(N, 32)"), "Q", "K", "V", "PARTS", "L", SCALE, "i32 N", "i32 32"),
            run("merge", (B16, 4), "PARTS", "L", "O", "i32 cdiv(N, 32)", "i32 N"),
        ],
        ["O"],
        [
            mutant("lse_without_sum", "part", "largest + tl.log(total)", "largest", "log-sum-exps without the sum"),
            mutant("end_of_all", "part", "last = tl.minimum(n, split * share + share)", "last = n", "parts run to the end"),
            mutant("averaged", "merge", "t * weight[:, None]", "t", "the parts are not weighted"),
            mutant("not_rescaled", "merge", "acc * old[:, None] + ", "acc + ", "what was merged is not rescaled"),
            launched("one_part_less", "i32 cdiv(N, 32), i32 N]", "i32 N // 32, i32 N]", "the last part is not merged"),
        ],
        names=("whole", "split"),
        parameters={"N": [40, 64, 33, 100]},
    ),
    pair(
        "paged",
        "one query of each head by products and sums of cuTile, and over pages of keys and values of Triton",
        QKV
        | {
            "O": buffer("f16", [4, 16]),
            "TABLE": buffer("i32", [5], "{file: ../inputs/pages.i32}"),
            "KP": buffer("f16", [7, 2, 16, 16]),
            "VP": buffer("f16", [7, 2, 16, 16]),
        },
        [run("../attention/decode_products.tileirbc", (4,), "Q", "K", "V", "O", SCALE)],
        [
            run("../attention/to_pages.tileirbc", (B16, 2), "K", "TABLE", "KP"),
            run("../attention/to_pages.tileirbc", (B16, 2), "V", "TABLE", "VP"),
            run("decode", (4,), "Q", "KP", "VP", "TABLE", "O", SCALE, "i32 N"),
        ],
        ["O"],
        [
            mutant("no_table", "decode", "tl.load(table_ptr + page)", "page", "pages in the order of memory"),
            mutant("page_length", "decode", "inside = page * PAGE + j < n", "inside = j < n", "the last page counts whole"),
            mutant("page_stride", "decode", "* HEADS + head // GROUP)", "+ head // GROUP)", "pages hold one head"),
        ],
        names=BOTH,
        parameters={"N": [40, 64, 33, 1]},
    ),
    pair(
        "backward",
        "attention's backward of cuTile from stored weights, and of Triton from log-sum-exps and delta",
        QKV
        | {
            "DO": buffer("f16", [4, "N", 16], UNIT),
            "S": buffer("f32", [4, "N", "N"]),
            "P": buffer("f32", [4, "N", "N"]),
            "DS": buffer("f32", [4, "N", "N"]),
            "O": buffer("f32", [4, "N", 16]),
            "LSE": buffer("f32", [4, "N"]),
            "DELTA": buffer("f32", [4, "N"]),
            "DQ": buffer("f16", [4, "N", 16]),
            "DK": buffer("f16", [2, "N", 16]),
            "DV": buffer("f16", [2, "N", 16]),
        },
        [
            run("../attention/scores.tileirbc", ("cdiv(N, 32)", B16, 4), "Q", "K", "S", SCALE),
            run("../attention/softmax_float.tileirbc", ("cdiv(N, 8)", 4), "S", "P"),
            run("../attention/backward_ds.tileirbc", (B16, 4), "P", "V", "DO", "DS", SCALE),
            run("../attention/backward_dq.tileirbc", (B16, 4), "DS", "K", "DQ"),
            run("../attention/backward_dkv.tileirbc", (B16, 2), "P", "DS", "Q", "DO", "DK", "DV"),
        ],
        [
            run("forward_lse", (B16, 4), "Q", "K", "V", "O", "LSE", SCALE, "i32 N"),
            run("delta", (B16, 4), "O", "DO", "DELTA", "i32 N"),
            run("backward_q", (B16, 4), "Q", "K", "V", "DO", "LSE", "DELTA", "DQ", SCALE, "i32 N"),
            run("backward_kv", (B16, 2), "Q", "K", "V", "DO", "LSE", "DELTA", "DK", "DV", SCALE, "i32 N"),
        ],
        ["DQ", "DK", "DV"],
        [
            mutant("no_delta", "backward_q", "tl.dot(do, tl.trans(v)) - dt[:, None]", "tl.dot(do, tl.trans(v))",
                   "the gradient of the sum is missing in dq"),
            mutant("no_scale", "backward_kv", "- dt[None, :]) * scale", "- dt[None, :])", "dk without the scale"),
            mutant("one_head", "backward_kv", "kv * GROUP + GROUP)", "kv * GROUP + 1)", "one head of each group"),
            # Not here: without the mask of queries behind the end dk and dv are the same, for do and delta are 0 there.
            mutant("rows_of_keys", "backward_kv", "lse_ptr + head * n + row", "lse_ptr + kv * n + row",
                   "log-sum-exps of the key's head"),
            mutant("not_squared", "delta", "tl.sum(o * do, 1)", "tl.sum(do, 1)", "delta without the result"),
            mutant("lse_base", "forward_lse", "largest + tl.log(total)", "largest + tl.log2(total)",
                   "log-sum-exps in two bases"),
        ],
        names=BOTH,
        parameters={"N": [40, 64, 33, 2]},
    ),
]
