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
