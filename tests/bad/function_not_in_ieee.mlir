// SPDX-License-Identifier: Apache-2.0
cuda_tile.module @kernels {
entry @function_not_in_ieee(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %x, %token = load_view_tko weak %v[%zero] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %r = function "__nv_cyl_bessel_i0f"(%x) : tile<4xf32> -> tile<4xf32>
  %stored = store_view_tko weak %r, %v[%zero] : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
