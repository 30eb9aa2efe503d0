// Compare and swap in every order and scope.
cuda_tile.module @atomic_swaps {
  entry @swaps_i32(%p: tile<ptr<i32>>, %old: tile<i32>, %new: tile<i32>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_cas_tko relaxed tl_blk %p, %old, %new token=%t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v1, %t2 = atomic_cas_tko relaxed device %p, %old, %new, %mask token=%t1 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v2, %t3 = atomic_cas_tko relaxed sys %p, %old, %new token=%t2 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v3, %t4 = atomic_cas_tko acquire tl_blk %p, %old, %new, %mask token=%t3 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v4, %t5 = atomic_cas_tko acquire device %p, %old, %new token=%t4 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v5, %t6 = atomic_cas_tko acquire sys %p, %old, %new, %mask token=%t5 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v6, %t7 = atomic_cas_tko release tl_blk %p, %old, %new token=%t6 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v7, %t8 = atomic_cas_tko release device %p, %old, %new, %mask token=%t7 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v8, %t9 = atomic_cas_tko release sys %p, %old, %new token=%t8 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v9, %t10 = atomic_cas_tko acq_rel tl_blk %p, %old, %new, %mask token=%t9 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v10, %t11 = atomic_cas_tko acq_rel device %p, %old, %new token=%t10 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v11, %t12 = atomic_cas_tko acq_rel sys %p, %old, %new, %mask token=%t11 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v, %end = atomic_cas_tko relaxed sys %p, %old, %new : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
  entry @swaps_i64(%p: tile<ptr<i64>>, %old: tile<i64>, %new: tile<i64>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_cas_tko relaxed tl_blk %p, %old, %new token=%t0 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v1, %t2 = atomic_cas_tko relaxed device %p, %old, %new, %mask token=%t1 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v2, %t3 = atomic_cas_tko relaxed sys %p, %old, %new token=%t2 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v3, %t4 = atomic_cas_tko acquire tl_blk %p, %old, %new, %mask token=%t3 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v4, %t5 = atomic_cas_tko acquire device %p, %old, %new token=%t4 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v5, %t6 = atomic_cas_tko acquire sys %p, %old, %new, %mask token=%t5 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v6, %t7 = atomic_cas_tko release tl_blk %p, %old, %new token=%t6 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v7, %t8 = atomic_cas_tko release device %p, %old, %new, %mask token=%t7 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v8, %t9 = atomic_cas_tko release sys %p, %old, %new token=%t8 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v9, %t10 = atomic_cas_tko acq_rel tl_blk %p, %old, %new, %mask token=%t9 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v10, %t11 = atomic_cas_tko acq_rel device %p, %old, %new token=%t10 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v11, %t12 = atomic_cas_tko acq_rel sys %p, %old, %new, %mask token=%t11 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v, %end = atomic_cas_tko relaxed sys %p, %old, %new : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    return
  }
  entry @swaps_f32(%p: tile<ptr<f32>>, %old: tile<f32>, %new: tile<f32>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_cas_tko relaxed tl_blk %p, %old, %new token=%t0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v1, %t2 = atomic_cas_tko relaxed device %p, %old, %new, %mask token=%t1 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %v2, %t3 = atomic_cas_tko relaxed sys %p, %old, %new token=%t2 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v3, %t4 = atomic_cas_tko acquire tl_blk %p, %old, %new, %mask token=%t3 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %v4, %t5 = atomic_cas_tko acquire device %p, %old, %new token=%t4 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v5, %t6 = atomic_cas_tko acquire sys %p, %old, %new, %mask token=%t5 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %v6, %t7 = atomic_cas_tko release tl_blk %p, %old, %new token=%t6 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v7, %t8 = atomic_cas_tko release device %p, %old, %new, %mask token=%t7 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %v8, %t9 = atomic_cas_tko release sys %p, %old, %new token=%t8 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v9, %t10 = atomic_cas_tko acq_rel tl_blk %p, %old, %new, %mask token=%t9 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %v10, %t11 = atomic_cas_tko acq_rel device %p, %old, %new token=%t10 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v11, %t12 = atomic_cas_tko acq_rel sys %p, %old, %new, %mask token=%t11 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %v, %end = atomic_cas_tko relaxed sys %p, %old, %new : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
  entry @swaps_f64(%p: tile<ptr<f64>>, %old: tile<f64>, %new: tile<f64>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_cas_tko relaxed tl_blk %p, %old, %new token=%t0 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v1, %t2 = atomic_cas_tko relaxed device %p, %old, %new, %mask token=%t1 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %v2, %t3 = atomic_cas_tko relaxed sys %p, %old, %new token=%t2 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v3, %t4 = atomic_cas_tko acquire tl_blk %p, %old, %new, %mask token=%t3 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %v4, %t5 = atomic_cas_tko acquire device %p, %old, %new token=%t4 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v5, %t6 = atomic_cas_tko acquire sys %p, %old, %new, %mask token=%t5 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %v6, %t7 = atomic_cas_tko release tl_blk %p, %old, %new token=%t6 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v7, %t8 = atomic_cas_tko release device %p, %old, %new, %mask token=%t7 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %v8, %t9 = atomic_cas_tko release sys %p, %old, %new token=%t8 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v9, %t10 = atomic_cas_tko acq_rel tl_blk %p, %old, %new, %mask token=%t9 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %v10, %t11 = atomic_cas_tko acq_rel device %p, %old, %new token=%t10 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v11, %t12 = atomic_cas_tko acq_rel sys %p, %old, %new, %mask token=%t11 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %v, %end = atomic_cas_tko relaxed sys %p, %old, %new : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    return
  }
}
