// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @variance_passes(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %v_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %m_tensor = make_tensor_view %m_base, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %m_view = make_partition_view %m_tensor : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %v_tensor = make_tensor_view %v_base, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %v_view = make_partition_view %v_tensor : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %flat, %flat_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %rows = reshape %flat : tile<256xf32> -> tile<8x32xf32>
  %t = reshape %rows : tile<8x32xf32> -> tile<8x32xf32>
  %n = constant <f32: 32.0> : tile<8xf32>
  %s = reduce %t dim=1 identities=[] : tile<8x32xf32> -> tile<8xf32> (%a0: tile<f32>, %b0: tile<f32>) {
  %r0 = addf %a0, %b0 rounding<nearest_even> : tile<f32>
  yield %r0 : tile<f32>
  }
  %mean = divf %s, %n rounding<nearest_even> : tile<8xf32>
  %c = reshape %mean : tile<8xf32> -> tile<8x1xf32>
  %w = broadcast %c : tile<8x1xf32> -> tile<8x32xf32>
  %d = subf %t, %w rounding<nearest_even> : tile<8x32xf32>
  %dd = mulf %d, %d rounding<nearest_even> : tile<8x32xf32>
  %squares = reduce %dd dim=1 identities=[] : tile<8x32xf32> -> tile<8xf32> (%a0: tile<f32>, %b0: tile<f32>) {
  %r0 = addf %a0, %b0 rounding<nearest_even> : tile<f32>
  yield %r0 : tile<f32>
  }
  %variance = divf %squares, %n rounding<nearest_even> : tile<8xf32>
  %mean_to_m = store_view_tko weak %mean, %m_view[%zero] : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  %variance_to_v = store_view_tko weak %variance, %v_view[%zero] : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
