// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @fpowi_f32(%x_base: tile<ptr<f32>>, %n_base: tile<ptr<i32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %n_tensor = make_tensor_view %n_base, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %n_view = make_partition_view %n_tensor : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %base, %base_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %exponent, %exponent_t = load_view_tko weak %n_view[%zero] : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %power = fpowi %base, %exponent : tile<256xf32>, tile<256xi32>
  %power_to_y = store_view_tko weak %power, %y_view[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
