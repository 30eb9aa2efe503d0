// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @gather_middle_f32(%x_base: tile<ptr<f32>>, %i_base: tile<ptr<i32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %i_tensor = make_tensor_view %i_base, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
  %i_view = make_partition_view %i_tensor : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
  %fx, %fx_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %fi, %fi_t = load_view_tko weak %i_view[%zero] : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %s = reshape %fx : tile<64xf32> -> tile<2x8x4xf32>
  %k = reshape %fi : tile<128xi32> -> tile<2x16x4xi32>
  %g = gather %s[%k] dim=1 : tile<2x8x4xf32>, tile<2x16x4xi32> -> tile<2x16x4xf32>
  %r = reshape %g : tile<2x16x4xf32> -> tile<128xf32>
  %r_to_y = store_view_tko weak %r, %y_view[%zero] : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
