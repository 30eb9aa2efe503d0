// SPDX-License-Identifier: Apache-2.0
// 1 / z - 1 / w of 256 numbers each, in two ways.
cuda_tile.module @parallax {
entry @quotient(%from: tile<ptr<f32>>, %other: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %other_1 = reshape %other : tile<ptr<f32>> -> tile<1xptr<f32>>
  %other_n = broadcast %other_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %other_p = offset %other_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %z, %z_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %w, %w_t = load_ptr_tko weak %other_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %d = subf %w, %z : tile<256xf32>
  %p = mulf %z, %w : tile<256xf32>
  %r = divf %d, %p : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @reciprocals(%from: tile<ptr<f32>>, %other: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %other_1 = reshape %other : tile<ptr<f32>> -> tile<1xptr<f32>>
  %other_n = broadcast %other_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %other_p = offset %other_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %z, %z_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %w, %w_t = load_ptr_tko weak %other_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %a = divf %one, %z : tile<256xf32>
  %b = divf %one, %w : tile<256xf32>
  %r = subf %a, %b : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
}
