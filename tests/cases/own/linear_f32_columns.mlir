// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @linear_f32_columns(%a_base: tile<ptr<f32>>, %x_base: tile<ptr<f32>>, %f_base: tile<ptr<f32>>, %b_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %a_tensor = make_tensor_view %a_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %a_view = make_partition_view %a_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %f_tensor = make_tensor_view %f_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %f_view = make_partition_view %f_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %b_tensor = make_tensor_view %b_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %b_view = make_partition_view %b_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %fa, %fa_t = load_view_tko weak %a_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %fx, %fx_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %ta = reshape %fa : tile<256xf32> -> tile<32x8xf32>
  %tx = reshape %fx : tile<256xf32> -> tile<32x8xf32>
  %sa, %sx = scan %ta, %tx dim=0 reverse=false identities=[] : tile<32x8xf32>, tile<32x8xf32> -> tile<32x8xf32>, tile<32x8xf32> (%a0: tile<f32>, %b0: tile<f32>, %a1: tile<f32>, %b1: tile<f32>) {
  %r0 = mulf %b0, %a0 rounding<nearest_even> : tile<f32>
  %p = mulf %b0, %a1 rounding<nearest_even> : tile<f32>
  %r1 = addf %p, %b1 rounding<nearest_even> : tile<f32>
  yield %r0, %r1 : tile<f32>, tile<f32>
  }
  %ra, %rx = scan %ta, %tx dim=0 reverse=true identities=[] : tile<32x8xf32>, tile<32x8xf32> -> tile<32x8xf32>, tile<32x8xf32> (%a0: tile<f32>, %b0: tile<f32>, %a1: tile<f32>, %b1: tile<f32>) {
  %r0 = mulf %b0, %a0 rounding<nearest_even> : tile<f32>
  %p = mulf %b0, %a1 rounding<nearest_even> : tile<f32>
  %r1 = addf %p, %b1 rounding<nearest_even> : tile<f32>
  yield %r0, %r1 : tile<f32>, tile<f32>
  }
  %flat_f = reshape %sx : tile<32x8xf32> -> tile<256xf32>
  %flat_b = reshape %rx : tile<32x8xf32> -> tile<256xf32>
  %flat_f_to_f = store_view_tko weak %flat_f, %f_view[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> token
  %flat_b_to_b = store_view_tko weak %flat_b, %b_view[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
