# SPDX-License-Identifier: Apache-2.0
# Another kernel of the name `scale`, in another module.
import cuda.tile as ct


@ct.kernel
def scale(x, y, s, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=s * ct.load(x, index=(i,), shape=(T,)) + 1)
