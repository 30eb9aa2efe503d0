# SPDX-License-Identifier: Apache-2.0
# Rows that blocks store in the order in which they come.
import cuda.tile as ct
from export import array


@ct.kernel
def copy_by_arrival(x, count, y):
    n = ct.atomic_add(count, 0, 1, memory_order=ct.MemoryOrder.RELAXED)
    ct.store(y, index=(n,), tile=ct.load(x, index=(ct.bid(0),), shape=(32,)))


EXPORTS = {"copy_by_arrival": (copy_by_arrival, [array(ct.float32, 1), array(ct.int32, 1), array(ct.float32, 1)])}
