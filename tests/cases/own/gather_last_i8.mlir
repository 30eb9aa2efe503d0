// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @gather_last_i8(%x_base: tile<ptr<i8>>, %i_base: tile<ptr<i64>>, %y_base: tile<ptr<i8>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %i_tensor = make_tensor_view %i_base, shape = [128], strides = [1] : tensor_view<128xi64, strides=[1]>
  %i_view = make_partition_view %i_tensor : partition_view<tile=(128), tensor_view<128xi64, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [128], strides = [1] : tensor_view<128xi8, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(128), tensor_view<128xi8, strides=[1]>>
  %fx, %fx_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %fi, %fi_t = load_view_tko weak %i_view[%zero] : partition_view<tile=(128), tensor_view<128xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token
  %s = reshape %fx : tile<64xi8> -> tile<4x16xi8>
  %k = reshape %fi : tile<128xi64> -> tile<4x32xi64>
  %g = gather %s[%k] dim=1 : tile<4x16xi8>, tile<4x32xi64> -> tile<4x32xi8>
  %r = reshape %g : tile<4x32xi8> -> tile<128xi8>
  %r_to_y = store_view_tko weak %r, %y_view[%zero] : tile<128xi8>, partition_view<tile=(128), tensor_view<128xi8, strides=[1]>>, tile<i32> -> token
  return
}
}
