# SPDX-License-Identifier: Apache-2.0
# The kernel of docs/host-abi.md: y = factor * x + offset, in blocks of 64. Exported like the examples: examples/export.sh docs/host_abi_example
import cuda.tile as ct
from export import array


@ct.kernel
def scale(x, y, factor, offset):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(64,)) * factor + offset)


EXPORTS = {"scale": (scale, [array(ct.float32, 1), array(ct.float32, 1), ct.float32, ct.float32])}
