// SPDX-License-Identifier: Apache-2.0
// Written by make.py.
cuda_tile.module @kernels {
entry @dot(%X_base: tile<ptr<f8E4M3FN>>, %Y_base: tile<ptr<f8E5M2>>, %Z_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %X_tensor = make_tensor_view %X_base, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf8E4M3FN, strides=[64,1]>
  %X_view = make_partition_view %X_tensor : partition_view<tile=(16x64), tensor_view<16x64xf8E4M3FN, strides=[64,1]>>
  %Y_tensor = make_tensor_view %Y_base, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf8E5M2, strides=[16,1]>
  %Y_view = make_partition_view %Y_tensor : partition_view<tile=(64x16), tensor_view<64x16xf8E5M2, strides=[16,1]>>
  %Z_tensor = make_tensor_view %Z_base, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
  %Z_view = make_partition_view %Z_tensor : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
  %X, %X_read = load_view_tko weak %X_view[%zero, %zero] : partition_view<tile=(16x64), tensor_view<16x64xf8E4M3FN, strides=[64,1]>>, tile<i32> -> tile<16x64xf8E4M3FN>, token
  %Y, %Y_read = load_view_tko weak %Y_view[%zero, %zero] : partition_view<tile=(64x16), tensor_view<64x16xf8E5M2, strides=[16,1]>>, tile<i32> -> tile<64x16xf8E5M2>, token
  %start = constant <f32: 0.0> : tile<16x16xf32>
  %d = nv_tileaa.dot %X, %Y, %start : tile<16x64xf8E4M3FN>, tile<64x16xf8E5M2>, tile<16x16xf32> -> tile<16x16xf32>
  %Z_stored = store_view_tko weak %d, %Z_view[%zero, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
entry @halves(%X_base: tile<ptr<f8E4M3FN>>, %Y_base: tile<ptr<f8E5M2>>, %Z_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %X_tensor = make_tensor_view %X_base, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf8E4M3FN, strides=[64,1]>
  %X_view = make_partition_view %X_tensor : partition_view<tile=(16x64), tensor_view<16x64xf8E4M3FN, strides=[64,1]>>
  %Y_tensor = make_tensor_view %Y_base, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf8E5M2, strides=[16,1]>
  %Y_view = make_partition_view %Y_tensor : partition_view<tile=(64x16), tensor_view<64x16xf8E5M2, strides=[16,1]>>
  %Z_tensor = make_tensor_view %Z_base, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
  %Z_view = make_partition_view %Z_tensor : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
  %X, %X_read = load_view_tko weak %X_view[%zero, %zero] : partition_view<tile=(16x64), tensor_view<16x64xf8E4M3FN, strides=[64,1]>>, tile<i32> -> tile<16x64xf8E4M3FN>, token
  %Y, %Y_read = load_view_tko weak %Y_view[%zero, %zero] : partition_view<tile=(64x16), tensor_view<64x16xf8E5M2, strides=[16,1]>>, tile<i32> -> tile<64x16xf8E5M2>, token
  %start = constant <f32: 0.0> : tile<16x16xf32>
  %Xh = nv_tileaa.cast %X : tile<16x64xf8E4M3FN> to tile<16x64xf16>
  %Yh = nv_tileaa.cast %Y : tile<64x16xf8E5M2> to tile<64x16xf16>
  %d = mmaf %Xh, %Yh, %start : tile<16x64xf16>, tile<64x16xf16>, tile<16x16xf32>
  %Z_stored = store_view_tko weak %d, %Z_view[%zero, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
}
