// SPDX-License-Identifier: Apache-2.0
// Kernels that builds change: `line` in its last bits, `nearly` and `turn` in which choice they make (of `nearly` two
// numbers that are a unit apart, of `turn` 0 and what is left of two equal products), `steps` in the integers that it
// rounds to; `written` has flags of its own. Written without fma, so that only contraction brings one.
cuda_tile.module @kernels {
entry @line(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %p = mulf %x_v, %x_v rounding<nearest_even> : tile<64xf32>
  %result = addf %p, %y_v rounding<nearest_even> : tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @turn(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %three = constant <f32: 3.0> : tile<64xf32>
  %u = mulf %x_v, %three rounding<nearest_even> : tile<64xf32>
  %v = mulf %y_v, %three rounding<nearest_even> : tile<64xf32>
  %p = mulf %x_v, %v rounding<nearest_even> : tile<64xf32>
  %q = mulf %y_v, %u rounding<nearest_even> : tile<64xf32>
  %d = subf %p, %q rounding<nearest_even> : tile<64xf32>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %above = cmpf greater_than ordered %d, %zero : tile<64xf32> -> tile<64xi1>
  %result = select %above, %x_v, %y_v : tile<64xi1>, tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @nearly(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %p = mulf %x_v, %x_v rounding<nearest_even> : tile<64xf32>
  %u = addf %p, %y_v rounding<nearest_even> : tile<64xf32>
  %minus = negf %x_v : tile<64xf32>
  %q = mulf %minus, %x_v rounding<nearest_even> : tile<64xf32>
  %w = subf %y_v, %q rounding<nearest_even> : tile<64xf32>
  %more = constant <f32: 3.0e-8> : tile<64xf32>
  %v = addf %w, %more rounding<nearest_even> : tile<64xf32>
  %above = cmpf greater_than ordered %u, %v : tile<64xf32> -> tile<64xi1>
  %result = select %above, %q, %y_v : tile<64xi1>, tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @steps(%x: tile<ptr<f32>>, %n: tile<ptr<i32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %n_1 = reshape %n : tile<ptr<i32>> -> tile<1xptr<i32>>
  %n_n = broadcast %n_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %n_p = offset %n_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %tenth = constant <f32: 0.1> : tile<64xf32>
  %ten = constant <f32: 10.0> : tile<64xf32>
  %u = mulf %x_v, %tenth rounding<nearest_even> : tile<64xf32>
  %v = mulf %u, %ten rounding<nearest_even> : tile<64xf32>
  %w = subf %v, %x_v rounding<nearest_even> : tile<64xf32>
  %f = floor %w : tile<64xf32>
  %result = ftoi %f signed rounding<nearest_int_to_zero> : tile<64xf32> -> tile<64xi32>
  %s = store_ptr_tko weak %n_p, %result : tile<64xptr<i32>>, tile<64xi32> -> token
  return
}
entry @written(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %p = mulf %x_v, %x_v rounding<nearest_even> fastmath<contract> : tile<64xf32>
  %result = addf %p, %x_v rounding<nearest_even> fastmath<contract> : tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
