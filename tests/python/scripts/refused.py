# SPDX-License-Identifier: Apache-2.0
# A launch that cannot run here, caught by nobody: the results must not be taken for zeros.
import numpy as np
import triton
import triton.language as tl


@triton.jit
def assembled(x_ptr, y_ptr, T: tl.constexpr):
    at = tl.arange(0, T)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise("lop3.b32 $0, $1, $1, $1, 0x1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y_ptr + at, y)


x, y = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
assembled[(1,)](x, y, T=16)
print("went on")
