# SPDX-License-Identifier: Apache-2.0
# Blocks that wait for one that fails.
import cuda.tile as ct
from export import array


@ct.kernel
def fails_before_others(x, count):
    i = ct.bid(0)
    ct.assert_(ct.gather(x, i) != 5, "five")
    ct.atomic_add(count, 0, 1)
    while ct.atomic_add(count, 0, 0) < ct.num_blocks(0):
        pass


EXPORTS = {"fails_before_others": (fails_before_others, [array(ct.float32, 1), array(ct.int32, 1)])}
