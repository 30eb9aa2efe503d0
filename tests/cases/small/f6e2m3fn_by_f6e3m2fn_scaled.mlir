// SPDX-License-Identifier: Apache-2.0
// Written by make.py.
cuda_tile.module @kernels {
entry @dot(%X_base: tile<ptr<f6E2M3FN>>, %Y_base: tile<ptr<f6E3M2FN>>, %Z_base: tile<ptr<f32>>, %S_base: tile<ptr<f8E8M0FNU>>, %T_base: tile<ptr<f8E8M0FNU>>) {
  %zero = constant <i32: 0> : tile<i32>
  %X_tensor = make_tensor_view %X_base, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf6E2M3FN, strides=[64,1]>
  %X_view = make_partition_view %X_tensor : partition_view<tile=(16x64), tensor_view<16x64xf6E2M3FN, strides=[64,1]>>
  %Y_tensor = make_tensor_view %Y_base, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf6E3M2FN, strides=[16,1]>
  %Y_view = make_partition_view %Y_tensor : partition_view<tile=(64x16), tensor_view<64x16xf6E3M2FN, strides=[16,1]>>
  %Z_tensor = make_tensor_view %Z_base, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
  %Z_view = make_partition_view %Z_tensor : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
  %S_tensor = make_tensor_view %S_base, shape = [16, 2], strides = [2, 1] : tensor_view<16x2xf8E8M0FNU, strides=[2,1]>
  %S_view = make_partition_view %S_tensor : partition_view<tile=(16x2), tensor_view<16x2xf8E8M0FNU, strides=[2,1]>>
  %T_tensor = make_tensor_view %T_base, shape = [2, 16], strides = [16, 1] : tensor_view<2x16xf8E8M0FNU, strides=[16,1]>
  %T_view = make_partition_view %T_tensor : partition_view<tile=(2x16), tensor_view<2x16xf8E8M0FNU, strides=[16,1]>>
  %X, %X_read = load_view_tko weak %X_view[%zero, %zero] : partition_view<tile=(16x64), tensor_view<16x64xf6E2M3FN, strides=[64,1]>>, tile<i32> -> tile<16x64xf6E2M3FN>, token
  %Y, %Y_read = load_view_tko weak %Y_view[%zero, %zero] : partition_view<tile=(64x16), tensor_view<64x16xf6E3M2FN, strides=[16,1]>>, tile<i32> -> tile<64x16xf6E3M2FN>, token
  %S, %S_read = load_view_tko weak %S_view[%zero, %zero] : partition_view<tile=(16x2), tensor_view<16x2xf8E8M0FNU, strides=[2,1]>>, tile<i32> -> tile<16x2xf8E8M0FNU>, token
  %T, %T_read = load_view_tko weak %T_view[%zero, %zero] : partition_view<tile=(2x16), tensor_view<2x16xf8E8M0FNU, strides=[16,1]>>, tile<i32> -> tile<2x16xf8E8M0FNU>, token
  %start = constant <f32: 0.0> : tile<16x16xf32>
  %d = nv_tileaa.dot %X, %Y, %start sfa(%S) sfb(%T) : tile<16x64xf6E2M3FN>, tile<64x16xf6E3M2FN>, tile<16x16xf32> sfa: tile<16x2xf8E8M0FNU>, sfb: tile<2x16xf8E8M0FNU> -> tile<16x16xf32>
  %Z_stored = store_view_tko weak %d, %Z_view[%zero, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
}
