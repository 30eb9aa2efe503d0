// SPDX-License-Identifier: Apache-2.0
cuda_tile.module @kernels {
entry @alloca_of_nothing(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %nothing = alloca num_elem = 0, alignment = 4 : tile<ptr<f32>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %stored = store_view_tko weak %a, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
entry @plain(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %stored = store_view_tko weak %a, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
