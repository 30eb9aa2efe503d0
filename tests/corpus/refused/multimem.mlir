// refused: memory that is not multicast
entry @f(%p: tile<ptr<f32, <unicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <unicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: memory that is not multicast
entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: expected i32, i64, f16, bf16, f32 or f64
entry @f(%p: tile<ptr<i16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i16, <multicast>>> -> tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <i16: 1> : tile<16xi16>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i] : partition_view<tile=(16), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xi16>, token
  return
}
// -----
// refused: expected i32, i64, f16, bf16, f32 or f64
entry @f(%p: tile<ptr<tf32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<tf32, <multicast>>> -> tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <tf32: 1.0> : tile<16xtf32>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i] : partition_view<tile=(16), tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xtf32>, token
  return
}
// -----
// refused: 2 dimensions of stride 1, expected one
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [16, 16], strides = [1, 1] : tile<ptr<f16, <multicast>>> -> tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4x4), tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<4x4xf16>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i, %i] : partition_view<tile=(4x4), tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x4xf16>, token
  return
}
// -----
// refused: 0 dimensions of stride 1, expected one
entry @f(%p: tile<ptr<bf16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [2] : tile<ptr<bf16, <multicast>>> -> tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <bf16: 1.0> : tile<16xbf16>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i] : partition_view<tile=(16), tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xbf16>, token
  return
}
// -----
// refused: a tile of one f16
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<1xf16>
  %a, %k = multimem_load_reduce_view_tko relaxed sys %v[%i] : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<1xf16>, token
  return
}
// -----
// refused: memory that is not multicast
entry @f(%p: tile<ptr<f32, <unicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <unicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: memory that is not multicast
entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: expected i32, i64, f16, bf16, f32 or f64
entry @f(%p: tile<ptr<i16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i16, <multicast>>> -> tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <i16: 1> : tile<16xi16>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xi16>, tile<i32> -> token
  return
}
// -----
// refused: expected i32, i64, f16, bf16, f32 or f64
entry @f(%p: tile<ptr<tf32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<tf32, <multicast>>> -> tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <tf32: 1.0> : tile<16xtf32>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xtf32>, tile<i32> -> token
  return
}
// -----
// refused: 2 dimensions of stride 1, expected one
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [16, 16], strides = [1, 1] : tile<ptr<f16, <multicast>>> -> tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4x4), tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<4x4xf16>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i, %i] : partition_view<tile=(4x4), tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x4xf16>, tile<i32> -> token
  return
}
// -----
// refused: 0 dimensions of stride 1, expected one
entry @f(%p: tile<ptr<bf16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [2] : tile<ptr<bf16, <multicast>>> -> tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <bf16: 1.0> : tile<16xbf16>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>, tile<16xbf16>, tile<i32> -> token
  return
}
// -----
// refused: a tile of one f16
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<1xf16>
  %k = multimem_store_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<1xf16>, tile<i32> -> token
  return
}
// -----
// refused: memory that is not multicast
entry @f(%p: tile<ptr<f32, <unicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <unicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: memory that is not multicast
entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: expected i32, i64, f16, bf16, f32 or f64
entry @f(%p: tile<ptr<i16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i16, <multicast>>> -> tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <i16: 1> : tile<16xi16>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xi16>, tile<i32> -> token
  return
}
// -----
// refused: expected i32, i64, f16, bf16, f32 or f64
entry @f(%p: tile<ptr<tf32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<tf32, <multicast>>> -> tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <tf32: 1.0> : tile<16xtf32>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xtf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xtf32>, tile<i32> -> token
  return
}
// -----
// refused: 2 dimensions of stride 1, expected one
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [16, 16], strides = [1, 1] : tile<ptr<f16, <multicast>>> -> tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4x4), tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<4x4xf16>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i, %i] : partition_view<tile=(4x4), tensor_view<16x16xf16, strides=[1,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x4xf16>, tile<i32> -> token
  return
}
// -----
// refused: 0 dimensions of stride 1, expected one
entry @f(%p: tile<ptr<bf16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [2] : tile<ptr<bf16, <multicast>>> -> tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <bf16: 1.0> : tile<16xbf16>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xbf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>, tile<16xbf16>, tile<i32> -> token
  return
}
// -----
// refused: a tile of one f16
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<1xf16>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<1xf16>, tile<i32> -> token
  return
}
// -----
// refused: has memory ordering release
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko release sys %v[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: has memory ordering acquire
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_store_view_tko acquire sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: has memory ordering weak
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_reduce_view_tko weak sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: has memory ordering acq_rel
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_reduce_view_tko acq_rel sys %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: is weak and has a memory scope
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko weak sys %v[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: without a memory scope
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = multimem_store_view_tko relaxed %v, %x[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xf32>, tile<i32> -> token
  return
}
// -----
// refused: has reduction min of f32, expected integers, f16 or bf16
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko weak %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: has reduction xor of f16, expected integers
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<16xf16>
  %a, %k = multimem_load_reduce_view_tko weak %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<xor>} : partition_view<tile=(16), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf16>, token
  return
}
// -----
// refused: has reduction max of f16, expected integers
entry @f(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f16: 1.0> : tile<16xf16>
  %k = multimem_reduce_view_tko relaxed sys %v, %x[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(16), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<16xf16>, tile<i32> -> token
  return
}
// -----
// refused: has 2 inbounds for 1 indices
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko weak %v[%i] inbounds = [true, false] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: 'view'
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_strided_view %t : strided_view<tile=(16), traversal_strides=[16], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = multimem_load_reduce_view_tko weak %v[%i] : strided_view<tile=(16), traversal_strides=[16], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: has multicast view
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = load_view_tko weak %v[%i] : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<16xf32>, token
  return
}
// -----
// refused: has multicast view
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = store_view_tko weak %x, %v[%i] : tile<16xf32>, partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
  return
}
// -----
// refused: has multicast view
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<16xf32>, partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
  return
}
// -----
// refused: has multicast source
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %a, %k = load_ptr_tko weak %p : tile<ptr<f32, <multicast>>> -> tile<f32>, token
  return
}
// -----
// refused: has multicast destination
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %y = constant <f32: 1.0> : tile<f32>
  %k = store_ptr_tko weak %p, %y : tile<ptr<f32, <multicast>>>, tile<f32> -> token
  return
}
// -----
// refused: has multicast pointers
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %y = constant <f32: 1.0> : tile<f32>
  %a, %k = atomic_rmw_tko relaxed sys %p, addf, %y : tile<ptr<f32, <multicast>>>, tile<f32> -> tile<f32>, token
  return
}
// -----
// refused: has multicast pointers
entry @f(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %y = constant <f32: 1.0> : tile<f32>
  %a, %k = atomic_cas_tko relaxed sys %p, %y, %y : tile<ptr<f32, <multicast>>>, tile<f32> -> tile<f32>, token
  return
}
// -----
// refused: has no name of a dialect, with a dot
entry @f(%p: tile<i32> {plain = 5 : i32}) {
  return
}
// -----
// refused: has 2 inbounds for 1 indices
entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>
  %x = constant <f32: 1.0> : tile<16xf32>
  %k = atomic_red_view_tko relaxed device %v[%i], addf, %x inbounds = [true, true] : tile<16xf32>, partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
