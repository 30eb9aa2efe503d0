// SPDX-License-Identifier: Apache-2.0
// Of what is left of two equal products, and 1e-9, absf and maxf choose, and builds choose otherwise. Without fma,
// so that only contraction brings one.
cuda_tile.module @kernels {
entry @signs(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
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
  %left = subf %p, %q rounding<nearest_even> : tile<64xf32>
  %little = constant <f32: 1.0e-9> : tile<64xf32>
  %d = addf %left, %little rounding<nearest_even> : tile<64xf32>
  %a = absf %d : tile<64xf32>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %m = maxf %d, %zero : tile<64xf32>
  %result = addf %a, %m rounding<nearest_even> : tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
