// SPDX-License-Identifier: Apache-2.0
// Quantisers from f32 to f8E4M3FN, alike but for the rounding: to nearest with ties to even, with ties away from zero,
// toward zero, upward. What is too large becomes the largest number. No mode changes the rounding of a cast.
cuda_tile.module @quantise {
entry @rne(%x: tile<ptr<f32>>, %y: tile<ptr<f8E4M3FN>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f8E4M3FN>> -> tile<1xptr<f8E4M3FN>>
  %y_n = broadcast %y_1 : tile<1xptr<f8E4M3FN>> -> tile<256xptr<f8E4M3FN>>
  %y_p = offset %y_n, %i : tile<256xptr<f8E4M3FN>>, tile<256xi32> -> tile<256xptr<f8E4M3FN>>
  %v, %v_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %scale = constant <f32: 3.0> : tile<256xf32>
  %scaled = nv_tileaa.mulf %v, %scale {rounding = #rne} : tile<256 x f32>
  %q = nv_tileaa.cast %scaled {rounding = #rne, satf = true} : tile<256 x f32> to tile<256 x f8E4M3FN>
  %s = store_ptr_tko weak %y_p, %q : tile<256xptr<f8E4M3FN>>, tile<256xf8E4M3FN> -> token
  return
}
entry @rna(%x: tile<ptr<f32>>, %y: tile<ptr<f8E4M3FN>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f8E4M3FN>> -> tile<1xptr<f8E4M3FN>>
  %y_n = broadcast %y_1 : tile<1xptr<f8E4M3FN>> -> tile<256xptr<f8E4M3FN>>
  %y_p = offset %y_n, %i : tile<256xptr<f8E4M3FN>>, tile<256xi32> -> tile<256xptr<f8E4M3FN>>
  %v, %v_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %scale = constant <f32: 3.0> : tile<256xf32>
  %scaled = nv_tileaa.mulf %v, %scale {rounding = #rne} : tile<256 x f32>
  %q = nv_tileaa.cast %scaled {rounding = #rna, satf = true} : tile<256 x f32> to tile<256 x f8E4M3FN>
  %s = store_ptr_tko weak %y_p, %q : tile<256xptr<f8E4M3FN>>, tile<256xf8E4M3FN> -> token
  return
}
entry @rz(%x: tile<ptr<f32>>, %y: tile<ptr<f8E4M3FN>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f8E4M3FN>> -> tile<1xptr<f8E4M3FN>>
  %y_n = broadcast %y_1 : tile<1xptr<f8E4M3FN>> -> tile<256xptr<f8E4M3FN>>
  %y_p = offset %y_n, %i : tile<256xptr<f8E4M3FN>>, tile<256xi32> -> tile<256xptr<f8E4M3FN>>
  %v, %v_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %scale = constant <f32: 3.0> : tile<256xf32>
  %scaled = nv_tileaa.mulf %v, %scale {rounding = #rne} : tile<256 x f32>
  %q = nv_tileaa.cast %scaled {rounding = #rz, satf = true} : tile<256 x f32> to tile<256 x f8E4M3FN>
  %s = store_ptr_tko weak %y_p, %q : tile<256xptr<f8E4M3FN>>, tile<256xf8E4M3FN> -> token
  return
}
entry @rp(%x: tile<ptr<f32>>, %y: tile<ptr<f8E4M3FN>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f8E4M3FN>> -> tile<1xptr<f8E4M3FN>>
  %y_n = broadcast %y_1 : tile<1xptr<f8E4M3FN>> -> tile<256xptr<f8E4M3FN>>
  %y_p = offset %y_n, %i : tile<256xptr<f8E4M3FN>>, tile<256xi32> -> tile<256xptr<f8E4M3FN>>
  %v, %v_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %scale = constant <f32: 3.0> : tile<256xf32>
  %scaled = nv_tileaa.mulf %v, %scale {rounding = #rne} : tile<256 x f32>
  %q = nv_tileaa.cast %scaled {rounding = #rp, satf = true} : tile<256 x f32> to tile<256 x f8E4M3FN>
  %s = store_ptr_tko weak %y_p, %q : tile<256xptr<f8E4M3FN>>, tile<256xf8E4M3FN> -> token
  return
}
}
