# SPDX-License-Identifier: Apache-2.0
"""Makes the folder forms: make_forms.py FOLDER    (needs triton 3.9.0, no GPU)

Each text is read, checked and printed by Triton itself, so it has every op in the form that Triton gives it."""
import os
import re
import sys
import tempfile

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend

ONE_BLOCK = '''#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedT = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#sharedL = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#tscales = #ttng.tensor_memory_scales_encoding<>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
'''
TWO_BLOCKS = '''#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#sharedN = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16, CGALayout = [[0, 1]]}>
#sharedM = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#bar2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#lin = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], block = [[64, 0]]}, alignment = 128>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>
#tscales = #ttng.tensor_memory_scales_encoding<CGALayout = [[1, 0]], blockRepOrder = kThenMn>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = [[128, 0]]}>
'''
B = '!ttg.memdesc<1xi64, #bar, #smem, mutable>'
B2 = '!ttg.memdesc<2xi64, #bar2, #smem, mutable>'
S = '!ttg.memdesc<128x64xf16, #shared, #smem, mutable>'
P = '!ttg.memdesc<32x32xf32, #plain, #smem, mutable>'
T = '!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>'
FORMS = []


def form(name, arguments, body, blocks=1):
    FORMS.append((name, arguments, body, blocks))


form('layouts', 'v: tensor<32x32xf32, #blocked>', '''%w = ttg.convert_layout %v {force_warp_shuffle} : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #blocked>
 %x = ttg.convert_layout %v : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
 %y = ttg.convert_layout %v : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #ttg.generic_linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []}>>''')
form('local', 'v: tensor<32x32xf32, #blocked>, i: tensor<32x32xi32, #blocked>, m: tensor<32x32xi1, #blocked>, n: i32', f'''%a = ttg.local_alloc %v {{alignment = 128 : i32}} : (tensor<32x32xf32, #blocked>) -> {P}
 %c = ttg.local_alloc %v : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #plain, #smem>
 %b = ttg.local_alloc : () -> !ttg.memdesc<3x32x32xf32, #plain, #smem, mutable>
 %w = ttg.async_wait {{num = 0 : i32}}
 %l = ttg.local_load %a token %w : {P} -> tensor<32x32xf32, #blocked>
 %g = ttg.local_gather %a[%i] token %w {{axis = 0 : i32}} : {P}, tensor<32x32xi32, #blocked> -> tensor<32x32xf32, #blocked>
 ttg.local_scatter %a[%i], %g token %w {{axis = 0 : i32}} : {P}, tensor<32x32xi32, #blocked>, tensor<32x32xf32, #blocked>
 %j = ttg.local_alloc : () -> !ttg.memdesc<32x32xi32, #plain, #smem, mutable>
 %o = ttg.local_atomic_scatter_rmw add, %j[%i], %i, %m {{axis = 1 : i32}} : (!ttg.memdesc<32x32xi32, #plain, #smem, mutable>, tensor<32x32xi32, #blocked>, tensor<32x32xi32, #blocked>, tensor<32x32xi1, #blocked>) -> tensor<32x32xi32, #blocked>
 %o2 = ttg.local_atomic_scatter_rmw max, %j[%i], %i {{axis = 1 : i32}} : (!ttg.memdesc<32x32xi32, #plain, #smem, mutable>, tensor<32x32xi32, #blocked>, tensor<32x32xi32, #blocked>) -> tensor<32x32xi32, #blocked>
 ttg.local_store %g, %a : tensor<32x32xf32, #blocked> -> {P}
 ttg.local_dealloc %a : {P}''')
form('fp4', 'v: tensor<32x32xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>', '''%w = ttg.fp4_to_fp %v {axis = 1 : i32} : tensor<32x32xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<32x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>''')
form('scratch', '', '''%s = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32, third_party_allocation, shared_cluster_state} : !tt.ptr<i8>
 ttng.tensormap_fenceproxy_acquire %s : !tt.ptr<i8>
 %d = ttng.reinterpret_tensor_descriptor %s : !tt.ptr<i8> to !tt.tensordesc<128x64xf16, #shared>''')
form('tensormap', 'p: !tt.ptr<i8>, q: !tt.ptr<f16>, n: i32, l: i64', '''ttng.tensormap_create %p, %p, [%n], [%n], [], [%n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32) -> ()
 ttng.tensormap_create %p, %p, [%n, %n], [%n, %n], [%l], [%n, %n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32, i64, i32, i32) -> ()''')
form('copies', 'p: tensor<32x32x!tt.ptr<f32>, #blocked>, m: tensor<32x32xi1, #blocked>, v: tensor<32x32xf32, #blocked>', f'''%a = ttg.local_alloc : () -> {P}
 %1 = ttg.async_copy_global_to_local %p, %a mask %m other %v {{contiguity = 4 : i32, isVolatile = true}} : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #plain, #smem, mutable>
 %2 = ttg.async_copy_global_to_local %p, %a {{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>}} : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #plain, #smem, mutable>
 %3 = ttg.async_commit_group tokens %1, %2
 %4 = ttg.async_commit_group
 %5 = ttg.async_wait %3, %4 {{num = 1 : i32}}
 %b = ttg.local_alloc : () -> {B}
 ttng.async_copy_mbarrier_arrive %b : {B}
 ttng.async_copy_mbarrier_arrive %b {{noIncrement}} : {B}''')
form('views', '', f'''%b = ttg.local_alloc : () -> !ttg.memdesc<3x32x32xf32, #plain, #smem, mutable>
 %i = arith.constant 1 : i32
 %1 = ttg.memdesc_index %b[%i] : !ttg.memdesc<3x32x32xf32, #plain, #smem, mutable> -> {P}
 %2 = ttg.memdesc_subslice %1[16, 0] : {P} -> !ttg.memdesc<16x32xf32, #plain, #smem, mutable, 32x32>
 %3 = ttg.memdesc_trans %1 {{order = array<i32: 1, 0>}} : {P} -> !ttg.memdesc<32x32xf32, #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}}>, #smem, mutable>
 %4 = ttg.memdesc_reinterpret %1 : {P} -> !ttg.memdesc<32x32xi32, #plain, #smem, mutable>''')
form('barriers', 'n: i32, p: i1', f'''%b = ttg.local_alloc : () -> {B}
 ttng.init_barrier %b, 2 : {B}
 ttng.barrier_expect %b, 8192, %p : {B}
 ttng.wait_barrier %b, %n : {B}
 ttng.wait_barrier %b, %n, %p : {B}
 ttng.wait_barrier %b, %n, %p deps %b : {B}, {B}
 ttng.arrive_barrier %b, 2 : {B}
 ttng.arrive_barrier %b, 1, %p : {B}
 ttng.inval_barrier %b : {B}
 ttng.fence_async_shared {{bCluster = false}}
 ttg.barrier local
 ttg.barrier global_read|global_write
 ttg.barrier none
 ttg.barrier tensor_read|tensor_write''')
form('tma', f'd: !tt.tensordesc<128x64xf16, #shared>, r: !tt.tensordesc<1x64xf16, #shared>, f: !tt.tensordesc<32x32xf32, #sharedL>, n: i32, p: i1, x: tensor<128xi32, #ttg.slice<{{dim = 0, parent = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}}>}}>>, u: !tt.tensordesc<64xui8, #ttg.nvmma_shared<{{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 1}}>>', f'''%b = ttg.local_alloc : () -> {B}
 %s = ttg.local_alloc : () -> {S}
 %w = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #sharedL, #smem, mutable>
 ttng.async_tma_copy_global_to_local %d[%n, %n] %s, %b, %p : !tt.tensordesc<128x64xf16, #shared>, {B} -> {S}
 ttng.async_tma_copy_global_to_local %d[%n, %n] %s, %b, %p {{cachePolicy = #ttng.cache_policy<l2_primary = evict_last, l2_secondary = evict_unchanged, l2_fraction = 5.000000e-01 : f32>}} : !tt.tensordesc<128x64xf16, #shared>, {B} -> {S}
 ttng.async_tma_copy_local_to_global %d[%n, %n] %s : !tt.tensordesc<128x64xf16, #shared>, {S}
 ttng.async_tma_reduce add, %f[%n, %n] %w : !tt.tensordesc<32x32xf32, #sharedL>, !ttg.memdesc<32x32xf32, #sharedL, #smem, mutable>
 ttng.async_tma_gather %r[%x, %n] %s, %b, %p : !tt.tensordesc<1x64xf16, #shared>, tensor<128xi32, #ttg.slice<{{dim = 0, parent = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}}>}}>>, i32, {B}, {S}, i1
 ttng.async_tma_scatter %r[%x, %n] %s : !tt.tensordesc<1x64xf16, #shared>, tensor<128xi32, #ttg.slice<{{dim = 0, parent = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}}>}}>>, i32, {S}
 ttng.async_tma_store_wait {{pendings = 1 : i32, read_only}}
 ttng.async_tma_store_wait {{pendings = 0 : i32}}''')
form('wgmma', f'c: tensor<64x64xf32, #mma>, p: i1, a: tensor<64x64xf16, #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 2}}>>', f'''%x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
 %1 = ttng.warp_group_dot %x, %x, %c, %p {{inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 32 : i32}} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
 %2 = ttng.warp_group_dot %a, %x, %c : tensor<64x64xf16, #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 2}}>> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
 %3:2 = ttng.warp_group_dot_wait %1, %x {{pendings = 0 : i32, warpGroupLocal}} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
 %4 = ttng.warp_group_dot_wait %2 {{pendings = 0 : i32}} : tensor<64x64xf32, #mma>''')
A = '!ttg.memdesc<128x64xf16, #shared, #smem, mutable>'
W = '!ttg.memdesc<64x64xf16, #sharedT, #smem, mutable>'
form('tcgen5', f'p: i1, v: tensor<128x64xf32, #linear>', f'''%a = ttg.local_alloc : () -> {A}
 %b = ttg.local_alloc : () -> {W}
 %bar = ttg.local_alloc : () -> {B}
 %t, %k = ttng.tmem_alloc %v : (tensor<128x64xf32, #linear>) -> ({T}, !ttg.async.token)
 %u = ttng.tmem_alloc : () -> {T}
 %k1 = ttng.tc_gen5_mma %a, %b, %t[%k], %p, %p : {A}, {W}, {T}
 %k2 = ttng.tc_gen5_mma %a, %b, %t[%k1], %p, %p, %bar[%p], %bar[%p] {{is_async}} : {A}, {W}, {T}, {B}, {B}
 ttng.tc_gen5_mma %a, %b, %u, %p, %p : {A}, {W}, {T}
 %k3 = ttng.tc_gen5_mma %a, %b, %u[], %p, %p {{is_async, is_unsigned}} : {A}, {W}, {T}
 ttng.tc_gen5_commit %bar : {B}
 ttng.tc_gen5_commit %bar, %p : {B}
 ttng.tc_gen5_commit %bar, %p descs %a, %b : {B}, {A}, {W}
 %l = ttng.tmem_load %u : {T} -> tensor<128x64xf32, #linear>
 %l2, %k4 = ttng.tmem_load %t[%k2] : {T} -> tensor<128x64xf32, #linear>
 %l3, %k5 = ttng.tmem_load %t[] : {T} -> tensor<128x64xf32, #linear>
 %l4, %r = ttng.tmem_load %t {{redOp = #ttng.redOp<max>}} : {T} -> tensor<128x64xf32, #linear>, tensor<128xf32, #ttg.slice<{{dim = 1, parent = #linear}}>>
 %l5, %k6, %r2 = ttng.tmem_load %t[%k5] {{redOp = #ttng.redOp<min>, abs = true, NaN = true}} : {T} -> tensor<128x64xf32, #linear>, tensor<128xf32, #ttg.slice<{{dim = 1, parent = #linear}}>>
 ttng.tmem_store %l, %u, %p : tensor<128x64xf32, #linear> -> {T}
 %k7 = ttng.tmem_store %l, %t[%k6], %p : tensor<128x64xf32, #linear> -> {T}
 %h = ttng.tmem_subslice %u {{offset = 32 : i32}} : {T} -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable, 128x64>
 %z = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
 ttng.tmem_wait load
 ttng.tmem_wait store''')
form('subslice0', '', f'''%z = ttng.tmem_alloc : () -> !ttg.memdesc<4x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
 %h0 = ttng.tmem_subslice %z {{dim = 0 : i32, offset = 2 : i32}} : !ttg.memdesc<4x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable, 4x128x64>''')
SC = '!ttg.memdesc<128x4xi8, #tscales, #ttng.tensor_memory, mutable>'
F8 = '!ttg.memdesc<128x128xf8E4M3FN, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>, #smem, mutable>'
F8T = '!ttg.memdesc<128x64xf8E4M3FN, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>, #smem, mutable>'
SN = '!ttg.memdesc<64x4xi8, #tscales, #ttng.tensor_memory, mutable>'
form('scaled', 'p: i1', f'''%a = ttg.local_alloc : () -> {F8}
 %b = ttg.local_alloc : () -> {F8T}
 %bar = ttg.local_alloc : () -> {B}
 %t = ttng.tmem_alloc : () -> {T}
 %sa = ttng.tmem_alloc : () -> {SC}
 %sb = ttng.tmem_alloc : () -> {SN}
 ttng.tc_gen5_mma_scaled %a, %b, %t, %sa, %sb, %p, %p lhs = e4m3 rhs = e4m3 : {F8}, {F8T}, {T}, {SC}, {SN}
 %k = ttng.tc_gen5_mma_scaled %a, %b, %t[], %sa, %sb, %p, %p lhs = e4m3 rhs = e4m3, %bar[%p] {{is_async}} : {F8}, {F8T}, {T}, {SC}, {SN}, {B}''')
form('tmem_copy', '', f'''%s = ttg.local_alloc : () -> !ttg.memdesc<128x64xf32, #sharedL, #smem, mutable>
 %t = ttng.tmem_alloc : () -> {T}
 ttng.tmem_copy %s, %t : !ttg.memdesc<128x64xf32, #sharedL, #smem, mutable>, {T}''')
form('packed', 'x: tensor<128x64xf32, #linear>, h: tensor<128x64xf16, #linear>', '''%1 = ttng.packed_arith add %x, %x : (tensor<128x64xf32, #linear>, tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear>
 %2 = ttng.packed_arith fma %x, %x, %x : (tensor<128x64xf32, #linear>, tensor<128x64xf32, #linear>, tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear>
 %3 = ttng.packed_arith max %h, %h : (tensor<128x64xf16, #linear>, tensor<128x64xf16, #linear>) -> tensor<128x64xf16, #linear>''')
form('clc', '', f'''%s = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bar, #smem, mutable>
 %b = ttg.local_alloc : () -> {B}
 ttng.clc_try_cancel %s, %b : !ttg.memdesc<2xi64, #bar, #smem, mutable>, {B}
 %r = ttng.clc_load_result %s : !ttg.memdesc<2xi64, #bar, #smem, mutable> -> i128
 %c = ttng.clc_is_canceled %r : i128 -> i1
 %x = ttng.clc_get_program_id %r, x : i128 -> i32
 %z = ttng.clc_get_program_id %r, z : i128 -> i32''')
form('clc_sync', '', '''%r = ttng.clc_try_cancel_sync : tensor<2xi64, #blocked1>''')
form('specialize', 'p: i1, x: tensor<32x32xf32, #blocked>, n: i32', f'''%b = ttg.local_alloc : () -> {B}
 %r:2 = ttg.warp_specialize(%b, %n) attributes {{actualRegisters = array<i32: 128, 24, 24>, requestedRegisters = array<i32: 24, 24>, warpGroupStartIds = array<i32: 4, 8>}}
 default {{
  %q = arith.addf %x, %x : tensor<32x32xf32, #blocked>
  ttg.warp_yield %q, %n : tensor<32x32xf32, #blocked>, i32
 }}
 partition0(%c: {B}, %m: i32) num_warps(4) {{
  ttng.wait_barrier %c, %m : {B}
  ttg.warp_return
 }}
 partition1(%c: {B}, %m: i32) num_warps(1) {{
  ttng.arrive_barrier %c, 1 : {B}
  ttg.warp_return
 }} : ({B}, i32) -> (tensor<32x32xf32, #blocked>, i32)
 %s = ttg.warp_specialize(%n)
 default {{
  ttg.warp_yield %n : i32
 }} : (i32) -> i32
 ttg.warp_specialize()
 default {{
  ttg.warp_yield
 }}
 partition0() num_warps(1) {{
  ttg.warp_return
 }} : () -> ()''')
form('blocks', 'p: i1, n: i32', f'''ttg.warp_specialize(%n)
 default {{
  cf.cond_br %p, ^bb1, ^bb2
 ^bb1:
  cf.br ^bb2
 ^bb2:
  ttg.warp_yield
 }}
 partition0(%m: i32) num_warps(1) {{
  cf.br ^bb1(%m : i32)
 ^bb1(%q: i32):
  ttg.warp_return
 }} : (i32) -> ()''')
form('carried', 'p: i1, n: i32', f'''%b = ttg.local_alloc : () -> {B}
 %c = ttg.local_alloc : () -> {B}
 %k = ttg.async_wait {{num = 0 : i32}}
 %po = ub.poison : !ttg.async.token
 %s = arith.select %p, %b, %c : {B}
 %r:2 = scf.for %i = %n to %n step %n iter_args(%d = %b, %j = %k) -> ({B}, !ttg.async.token)  : i32 {{
   scf.yield %c, %po : {B}, !ttg.async.token
 }} {{tt.warp_specialize, ttg.partition.stages = [0 : i32, 1 : i32], ttg.warp_specialize.tag = 0 : i32}}
 %o = scf.if %p -> ({B}) {{
   scf.yield %b : {B}
 }} else {{
   scf.yield %c : {B}
 }}''')
form('partitioned', 'p: i32', '''%q = arith.addi %p, %p {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 0, 1>} : i32''')
# clusters
form('c_barriers', 'n: i32, p: i1', f'''%b = ttg.local_alloc : () -> {B}
 %b2 = ttg.local_alloc : () -> {B2}
 ttng.init_barrier %b2, 2 : {B2}
 ttng.barrier_expect %b2, 8192 {{fromCTA = 0 : i32}}, %p : {B2}
 ttng.arrive_barrier %b2, 1 {{multicastCTA = 1 : i32}} : {B2}
 ttng.arrive_barrier %b2, 1, %p {{fromCTA = 0 : i32}} : {B2}
 ttng.fence_async_shared {{bCluster = true}}
 ttng.fence_mbarrier_init_release_cluster
 ttng.cluster_barrier
 ttng.cluster_barrier {{relaxed = true}}''', 2)
form('c_store', 'v: tensor<128x64xf16, #blocked>', f'''%b2 = ttg.local_alloc : () -> {B2}
 %s = ttg.local_alloc : () -> {S}
 ttng.async_shared_store %v, %s, %b2 : tensor<128x64xf16, #blocked> -> {S}, {B2}''', 2)
SM = '!ttg.memdesc<128x64xf16, #sharedM, #smem, mutable>'
form('c_tma', 'd: !tt.tensordesc<128x64xf16, #sharedM>, n: i32, p: i1', f'''%b2 = ttg.local_alloc : () -> {B2}
 %s = ttg.local_alloc : () -> {SM}
 %l = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #lin, #smem, mutable>
 ttng.async_tma_copy_global_to_local %d[%n, %n] %s, %b2, %p {{multicast}} : !tt.tensordesc<128x64xf16, #sharedM>, {B2} -> {SM}''', 2)
A2 = '!ttg.memdesc<256x64xf16, #shared, #smem, mutable>'
W2 = '!ttg.memdesc<64x64xf16, #sharedN, #smem, mutable>'
T2 = '!ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>'
form('c_mma', 'p: i1', f'''%a = ttg.local_alloc : () -> {A2}
 %b = ttg.local_alloc : () -> {W2}
 %bar = ttg.local_alloc : () -> {B2}
 %t = ttng.tmem_alloc : () -> {T2}
 %k = ttng.tc_gen5_mma %a, %b, %t[], %p, %p, %bar[%p] {{is_async, multicast, two_ctas}} : {A2}, {W2}, {T2}, {B2}
 ttng.tc_gen5_commit %bar descs %a, %b : {B2}, {A2}, {W2}
 %sa = ttng.tmem_alloc : () -> !ttg.memdesc<256x4xi8, #tscales, #ttng.tensor_memory, mutable>
 %l = ttng.tmem_load %t : {T2} -> tensor<256x64xf32, #linear>''', 2)


def text_of(name, arguments, body, blocks):
    arguments = ', '.join('%' + part.strip() for part in re.split(r', (?=\w+: )', arguments)) if arguments else ''
    attributes = (f'"ttg.num-ctas" = {blocks} : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", '
                  f'"ttg.threads-per-warp" = 32 : i32, "ttng.two-ctas" = {"true" if name == "c_mma" else "false"}')
    return (f'{TWO_BLOCKS if blocks == 2 else ONE_BLOCK}module attributes {{{attributes}}} {{\n'
            f'  tt.func public @{name}({arguments}) {{\n{body}\n    tt.return\n  }}\n}}\n')


def main():
    backend = make_backend(GPUTarget('cuda', 100, 32))
    for form in FORMS:
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        with tempfile.NamedTemporaryFile('w', suffix='.mlir') as written:
            written.write(text_of(*form))
            written.flush()
            module = ir.parse_mlir_module(written.name, context)
        with open(os.path.join(sys.argv[1], form[0] + '.ttgir'), 'w') as out:
            out.write(module.str_nodebug())


main()
