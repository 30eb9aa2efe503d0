# SPDX-License-Identifier: Apache-2.0
# Flash attention for Blackwell in Gluon, whose warps have a task each: one warp loads, one issues products, four do the softmax. Scores,
# weights and the accumulator are in tensor memory. The same formula as `flash` of examples/attention/attention.py, and `attention` of
# examples/triton/attention.py.
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_mma
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def load_blocks(qd, kd, vd, q, k, v, q_full, k_full, v_full, k_empty, v_empty, row, key, rounds, STAGES: gl.constexpr):
    TN: gl.constexpr = kd.block_type.shape[0]
    mbarrier.expect(q_full, qd.nbytes_per_cta)
    tma.async_load(qd, [row, 0], q_full, q)
    for r in range(rounds):
        slot, phase = r % STAGES, r // STAGES & 1
        mbarrier.wait(k_empty.index(slot), phase ^ 1)
        mbarrier.expect(k_full.index(slot), kd.nbytes_per_cta)
        tma.async_load(kd, [key + r * TN, 0], k_full.index(slot), k.index(slot))
        mbarrier.wait(v_empty.index(slot), phase ^ 1)
        mbarrier.expect(v_full.index(slot), vd.nbytes_per_cta)
        tma.async_load(vd, [key + r * TN, 0], v_full.index(slot), v.index(slot))


@gluon.jit
def multiply_blocks(q, k, v, scores, weights, acc, q_full, k_full, v_full, k_empty, v_empty, scored, weighted, added, rounds,
                    STAGES: gl.constexpr):
    """The scores of the next block are made while the softmax of this one is."""
    mbarrier.wait(q_full, 0)
    mbarrier.wait(k_full.index(0), 0)
    tcgen05_mma(q, k.index(0).permute((1, 0)), scores.index(0), use_acc=False, mbarriers=[scored.index(0), k_empty.index(0)])
    for r in range(rounds):
        ahead = r + 1
        slot = ahead % STAGES
        more = ahead < rounds
        mbarrier.wait(k_full.index(slot), ahead // STAGES & 1, pred=more)
        tcgen05_mma(q, k.index(slot).permute((1, 0)), scores.index(ahead & 1), use_acc=False, pred=more,
                    mbarriers=[scored.index(ahead & 1), k_empty.index(slot)], mbarrier_preds=[more, more])
        here = r % STAGES
        mbarrier.wait(v_full.index(here), r // STAGES & 1)
        mbarrier.wait(weighted, r & 1)
        tcgen05_mma(weights, v.index(here), acc, use_acc=True, mbarriers=[added, v_empty.index(here)])


@gluon.jit
def softmax_blocks(o, scores, weights, acc, scored, weighted, added, scale, row, rounds, WAITS: gl.constexpr):
    TM: gl.constexpr = acc.shape[0]
    D: gl.constexpr = acc.shape[1]
    s_layout: gl.constexpr = scores.index(0).get_reg_layout()
    o_layout: gl.constexpr = acc.get_reg_layout()
    rows: gl.constexpr = gl.SliceLayout(1, s_layout)
    m = gl.full([TM], float("-inf"), gl.float32, rows)  # running maximum
    l = gl.zeros([TM], gl.float32, rows)  # running sum
    for r in range(rounds):
        mbarrier.wait(scored.index(r & 1), r // 2 & 1)
        s = scores.index(r & 1).load(s_layout) * scale
        m_new = gl.maximum(m, gl.max(s, 1))
        p = gl.exp2(s - m_new[:, None])
        alpha = gl.exp2(m - m_new)
        l = l * alpha + gl.sum(p, 1)
        m = m_new
        if WAITS:
            mbarrier.wait(added, r & 1 ^ 1)  # the product before has read the weights and is in the accumulator
        weights.store(gl.convert_layout(p.to(gl.float16), weights.get_reg_layout()))
        acc.store(acc.load(o_layout) * gl.convert_layout(alpha, gl.SliceLayout(1, o_layout))[:, None])
        mbarrier.arrive(weighted, count=1)
    mbarrier.wait(added, rounds - 1 & 1)
    result = acc.load(o_layout) / gl.convert_layout(l, gl.SliceLayout(1, o_layout))[:, None]
    i = row + gl.arange(0, TM, gl.SliceLayout(1, o_layout))[:, None]
    gl.store(o + i * D + gl.arange(0, D, gl.SliceLayout(0, o_layout))[None, :], result.to(gl.float16))


@gluon.jit
def attention(qd, kd, vd, o, queries, keys, scale, GROUP: gl.constexpr, STAGES: gl.constexpr, WAITS: gl.constexpr):
    """o = softmax(q k^T scale) v in base 2, GROUP query heads for each key head; grid (query blocks, heads).

    The descriptors see all heads of a tensor as one matrix. WAITS: the softmax waits for the product of the block before; it always has
    to, but for the bug of bug_attention.yaml."""
    TM: gl.constexpr = qd.block_type.shape[0]
    D: gl.constexpr = qd.block_type.shape[1]
    TN: gl.constexpr = kd.block_type.shape[0]
    row = gl.program_id(1) * queries + gl.program_id(0) * TM
    key = gl.program_id(1) // GROUP * keys
    q = gl.allocate_shared_memory(qd.dtype, qd.block_type.shape, qd.layout)
    k = gl.allocate_shared_memory(kd.dtype, [STAGES] + kd.block_type.shape, kd.layout)
    v = gl.allocate_shared_memory(vd.dtype, [STAGES] + vd.block_type.shape, vd.layout)
    scores = allocate_tensor_memory(gl.float32, [2, TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    weights = allocate_tensor_memory(gl.float16, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    acc = allocate_tensor_memory(gl.float32, [TM, D], TensorMemoryLayout([TM, D], col_stride=1))
    q_full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    weighted = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    added = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    scored = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    k_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    v_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    k_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    v_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    mbarrier.init(q_full, count=1)
    mbarrier.init(weighted, count=1)
    mbarrier.init(added, count=1)
    for i in gl.static_range(2):
        mbarrier.init(scored.index(i), count=1)
    for i in gl.static_range(STAGES):
        mbarrier.init(k_full.index(i), count=1)
        mbarrier.init(v_full.index(i), count=1)
        mbarrier.init(k_empty.index(i), count=1)
        mbarrier.init(v_empty.index(i), count=1)
    acc.store(gl.zeros([TM, D], gl.float32, acc.get_reg_layout()))
    rounds = keys // TN
    gl.warp_specialize([
        (softmax_blocks, (o, scores, weights, acc, scored, weighted, added, scale, row, rounds, WAITS)),
        (load_blocks, (qd, kd, vd, q, k, v, q_full, k_full, v_full, k_empty, v_empty, row, key, rounds, STAGES)),
        (multiply_blocks, (q, k, v, scores, weights, acc, q_full, k_full, v_full, k_empty, v_empty, scored, weighted, added, rounds, STAGES)),
    ], [1, 1], [48, 48])
