// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @whole_extremes(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %n_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
  %m_tensor = make_tensor_view %m_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %m_view = make_partition_view %m_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %n_tensor = make_tensor_view %n_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %n_view = make_partition_view %n_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %raw, %raw_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %half = constant <f32: 0.5> : tile<1024xf32>
  %f = mulf %raw, %half rounding<nearest_even> : tile<1024xf32>
  %t = reshape %f : tile<1024xf32> -> tile<16x64xf32>
  %high = reduce %t dim=0 identities=[] : tile<16x64xf32> -> tile<64xf32> (%a0: tile<f32>, %b0: tile<f32>) {
  %r0 = maxf %a0, %b0 : tile<f32>
  yield %r0 : tile<f32>
  }
  %low = reduce %t dim=0 identities=[] : tile<16x64xf32> -> tile<64xf32> (%a0: tile<f32>, %b0: tile<f32>) {
  %r0 = minf %a0, %b0 : tile<f32>
  yield %r0 : tile<f32>
  }
  %high_to_m = store_view_tko weak %high, %m_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %low_to_n = store_view_tko weak %low, %n_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
