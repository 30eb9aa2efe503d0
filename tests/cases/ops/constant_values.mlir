// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @constant_values(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>, %n_base: tile<ptr<i64>>, %b_base: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %n_tensor = make_tensor_view %n_base, shape = [1], strides = [1] : tensor_view<1xi64, strides=[1]>
  %n_view = make_partition_view %n_tensor : partition_view<tile=(1), tensor_view<1xi64, strides=[1]>>
  %b_tensor = make_tensor_view %b_base, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
  %b_view = make_partition_view %b_tensor : partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %weights = constant <f32: [0.1, 0.25, -1.5, 0.33333334]> : tile<4xf32>
  %halves = constant <f16: 0.333251953125> : tile<4xf16>
  %wide = ftof %halves : tile<4xf16> -> tile<4xf32>
  %product = mulf %a, %weights : tile<4xf32>
  %second = mulf %a, %product : tile<4xf32>
  %r = mulf %second, %wide : tile<4xf32>
  %total = constant <i64: 12> : tile<1xi64>
  %bits = constant <i32: [1, 0, 1, 1]> : tile<4xi32>
  %r_to_y = store_view_tko weak %r, %y_view[%zero] : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
  %total_to_n = store_view_tko weak %total, %n_view[%zero] : tile<1xi64>, partition_view<tile=(1), tensor_view<1xi64, strides=[1]>>, tile<i32> -> token
  %bits_to_b = store_view_tko weak %bits, %b_view[%zero] : tile<4xi32>, partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32> -> token
  return
}
}
