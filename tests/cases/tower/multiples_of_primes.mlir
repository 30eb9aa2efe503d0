// SPDX-License-Identifier: Apache-2.0
// x, and 2 x / 2.
cuda_tile.module @multiples_of_primes {
entry @copy(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %from_p = offset %from_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %to_p = offset %to_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %done = store_ptr_tko weak %to_p, %x : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @twice(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %from_p = offset %from_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %to_p = offset %to_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %two = constant <f32: 2.0> : tile<64xf32>
  %half = constant <f32: 0.5> : tile<64xf32>
  %d = mulf %x, %two : tile<64xf32>
  %h = mulf %d, %half : tile<64xf32>
  %done = store_ptr_tko weak %to_p, %h : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
