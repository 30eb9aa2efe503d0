# SPDX-License-Identifier: Apache-2.0
# Softmax in three launches: maxima, exponentials, quotients.   plain_softmax.py ROWS COLUMNS
import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def maxima(x_ptr, m_ptr, n, T: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, T)
    tl.store(m_ptr + row, tl.max(tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf")), 0))


@triton.jit
def exponentials(x_ptr, m_ptr, e_ptr, n, T: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
    tl.store(e_ptr + row * n + at, tl.exp(x - tl.load(m_ptr + row)), mask=at < n)


@triton.jit
def quotients(e_ptr, y_ptr, n, T: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, T)
    e = tl.load(e_ptr + row * n + at, mask=at < n, other=0.0)
    tl.store(y_ptr + row * n + at, e / tl.sum(e, 0), mask=at < n)


rows, columns = map(int, sys.argv[1:])
x = np.random.default_rng(1).standard_normal((rows, columns)).astype(np.float32)
m, e, y = np.empty(rows, np.float32), np.empty_like(x), np.empty_like(x)
grid, tile = (rows,), triton.next_power_of_2(columns)
maxima[grid](x, m, columns, T=tile)
exponentials[grid](x, m, e, columns, T=tile)
quotients[grid](e, y, columns, T=tile)
p = np.exp(x - x.max(1, keepdims=True))
np.testing.assert_allclose(y, p / p.sum(1, keepdims=True), 1e-5, 1e-6)
