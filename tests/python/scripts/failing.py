# SPDX-License-Identifier: Apache-2.0
# The script's own check fails, after a launch.
import numpy as np
import triton
import triton.language as tl


@triton.jit
def doubled(x_ptr, y_ptr, T: tl.constexpr):
    at = tl.arange(0, T)
    tl.store(y_ptr + at, tl.load(x_ptr + at) * 2)


x, y = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
doubled[(1,)](x, y, T=16)
assert (y == x * 3).all(), "three times"
