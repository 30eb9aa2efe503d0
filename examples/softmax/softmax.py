# SPDX-License-Identifier: Apache-2.0
# Softmax of rows with exp, with exp2 of x log2(e), and in one pass over column blocks.
import math

import cuda.tile as ct
from export import array

Const = ct.Constant[int]

LOG2_E = math.log2(math.e)


@ct.kernel
def softmax_exp(x, y, TM: Const, TN: Const):
    """TN at least the row's length; grid (row blocks)."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.where(inside, ct.exp(t - ct.max(t, axis=1, keepdims=True)), 0.0)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_exp2(x, y, TM: Const, TN: Const):
    """As softmax_exp, with exp(t) written as 2^(t log2(e)): equal in payload algebra too, for float32's log2(e)."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ct.PaddingMode.NEG_INF)
    t = t * LOG2_E
    e = ct.where(inside, ct.exp2(t - ct.max(t, axis=1, keepdims=True)), 0.0)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_exp2_after(x, y, TM: Const, TN: Const):
    """As softmax_exp2, but the maximum is taken before the scaling."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ct.PaddingMode.NEG_INF)
    t = (t - ct.max(t, axis=1, keepdims=True)) * LOG2_E
    e = ct.where(inside, ct.exp2(t), 0.0)
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def softmax_online(x, y, TM: Const, TN: Const):
    """As softmax_exp, in blocks of TN columns with a running maximum and sum, for lengths that are multiples of TN."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN))
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        l = l * ct.exp(m - m_new) + ct.sum(ct.exp(t - m_new), axis=1, keepdims=True)
        m = m_new
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN))
        ct.store(y, index=(i, j), tile=ct.exp(t - m) / l)


FLOAT = array(ct.float32, 2)
EXPORTS = {
    "softmax_exp": (softmax_exp, [FLOAT, FLOAT, 4, 512]),
    "softmax_exp2": (softmax_exp2, [FLOAT, FLOAT, 4, 512]),
    "softmax_exp2_after": (softmax_exp2_after, [FLOAT, FLOAT, 4, 512]),
    "softmax_online": (softmax_online, [FLOAT, FLOAT, 16, 64]),
}
