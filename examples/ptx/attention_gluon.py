# SPDX-License-Identifier: Apache-2.0
# Flash attention for Blackwell in Gluon: scores, weights and the accumulator are in tensor memory, tcgen05 multiplies.
# The same formula as `flash` of examples/attention/attention.py.
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_mma
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@gluon.jit
def attention(qd, kd, vd, od, queries, keys, scale, GROUP: gl.constexpr, RESCALED: gl.constexpr):
    """o = softmax(q k^T scale) v in base 2, GROUP query heads for each key head; grid (query blocks, heads).

    The maps see all heads of a tensor as one matrix. RESCALED: how many columns of the accumulator are rescaled when
    the maximum grows; all of them, but for the bug of bug_attention.yaml."""
    TM: gl.constexpr = qd.block_type.shape[0]
    D: gl.constexpr = qd.block_type.shape[1]
    TN: gl.constexpr = kd.block_type.shape[0]
    block, head = gl.program_id(0), gl.program_id(1)
    q = gl.allocate_shared_memory(qd.dtype, qd.block_type.shape, qd.layout)
    k = gl.allocate_shared_memory(kd.dtype, kd.block_type.shape, kd.layout)
    v = gl.allocate_shared_memory(vd.dtype, vd.block_type.shape, vd.layout)
    loaded = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    scored = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    added = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(loaded, count=1)
    mbarrier.init(scored, count=1)
    mbarrier.init(added, count=1)
    scores = allocate_tensor_memory(gl.float32, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    weights = allocate_tensor_memory(qd.dtype, [TM, TN], TensorMemoryLayout([TM, TN], col_stride=1))
    acc = allocate_tensor_memory(gl.float32, [TM, D], TensorMemoryLayout([TM, D], col_stride=1))
    s_layout: gl.constexpr = scores.get_reg_layout()
    o_layout: gl.constexpr = acc.get_reg_layout()
    rows: gl.constexpr = gl.SliceLayout(1, s_layout)
    m = gl.full([TM], float("-inf"), gl.float32, rows)  # running maximum
    l = gl.zeros([TM], gl.float32, rows)  # running sum
    acc.store(gl.zeros([TM, D], gl.float32, o_layout))
    scaled_part = acc.slice(0, RESCALED)
    part_layout: gl.constexpr = scaled_part.get_reg_layout()
    row, first_key = head * queries + block * TM, head // GROUP * keys
    mbarrier.expect(loaded, qd.block_type.nbytes)
    tma.async_load(qd, [row, 0], loaded, q)
    mbarrier.wait(loaded, 0)
    phase = 0
    for j in range(0, keys, TN):
        mbarrier.expect(loaded, kd.block_type.nbytes + vd.block_type.nbytes)
        tma.async_load(kd, [first_key + j, 0], loaded, k)
        tma.async_load(vd, [first_key + j, 0], loaded, v)
        mbarrier.wait(loaded, phase ^ 1)
        tcgen05_mma(q, k.permute((1, 0)), scores, use_acc=False, mbarriers=[scored])
        mbarrier.wait(scored, phase)
        s = scores.load(s_layout) * scale
        m_new = gl.maximum(m, gl.max(s, 1))
        p = gl.exp2(s - m_new[:, None])
        alpha = gl.exp2(m - m_new)
        l = l * alpha + gl.sum(p, 1)
        m = m_new
        weights.store(p.to(qd.dtype))
        factor = gl.convert_layout(alpha, gl.SliceLayout(1, part_layout))
        scaled_part.store(scaled_part.load(part_layout) * factor[:, None])
        tcgen05_mma(weights, v, acc, use_acc=True, mbarriers=[added])
        mbarrier.wait(added, phase)
        phase ^= 1
    mbarrier.invalidate(loaded)
    mbarrier.invalidate(scored)
    mbarrier.invalidate(added)
    out = gl.allocate_shared_memory(od.dtype, od.block_type.shape, od.layout)
    sum = gl.convert_layout(l, gl.SliceLayout(1, o_layout))
    out.store((acc.load(o_layout) / sum[:, None]).to(od.dtype))
    fence_async_shared()
    tma.async_store(od, [row, 0], out)
    tma.store_wait(0)
