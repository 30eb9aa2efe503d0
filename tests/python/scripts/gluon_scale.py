# SPDX-License-Identifier: Apache-2.0
# A kernel of Gluon without products, right or (bug) without its fence, with a cluster of two (cluster); a plain one beside it (plain).
import sys

import numpy as np
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor


@gluon.jit
def scale(x_desc, z_desc, factor, FENCE: gl.constexpr):
    row = gl.program_id(0) * x_desc.block_shape[0]
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [gl.num_warps(), 1], [1, 0])
    tile = gl.allocate_shared_memory(x_desc.dtype, x_desc.block_shape, x_desc.layout)
    loaded = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(loaded, count=1)
    mbarrier.expect(loaded, x_desc.nbytes_per_cta)
    tma.async_load(x_desc, [row, 0], loaded, tile)
    mbarrier.wait(loaded, 0)
    tile.store(tile.load(layout) * factor)
    if FENCE:
        fence_async_shared()
    tma.async_store(z_desc, [row, 0], tile)
    tma.store_wait(0)


@gluon.jit
def shifted(x, z, n, T: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], cga_layout=[[1]] if gl.num_ctas() == 2 else [])
    at = gl.arange(0, T, layout)
    gl.store(z + at, gl.load(x + at, mask=at < n, other=0.0) + 1.0, mask=at < n)


@triton.jit
def plain(x, z, factor, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    tl.store(z + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


kind = sys.argv[1]
x = np.random.default_rng(1).normal(size=(100, 32)).astype(np.float32)
z = np.empty_like(x)
of, tile, layout = TensorDescriptor.from_tensor, [32, 32], gl.NVMMASharedLayout.get_default_for([32, 32], gl.float32)
if kind == "plain":
    plain[(13,)](x, z, 0.5, 3200, T=256)
elif kind == "cluster":
    shifted[(1,)](x, z, 3200, T=4096, num_ctas=2)
else:
    kernel = scale[lambda named: (4,)](of(x, tile, layout), of(z, tile, layout, padding="zero"), 0.5, kind != "bug", num_warps=8)
    assert "ttng.async_tma_copy" in kernel.asm["ttgir"] and '"ttg.num-warps" = 8' in kernel.asm["ttgir"]
np.testing.assert_array_equal(z, x + 1 if kind == "cluster" else x / 2)
