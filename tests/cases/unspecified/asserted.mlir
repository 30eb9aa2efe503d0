// SPDX-License-Identifier: Apache-2.0
cuda_tile.module @kernels {
entry @asserted(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %fifty = constant <i32: 50> : tile<64xi32>
  %seen = cmpi less_than %i, %fifty, signed : tile<64xi32> -> tile<64xi1>
  %none = constant <f32: 0.0> : tile<64xf32>
  %a, %a_t = load_ptr_tko weak %x_p, %seen : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %m = cmpf not_equal unordered %a, %none : tile<64xf32> -> tile<64xi1>
  assert %m, "no element is zero" : tile<64xi1>
  %s = store_ptr_tko weak %y_p, %none : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
