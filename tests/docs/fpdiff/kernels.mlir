// SPDX-License-Identifier: Apache-2.0
// Kernels of a pair whose first launches differ (docs/fpdiff.md).
entry @copy_tile(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<128xi32>
  %f0 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %f1 = broadcast %f0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %f = offset %f1, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %t0 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t1 = broadcast %t0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %t = offset %t1, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %x, %k = load_ptr_tko weak %f : tile<128xptr<f32>> -> tile<128xf32>, token
  %s = store_ptr_tko weak %t, %x : tile<128xptr<f32>>, tile<128xf32> -> token
  return
}
entry @product(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<128xi32>
  %a0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %a1 = broadcast %a0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %ap = offset %a1, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %b0 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b1 = broadcast %b0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %bp = offset %b1, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %t0 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t1 = broadcast %t0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %t = offset %t1, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %x, %k = load_ptr_tko weak %ap : tile<128xptr<f32>> -> tile<128xf32>, token
  %y, %l = load_ptr_tko weak %bp : tile<128xptr<f32>> -> tile<128xf32>, token
  %z = mulf %x, %y : tile<128xf32>
  %s = store_ptr_tko weak %t, %z : tile<128xptr<f32>>, tile<128xf32> -> token
  return
}
