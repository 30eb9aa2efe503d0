// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @fpowi_f64(%x_base: tile<ptr<f64>>, %n_base: tile<ptr<i8>>, %y_base: tile<ptr<f64>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf64, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf64, strides=[1]>>
  %n_tensor = make_tensor_view %n_base, shape = [256], strides = [1] : tensor_view<256xi8, strides=[1]>
  %n_view = make_partition_view %n_tensor : partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [256], strides = [1] : tensor_view<256xf64, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(256), tensor_view<256xf64, strides=[1]>>
  %base, %base_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf64, strides=[1]>>, tile<i32> -> tile<256xf64>, token
  %exponent, %exponent_t = load_view_tko weak %n_view[%zero] : partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>, tile<i32> -> tile<256xi8>, token
  %power = fpowi %base, %exponent : tile<256xf64>, tile<256xi8>
  %power_to_y = store_view_tko weak %power, %y_view[%zero] : tile<256xf64>, partition_view<tile=(256), tensor_view<256xf64, strides=[1]>>, tile<i32> -> token
  return
}
}
