// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @gather_to_one_i8(%x_base: tile<ptr<i8>>, %i_base: tile<ptr<i64>>, %y_base: tile<ptr<i8>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %i_tensor = make_tensor_view %i_base, shape = [8], strides = [1] : tensor_view<8xi64, strides=[1]>
  %i_view = make_partition_view %i_tensor : partition_view<tile=(8), tensor_view<8xi64, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [8], strides = [1] : tensor_view<8xi8, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(8), tensor_view<8xi8, strides=[1]>>
  %fx, %fx_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %fi, %fi_t = load_view_tko weak %i_view[%zero] : partition_view<tile=(8), tensor_view<8xi64, strides=[1]>>, tile<i32> -> tile<8xi64>, token
  %s = reshape %fx : tile<64xi8> -> tile<8x8xi8>
  %k = reshape %fi : tile<8xi64> -> tile<8x1xi64>
  %g = gather %s[%k] dim=1 : tile<8x8xi8>, tile<8x1xi64> -> tile<8x1xi8>
  %r = reshape %g : tile<8x1xi8> -> tile<8xi8>
  %r_to_y = store_view_tko weak %r, %y_view[%zero] : tile<8xi8>, partition_view<tile=(8), tensor_view<8xi8, strides=[1]>>, tile<i32> -> token
  return
}
}
