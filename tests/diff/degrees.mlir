// SPDX-License-Identifier: Apache-2.0
// Formulas of which test_certainty.c knows the degree, of 256 numbers each.
cuda_tile.module @degrees {
entry @cube(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %a = mulf %x, %x : tile<256xf32>
  %r = mulf %a, %x : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @quotient(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %a = mulf %x, %x : tile<256xf32>
  %r = divf %x, %a : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @sum(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %a = mulf %x, %x : tile<256xf32>
  %b = divf %one, %x : tile<256xf32>
  %c = divf %one, %a : tile<256xf32>
  %r = addf %b, %c : tile<256xf32>
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
  %a = mulf %x, %x : tile<256xf32>
  %b = negf %a : tile<256xf32>
  %c = subf %b, %x : tile<256xf32>
  %r = fma %c, %x, %a : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @power(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %number = constant <f32: 3.0> : tile<256xf32>
  %r = pow %x, %number : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @root(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %a = mulf %x, %x : tile<256xf32>
  %r = sqrt %a : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @exponential(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %a = mulf %x, %x : tile<256xf32>
  %b = exp2 %a : tile<256xf32>
  %r = mulf %b, %x : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @tangent(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %a = tanh %x : tile<256xf32>
  %r = mulf %a, %a : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @largest(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %a = mulf %x, %x : tile<256xf32>
  %b = maxf %a, %x : tile<256xf32>
  %r = mulf %b, %x : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @loop(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %zero = constant <i32: 0> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  %step = constant <i32: 1> : tile<i32>
  %r = for %n in (%zero to %ten, step %step) : tile<i32> iter_values(%s = %x) -> (tile<256xf32>) {
    %t = fma %s, %x, %x : tile<256xf32>
    continue %t : tile<256xf32>
  }
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @dot(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %m = reshape %x : tile<256xf32> -> tile<16x16xf32>
  %a = mulf %m, %m : tile<16x16xf32>
  %q = divf %m, %a : tile<16x16xf32>
  %d = mmaf %q, %a, %m : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %r = reshape %d : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
// x, and x + x (x - 1)/64 ... (x - 63)/64, which is the same number for data from 0 to 63.
entry @identity(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %done = store_ptr_tko weak %to_p, %x : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @vanishing(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %zero = constant <i32: 0> : tile<i32>
  %last = constant <i32: 63> : tile<i32>
  %scale = constant <f32: 0.015625> : tile<256xf32>
  %step = constant <i32: 1> : tile<i32>
  %p, %rest = for %n in (%zero to %last, step %step) : tile<i32> iter_values(%s = %x, %y = %x) -> (tile<256xf32>, tile<256xf32>) {
    %next = subf %y, %one : tile<256xf32>
    %small = mulf %next, %scale : tile<256xf32>
    %t = mulf %s, %small : tile<256xf32>
    continue %t, %next : tile<256xf32>, tile<256xf32>
  }
  %r = addf %x, %p : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
// x squared, and in the same launch i squared.
entry @two_outputs(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %second: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %second_1 = reshape %second : tile<ptr<f32>> -> tile<1xptr<f32>>
  %second_n = broadcast %second_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %second_p = offset %second_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %number = itof %i signed : tile<256xi32> -> tile<256xf32>
  %a = mulf %x, %x : tile<256xf32>
  %b = mulf %number, %number : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %a : tile<256xptr<f32>>, tile<256xf32> -> token
  %done_2 = store_ptr_tko weak %second_p, %b : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @two_poles(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %a = subf %one, %x : tile<256xf32>
  %b = addf %one, %x : tile<256xf32>
  %c = divf %one, %a : tile<256xf32>
  %d = divf %one, %b : tile<256xf32>
  %r = addf %c, %d : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @two_poles_at_once(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %two = constant <f32: 2.0> : tile<256xf32>
  %a = mulf %x, %x : tile<256xf32>
  %b = subf %one, %a : tile<256xf32>
  %r = divf %two, %b : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @one_pole(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %a = addf %one, %x : tile<256xf32>
  %b = mulf %x, %x : tile<256xf32>
  %c = divf %x, %a : tile<256xf32>
  %d = divf %b, %a : tile<256xf32>
  %r = addf %c, %d : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @one_pole_at_once(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %x, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %a = addf %one, %x : tile<256xf32>
  %b = mulf %x, %x : tile<256xf32>
  %c = addf %x, %b : tile<256xf32>
  %r = divf %c, %a : tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @scaled_rows(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %l, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %x = reshape %l : tile<256xf32> -> tile<16x16xf32>
  %mx = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<16x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
    %o = maxf %a, %b : tile<f32>
    yield %o : tile<f32>
  }
  %mn = reduce %x dim=1 identities=[0x7F800000 : f32] : tile<16x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
    %o = minf %a, %b : tile<f32>
    yield %o : tile<f32>
  }
  %d = subf %mx, %mn : tile<16xf32>
  %d1 = reshape %d : tile<16xf32> -> tile<16x1xf32>
  %db = broadcast %d1 : tile<16x1xf32> -> tile<16x16xf32>
  %y = divf %x, %db : tile<16x16xf32>
  %s = reduce %y dim=0 identities=[0x80000000 : f32] : tile<16x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
    %o = addf %a, %b : tile<f32>
    yield %o : tile<f32>
  }
  %s1 = reshape %s : tile<16xf32> -> tile<1x16xf32>
  %s2 = broadcast %s1 : tile<1x16xf32> -> tile<16x16xf32>
  %r = reshape %s2 : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @powers_of_two(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %l, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %x = reshape %l : tile<256xf32> -> tile<16x16xf32>
  %two = constant <f32: 2.0> : tile<16x16xf32>
  %p = pow %two, %x : tile<16x16xf32>
  %q = addf %two, %p : tile<16x16xf32>
  %one = constant <f32: 1.0> : tile<16x16xf32>
  %y = divf %one, %q : tile<16x16xf32>
  %s = reduce %y dim=0 identities=[0x80000000 : f32] : tile<16x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
    %o = addf %a, %b : tile<f32>
    yield %o : tile<f32>
  }
  %s1 = reshape %s : tile<16xf32> -> tile<1x16xf32>
  %s2 = broadcast %s1 : tile<1x16xf32> -> tile<16x16xf32>
  %r = reshape %s2 : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @powers_of_data(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %l, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %x = reshape %l : tile<256xf32> -> tile<16x16xf32>
  %p = pow %x, %x : tile<16x16xf32>
  %one = constant <f32: 1.0> : tile<16x16xf32>
  %y = divf %one, %p : tile<16x16xf32>
  %s = reduce %y dim=0 identities=[0x80000000 : f32] : tile<16x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
    %o = addf %a, %b : tile<f32>
    yield %o : tile<f32>
  }
  %s1 = reshape %s : tile<16xf32> -> tile<1x16xf32>
  %s2 = broadcast %s1 : tile<1x16xf32> -> tile<16x16xf32>
  %r = reshape %s2 : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @doubled(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %from_1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %from_n = broadcast %from_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %from_p = offset %from_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %to_1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %to_n = broadcast %to_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %to_p = offset %to_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %l, %x_t = load_ptr_tko weak %from_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %x = reshape %l : tile<256xf32> -> tile<16x16xf32>
  %d1 = addf %x, %x : tile<16x16xf32>
  %d2 = addf %d1, %d1 : tile<16x16xf32>
  %d3 = addf %d2, %d2 : tile<16x16xf32>
  %d4 = addf %d3, %d3 : tile<16x16xf32>
  %d5 = addf %d4, %d4 : tile<16x16xf32>
  %d6 = addf %d5, %d5 : tile<16x16xf32>
  %d7 = addf %d6, %d6 : tile<16x16xf32>
  %d8 = addf %d7, %d7 : tile<16x16xf32>
  %d9 = addf %d8, %d8 : tile<16x16xf32>
  %d10 = addf %d9, %d9 : tile<16x16xf32>
  %d11 = addf %d10, %d10 : tile<16x16xf32>
  %d12 = addf %d11, %d11 : tile<16x16xf32>
  %d13 = addf %d12, %d12 : tile<16x16xf32>
  %d14 = addf %d13, %d13 : tile<16x16xf32>
  %d15 = addf %d14, %d14 : tile<16x16xf32>
  %d16 = addf %d15, %d15 : tile<16x16xf32>
  %d17 = addf %d16, %d16 : tile<16x16xf32>
  %d18 = addf %d17, %d17 : tile<16x16xf32>
  %d19 = addf %d18, %d18 : tile<16x16xf32>
  %d20 = addf %d19, %d19 : tile<16x16xf32>
  %d21 = addf %d20, %d20 : tile<16x16xf32>
  %d22 = addf %d21, %d21 : tile<16x16xf32>
  %d23 = addf %d22, %d22 : tile<16x16xf32>
  %d24 = addf %d23, %d23 : tile<16x16xf32>
  %d25 = addf %d24, %d24 : tile<16x16xf32>
  %d26 = addf %d25, %d25 : tile<16x16xf32>
  %d27 = addf %d26, %d26 : tile<16x16xf32>
  %d28 = addf %d27, %d27 : tile<16x16xf32>
  %d29 = addf %d28, %d28 : tile<16x16xf32>
  %d30 = addf %d29, %d29 : tile<16x16xf32>
  %d31 = addf %d30, %d30 : tile<16x16xf32>
  %d32 = addf %d31, %d31 : tile<16x16xf32>
  %one = constant <f32: 1.0> : tile<16x16xf32>
  %y = divf %one, %d32 : tile<16x16xf32>
  %s = reduce %y dim=0 identities=[0x80000000 : f32] : tile<16x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
    %o = addf %a, %b : tile<f32>
    yield %o : tile<f32>
  }
  %s1 = reshape %s : tile<16xf32> -> tile<1x16xf32>
  %s2 = broadcast %s1 : tile<1x16xf32> -> tile<16x16xf32>
  %r = reshape %s2 : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %to_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
}
