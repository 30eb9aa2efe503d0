# SPDX-License-Identifier: Apache-2.0
# Kernels that print: cuTile's printf and print, which hold a lock in a global while they do.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def print_tiles(x, h, n, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    u = ct.load(h, index=(i,), shape=(T,))
    k = ct.load(n, index=(i,), shape=(T,))
    ct.printf("block %d: %.5f 100%%\n", i, t)
    ct.printf("%+8.2e|%-7i|%x\n", u, k, k)
    print(f"{(t * t).reshape((2, T // 2))} and {ct.sum(k)}")
    ct.store(y, index=(i,), tile=t * t)


EXPORTS = {
    "print_tiles": (print_tiles, [array(ct.float32, 1), array(ct.float16, 1), array(ct.int16, 1), array(ct.float32, 1), 4]),
}
