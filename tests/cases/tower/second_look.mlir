// SPDX-License-Identifier: Apache-2.0
// Rounded to bf16, elements of X; in element 100 the larger one of X and Z, or X without asking.
cuda_tile.module @second_look {
entry @larger(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
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
  %u = ftof %x_v rounding<nearest_even> : tile<256xf32> -> tile<256xbf16>
  %v = ftof %z_v rounding<nearest_even> : tile<256xf32> -> tile<256xbf16>
  %a = ftof %u : tile<256xbf16> -> tile<256xf32>
  %b = ftof %v : tile<256xbf16> -> tile<256xf32>
  %m = maxf %a, %b : tile<256xf32>
  %hundred = constant <i32: 100> : tile<256xi32>
  %here = cmpi equal %i, %hundred, signed : tile<256xi32> -> tile<256xi1>
  %r = select %here, %m, %a : tile<256xi1>, tile<256xf32>
  %s = store_ptr_tko weak %y_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @first(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %x_p = offset %x_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %y_p = offset %y_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %u = ftof %x_v rounding<nearest_even> : tile<256xf32> -> tile<256xbf16>
  %a = ftof %u : tile<256xbf16> -> tile<256xf32>
  %s = store_ptr_tko weak %y_p, %a : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
}
