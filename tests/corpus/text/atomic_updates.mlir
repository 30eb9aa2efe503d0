// Every way to update memory atomically, in each order and scope.
cuda_tile.module @atomic_updates {
  entry @updates_i32(%p: tile<ptr<i32>>, %x: tile<i32>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_rmw_tko relaxed tl_blk %p, and, %x token=%t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v1, %t2 = atomic_rmw_tko acquire device %p, or, %x, %mask token=%t1 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v2, %t3 = atomic_rmw_tko release sys %p, xor, %x token=%t2 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v3, %t4 = atomic_rmw_tko acq_rel tl_blk %p, add, %x, %mask token=%t3 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v4, %t5 = atomic_rmw_tko relaxed device %p, max, %x token=%t4 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v5, %t6 = atomic_rmw_tko acquire sys %p, min, %x, %mask token=%t5 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v6, %t7 = atomic_rmw_tko release tl_blk %p, umax, %x token=%t6 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %v7, %t8 = atomic_rmw_tko acq_rel device %p, umin, %x, %mask token=%t7 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %v8, %t9 = atomic_rmw_tko relaxed sys %p, xchg, %x token=%t8 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %many_cell = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %many = broadcast %many_cell : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %xs_cell = reshape %x : tile<i32> -> tile<1xi32>
    %xs = broadcast %xs_cell : tile<1xi32> -> tile<8xi32>
    %masks_cell = reshape %mask : tile<i1> -> tile<1xi1>
    %masks = broadcast %masks_cell : tile<1xi1> -> tile<8xi1>
    %v, %last = atomic_rmw_tko relaxed device %many, and, %xs : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
    %w, %end = atomic_rmw_tko acq_rel sys %many, xchg, %xs, %masks : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
    return
  }
  entry @updates_i64(%p: tile<ptr<i64>>, %x: tile<i64>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_rmw_tko relaxed tl_blk %p, and, %x token=%t0 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v1, %t2 = atomic_rmw_tko acquire device %p, or, %x, %mask token=%t1 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v2, %t3 = atomic_rmw_tko release sys %p, xor, %x token=%t2 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v3, %t4 = atomic_rmw_tko acq_rel tl_blk %p, add, %x, %mask token=%t3 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v4, %t5 = atomic_rmw_tko relaxed device %p, max, %x token=%t4 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v5, %t6 = atomic_rmw_tko acquire sys %p, min, %x, %mask token=%t5 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v6, %t7 = atomic_rmw_tko release tl_blk %p, umax, %x token=%t6 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %v7, %t8 = atomic_rmw_tko acq_rel device %p, umin, %x, %mask token=%t7 : tile<ptr<i64>>, tile<i64>, tile<i1> -> tile<i64>, token
    %v8, %t9 = atomic_rmw_tko relaxed sys %p, xchg, %x token=%t8 : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %many_cell = reshape %p : tile<ptr<i64>> -> tile<1xptr<i64>>
    %many = broadcast %many_cell : tile<1xptr<i64>> -> tile<8xptr<i64>>
    %xs_cell = reshape %x : tile<i64> -> tile<1xi64>
    %xs = broadcast %xs_cell : tile<1xi64> -> tile<8xi64>
    %masks_cell = reshape %mask : tile<i1> -> tile<1xi1>
    %masks = broadcast %masks_cell : tile<1xi1> -> tile<8xi1>
    %v, %last = atomic_rmw_tko relaxed device %many, and, %xs : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
    %w, %end = atomic_rmw_tko acq_rel sys %many, xchg, %xs, %masks : tile<8xptr<i64>>, tile<8xi64>, tile<8xi1> -> tile<8xi64>, token
    return
  }
  entry @updates_f16(%p: tile<ptr<f16>>, %x: tile<f16>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_rmw_tko relaxed tl_blk %p, addf, %x token=%t0 : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
    %many_cell = reshape %p : tile<ptr<f16>> -> tile<1xptr<f16>>
    %many = broadcast %many_cell : tile<1xptr<f16>> -> tile<8xptr<f16>>
    %xs_cell = reshape %x : tile<f16> -> tile<1xf16>
    %xs = broadcast %xs_cell : tile<1xf16> -> tile<8xf16>
    %masks_cell = reshape %mask : tile<i1> -> tile<1xi1>
    %masks = broadcast %masks_cell : tile<1xi1> -> tile<8xi1>
    %v, %last = atomic_rmw_tko relaxed device %many, addf, %xs : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token
    %w, %end = atomic_rmw_tko acq_rel sys %many, addf, %xs, %masks : tile<8xptr<f16>>, tile<8xf16>, tile<8xi1> -> tile<8xf16>, token
    return
  }
  entry @updates_bf16(%p: tile<ptr<bf16>>, %x: tile<bf16>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_rmw_tko relaxed tl_blk %p, addf, %x token=%t0 : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token
    %many_cell = reshape %p : tile<ptr<bf16>> -> tile<1xptr<bf16>>
    %many = broadcast %many_cell : tile<1xptr<bf16>> -> tile<8xptr<bf16>>
    %xs_cell = reshape %x : tile<bf16> -> tile<1xbf16>
    %xs = broadcast %xs_cell : tile<1xbf16> -> tile<8xbf16>
    %masks_cell = reshape %mask : tile<i1> -> tile<1xi1>
    %masks = broadcast %masks_cell : tile<1xi1> -> tile<8xi1>
    %v, %last = atomic_rmw_tko relaxed device %many, addf, %xs : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token
    %w, %end = atomic_rmw_tko acq_rel sys %many, addf, %xs, %masks : tile<8xptr<bf16>>, tile<8xbf16>, tile<8xi1> -> tile<8xbf16>, token
    return
  }
  entry @updates_f32(%p: tile<ptr<f32>>, %x: tile<f32>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_rmw_tko relaxed tl_blk %p, addf, %x token=%t0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %v1, %t2 = atomic_rmw_tko acquire device %p, xchg, %x, %mask token=%t1 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %many_cell = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %many = broadcast %many_cell : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %xs_cell = reshape %x : tile<f32> -> tile<1xf32>
    %xs = broadcast %xs_cell : tile<1xf32> -> tile<8xf32>
    %masks_cell = reshape %mask : tile<i1> -> tile<1xi1>
    %masks = broadcast %masks_cell : tile<1xi1> -> tile<8xi1>
    %v, %last = atomic_rmw_tko relaxed device %many, addf, %xs : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    %w, %end = atomic_rmw_tko acq_rel sys %many, xchg, %xs, %masks : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
    return
  }
  entry @updates_f64(%p: tile<ptr<f64>>, %x: tile<f64>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = atomic_rmw_tko relaxed tl_blk %p, addf, %x token=%t0 : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
    %v1, %t2 = atomic_rmw_tko acquire device %p, xchg, %x, %mask token=%t1 : tile<ptr<f64>>, tile<f64>, tile<i1> -> tile<f64>, token
    %many_cell = reshape %p : tile<ptr<f64>> -> tile<1xptr<f64>>
    %many = broadcast %many_cell : tile<1xptr<f64>> -> tile<8xptr<f64>>
    %xs_cell = reshape %x : tile<f64> -> tile<1xf64>
    %xs = broadcast %xs_cell : tile<1xf64> -> tile<8xf64>
    %masks_cell = reshape %mask : tile<i1> -> tile<1xi1>
    %masks = broadcast %masks_cell : tile<1xi1> -> tile<8xi1>
    %v, %last = atomic_rmw_tko relaxed device %many, addf, %xs : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token
    %w, %end = atomic_rmw_tko acq_rel sys %many, xchg, %xs, %masks : tile<8xptr<f64>>, tile<8xf64>, tile<8xi1> -> tile<8xf64>, token
    return
  }
}
