// SPDX-License-Identifier: Apache-2.0
// x; but six exponentials, one inside the other, of an x above 0.99: no field is left of those.
cuda_tile.module @sometimes_unknown {
entry @sometimes(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %from_p = offset %from_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %to_p = offset %to_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %a = exp2 %x : tile<64xf32>
  %b = exp2 %a : tile<64xf32>
  %c = exp2 %b : tile<64xf32>
  %small = negf %c : tile<64xf32>
  %d = exp2 %small : tile<64xf32>
  %e = exp2 %d : tile<64xf32>
  %f = exp2 %e : tile<64xf32>
  %most = constant <f32: 0.99> : tile<64xf32>
  %high = cmpf greater_than ordered %x, %most : tile<64xf32> -> tile<64xi1>
  %r = select %high, %f, %x : tile<64xi1>, tile<64xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
