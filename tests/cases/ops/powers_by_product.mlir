// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @powers_by_product(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %x1, %x1_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %x2 = mulf %x1, %x1 : tile<64xf32>
  %x3 = mulf %x1, %x2 : tile<64xf32>
  %one = constant <f32: 1.0> : tile<64xf32>
  %inverse = divf %one, %x1 : tile<64xf32>
  %r = addf %x3, %inverse : tile<64xf32>
  %r_to_y = store_view_tko weak %r, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
