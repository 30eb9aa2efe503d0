# SPDX-License-Identifier: Apache-2.0
# Products of Gluon, z = x y^T: for Hopper (wgmma), for Blackwell (tcgen05), for no GPU (both).
import sys

import numpy as np
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory, tcgen05_mma
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

T = gl.constexpr(64)


@gluon.jit
def stored(z, acc, layout: gl.constexpr):
    i = gl.arange(0, T, gl.SliceLayout(1, layout))[:, None]
    gl.store(z + i * T + gl.arange(0, T, gl.SliceLayout(0, layout))[None, :], acc)


@gluon.jit
def product(x, y, z, HOPPER: gl.constexpr, BLACKWELL: gl.constexpr):
    a = gl.allocate_shared_memory(x.dtype, x.block_shape, x.layout)
    b = gl.allocate_shared_memory(y.dtype, y.block_shape, y.layout)
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(done, count=1)
    mbarrier.expect(done, x.nbytes_per_cta + y.nbytes_per_cta)
    tma.async_load(x, [0, 0], done, a)
    tma.async_load(y, [0, 0], done, b)
    mbarrier.wait(done, 0)
    if HOPPER:
        layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
        acc = warpgroup_mma(a, b.permute((1, 0)), gl.zeros([T, T], gl.float32, layout), is_async=True)
        stored(z, warpgroup_mma_wait(num_outstanding=0, deps=[acc]), layout)
    if BLACKWELL:
        sums = allocate_tensor_memory(gl.float32, [T, T], TensorMemoryLayout([T, T], col_stride=1))
        tcgen05_mma(a, b.permute((1, 0)), sums, use_acc=False, mbarriers=[done])
        mbarrier.wait(done, 1)
        stored(z, sums.load(sums.get_reg_layout()), sums.get_reg_layout())


kind, random = sys.argv[1], np.random.default_rng(0)
x, y = (random.normal(size=(64, 64)).astype(np.float16) for _ in range(2))
z = np.zeros((64, 64), np.float32)
layout = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
x_desc, y_desc = (TensorDescriptor(each, [64, 64], [64, 1], [64, 64], layout) for each in (x, y))
product[(1,)](x_desc, y_desc, z, HOPPER=kind != "blackwell", BLACKWELL=kind != "hopper")
np.testing.assert_allclose(z, np.float32(x) @ np.float32(y).T, 1e-3, 1e-3)
