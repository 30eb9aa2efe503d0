# SPDX-License-Identifier: Apache-2.0
# z = x y^T in @triton.jit, for gemm.yaml.
import triton
import triton.language as tl


@triton.jit
def gemm(x_ptr, y_ptr, z_ptr, m, n, depth, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """Grid (row blocks, column blocks)."""
    row, column = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), tl.float32)
    for start in range(0, depth, TK):
        k = start + tl.arange(0, TK)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=(row[:, None] < m) & (k[None, :] < depth), other=0.0)
        y = tl.load(y_ptr + column[None, :] * depth + k[:, None], mask=(column[None, :] < n) & (k[:, None] < depth), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(z_ptr + row[:, None] * n + column[None, :], acc.to(tl.float16), mask=(row[:, None] < m) & (column[None, :] < n))
