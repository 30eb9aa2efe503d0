// refused: expected equal types
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x32xf32, strides=[64,1]>>
  return
}
// -----
// refused: has 1 indices, expected 2
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a, %r = load_view_tko weak %w[%i] : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
  return
}
// -----
// refused: but the view has tiles of
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a, %r = load_view_tko weak %w[%i, %i] : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  return
}
// -----
// refused: expected a scalar
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %l = iota : tile<8xi32>
  %a, %r = load_view_tko weak %w[%l, %l] : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<8xi32> -> tile<8x8xf32>, token
  return
}
// -----
// refused: inbounds for 2 indices
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a, %r = load_view_tko weak %w[%i, %i] inbounds = [true] : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
  return
}
// -----
// refused: expected 8 row numbers
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %a, %r = load_view_tko weak %w[%i, %i] : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<i32> -> tile<8x8xf32>, token
  return
}
// -----
// refused: reduces into a gather_scatter_view
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %l = iota : tile<8xi32>
  %a = constant <f32: 1.0> : tile<8x8xf32>
  %r = atomic_red_view_tko relaxed device %w[%l, %i], addf, %a : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
  return
}
// -----
// refused: has scope sys
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a = constant <f32: 1.0> : tile<8x8xf32>
  %r = atomic_red_view_tko relaxed sys %w[%i, %i], addf, %a : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
// -----
// refused: has memory ordering acquire
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a = constant <f32: 1.0> : tile<8x8xf32>
  %r = atomic_red_view_tko acquire device %w[%i, %i], addf, %a : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
// -----
// refused: has mode xchg
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a = constant <f32: 1.0> : tile<8x8xf32>
  %r = atomic_red_view_tko relaxed device %w[%i, %i], xchg, %a : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
