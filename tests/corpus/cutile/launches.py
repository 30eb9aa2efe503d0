# SPDX-License-Identifier: Apache-2.0
# Kernels that follow each other without a pause: waiting for the one before, letting the next one begin.
import cuda.tile as ct
from export import array


@ct.kernel
def first(x, y):
    i = ct.bid(0)
    ct.grid_dependency_control_launch_dependents()
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(8,)) * 2.0)


@ct.kernel
def second(x, weights, y):
    """What does not depend on the kernel before is loaded before the wait."""
    i = ct.bid(0)
    w = ct.load(weights, index=(i,), shape=(8,))
    ct.grid_dependency_control_wait()
    a = ct.load(x, index=(i,), shape=(8,)) * w
    if i == ct.num_blocks(0) - 1:
        ct.grid_dependency_control_launch_dependents()
    ct.store(y, index=(i,), tile=a)


@ct.kernel
def only_waits():
    ct.grid_dependency_control_wait()


F32 = array(ct.float32, 1)
EXPORTS = {
    "launch_first": (first, [F32, F32]),
    "launch_second": (second, [F32, F32, F32]),
    "launch_waits": (only_waits, []),
}
