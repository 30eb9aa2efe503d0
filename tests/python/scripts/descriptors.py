# SPDX-License-Identifier: Apache-2.0
# Host descriptors: c = a b^T.
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def product(a, b, c, depth, T: tl.constexpr):
    i, j = tl.program_id(0) * T, tl.program_id(1) * T
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, depth, T):
        acc = tl.dot(a.load([i, k]), b.load([j, k]).T, acc)
    c.store([i, j], acc.to(tl.float16))


random = np.random.default_rng(0)
a, b = random.standard_normal((40, 64)).astype(np.float16), random.standard_normal((48, 64)).astype(np.float16)
c = np.empty((40, 48), np.float16)
of = TensorDescriptor.from_tensor
product[(3, 3)](of(a, [16, 16]), of(b, [16, 16]), TensorDescriptor(c, [40, 48], [48, 1], [16, 16]), 64, T=16)
np.testing.assert_allclose(c, np.float32(a) @ np.float32(b).T, 1e-2, 1e-2)


@triton.jit
def shifted(x, y, T: tl.constexpr):
    y.store([0, 0], x.load([-2, 3]))


x, y = random.standard_normal((12, 12)).astype(np.float32), np.zeros((16, 16), np.float32)
shifted[(1,)](TensorDescriptor(x, [12, 12], [12, 1], [16, 16], padding="nan"), of(y, [16, 16]), T=16)
expected = np.full((16, 16), np.nan, np.float32)
expected[2:14, :9] = x[:, 3:]
np.testing.assert_array_equal(y, expected)
