// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @insert_f32(%x_base: tile<ptr<f32>>, %p_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %p_tensor = make_tensor_view %p_base, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %p_view = make_partition_view %p_tensor : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %b, %b_t = load_view_tko weak %p_view[%zero] : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %whole = reshape %a : tile<64xf32> -> tile<4x8x2xf32>
  %part = reshape %b : tile<8xf32> -> tile<2x2x2xf32>
  %first = insert %part, %whole[%one, %two, %zero] : tile<2x2x2xf32>, tile<4x8x2xf32>
  %again = extract %first[%one, %two, %zero] : tile<4x8x2xf32> -> tile<2x2x2xf32>
  %second = insert %again, %first[%zero, %zero, %zero] : tile<2x2x2xf32>, tile<4x8x2xf32>
  %c = reshape %second : tile<4x8x2xf32> -> tile<64xf32>
  %c_to_y = store_view_tko weak %c, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
