// SPDX-License-Identifier: Apache-2.0
// x r / z, and r r r x, of r = 1 / sqrt(z), beside something large that is added and subtracted; once what is
// subtracted is a little more.
cuda_tile.module @roots_rounded {
entry @divided(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %z_p = offset %z_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %y_p = offset %y_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %z_v, %z_t = load_ptr_tko weak %z_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %r = rsqrt %z_v : tile<256xf32>
  %q = divf %r, %z_v rounding<nearest_even> : tile<256xf32>
  %u = mulf %q, %x_v rounding<nearest_even> : tile<256xf32>
  %s = store_ptr_tko weak %y_p, %u : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @cubed(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %z_p = offset %z_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %y_p = offset %y_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %z_v, %z_t = load_ptr_tko weak %z_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %r = rsqrt %z_v : tile<256xf32>
  %a = mulf %r, %r rounding<nearest_even> : tile<256xf32>
  %b = mulf %a, %r rounding<nearest_even> : tile<256xf32>
  %t = mulf %b, %x_v rounding<nearest_even> : tile<256xf32>
  %n = constant <f32: 8192.0> : tile<256xf32>
  %m = mulf %t, %n rounding<nearest_even> : tile<256xf32>
  %v = addf %t, %m rounding<nearest_even> : tile<256xf32>
  %u = subf %v, %m rounding<nearest_even> : tile<256xf32>
  %s = store_ptr_tko weak %y_p, %u : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @cubed_less(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %z_p = offset %z_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %y_p = offset %y_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %z_v, %z_t = load_ptr_tko weak %z_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %r = rsqrt %z_v : tile<256xf32>
  %a = mulf %r, %r rounding<nearest_even> : tile<256xf32>
  %b = mulf %a, %r rounding<nearest_even> : tile<256xf32>
  %t = mulf %b, %x_v rounding<nearest_even> : tile<256xf32>
  %n = constant <f32: 8192.0> : tile<256xf32>
  %m = mulf %t, %n rounding<nearest_even> : tile<256xf32>
  %e = constant <f32: 8192.0009765625> : tile<256xf32>
  %k = mulf %t, %e rounding<nearest_even> : tile<256xf32>
  %v = addf %t, %m rounding<nearest_even> : tile<256xf32>
  %u = subf %v, %k rounding<nearest_even> : tile<256xf32>
  %s = store_ptr_tko weak %y_p, %u : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
}
