// Atomic reductions into blocks and windows of a tensor, from 13.3.
cuda_tile.module @view_reductions {
  entry @reductions_i32(%p: tile<ptr<i32>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xi32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    %t0 = make_token : token
    %t1 = atomic_red_view_tko relaxed tl_blk %blocks[%i], and, %x token = %t0 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t2 = atomic_red_view_tko relaxed device %blocks[%i], or, %x token = %t1 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t3 = atomic_red_view_tko relaxed tl_blk %blocks[%i], xor, %x token = %t2 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t4 = atomic_red_view_tko relaxed device %blocks[%i], add, %x token = %t3 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t5 = atomic_red_view_tko relaxed tl_blk %blocks[%i], max, %x token = %t4 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t6 = atomic_red_view_tko relaxed device %blocks[%i], min, %x token = %t5 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t7 = atomic_red_view_tko relaxed tl_blk %blocks[%i], umax, %x token = %t6 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t8 = atomic_red_view_tko relaxed device %blocks[%i], umin, %x token = %t7 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %last = atomic_red_view_tko relaxed device %windows[%i], and, %x : tile<8xi32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @reductions_i64(%p: tile<ptr<i64>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi64, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xi64, strides=[1]>>
    %x = constant <i64: 1> : tile<8xi64>
    %t0 = make_token : token
    %t1 = atomic_red_view_tko relaxed tl_blk %blocks[%i], and, %x token = %t0 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t2 = atomic_red_view_tko relaxed device %blocks[%i], or, %x token = %t1 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t3 = atomic_red_view_tko relaxed tl_blk %blocks[%i], xor, %x token = %t2 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t4 = atomic_red_view_tko relaxed device %blocks[%i], add, %x token = %t3 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t5 = atomic_red_view_tko relaxed tl_blk %blocks[%i], max, %x token = %t4 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t6 = atomic_red_view_tko relaxed device %blocks[%i], min, %x token = %t5 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t7 = atomic_red_view_tko relaxed tl_blk %blocks[%i], umax, %x token = %t6 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %t8 = atomic_red_view_tko relaxed device %blocks[%i], umin, %x token = %t7 : tile<8xi64>, partition_view<tile=(8), tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    %last = atomic_red_view_tko relaxed device %windows[%i], and, %x : tile<8xi64>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xi64, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @reductions_f16(%p: tile<ptr<f16>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf16, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf16, strides=[1]>>
    %x = constant <f16: 1.0> : tile<8xf16>
    %t0 = make_token : token
    %t1 = atomic_red_view_tko relaxed tl_blk %blocks[%i], addf, %x token = %t0 : tile<8xf16>, partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, tile<i32> -> token
    %last = atomic_red_view_tko relaxed device %windows[%i], addf, %x : tile<8xf16>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf16, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @reductions_bf16(%p: tile<ptr<bf16>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xbf16, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xbf16, strides=[1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xbf16, strides=[1]>>
    %x = constant <bf16: 1.0> : tile<8xbf16>
    %t0 = make_token : token
    %t1 = atomic_red_view_tko relaxed tl_blk %blocks[%i], addf, %x token = %t0 : tile<8xbf16>, partition_view<tile=(8), tensor_view<64xbf16, strides=[1]>>, tile<i32> -> token
    %last = atomic_red_view_tko relaxed device %windows[%i], addf, %x : tile<8xbf16>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xbf16, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @reductions_f32(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %t0 = make_token : token
    %t1 = atomic_red_view_tko relaxed tl_blk %blocks[%i], addf, %x token = %t0 : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %last = atomic_red_view_tko relaxed device %windows[%i], addf, %x : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @reductions_f64(%p: tile<ptr<f64>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf64, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xf64, strides=[1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf64, strides=[1]>>
    %x = constant <f64: 1.0> : tile<8xf64>
    %t0 = make_token : token
    %t1 = atomic_red_view_tko relaxed tl_blk %blocks[%i], addf, %x token = %t0 : tile<8xf64>, partition_view<tile=(8), tensor_view<64xf64, strides=[1]>>, tile<i32> -> token
    %last = atomic_red_view_tko relaxed device %windows[%i], addf, %x : tile<8xf64>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf64, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @indexed_i1(%p: tile<ptr<i32>>, %i: tile<i1>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    %done = atomic_red_view_tko relaxed device %blocks[%i], add, %x : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i1> -> token
    return
  }
  entry @indexed_i8(%p: tile<ptr<i32>>, %i: tile<i8>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    %done = atomic_red_view_tko relaxed device %blocks[%i], add, %x : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i8> -> token
    return
  }
  entry @indexed_i16(%p: tile<ptr<i32>>, %i: tile<i16>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    %done = atomic_red_view_tko relaxed device %blocks[%i], add, %x : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i16> -> token
    return
  }
  entry @indexed_i64(%p: tile<ptr<i32>>, %i: tile<i64>) {
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    %done = atomic_red_view_tko relaxed device %blocks[%i], add, %x : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i64> -> token
    return
  }
}
