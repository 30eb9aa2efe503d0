// SPDX-License-Identifier: Apache-2.0
// Kernels of which test_range.c knows what the range census counts, of 256 numbers each.
cuda_tile.module @range {
entry @powers(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %r = exp2 %x : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @difference(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 255.0> : tile<256xf32>
  %r = subf %x, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @square(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: -65025.0> : tile<256xf32>
  %r = fma %x, %x, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @tiny(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 0x00000001> : tile<256xf32>
  %r = mulf %x, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @narrow(%from: tile<ptr<f32>>, %to: tile<ptr<f16>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f16>> -> tile<1xptr<f16>>
  %to_n = broadcast %to_1 : tile<1xptr<f16>> -> tile<256xptr<f16>>
  %to_p = offset %to_n, %i : tile<256xptr<f16>>, tile<256xi32> -> tile<256xptr<f16>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 1024.0> : tile<256xf32>
  %p = mulf %x, %c : tile<256xf32>
  %r = ftof %p : tile<256xf32> -> tile<256xf16>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f16>>, tile<256xf16> -> token
  return
}
entry @byte(%from: tile<ptr<f32>>, %to: tile<ptr<f8E4M3FN>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f8E4M3FN>> -> tile<1xptr<f8E4M3FN>>
  %to_n = broadcast %to_1 : tile<1xptr<f8E4M3FN>> -> tile<256xptr<f8E4M3FN>>
  %to_p = offset %to_n, %i : tile<256xptr<f8E4M3FN>>, tile<256xi32> -> tile<256xptr<f8E4M3FN>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 1024.0> : tile<256xf32>
  %p = mulf %x, %c : tile<256xf32>
  %r = ftof %p : tile<256xf32> -> tile<256xf8E4M3FN>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f8E4M3FN>>, tile<256xf8E4M3FN> -> token
  return
}
entry @reciprocal(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %c = constant <f32: 1.0> : tile<256xf32>
  %p = divf %c, %x : tile<256xf32>
  %r = addf %p, %c : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @chosen(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %n = negf %x : tile<256xf32>
  %a = absf %n : tile<256xf32>
  %m = maxf %a, %n : tile<256xf32>
  %b = cmpf greater_than ordered %m, %n : tile<256xf32> -> tile<256xi1>
  %r = select %b, %m, %n : tile<256xi1>, tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @beyond_and_near(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %two = addf %x, %x : tile<256xf32>
  %a = exp2 %two : tile<256xf32>
  %b = exp %x : tile<256xf32>
  %r = addf %a, %b : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @bounded(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %two = addf %x, %x : tile<256xf32>
  %a = exp2 %two : tile<256xf32>
  %most = constant <f32: 0.5> : tile<256xf32>
  %r = minf %a, %most : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @inverted(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %two = addf %x, %x : tile<256xf32>
  %a = exp2 %two : tile<256xf32>
  %c = constant <f32: 1.0> : tile<256xf32>
  %b = addf %a, %c : tile<256xf32>
  %r = divf %c, %b : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @twice(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %two = addf %x, %x : tile<256xf32>
  %a = exp2 %two : tile<256xf32>
  %b = exp %two : tile<256xf32>
  %r = addf %a, %b : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @product(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %h = ftof %x : tile<256xf32> -> tile<256xf16>
  %m = reshape %h : tile<256xf16> -> tile<16x16xf16>
  %zero = constant <f16: 0.0> : tile<16x16xf16>
  %p = mmaf %m, %m, %zero : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf16>
  %w = ftof %p : tile<16x16xf16> -> tile<16x16xf32>
  %r = reshape %w : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @masked(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %half = constant <i32: 128> : tile<256xi32>
  %seen = cmpi less_than %i, %half, signed : tile<256xi32> -> tile<256xi1>
  %none = constant <f32: 0.0> : tile<256xf32>
  %least = constant <f32: 0xff7fffff> : tile<256xf32>
  %mask = select %seen, %none, %least : tile<256xi1>, tile<256xf32>
  %s = addf %x, %mask : tile<256xf32>
  %most = reduce %s dim=0 identities=[0xff800000 : f32] : tile<256xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %m = maxf %a, %b : tile<f32>
    yield %m : tile<f32>
  }
  %most_1 = reshape %most : tile<f32> -> tile<1xf32>
  %most_n = broadcast %most_1 : tile<1xf32> -> tile<256xf32>
  %d = subf %s, %most_n : tile<256xf32>
  %r = exp %d : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @masked_bare(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %half = constant <i32: 128> : tile<256xi32>
  %seen = cmpi less_than %i, %half, signed : tile<256xi32> -> tile<256xi1>
  %none = constant <f32: 0.0> : tile<256xf32>
  %least = constant <f32: 0xff7fffff> : tile<256xf32>
  %mask = select %seen, %none, %least : tile<256xi1>, tile<256xf32>
  %s = addf %x, %mask : tile<256xf32>
  %r = exp %s : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @masked_less(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %half = constant <i32: 128> : tile<256xi32>
  %seen = cmpi less_than %i, %half, signed : tile<256xi32> -> tile<256xi1>
  %none = constant <f32: 0.0> : tile<256xf32>
  %least = constant <f32: -2.4e38> : tile<256xf32>
  %mask = select %seen, %none, %least : tile<256xi1>, tile<256xf32>
  %s = addf %x, %mask : tile<256xf32>
  %r = exp %s : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @masked_scaled(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %half = constant <i32: 128> : tile<256xi32>
  %seen = cmpi less_than %i, %half, signed : tile<256xi32> -> tile<256xi1>
  %none = constant <f32: 0.0> : tile<256xf32>
  %least = constant <f32: 0xff7fffff> : tile<256xf32>
  %mask = select %seen, %none, %least : tile<256xi1>, tile<256xf32>
  %s = addf %x, %mask : tile<256xf32>
  %c = constant <f32: 0.5> : tile<256xf32>
  %d = constant <f32: 1.5> : tile<256xf32>
  %h = mulf %s, %c : tile<256xf32>
  %t = tanh %h : tile<256xf32>
  %w = mulf %x, %d : tile<256xf32>
  %r = addf %w, %t : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @masked_f16(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %half = constant <i32: 128> : tile<256xi32>
  %seen = cmpi less_than %i, %half, signed : tile<256xi32> -> tile<256xi1>
  %none = constant <f32: 0.0> : tile<256xf32>
  %least = constant <f32: -65504.0> : tile<256xf32>
  %mask = select %seen, %none, %least : tile<256xi1>, tile<256xf32>
  %s = addf %x, %mask : tile<256xf32>
  %mask_h = ftof %mask : tile<256xf32> -> tile<256xf16>
  %x_h = ftof %x : tile<256xf32> -> tile<256xf16>
  %h = addf %x_h, %mask_h : tile<256xf16>
  %w = ftof %h : tile<256xf16> -> tile<256xf32>
  %r = exp %w : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
// The largest of a row is there wherever it is chosen: also behind the end of its tensor of 200.
entry @largest_or(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %i = iota : tile<256xi32>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %view = make_tensor_view %from, shape = [200], strides = [1] : tensor_view<200xf32, strides=[1]>
  %parts = make_partition_view %view : partition_view<tile=(256), padding_value = zero, tensor_view<200xf32, strides=[1]>>
  %x, %x_t = load_view_tko weak %parts[%zero] : partition_view<tile=(256), padding_value = zero, tensor_view<200xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %most = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<256xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %m = maxf %a, %b : tile<f32>
    yield %m : tile<f32>
  }
  %most_1 = reshape %most : tile<f32> -> tile<1xf32>
  %most_n = broadcast %most_1 : tile<1xf32> -> tile<256xf32>
  %hundred = constant <f32: 100.0> : tile<256xf32>
  %above = cmpf greater_than ordered %x, %hundred : tile<256xf32> -> tile<256xi1>
  %either = select %above, %most_n, %x : tile<256xi1>, tile<256xf32>
  %one = constant <f32: 1.0> : tile<256xf32>
  %r = addf %either, %one : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
}
