# SPDX-License-Identifier: Apache-2.0
# Attention over several sequences, devices and caches: ring, zigzag, pages of ragged lengths, shared prefixes, packed
# batches, caches that grow in place, latent keys and values.
import math

import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634

INPUTS = {
    # Pages of three sequences of 37, 9 and 52 keys, 8 keys a page; -1 behind the end.
    "ragged_pages.i32": np.int32([[5, 2, 14, 0, 9, -1, -1], [7, 3, -1, -1, -1, -1, -1], [12, 1, 10, 4, 13, 8, 6]]),
    "ragged_lengths.i32": np.int32([37, 9, 52]),
    # The same lengths as starts of sequences in one array of 98 rows.
    "ragged_starts.i32": np.int32([0, 37, 46, 98]),
    # New keys of a step: the slot of each of 11 tokens in a cache of 40.
    "slots.i32": np.int32([17, 3, 38, 24, 9, 31, 0, 12, 39, 26, 5]),
}


# ---- keys and values around a ring of devices ------------------------------------------------------------------------
@ct.kernel
def attention_rows(q, k, v, o, lse, scale: float, D: Const, TM: Const, TN: Const):
    """Softmax over all keys at once; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < k.shape[1], s, -math.inf)
    m = ct.max(s, axis=1, keepdims=True)
    e = ct.exp(s - m)
    l = ct.sum(e, axis=1, keepdims=True)
    acc = ct.mma(e / l, vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))
    ct.store(lse, index=(head, block), tile=(m + ct.log(l)).reshape((1, TM)))


@ct.kernel
def ring_step(q, k, v, o, m_all, l_all, scale: float, step: int, DEVICES: Const, D: Const, T: Const):
    """Device d has queries of block d and sees keys of block d + step; o, m and l pass from step to step in memory.

    grid (devices, heads); the last block of keys is a partial one."""
    device, head = ct.bid(0), ct.bid(1)
    source = (device + step) % DEVICES
    qt = ct.load(q, index=(head, device, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    kt = ct.load(k, index=(head, source, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    vt = ct.load(v, index=(head, source, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32)) * scale
    inside = (source * T + ct.arange(T, dtype=ct.int32)).reshape((1, T)) < k.shape[1]
    s = ct.where(inside, s, -math.inf)
    here = ct.max(s, axis=1, keepdims=True)
    if step == 0:
        e = ct.exp(s - here)
        acc = ct.mma(e, vt, ct.full((T, D), 0.0, dtype=ct.float32))
        ct.store(m_all, index=(head, device), tile=here.reshape((1, T)))
        ct.store(l_all, index=(head, device), tile=ct.sum(e, axis=1).reshape((1, T)))
        ct.store(o, index=(head, device, 0), tile=acc.reshape((1, T, D)))
    else:
        m = ct.load(m_all, index=(head, device), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        l = ct.load(l_all, index=(head, device), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        acc = ct.load(o, index=(head, device, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        m_new = ct.maximum(m, here)
        alpha = ct.exp(m - m_new)
        e = ct.exp(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, vt, acc * alpha)
        if step == DEVICES - 1:
            acc = acc / l
        ct.store(m_all, index=(head, device), tile=m_new.reshape((1, T)))
        ct.store(l_all, index=(head, device), tile=l.reshape((1, T)))
        ct.store(o, index=(head, device, 0), tile=acc.reshape((1, T, D)))


@ct.kernel
def ring_block(q, k, v, part, part_lse, scale: float, step: int, DEVICES: Const, D: Const, T: Const):
    """Attention of each device's queries to one block of keys, normalised, with its log-sum-exp."""
    device, head = ct.bid(0), ct.bid(1)
    source = (device + step) % DEVICES
    qt = ct.load(q, index=(head, device, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    kt = ct.load(k, index=(head, source, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    vt = ct.load(v, index=(head, source, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32)) * scale
    inside = (source * T + ct.arange(T, dtype=ct.int32)).reshape((1, T)) < k.shape[1]
    s = ct.where(inside, s, -math.inf)
    m = ct.max(s, axis=1, keepdims=True)
    e = ct.exp(s - m)
    l = ct.sum(e, axis=1, keepdims=True)
    acc = ct.mma(e, vt, ct.full((T, D), 0.0, dtype=ct.float32)) / l
    ct.store(part, index=(head, device, 0), tile=acc.reshape((1, T, D)))
    ct.store(part_lse, index=(head, device), tile=(m + ct.log(l)).reshape((1, T)))


@ct.kernel
def ring_merge(part, part_lse, o, lse, D: Const, T: Const):
    """In place: o - sigmoid(part lse - lse) (o - part), lse - log(sigmoid(lse - part lse))."""
    block, head = ct.bid(0), ct.bid(1)
    b = ct.load(part, index=(head, block, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    b_lse = ct.load(part_lse, index=(head, block), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
    a = ct.load(o, index=(head, block, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    a_lse = ct.load(lse, index=(head, block), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
    share = 1.0 / (1.0 + ct.exp(a_lse - b_lse))
    ct.store(o, index=(head, block, 0), tile=(a - share * (a - b)).reshape((1, T, D)))
    ct.store(lse, index=(head, block), tile=(a_lse - ct.log(1.0 - share)).reshape((1, T)))


@ct.kernel
def attention_causal(q, k, v, o, scale: float, D: Const, TM: Const, TN: Const):
    """Causal, softmax over all keys at once; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    s = ct.where(column <= row, s, -math.inf)
    e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
    acc = ct.mma(e / ct.sum(e, axis=1, keepdims=True), vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def zigzag(q, k, v, o, scale: float, DEVICES: Const, D: Const, T: Const):
    """Device d has query blocks d and 2 DEVICES - 1 - d, and sees keys in ring order; grid (devices, heads)."""
    device, head = ct.bid(0), ct.bid(1)
    place = ct.arange(T, dtype=ct.int32)
    for half in range(2):
        block = device if half == 0 else 2 * DEVICES - 1 - device
        if block * T < q.shape[1]:
            m = ct.full((T, 1), -math.inf, dtype=ct.float32)
            l = ct.full((T, 1), 0.0, dtype=ct.float32)
            acc = ct.full((T, D), 0.0, dtype=ct.float32)
            qt = ct.load(q, index=(head, block, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
            for step in range(2 * DEVICES):
                source = (block - step + 2 * DEVICES) % (2 * DEVICES)
                if source <= block:
                    kt = ct.load(k, index=(head, source, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
                    vt = ct.load(v, index=(head, source, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
                    s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
                    seen = (source * T + place).reshape((1, T)) <= (block * T + place).reshape((T, 1))
                    s = ct.where(seen, s, -math.inf)
                    m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
                    alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
                    l = l * alpha + ct.sum(e, axis=1, keepdims=True)
                    acc = ct.mma(e, vt, acc * alpha)
                    m = m_new
            ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, T, D)))


# ---- pages, ragged lengths -------------------------------------------------------------------------------------------
@ct.kernel
def decode_ragged(q, k, v, lengths, o, scale: float, D: Const, TN: Const):
    """One query for each sequence and head, keys [sequence, key, head, D] of which `lengths` are there.

    grid (sequences, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    qt = ct.load(q, index=(i, head, 0), shape=(1, 1, D)).reshape((1, D))
    kt = ct.load(k, index=(i, 0, head, 0), shape=(1, TN, 1, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(i, 0, head, 0), shape=(1, TN, 1, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.sum(qt * kt, axis=1, keepdims=True) * scale
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((TN, 1)) < length, s, -math.inf)
    e = ct.exp(s - ct.max(s, axis=0, keepdims=True))
    ct.store(o, index=(i, head, 0), tile=(ct.sum(e * vt, axis=0) / ct.sum(e)).reshape((1, 1, D)))


@ct.kernel
def fill_pages(x, table, lengths, pages, HEADS: Const, D: Const, PAGE: Const):
    """pages[table[i, j]] = rows of sequence i; grid (sequences, pages of a sequence)."""
    i, j = ct.bid(0), ct.bid(1)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    if j * PAGE < length:
        page = ct.load(table, index=(i, j), shape=(1, 1)).item()
        t = ct.load(x, index=(i, j, 0, 0), shape=(1, PAGE, HEADS, D), padding_mode=ZERO)
        ct.store(pages, index=(page, 0, 0, 0), tile=t)


@ct.kernel
def fill_slots(x, table, lengths, pages, HEADS: Const, D: Const, PAGE: Const):
    """As fill_pages, the rows that a sequence has and no others; grid (sequences, pages of a sequence)."""
    i, j = ct.bid(0), ct.bid(1)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    if j * PAGE < length:
        page = ct.load(table, index=(i, j), shape=(1, 1)).item()
        place = ct.arange(PAGE, dtype=ct.int32).reshape((PAGE, 1, 1))
        head = ct.arange(HEADS, dtype=ct.int32).reshape((1, HEADS, 1))
        feature = ct.arange(D, dtype=ct.int32).reshape((1, 1, D))
        inside = j * PAGE + place < length
        t = ct.gather(x, (i, j * PAGE + place, head, feature), mask=inside, padding_value=0.0)
        ct.scatter(pages, (page, place, head, feature), t, mask=inside)


@ct.kernel
def decode_dirty(q, k_pages, v_pages, table, lengths, o, scale: float, D: Const, PAGE: Const):
    """As decode_pages where pages may hold anything behind the end of a sequence: NaN times weight 0 is NaN."""
    i, head = ct.bid(0), ct.bid(1)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    m = ct.full((1, 1), -math.inf, dtype=ct.float32)
    l = ct.full((1, 1), 0.0, dtype=ct.float32)
    acc = ct.full((1, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(i, head, 0), shape=(1, 1, D)).reshape((1, D))
    for j in range(ct.cdiv(length, PAGE)):
        page = ct.load(table, index=(i, j), shape=(1, 1)).item()
        inside = (j * PAGE + ct.arange(PAGE, dtype=ct.int32)).reshape((PAGE, 1)) < length
        kt = ct.load(k_pages, index=(page, 0, head, 0), shape=(1, PAGE, 1, D)).reshape((PAGE, D))
        vt = ct.load(v_pages, index=(page, 0, head, 0), shape=(1, PAGE, 1, D)).reshape((PAGE, D))
        vt = ct.where(inside, vt, 0.0)
        s = ct.where(inside, ct.sum(qt * kt, axis=1, keepdims=True) * scale, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=0, keepdims=True))
        alpha, e = ct.exp(m - m_new), ct.exp(s - m_new)
        l = l * alpha + ct.sum(e, axis=0, keepdims=True)
        acc = acc * alpha + ct.sum(e * vt, axis=0, keepdims=True)
        m = m_new
    ct.store(o, index=(i, head, 0), tile=(acc / l).reshape((1, 1, D)))


@ct.kernel
def decode_pages(q, k_pages, v_pages, table, lengths, o, scale: float, D: Const, PAGE: Const):
    """Page by page with a running maximum; grid (sequences, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    m = ct.full((1, 1), -math.inf, dtype=ct.float32)
    l = ct.full((1, 1), 0.0, dtype=ct.float32)
    acc = ct.full((1, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(i, head, 0), shape=(1, 1, D)).reshape((1, D))
    for j in range(ct.cdiv(length, PAGE)):
        page = ct.load(table, index=(i, j), shape=(1, 1)).item()
        kt = ct.load(k_pages, index=(page, 0, head, 0), shape=(1, PAGE, 1, D)).reshape((PAGE, D))
        vt = ct.load(v_pages, index=(page, 0, head, 0), shape=(1, PAGE, 1, D)).reshape((PAGE, D))
        s = ct.sum(qt * kt, axis=1, keepdims=True) * scale
        s = ct.where((j * PAGE + ct.arange(PAGE, dtype=ct.int32)).reshape((PAGE, 1)) < length, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=0, keepdims=True))
        alpha, e = ct.exp(m - m_new), ct.exp(s - m_new)
        l = l * alpha + ct.sum(e, axis=0, keepdims=True)
        acc = acc * alpha + ct.sum(e * vt, axis=0, keepdims=True)
        m = m_new
    ct.store(o, index=(i, head, 0), tile=(acc / l).reshape((1, 1, D)))


@ct.kernel
def decode_slots(q, k_pages, v_pages, table, lengths, o, scale: float, HEADS: Const, D: Const, PAGE: Const, TN: Const):
    """TN keys at a time by gathers, over pages seen as [page * PAGE + place]; all heads of a sequence in one program."""
    i = ct.bid(0)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    feature = ct.arange(D, dtype=ct.int32).reshape((1, 1, D))
    head = ct.arange(HEADS, dtype=ct.int32).reshape((1, HEADS, 1))
    m = ct.full((1, HEADS, 1), -math.inf, dtype=ct.float32)
    l = ct.full((1, HEADS, 1), 0.0, dtype=ct.float32)
    acc = ct.full((1, HEADS, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(i, 0, 0), shape=(1, HEADS, D))
    for j in range(ct.cdiv(length, TN)):
        position = j * TN + ct.arange(TN, dtype=ct.int32)
        inside = position < length
        page = ct.gather(table, (i, position // PAGE), mask=inside, padding_value=0).reshape((TN, 1, 1))
        place = (position % PAGE).reshape((TN, 1, 1))
        inside = inside.reshape((TN, 1, 1))
        kt = ct.gather(k_pages, (page, place, head, feature), mask=inside, padding_value=0.0)
        vt = ct.gather(v_pages, (page, place, head, feature), mask=inside, padding_value=0.0)
        s = ct.where(inside, ct.sum(qt * kt, axis=2, keepdims=True) * (scale * LOG2_E), -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=0, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=0, keepdims=True)
        acc = acc * alpha + ct.sum(e * vt, axis=0, keepdims=True)
        m = m_new
    ct.store(o, index=(i, 0, 0), tile=acc / l)


@ct.kernel
def split_pages(q, k_pages, v_pages, table, lengths, part, lse, scale: float, SHARE: Const, D: Const, PAGE: Const):
    """SHARE pages of a sequence each, normalised, with the log-sum-exp; grid (sequences, heads, splits)."""
    i, head, split = ct.bid(0), ct.bid(1), ct.bid(2)
    length = ct.load(lengths, index=(i,), shape=(1,)).item()
    pages = ct.cdiv(length, PAGE)
    m = ct.full((1, 1), -math.inf, dtype=ct.float32)
    l = ct.full((1, 1), 0.0, dtype=ct.float32)
    acc = ct.full((1, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(i, head, 0), shape=(1, 1, D)).reshape((1, D))
    for j in range(split * SHARE, min((split + 1) * SHARE, pages)):
        page = ct.load(table, index=(i, j), shape=(1, 1)).item()
        kt = ct.load(k_pages, index=(page, 0, head, 0), shape=(1, PAGE, 1, D)).reshape((PAGE, D))
        vt = ct.load(v_pages, index=(page, 0, head, 0), shape=(1, PAGE, 1, D)).reshape((PAGE, D))
        s = ct.sum(qt * kt, axis=1, keepdims=True) * scale
        s = ct.where((j * PAGE + ct.arange(PAGE, dtype=ct.int32)).reshape((PAGE, 1)) < length, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=0, keepdims=True))
        alpha, e = ct.exp(m - m_new), ct.exp(s - m_new)
        l = l * alpha + ct.sum(e, axis=0, keepdims=True)
        acc = acc * alpha + ct.sum(e * vt, axis=0, keepdims=True)
        m = m_new
    if split * SHARE < pages:
        ct.store(part, index=(i, head, split, 0), tile=(acc / l).reshape((1, 1, 1, D)))
        ct.store(lse, index=(i, head, split), tile=(m + ct.log(l)).reshape((1, 1, 1)))
    else:
        ct.store(part, index=(i, head, split, 0), tile=ct.full((1, 1, 1, D), 0.0, dtype=ct.float32))
        ct.store(lse, index=(i, head, split), tile=ct.full((1, 1, 1), -math.inf, dtype=ct.float32))


@ct.kernel
def merge_splits(part, lse, o, SPLITS: Const, D: Const):
    """The splits' results weighted by e^lse; grid (sequences, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    lt = ct.load(lse, index=(i, head, 0), shape=(1, 1, SPLITS), padding_mode=ct.PaddingMode.NEG_INF).reshape(
        (SPLITS, 1)
    )
    w = ct.exp(lt - ct.max(lt, axis=0, keepdims=True))
    pt = ct.load(part, index=(i, head, 0, 0), shape=(1, 1, SPLITS, D), padding_mode=ZERO).reshape((SPLITS, D))
    ct.store(o, index=(i, head, 0), tile=(ct.sum(w * pt, axis=0) / ct.sum(w)).reshape((1, 1, D)))


# ---- sequences packed into one array ---------------------------------------------------------------------------------
@ct.kernel
def packed_masked(q, k, v, starts, o, scale: float, SEQUENCES: Const, D: Const, TM: Const, TN: Const):
    """Causal within each sequence, all keys at once, other sequences masked; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    own, other = ct.full((TM, 1), 0, dtype=ct.int32), ct.full((1, TN), 0, dtype=ct.int32)
    for i in range(1, SEQUENCES):
        start = ct.load(starts, index=(i,), shape=(1,)).item()
        own = own + ct.where(row >= start, 1, 0)
        other = other + ct.where(column >= start, 1, 0)
    qt = ct.load(q, index=(block, head, 0), shape=(TM, 1, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(0, head, 0), shape=(TN, 1, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(0, head, 0), shape=(TN, 1, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    s = ct.where((own == other) & (column <= row), s, -math.inf)
    e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
    acc = ct.mma(e / ct.sum(e, axis=1, keepdims=True), vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(block, head, 0), tile=acc.reshape((TM, 1, D)))


@ct.kernel
def packed_flash(q, k, v, starts, o, scale: float, D: Const, TM: Const, TN: Const):
    """Blocks of queries and keys from each sequence's start, by gathers; grid (blocks, heads, sequences)."""
    block, head, i = ct.bid(0), ct.bid(1), ct.bid(2)
    start = ct.load(starts, index=(i,), shape=(1,)).item()
    end = ct.load(starts, index=(i + 1,), shape=(1,)).item()
    row = start + block * TM + ct.arange(TM, dtype=ct.int32)
    feature = ct.arange(D, dtype=ct.int32).reshape((1, D))
    if start + block * TM < end:
        inside = (row < end).reshape((TM, 1))
        qt = ct.gather(q, (row.reshape((TM, 1)), head, feature), mask=inside, padding_value=0.0)
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        for j in range(ct.cdiv((block + 1) * TM, TN)):
            column = start + j * TN + ct.arange(TN, dtype=ct.int32)
            there = (column < end).reshape((TN, 1))
            kt = ct.gather(k, (column.reshape((TN, 1)), head, feature), mask=there, padding_value=0.0)
            vt = ct.gather(v, (column.reshape((TN, 1)), head, feature), mask=there, padding_value=0.0)
            s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
            s = ct.where(column.reshape((1, TN)) <= row.reshape((TM, 1)), s, -math.inf)
            m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
            alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
            l = l * alpha + ct.sum(e, axis=1, keepdims=True)
            acc = ct.mma(e, vt, acc * alpha)
            m = m_new
        ct.scatter(o, (row.reshape((TM, 1)), head, feature), acc / l, mask=inside)


@ct.kernel
def packed_mean(x, starts, y, TM: Const, TN: Const):
    """The mean of each sequence's rows, all rows with a mask; grid (sequences)."""
    i = ct.bid(0)
    start = ct.load(starts, index=(i,), shape=(1,)).item()
    end = ct.load(starts, index=(i + 1,), shape=(1,)).item()
    row = ct.arange(TM, dtype=ct.int32).reshape((TM, 1))
    t = ct.load(x, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    t = ct.where((row >= start) & (row < end), t, 0.0)
    ct.store(y, index=(i, 0), tile=ct.sum(t, axis=0, keepdims=True) / (end - start))


@ct.kernel
def packed_weights(starts, w, TN: Const):
    """w[sequence, row] = 1 / length inside, 0 outside; grid (sequences, row blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    start = ct.load(starts, index=(i,), shape=(1,)).item()
    end = ct.load(starts, index=(i + 1,), shape=(1,)).item()
    row = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    share = 1.0 / (end - start).astype(ct.float32)
    ct.store(w, index=(i, j), tile=ct.where((row >= start) & (row < end), share, 0.0))


@ct.kernel
def pooled_product(w, x, y, TM: Const, TN: Const, TK: Const):
    """y = w x."""
    j = ct.bid(0)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[0], TK)):
        a = ct.load(w, index=(0, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(x, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(y, index=(0, j), tile=acc)


# ---- caches ----------------------------------------------------------------------------------------------------------
@ct.kernel
def append_scatter(x, slots, cache, TM: Const, TN: Const):
    """cache[slots[r]] = x[r], in place; grid (row blocks)."""
    i = ct.bid(0)
    row = i * TM + ct.arange(TM, dtype=ct.int32)
    inside = row < x.shape[0]
    slot = ct.gather(slots, (row,), mask=inside, padding_value=0).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ct.scatter(cache, (slot, column), t, mask=inside.reshape((TM, 1)))


@ct.kernel
def append_copy(x, slots, old, cache, TM: Const, TN: Const):
    """A new cache: each row is the new one whose slot it is, or the old one; one slot for each program."""
    r = ct.bid(0)
    hit = ct.load(slots, index=(0,), shape=(TM,), padding_mode=ZERO) == r
    hit = hit & (ct.arange(TM, dtype=ct.int32) < slots.shape[0])
    t = ct.load(old, index=(r, 0), shape=(1, TN), padding_mode=ZERO)
    new = ct.load(x, index=(0, 0), shape=(TM, TN), padding_mode=ZERO)
    picked = ct.sum(ct.where(hit.reshape((TM, 1)), new, 0.0), axis=0, keepdims=True)
    ct.store(cache, index=(r, 0), tile=ct.where(ct.max(ct.where(hit, 1, 0)) > 0, picked, t))


@ct.kernel
def row_sums(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i,), tile=ct.sum(t * t, axis=1))


# ---- latent keys and values ------------------------------------------------------------------------------------------
@ct.kernel
def project(c, w, y, TM: Const, D: Const, R: Const):
    """y[head] = c w[head]^T, w [head, D, R]; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    a = ct.load(c, index=(i, 0), shape=(TM, R), padding_mode=ZERO)
    b = ct.load(w, index=(head, 0, 0), shape=(1, D, R), padding_mode=ZERO).reshape((D, R))
    acc = ct.mma(a, ct.transpose(b), ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(y, index=(head, i, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def latent_explicit(q, qr, k, kr, v, o, scale: float, D: Const, DR: Const, TM: Const, TN: Const):
    """Keys and values of each head; rotary keys are shared. All keys at once; grid (query blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, i, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    qrt = ct.load(qr, index=(head, i, 0), shape=(1, TM, DR), padding_mode=ZERO).reshape((TM, DR))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    krt = ct.load(kr, index=(0, 0), shape=(TN, DR), padding_mode=ZERO)
    vt = ct.load(v, index=(head, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32))
    s = ct.mma(qrt, ct.transpose(krt), s) * scale
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < kr.shape[0], s, -math.inf)
    e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
    acc = ct.mma(e / ct.sum(e, axis=1, keepdims=True), vt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, i, 0), tile=acc.reshape((1, TM, D)))


@ct.kernel
def latent_absorbed(q, qr, c, kr, wk, wv, o, scale: float, D: Const, DR: Const, R: Const, TM: Const, TN: Const):
    """Queries times wk against the latents themselves, in key blocks; wv afterwards. grid (query blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, i, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    qrt = ct.load(qr, index=(head, i, 0), shape=(1, TM, DR), padding_mode=ZERO).reshape((TM, DR))
    wkt = ct.load(wk, index=(head, 0, 0), shape=(1, D, R), padding_mode=ZERO).reshape((D, R))
    ql = ct.mma(qt, wkt, ct.full((TM, R), 0.0, dtype=ct.float32))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, R), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(c.shape[0], TN)):
        ckv = ct.load(c, index=(j, 0), shape=(TN, R), padding_mode=ZERO)
        krt = ct.load(kr, index=(j, 0), shape=(TN, DR), padding_mode=ZERO)
        s = ct.mma(qrt, ct.transpose(krt), ct.full((TM, TN), 0.0, dtype=ct.float32))
        s = ct.mma(ql, ct.transpose(ckv), s) * (scale * LOG2_E)
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < c.shape[0]
        s = ct.where(inside, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, ckv, acc * alpha)
        m = m_new
    wvt = ct.load(wv, index=(head, 0, 0), shape=(1, D, R), padding_mode=ZERO).reshape((D, R))
    out = ct.mma(acc / l, ct.transpose(wvt), ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(o, index=(head, i, 0), tile=out.reshape((1, TM, D)))


@ct.kernel
def output_explicit(o, wo, y, D: Const, TM: Const, TN: Const):
    """y = sum over heads of o[head] wo[head]; grid (row blocks)."""
    i = ct.bid(0)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for head in range(o.shape[0]):
        a = ct.load(o, index=(head, i, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
        b = ct.load(wo, index=(head, 0, 0), shape=(1, D, TN), padding_mode=ZERO).reshape((D, TN))
        acc = ct.mma(a, b, acc)
    ct.store(y, index=(i, 0), tile=acc)


@ct.kernel
def fold_output(wv, wo, folded, D: Const, R: Const, TN: Const):
    """folded[head] = wv[head]^T wo[head]; grid (heads)."""
    head = ct.bid(0)
    a = ct.load(wv, index=(head, 0, 0), shape=(1, D, R), padding_mode=ZERO).reshape((D, R))
    b = ct.load(wo, index=(head, 0, 0), shape=(1, D, TN), padding_mode=ZERO).reshape((D, TN))
    t = ct.mma(ct.transpose(a), b, ct.full((R, TN), 0.0, dtype=ct.float32))
    ct.store(folded, index=(head, 0, 0), tile=t.reshape((1, R, TN)))


@ct.kernel
def latent_folded(q, qr, c, kr, wk, folded, y, scale: float, D: Const, DR: Const, R: Const, TN: Const, TY: Const):
    """One query and all heads: latents as values, the output's matrix folded with theirs; grid (queries)."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < c.shape[0]
    ckv = ct.load(c, index=(0, 0), shape=(TN, R), padding_mode=ZERO)
    krt = ct.load(kr, index=(0, 0), shape=(TN, DR), padding_mode=ZERO)
    total = ct.full((1, TY), 0.0, dtype=ct.float32)
    for head in range(q.shape[0]):
        qt = ct.load(q, index=(head, i, 0), shape=(1, 1, D)).reshape((D, 1))
        qrt = ct.load(qr, index=(head, i, 0), shape=(1, 1, DR)).reshape((1, DR))
        wkt = ct.load(wk, index=(head, 0, 0), shape=(1, D, R), padding_mode=ZERO).reshape((D, R))
        ql = ct.sum(qt * wkt, axis=0, keepdims=True)
        s = (ct.sum(ql * ckv, axis=1) + ct.sum(qrt * krt, axis=1)).reshape((1, TN)) * scale
        s = ct.where(inside, s, -math.inf)
        e = ct.exp(s - ct.max(s, axis=1, keepdims=True))
        mixed = ct.sum(e.reshape((TN, 1)) * ckv, axis=0).reshape((R, 1)) / ct.sum(e)
        ft = ct.load(folded, index=(head, 0, 0), shape=(1, R, TY), padding_mode=ZERO).reshape((R, TY))
        total = total + ct.sum(mixed * ft, axis=0, keepdims=True)
    ct.store(y, index=(i, 0), tile=total)


# ---- a prefix that all queries share ---------------------------------------------------------------------------------
@ct.kernel
def prefix_whole(q, kp, vp, k, v, o, scale: float, D: Const, TP: Const, TN: Const):
    """One query of each sequence: scores with the prefix and with its own keys side by side; grid (sequences)."""
    i = ct.bid(0)
    qt = ct.load(q, index=(i, 0), shape=(1, D))
    kpt = ct.load(kp, index=(0, 0), shape=(TP, D), padding_mode=ZERO)
    kt = ct.load(k, index=(i, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    a = ct.sum(qt * kpt, axis=1, keepdims=True) * scale
    b = ct.sum(qt * kt, axis=1, keepdims=True) * scale
    a = ct.where(ct.arange(TP, dtype=ct.int32).reshape((TP, 1)) < kp.shape[0], a, -math.inf)
    b = ct.where(ct.arange(TN, dtype=ct.int32).reshape((TN, 1)) < k.shape[1], b, -math.inf)
    m = ct.maximum(ct.max(a), ct.max(b))
    a, b = ct.exp(a - m), ct.exp(b - m)
    vpt = ct.load(vp, index=(0, 0), shape=(TP, D), padding_mode=ZERO)
    vt = ct.load(v, index=(i, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    out = (ct.sum(a * vpt, axis=0) + ct.sum(b * vt, axis=0)) / (ct.sum(a) + ct.sum(b))
    ct.store(o, index=(i, 0), tile=out.reshape((1, D)))


@ct.kernel
def prefix_shared(q, kp, vp, o, lse, scale: float, D: Const, TM: Const, TN: Const):
    """All sequences' queries against the prefix by mma, normalised, with log-sum-exps to base 2; grid (blocks)."""
    i = ct.bid(0)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(i, 0), shape=(TM, D), padding_mode=ZERO)
    for j in range(ct.cdiv(kp.shape[0], TN)):
        kt = ct.load(kp, index=(j, 0), shape=(TN, D), padding_mode=ZERO)
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < kp.shape[0], s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        alpha, e = ct.exp2(m - m_new), ct.exp2(s - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        acc = ct.mma(e, ct.load(vp, index=(j, 0), shape=(TN, D), padding_mode=ZERO), acc * alpha)
        m = m_new
    ct.store(o, index=(i, 0), tile=acc / l)
    ct.store(lse, index=(i,), tile=(m + ct.log2(l)).reshape((TM,)))


@ct.kernel
def prefix_own(q, k, v, o, lse, scale: float, D: Const, TN: Const):
    """Each query against its own keys, merged in place with what the prefix gave; grid (sequences)."""
    i = ct.bid(0)
    qt = ct.load(q, index=(i, 0), shape=(1, D))
    kt = ct.load(k, index=(i, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(i, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    s = ct.sum(qt * kt, axis=1, keepdims=True) * (scale * LOG2_E)
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((TN, 1)) < k.shape[1], s, -math.inf)
    before = ct.load(lse, index=(i,), shape=(1,)).reshape((1, 1))
    m = ct.maximum(before, ct.max(s, axis=0, keepdims=True))
    e = ct.exp2(s - m)
    w = ct.exp2(before - m)
    out = (ct.load(o, index=(i, 0), shape=(1, D)) * w + ct.sum(e * vt, axis=0, keepdims=True)) / (
        w + ct.sum(e, axis=0, keepdims=True)
    )
    ct.store(o, index=(i, 0), tile=out)


F1, F2, F3, F4 = (array(ct.float32, rank) for rank in (1, 2, 3, 4))
I1, I2, FLOAT, INT = array(ct.int32, 1), array(ct.int32, 2), ct.float32, ct.int32
KERNELS = {
    "attention_rows": (attention_rows, [F3, F3, F3, F3, F2, FLOAT, 16, 16, 64]),
    "ring_step": (ring_step, [F3, F3, F3, F3, F2, F2, FLOAT, INT, 4, 16, 16]),
    "ring_block": (ring_block, [F3, F3, F3, F3, F2, FLOAT, INT, 4, 16, 16]),
    "ring_merge": (ring_merge, [F3, F2, F3, F2, 16, 8]),
    "attention_causal": (attention_causal, [F3, F3, F3, F3, FLOAT, 16, 16, 64]),
    "zigzag": (zigzag, [F3, F3, F3, F3, FLOAT, 2, 16, 16]),
    "decode_ragged": (decode_ragged, [F3, F4, F4, I1, F3, FLOAT, 16, 64]),
    "fill_pages": (fill_pages, [F4, I2, I1, F4, 2, 16, 8]),
    "fill_slots": (fill_slots, [F4, I2, I1, F4, 2, 16, 8]),
    "decode_dirty": (decode_dirty, [F3, F4, F4, I2, I1, F3, FLOAT, 16, 8]),
    "decode_pages": (decode_pages, [F3, F4, F4, I2, I1, F3, FLOAT, 16, 8]),
    "decode_slots": (decode_slots, [F3, F4, F4, I2, I1, F3, FLOAT, 2, 16, 8, 16]),
    "split_pages": (split_pages, [F3, F4, F4, I2, I1, F4, F3, FLOAT, 2, 16, 8]),
    "merge_splits": (merge_splits, [F4, F3, F3, 4, 16]),
    "packed_masked": (packed_masked, [F3, F3, F3, I1, F3, FLOAT, 3, 16, 16, 128]),
    "packed_flash": (packed_flash, [F3, F3, F3, I1, F3, FLOAT, 16, 16, 8]),
    "packed_mean": (packed_mean, [F2, I1, F2, 128, 32]),
    "packed_weights": (packed_weights, [I1, F2, 32]),
    "pooled_product": (pooled_product, [F2, F2, F2, 4, 16, 32]),
    "append_scatter": (append_scatter, [F2, I1, F2, 4, 32]),
    "append_copy": (append_copy, [F2, I1, F2, F2, 16, 32]),
    "row_sums": (row_sums, [F2, F1, 8, 32]),
    "project": (project, [F2, F3, F3, 16, 16, 32]),
    "latent_explicit": (latent_explicit, [F3, F3, F3, F2, F3, F3, FLOAT, 16, 8, 16, 64]),
    "latent_absorbed": (latent_absorbed, [F3, F3, F2, F2, F3, F3, F3, FLOAT, 16, 8, 32, 16, 16]),
    "output_explicit": (output_explicit, [F3, F3, F2, 16, 16, 32]),
    "fold_output": (fold_output, [F3, F3, F3, 16, 32, 32]),
    "latent_folded": (latent_folded, [F3, F3, F2, F2, F3, F3, F2, FLOAT, 16, 8, 32, 64, 32]),
    "prefix_whole": (prefix_whole, [F2, F2, F2, F3, F3, F2, FLOAT, 16, 64, 16]),
    "prefix_shared": (prefix_shared, [F2, F2, F2, F2, F1, FLOAT, 16, 4, 16]),
    "prefix_own": (prefix_own, [F2, F3, F3, F2, F1, FLOAT, 16, 16]),
}

SCALE = "f32 0.25"
# Queries and keys in blocks of 16: ragged, whole, with one in the last; a single block; one. Four devices have 64.
DEVICES, LATENTS = {"N": [57, 64, 49]}, {"N": [43, 64, 33, 16, 1]}
BY_8, BY_16 = "cdiv(N, 8)", "cdiv(N, 16)"
HEADS = {name: buffer("f32", [2, "N", 16], NORMAL) for name in ("Q", "K", "V")}
RING = HEADS | {"O": buffer("f32", [2, "N", 16]), "LSE": buffer("f32", [2, "N"])}
PARTS = {"M": buffer("f32", [2, "N"]), "L": buffer("f32", [2, "N"])}
RAGGED = {
    "Q": buffer("f32", [3, 2, 16], NORMAL),
    "K": buffer("f32", [3, 52, 2, 16], NORMAL),
    "V": buffer("f32", [3, 52, 2, 16], NORMAL),
    "LENGTHS": buffer("i32", [3], given("ragged_lengths.i32")),
    "TABLE": buffer("i32", [3, 7], given("ragged_pages.i32")),
    "KP": buffer("f32", [16, 8, 2, 16], "{constant: 7}"),  # what an earlier user left in the pages
    "VP": buffer("f32", [16, 8, 2, 16], "{constant: 7}"),
    "O": buffer("f32", [3, 2, 16]),
}
FILL = [
    run("fill_pages", (3, 7), "K", "TABLE", "LENGTHS", "KP"),
    run("fill_pages", (3, 7), "V", "TABLE", "LENGTHS", "VP"),
]
PACKED = {name: buffer("f32", [98, 2, 16], NORMAL) for name in ("Q", "K", "V")} | {
    "STARTS": buffer("i32", [4], given("ragged_starts.i32")),
    "O": buffer("f32", [98, 2, 16]),
}
CACHE = {
    "X": buffer("f32", [11, 24], NORMAL),
    "SLOTS": buffer("i32", [11], given("slots.i32")),
    "OLD": buffer("f32", [40, 24], NORMAL),
}
LATENT = {
    "Q": buffer("f32", [3, 21, 16], NORMAL),
    "QR": buffer("f32", [3, 21, 8], NORMAL),
    "C": buffer("f32", ["N", 32], NORMAL),
    "KR": buffer("f32", ["N", 8], NORMAL),
    "WK": buffer("f32", [3, 16, 32], "{normal: {mean: 0, std: 0.2}}"),
    "WV": buffer("f32", [3, 16, 32], "{normal: {mean: 0, std: 0.2}}"),
    "K": buffer("f32", [3, "N", 16]),
    "V": buffer("f32", [3, "N", 16]),
    "O": buffer("f32", [3, 21, 16]),
}
EXPLICIT = [
    run("project", (BY_16, 3), "C", "WK", "K"),
    run("project", (BY_16, 3), "C", "WV", "V"),
    run("latent_explicit", (2, 3), "Q", "QR", "K", "KR", "V", "O", SCALE),
]

PAIRS = [
    pair(
        "ring",
        "attention, and keys and values from other devices step by step, with sums in memory",
        RING | PARTS,
        [run("attention_rows", (BY_16, 2), "Q", "K", "V", "O", "LSE", SCALE)],
        [run("ring_step", (BY_16, 2), "Q", "K", "V", "O", "M", "L", SCALE, f"i32 {step}") for step in range(4)],
        ["O"],
        [
            mutant(
                "same_block",
                "ring_step",
                "(device + step) % DEVICES",
                "(device + step * 2) % DEVICES",
                "blocks 0 and 2 twice",
            ),
            mutant(
                "values_stay",
                "ring_step",
                "ct.load(v, index=(head, source",
                "ct.load(v, index=(head, device",
                "values are not passed on",
            ),
            mutant("sum_not_rescaled", "ring_step", "l = l * alpha", "l = l", "the sum is not rescaled"),
            mutant("not_rescaled", "ring_step", "acc * alpha", "acc", "the accumulator is not rescaled"),
            mutant(
                "maximum_of_block",
                "ring_step",
                "tile=m_new.reshape",
                "tile=here.reshape",
                "the stored maximum is the block's",
            ),
            mutant(
                "mask_of_device",
                "ring_step",
                "inside = (source * T",
                "inside = (device * T",
                "masked by the device's own block",
            ),
            launched("one_step_twice", "i32 3", "i32 2", "the last step is the one before again"),
        ],
        names=("whole", "ring"),
        parameters=DEVICES,
    ),
    pair(
        "ring_merge",
        "attention, and blocks of other devices merged by log-sum-exps with a sigmoid",
        RING | {"PART": buffer("f32", [2, "N", 16]), "PART_LSE": buffer("f32", [2, "N"])},
        [run("attention_rows", (BY_16, 2), "Q", "K", "V", "O", "LSE", SCALE)],
        [run("ring_block", (BY_16, 2), "Q", "K", "V", "O", "LSE", SCALE, "i32 0")]
        + [
            launch
            for step in (3, 2, 1)
            for launch in (
                run("ring_block", (BY_16, 2), "Q", "K", "V", "PART", "PART_LSE", SCALE, f"i32 {step}"),
                run("ring_merge", (BY_8, 2), "PART", "PART_LSE", "O", "LSE"),
            )
        ],
        ["O", "LSE"],
        [
            mutant("sign", "ring_merge", "a - share * (a - b)", "a + share * (a - b)", "merged with the wrong sign"),
            mutant(
                "swapped", "ring_merge", "ct.exp(a_lse - b_lse)", "ct.exp(b_lse - a_lse)", "each has the other's weight"
            ),
            mutant(
                "lse_kept",
                "ring_merge",
                "a_lse - ct.log(1.0 - share)",
                "ct.maximum(a_lse, b_lse)",
                "the larger of the two log-sum-exps",
            ),
            mutant(
                "lse_share", "ring_merge", "ct.log(1.0 - share)", "ct.log(share)", "the part's share in the log-sum-exp"
            ),
            mutant("base_2", "ring_block", "m + ct.log(l)", "m + ct.log2(l)", "the logarithm to base 2"),
            mutant("plain_lse", "ring_block", "(m + ct.log(l))", "ct.log(l)", "log-sum-exp without the maximum"),
        ],
        names=("whole", "merged"),
        parameters=DEVICES,
    ),
    pair(
        "zigzag",
        "causal attention, and devices with one block from the front and one from the back, keys in ring order",
        HEADS | {"O": RING["O"]},
        [run("attention_causal", (BY_16, 2), "Q", "K", "V", "O", SCALE)],
        [run("zigzag", (2, 2), "Q", "K", "V", "O", SCALE)],
        ["O"],
        [
            mutant(
                "no_diagonal",
                "zigzag",
                "if source <= block",
                "if source <= ct.maximum(block - 1, 0)",
                "the block itself is skipped",
            ),
            mutant(
                "causal_in_device",
                "zigzag",
                "if source <= block",
                "if source <= device",
                "blocks before the device only",
            ),
            mutant(
                "row_of_device",
                "zigzag",
                "<= (block * T + place)",
                "<= (device * T + place)",
                "positions of the first half",
            ),
            mutant("not_rescaled", "zigzag", "acc * alpha", "acc", "the accumulator is not rescaled"),
            mutant("order", "zigzag", "(block - step + 2", "(block - step // 2 + 2", "each block of keys twice"),
            mutant(
                "one_row",
                "zigzag",
                "if block * T < q.shape[1]:",
                "if block * T + 1 < q.shape[1]:",
                "a last block with a single query is left out",
            ),
        ],
        names=("whole", "zigzag"),
        parameters=DEVICES,
    ),
    pair(
        "pages",
        "one query against ragged sequences, and page by page through a table",
        RAGGED,
        [run("decode_ragged", (3, 2), "Q", "K", "V", "LENGTHS", "O", SCALE)],
        [*FILL, run("decode_pages", (3, 2), "Q", "KP", "VP", "TABLE", "LENGTHS", "O", SCALE)],
        ["O"],
        [
            mutant(
                "page",
                "decode_pages",
                "ct.load(v_pages, index=(page,",
                "ct.load(v_pages, index=(j,",
                "values by position",
            ),
            mutant(
                "sequence",
                "decode_pages",
                "ct.load(table, index=(i, j)",
                "ct.load(table, index=(0, j % 5)",
                "pages of the first sequence",
            ),
            mutant(
                "full_pages",
                "decode_pages",
                "range(ct.cdiv(length, PAGE))",
                "range(length // PAGE)",
                "the last page is left out",
            ),
            mutant(
                "no_mask",
                "decode_pages",
                "< length, s, -math.inf)",
                "< length + PAGE, s, -math.inf)",
                "what is behind the end counts",
            ),
            mutant(
                "one_less",
                "decode_pages",
                "< length, s, -math.inf)",
                "< length - 1, s, -math.inf)",
                "the newest key is not seen",
            ),
            mutant("not_rescaled", "decode_pages", "acc = acc * alpha", "acc = acc", "the accumulator is not rescaled"),
            mutant(
                "first_page",
                "fill_pages",
                "x, index=(i, j, 0, 0)",
                "x, index=(i, j // 2 * 2, 0, 0)",
                "every second page is the one before",
            ),
        ],
        names=("contiguous", "pages"),
    ),
    pair(
        "dirty_pages",
        "one query against ragged sequences, and pages that hold anything behind the end",
        RAGGED | {"KP": buffer("f32", [16, 8, 2, 16]), "VP": buffer("f32", [16, 8, 2, 16])},
        [run("decode_ragged", (3, 2), "Q", "K", "V", "LENGTHS", "O", SCALE)],
        [
            run("fill_slots", (3, 7), "K", "TABLE", "LENGTHS", "KP"),
            run("fill_slots", (3, 7), "V", "TABLE", "LENGTHS", "VP"),
            run("decode_dirty", (3, 2), "Q", "KP", "VP", "TABLE", "LENGTHS", "O", SCALE),
        ],
        ["O"],
        [
            mutant("values", "decode_dirty", "        vt = ct.where(inside, vt, 0.0)\n", "", "weight 0 times anything"),
            mutant(
                "masked_keys",
                "decode_dirty",
                "ct.where(inside, ct.sum(qt * kt, axis=1, keepdims=True) * scale, -math.inf)",
                "ct.sum(qt * kt, axis=1, keepdims=True) * scale + ct.where(inside, 0.0, -1.0e6)",
                "a penalty added to anything",
            ),
            mutant(
                "order",
                "decode_dirty",
                "ct.load(table, index=(i, j)",
                "ct.load(table, index=(i, ct.cdiv(length, PAGE) - 1 - j)",
                "pages from the last one on",
            ),
            launched(
                "one_page_less",
                "grid: [3, 7], args: [V",
                "grid: [3, 6], args: [V",
                "the last page of the values is not there",
            ),
        ],
        names=("contiguous", "pages"),
    ),
    pair(
        "slots",
        "page by page through a table, and 16 keys at a time gathered from their slots, all heads at once",
        RAGGED,
        [*FILL, run("decode_pages", (3, 2), "Q", "KP", "VP", "TABLE", "LENGTHS", "O", SCALE)],
        [*FILL, run("decode_slots", (3,), "Q", "KP", "VP", "TABLE", "LENGTHS", "O", SCALE)],
        ["O"],
        [
            mutant("place", "decode_slots", "(position % PAGE)", "(position % (PAGE // 2))", "only half of each page"),
            mutant("page", "decode_slots", "position // PAGE)", "position // TN)", "pages twice as long"),
            mutant("mask", "decode_slots", "inside = position < length", "inside = position <= length", "one key more"),
            mutant(
                "stale",
                "decode_slots",
                "        m = m_new\n",
                "",
                "the maximum is not kept",
                ("l = l * alpha", "l = l * ct.exp2(m_new - m_new)"),
            ),
            mutant(
                "heads",
                "decode_slots",
                "vt = ct.gather(v_pages, (page, place, head,",
                "vt = ct.gather(v_pages, (page, place, 1 - head,",
                "the other head's values",
            ),
        ],
        names=("pages", "slots"),
    ),
    pair(
        "split_pages",
        "one query against ragged sequences, and split over pages and merged; short sequences leave splits empty",
        RAGGED | {"PART": buffer("f32", [3, 2, 4, 16]), "LSE": buffer("f32", [3, 2, 4])},
        [run("decode_ragged", (3, 2), "Q", "K", "V", "LENGTHS", "O", SCALE)],
        [
            *FILL,
            run("split_pages", (3, 2, 4), "Q", "KP", "VP", "TABLE", "LENGTHS", "PART", "LSE", SCALE),
            run("merge_splits", (3, 2), "PART", "LSE", "O"),
        ],
        ["O"],
        [
            mutant(
                "last_page",
                "split_pages",
                "min((split + 1) * SHARE, pages)",
                "min((split + 1) * SHARE, pages - 1)",
                "the last page is left out",
                ("if split * SHARE < pages", "if split * SHARE < pages - 1"),
            ),
            mutant(
                "empty_counts",
                "split_pages",
                "ct.full((1, 1, 1), -math.inf",
                "ct.full((1, 1, 1), 0.0",
                "empty splits have a weight",
            ),
            mutant(
                "mean",
                "merge_splits",
                "w = ct.exp(lt - ct.max(lt, axis=0, keepdims=True))",
                "w = ct.where(lt > -math.inf, 1.0, 0.0)",
                "the mean of the splits",
            ),
            mutant("no_maximum", "split_pages", "(m + ct.log(l))", "ct.log(l)", "log-sum-exp without the maximum"),
            mutant("not_normalised", "merge_splits", " / ct.sum(w))", ")", "weights do not add up to 1"),
        ],
        names=("contiguous", "split"),
    ),
    pair(
        "packed",
        "three causal sequences in one array masked by their numbers, and in blocks from each one's start",
        PACKED,
        [run("packed_masked", (7, 2), "Q", "K", "V", "STARTS", "O", SCALE)],
        [run("packed_flash", (4, 2, 3), "Q", "K", "V", "STARTS", "O", SCALE)],
        ["O"],
        [
            mutant(
                "from_start",
                "packed_flash",
                "column = start + j * TN",
                "column = j * TN",
                "keys from the start of the array",
            ),
            mutant(
                "next_sequence",
                "packed_flash",
                "column.reshape((1, TN)) <= row",
                "column.reshape((1, TN)) - 1 <= row",
                "a query sees the next key",
            ),
            mutant(
                "previous",
                "packed_flash",
                "row = start + block * TM",
                "row = ct.maximum(start - 1, 0) + block * TM",
                "a row before the start",
            ),
            mutant(
                "one_block",
                "packed_flash",
                "range(ct.cdiv((block + 1) * TM, TN))",
                "range(1, ct.cdiv((block + 1) * TM, TN))",
                "the first keys are left out",
                ("m = ct.full((TM, 1), -math.inf", "m = ct.full((TM, 1), -100.0"),
            ),
            mutant("sum_not_rescaled", "packed_flash", "l = l * alpha", "l = l", "the sum is not rescaled"),
        ],
        names=("masked", "flash"),
    ),
    pair(
        "pooling",
        "means of ragged sequences by masks, and by a product with weights",
        {
            "X": buffer("f32", [98, 24], NORMAL),
            "STARTS": PACKED["STARTS"],
            "W": buffer("f32", [3, 98]),
            "Y": buffer("f32", [3, 24]),
        },
        [run("packed_mean", (3,), "X", "STARTS", "Y")],
        [run("packed_weights", (3, 4), "STARTS", "W"), run("pooled_product", (2,), "W", "X", "Y")],
        ["Y"],
        [
            mutant("end", "packed_weights", "(row < end)", "(row <= end)", "one row too many"),
            mutant("length", "packed_weights", "(end - start)", "(end - start + 1)", "divided by one more"),
            mutant(
                "all_rows",
                "packed_weights",
                "(row >= start) & (row < end)",
                "row < end",
                "rows of earlier sequences too",
            ),
            mutant(
                "last_block",
                "pooled_product",
                "range(ct.cdiv(x.shape[0], TK))",
                "range(x.shape[0] // TK)",
                "the last rows are left out",
            ),
        ],
        names=("masks", "product"),
    ),
    pair(
        "append",
        "new rows scattered into a cache in place, and a new cache written row by row",
        CACHE | {"CACHE": buffer("f32", [40, 24]), "S": buffer("f32", [40])},
        [run("append_copy", (40,), "X", "SLOTS", "OLD", "CACHE"), run("row_sums", (5,), "CACHE", "S")],
        [run("append_scatter", (3,), "X", "SLOTS", "OLD"), run("row_sums", (5,), "OLD", "S")],
        ["S"],
        [
            mutant(
                "slots",
                "append_scatter",
                "ct.gather(slots, (row,)",
                "ct.gather(slots, (row ^ 1,)",
                "neighbours are swapped",
            ),
            mutant(
                "last_rows",
                "append_scatter",
                "inside = row < x.shape[0]",
                "inside = row < x.shape[0] // TM * TM",
                "the last rows are not stored",
            ),
            mutant(
                "padding",
                "append_scatter",
                "t, mask=inside.reshape((TM, 1)))",
                "t)",
                "rows behind the end go to slot 0",
            ),
            mutant(
                "added",
                "append_scatter",
                "ct.scatter(cache, (slot, column), t, mask",
                "ct.scatter(cache, (slot, column), t + ct.gather(cache, (slot, column), mask=inside.reshape((TM, 1))), mask",
                "added to what was there",
            ),
        ],
        names=("copied", "in_place"),
    ),
    pair(
        "latent",
        "latent attention with keys and values of each head, and absorbed into queries and results",
        LATENT,
        EXPLICIT,
        [run("latent_absorbed", (2, 3), "Q", "QR", "C", "KR", "WK", "WV", "O", SCALE)],
        ["O"],
        [
            mutant(
                "values_for_keys",
                "latent_absorbed",
                "ct.load(wk, index",
                "ct.load(wv, index",
                "the values' matrix for the keys",
            ),
            mutant(
                "no_rotary",
                "latent_absorbed",
                "s = ct.mma(ql, ct.transpose(ckv), s)",
                "s = ct.mma(ql, ct.transpose(ckv), ct.full((TM, TN), 0.0, dtype=ct.float32))",
                "rotary scores are dropped",
            ),
            mutant(
                "rotary_block",
                "latent_absorbed",
                "ct.load(kr, index=(j, 0)",
                "ct.load(kr, index=(0, 0)",
                "always the first rotary keys",
            ),
            mutant(
                "scale_of_one",
                "latent_absorbed",
                "s = ct.mma(ql, ct.transpose(ckv), s) * (scale * LOG2_E)",
                "s = ct.mma(ql * scale, ct.transpose(ckv), s) * LOG2_E",
                "rotary scores are not scaled",
            ),
            mutant(
                "head",
                "latent_absorbed",
                "ct.load(wv, index=(head,",
                "ct.load(wv, index=(0,",
                "the first head's values",
            ),
            mutant(
                "no_tail",
                "latent_absorbed",
                "range(ct.cdiv(c.shape[0], TN))",
                "range(c.shape[0] // TN)",
                "the last keys are left out",
            ),
            mutant(
                "one_key",
                "latent_absorbed",
                "range(ct.cdiv(c.shape[0], TN))",
                "range(ct.cdiv(c.shape[0] - 1, TN))",
                "a last block with a single key is skipped",
            ),
            mutant(
                "key_more",
                "latent_absorbed",
                "reshape((1, TN)) < c.shape[0]",
                "reshape((1, TN)) <= c.shape[0]",
                "a key behind the end counts",
            ),
        ],
        names=("explicit", "absorbed"),
        parameters=LATENTS,
    ),
    pair(
        "latent_folded",
        "latent attention and its output with all matrices, and latents as values with the output's matrix folded",
        LATENT
        | {
            "WO": buffer("f32", [3, 16, 24], "{normal: {mean: 0, std: 0.3}}"),
            "WF": buffer("f32", [3, 32, 24]),
            "Y": buffer("f32", [21, 24]),
        },
        [*EXPLICIT, run("output_explicit", (2,), "O", "WO", "Y")],
        [
            run("fold_output", (3,), "WV", "WO", "WF"),
            run("latent_folded", (21,), "Q", "QR", "C", "KR", "WK", "WF", "Y", SCALE),
        ],
        ["Y"],
        [
            mutant(
                "one_head", "latent_folded", "range(q.shape[0])", "range(q.shape[0] - 1)", "the last head is left out"
            ),
            mutant(
                "not_added",
                "latent_folded",
                "total = total + ct.sum(mixed",
                "total = ct.sum(mixed",
                "only the last head",
            ),
            mutant(
                "folded_head",
                "fold_output",
                "ct.load(wo, index=(head,",
                "ct.load(wo, index=(0,",
                "the first head's output",
            ),
            mutant(
                "query_head",
                "latent_folded",
                "ct.load(qr, index=(head,",
                "ct.load(qr, index=(0,",
                "the first head's rotary query",
            ),
            mutant(
                "padding",
                "latent_folded",
                "s = ct.where(inside, s, -math.inf)",
                "s = ct.where(inside, s, 0.0)",
                "keys behind the end count",
            ),
            mutant(
                "key_more",
                "latent_folded",
                "reshape((1, TN)) < c.shape[0]",
                "reshape((1, TN)) <= c.shape[0]",
                "a key behind the end counts",
            ),
        ],
        names=("explicit", "folded"),
        parameters=LATENTS,
    ),
    pair(
        "prefix",
        "scores with a shared prefix and own keys side by side, and the prefix for all queries first",
        {
            "Q": buffer("f32", [7, 16], NORMAL),
            "KP": buffer("f32", ["N", 16], NORMAL),
            "VP": buffer("f32", ["N", 16], NORMAL),
            "K": buffer("f32", [7, 11, 16], "{normal: {mean: 0, std: 4}}"),
            "V": buffer("f32", [7, 11, 16], NORMAL),
            "O": buffer("f32", [7, 16]),
            "LSE": buffer("f32", [7]),
        },
        [run("prefix_whole", (7,), "Q", "KP", "VP", "K", "V", "O", SCALE)],
        [
            run("prefix_shared", (2,), "Q", "KP", "VP", "O", "LSE", SCALE),
            run("prefix_own", (7,), "Q", "K", "V", "O", "LSE", SCALE),
        ],
        ["O"],
        [
            mutant("base_e", "prefix_shared", "m + ct.log2(l)", "m + ct.log(l)", "the logarithm to base e"),
            mutant(
                "prefix_unweighted", "prefix_own", "shape=(1, D)) * w +", "shape=(1, D)) +", "the prefix has weight 1"
            ),
            mutant("not_in_sum", "prefix_own", "w + ct.sum(e,", "ct.sum(e,", "the prefix is not in the sum"),
            mutant("own_scale", "prefix_own", "(scale * LOG2_E)", "scale", "own scores lack log2(e)"),
            mutant(
                "last_block",
                "prefix_shared",
                "range(ct.cdiv(kp.shape[0], TN))",
                "range(kp.shape[0] // TN)",
                "the end of the prefix is left out",
            ),
            mutant(
                "key_more",
                "prefix_shared",
                "reshape((1, TN)) < kp.shape[0]",
                "reshape((1, TN)) <= kp.shape[0]",
                "a key behind the prefix counts",
            ),
        ],
        names=("whole", "cascade"),
        parameters={"N": [53, 64, 54, 1]},
    ),
]
