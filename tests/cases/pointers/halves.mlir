// SPDX-License-Identifier: Apache-2.0
// Pointers to a global and an alloca of f4E2M1FN, at odd elements too; what they must give.
cuda_tile.module @halves {
global @table <f4E2M1FN: [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -6.0]> : tile<8xf4E2M1FN>
entry @through_pointers(%y: tile<ptr<f32>>) {
  %g = get_global @table : tile<ptr<f4E2M1FN>>
  %a = alloca num_elem = 7, alignment = 1 : tile<ptr<f4E2M1FN>>
  %i = constant <i32: [7, 5, 3, 1]> : tile<4xi32>
  %j = constant <i32: [1, 2, 5, 6]> : tile<4xi32>
  %k = iota : tile<8xi32>
  %g1 = reshape %g : tile<ptr<f4E2M1FN>> -> tile<1xptr<f4E2M1FN>>
  %g4 = broadcast %g1 : tile<1xptr<f4E2M1FN>> -> tile<4xptr<f4E2M1FN>>
  %gp = offset %g4, %i : tile<4xptr<f4E2M1FN>>, tile<4xi32> -> tile<4xptr<f4E2M1FN>>
  %a1 = reshape %a : tile<ptr<f4E2M1FN>> -> tile<1xptr<f4E2M1FN>>
  %a4 = broadcast %a1 : tile<1xptr<f4E2M1FN>> -> tile<4xptr<f4E2M1FN>>
  %a8 = broadcast %a1 : tile<1xptr<f4E2M1FN>> -> tile<8xptr<f4E2M1FN>>
  %ap = offset %a4, %j : tile<4xptr<f4E2M1FN>>, tile<4xi32> -> tile<4xptr<f4E2M1FN>>
  %aq = offset %a8, %k : tile<8xptr<f4E2M1FN>>, tile<8xi32> -> tile<8xptr<f4E2M1FN>>
  %v, %t = load_ptr_tko weak %gp : tile<4xptr<f4E2M1FN>> -> tile<4xf4E2M1FN>, token
  %s = store_ptr_tko weak %ap, %v : tile<4xptr<f4E2M1FN>>, tile<4xf4E2M1FN> -> token
  %w, %u = load_ptr_tko weak %aq : tile<8xptr<f4E2M1FN>> -> tile<8xf4E2M1FN>, token
  %f = ftof %w rounding<nearest_even> : tile<8xf4E2M1FN> -> tile<8xf32>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y8 = broadcast %y1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %yp = offset %y8, %k : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %x = store_ptr_tko weak %yp, %f : tile<8xptr<f32>>, tile<8xf32> -> token
  return
}
entry @directly(%y: tile<ptr<f32>>) {
  %f = constant <f32: [0.0, -6.0, 4.0, 0.0, 0.0, 2.0, 1.0, 0.0]> : tile<8xf32>
  %k = iota : tile<8xi32>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y8 = broadcast %y1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %yp = offset %y8, %k : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %x = store_ptr_tko weak %yp, %f : tile<8xptr<f32>>, tile<8xf32> -> token
  return
}
}
