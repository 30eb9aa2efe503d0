// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @variance_welford_across(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %v_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %m_tensor = make_tensor_view %m_base, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %m_view = make_partition_view %m_tensor : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %v_tensor = make_tensor_view %v_base, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %v_view = make_partition_view %v_tensor : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %flat, %flat_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %rows = reshape %flat : tile<256xf32> -> tile<8x32xf32>
  %t = permute %rows [1, 0] : tile<8x32xf32> -> tile<32x8xf32>
  %n = constant <f32: 32.0> : tile<8xf32>
  %zeros = constant <f32: 0.0> : tile<32x8xf32>
  %weights = constant <f32: 1.0> : tile<32x8xf32>
  %mean, %squares, %count = reduce %t, %zeros, %weights dim=0 identities=[] : tile<32x8xf32>, tile<32x8xf32>, tile<32x8xf32> -> tile<8xf32>, tile<8xf32>, tile<8xf32> (%a0: tile<f32>, %b0: tile<f32>, %a1: tile<f32>, %b1: tile<f32>, %a2: tile<f32>, %b2: tile<f32>) {
  %r2 = addf %a2, %b2 rounding<nearest_even> : tile<f32>
  %d = subf %b0, %a0 rounding<nearest_even> : tile<f32>
  %share = divf %b2, %r2 rounding<nearest_even> : tile<f32>
  %step = mulf %d, %share rounding<nearest_even> : tile<f32>
  %r0 = addf %a0, %step rounding<nearest_even> : tile<f32>
  %dd = mulf %d, %d rounding<nearest_even> : tile<f32>
  %part = mulf %a2, %share rounding<nearest_even> : tile<f32>
  %more = mulf %dd, %part rounding<nearest_even> : tile<f32>
  %sum = addf %a1, %b1 rounding<nearest_even> : tile<f32>
  %r1 = addf %sum, %more rounding<nearest_even> : tile<f32>
  yield %r0, %r1, %r2 : tile<f32>, tile<f32>, tile<f32>
  }
  %variance = divf %squares, %n rounding<nearest_even> : tile<8xf32>
  %mean_to_m = store_view_tko weak %mean, %m_view[%zero] : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  %variance_to_v = store_view_tko weak %variance, %v_view[%zero] : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
