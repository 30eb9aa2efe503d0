// SPDX-License-Identifier: Apache-2.0
// Kernels of which test_accuracy.c knows the rounding errors, of 256 numbers each.
cuda_tile.module @accuracy {
entry @copy(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %zero = constant <f32: 0.0> : tile<256xf32>
  %r = addf %x, %zero : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @shifted(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 4096.0> : tile<256xf32>
  %a = addf %x, %c : tile<256xf32>
  %r = subf %a, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @copy_bits(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %from_bits = ptr_to_ptr %from : tile<ptr<f32>> -> tile<ptr<i32>>
  %to_bits = ptr_to_ptr %to : tile<ptr<f32>> -> tile<ptr<i32>>
  %i = iota : tile<256xi32>
  %from_1 = reshape %from_bits : tile<ptr<i32>> -> tile<1xptr<i32>>
  %from_n = broadcast %from_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
  %from_p = offset %from_n, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
  %to_1 = reshape %to_bits : tile<ptr<i32>> -> tile<1xptr<i32>>
  %to_n = broadcast %to_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
  %to_p = offset %to_n, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<i32>> -> tile<256xi32>, token
  %done = store_ptr_tko weak %to_p, %x : tile<256xptr<i32>>, tile<256xi32> -> token
  return
}
entry @nothing(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  return
}
entry @up(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 4096.0> : tile<256xf32>
  %r = addf %x, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @down(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 4096.0> : tile<256xf32>
  %r = subf %x, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @halved(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %h = ftof %x : tile<256xf32> -> tile<256xf16>
  %r = ftof %h : tile<256xf16> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @unbounded(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %e = exp %x : tile<256xf32>
  %r = divf %e, %e : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @there_and_back(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %e = exp %x : tile<256xf32>
  %r = log %e : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @logarithm(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %r = log %x : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @without_itself(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %r = subf %x, %x : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @shifted_f64(%from: tile<ptr<f64>>, %to: tile<ptr<f64>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f64>> -> tile<1xptr<f64>>
  %from_n = broadcast %from_1 : tile<1xptr<f64>> -> tile<256xptr<f64>>
  %from_p = offset %from_n, %i : tile<256xptr<f64>>, tile<256xi32> -> tile<256xptr<f64>>
  %to_1 = reshape %to : tile<ptr<f64>> -> tile<1xptr<f64>>
  %to_n = broadcast %to_1 : tile<1xptr<f64>> -> tile<256xptr<f64>>
  %to_p = offset %to_n, %i : tile<256xptr<f64>>, tile<256xi32> -> tile<256xptr<f64>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f64>> -> tile<256xf64>, token
  %c = constant <f64: 1152921504606846976.0> : tile<256xf64>
  %a = addf %x, %c : tile<256xf64>
  %r = subf %a, %c : tile<256xf64>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f64>>, tile<256xf64> -> token
  return
}
entry @unbounded_f64(%from: tile<ptr<f64>>, %to: tile<ptr<f64>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f64>> -> tile<1xptr<f64>>
  %from_n = broadcast %from_1 : tile<1xptr<f64>> -> tile<256xptr<f64>>
  %from_p = offset %from_n, %i : tile<256xptr<f64>>, tile<256xi32> -> tile<256xptr<f64>>
  %to_1 = reshape %to : tile<ptr<f64>> -> tile<1xptr<f64>>
  %to_n = broadcast %to_1 : tile<1xptr<f64>> -> tile<256xptr<f64>>
  %to_p = offset %to_n, %i : tile<256xptr<f64>>, tile<256xi32> -> tile<256xptr<f64>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f64>> -> tile<256xf64>, token
  %e = exp %x : tile<256xf64>
  %r = divf %e, %e : tile<256xf64>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f64>>, tile<256xf64> -> token
  return
}
}
