// SPDX-License-Identifier: Apache-2.0
// Ops of Triton's dialects ttg and ttng that are read, but not translated yet.
#include "compiler/triton/translate.h"

// clang-format off
static bool refuse(TriTranslation *t) {
    return tri_refuse(t, "this op");
}

bool tri_op_local_alloc(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_local_dealloc(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_memdesc_index(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_memdesc_subslice(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_memdesc_trans(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_memdesc_reshape(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_memdesc_reinterpret(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_local_load(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_local_store(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_local_gather(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_local_scatter(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_local_atomic_scatter_rmw(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_fp4_to_fp(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_global_scratch_alloc(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_copy_global_to_local(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_commit_group(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_wait(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_warp_specialize(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_init_barrier(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_inval_barrier(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_barrier_expect(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_wait_barrier(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_arrive_barrier(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_fence_async_shared(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_fence_mbarrier_init_release_cluster(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_cluster_barrier(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_cluster_arrive(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_cluster_wait(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_clc_try_cancel(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_clc_try_cancel_sync(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_clc_load_result(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_clc_is_canceled(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_clc_get_program_id(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_copy_mbarrier_arrive(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_shared_store(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_tma_copy_global_to_local(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_tma_copy_local_to_global(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_tma_reduce(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_tma_gather(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_tma_scatter(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_async_tma_store_wait(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_reinterpret_tensor_descriptor(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tensormap_create(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tensormap_fenceproxy_acquire(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_warp_group_dot(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_warp_group_dot_wait(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tc_gen5_mma(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tc_gen5_mma_scaled(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tc_gen5_commit(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tmem_alloc(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tmem_load(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tmem_store(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tmem_wait(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tmem_subslice(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_tmem_copy(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
bool tri_op_packed_arith(TriTranslation *t, const TriOp *op) { (void)op; return refuse(t); }
