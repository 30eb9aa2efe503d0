// SPDX-License-Identifier: Apache-2.0
// Tiles loaded through pointers with a mask: what it switches off is 0, and 1 / 0 is infinite.
module @gathered {
// 1 / x in a loop over blocks of 128, whose last one is switched off in part.
entry @blocks(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %step = constant <i32: 128> : tile<i32>
  %lane = iota : tile<128xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_n = broadcast %n_1 : tile<1xi32> -> tile<128xi32>
  %none = constant <f32: 0.0> : tile<128xf32>
  %one = constant <f32: 1.0> : tile<128xf32>
  %last = for %i in (%zero to %n, step %step) : tile<i32> iter_values(%v = %one) -> (tile<128xf32>) {
    %i_1 = reshape %i : tile<i32> -> tile<1xi32>
    %i_n = broadcast %i_1 : tile<1xi32> -> tile<128xi32>
    %at = addi %i_n, %lane : tile<128xi32>
    %inside = cmpi less_than %at, %n_n, signed : tile<128xi32> -> tile<128xi1>
    %x_p = offset %x_n, %at : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y_p = offset %y_n, %at : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %s, %s_t = load_ptr_tko weak %x_p, %inside, %none : tile<128xptr<f32>>, tile<128xi1>, tile<128xf32> -> tile<128xf32>, token
    %r = divf %one, %s : tile<128xf32>
    %done = store_ptr_tko weak %y_p, %r, %inside : tile<128xptr<f32>>, tile<128xf32>, tile<128xi1> -> token
    continue %r : tile<128xf32>
  }
  return
}
// What a loop begins with, and what an if gives.
entry @chosen(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %once = constant <i32: 1> : tile<i32>
  %thrice = constant <i32: 3> : tile<i32>
  %lane = iota : tile<256xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_n = broadcast %n_1 : tile<1xi32> -> tile<256xi32>
  %none = constant <f32: 0.0> : tile<256xf32>
  %one = constant <f32: 1.0> : tile<256xf32>
  %inside = cmpi less_than %lane, %n_n, signed : tile<256xi32> -> tile<256xi1>
  %x_p = offset %x_n, %lane : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %y_p = offset %y_n, %lane : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %some = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
  %s = if %some -> (tile<256xf32>) {
    %a, %a_t = load_ptr_tko weak %x_p, %inside, %none : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
    yield %a : tile<256xf32>
  } else {
    yield %one : tile<256xf32>
  }
  %r = for %i in (%zero to %thrice, step %once) : tile<i32> iter_values(%v = %s) -> (tile<256xf32>) {
    %turned = divf %one, %v : tile<256xf32>
    continue %turned : tile<256xf32>
  }
  %done = store_ptr_tko weak %y_p, %r, %inside : tile<256xptr<f32>>, tile<256xf32>, tile<256xi1> -> token
  return
}
// The reciprocal of each element, a softmax of rows of %n elements in tiles of 512, and the reciprocal of its sum.
entry @rows(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %row, %b1, %b2 = get_tile_block_id : tile<i32>
  %lane = iota : tile<512xi32>
  %first = muli %row, %n : tile<i32>
  %first_1 = reshape %first : tile<i32> -> tile<1xi32>
  %first_n = broadcast %first_1 : tile<1xi32> -> tile<512xi32>
  %at = addi %first_n, %lane : tile<512xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<512xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<512xptr<f32>>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_n = broadcast %n_1 : tile<1xi32> -> tile<512xi32>
  %none = constant <f32: 0.0> : tile<512xf32>
  %one = constant <f32: 1.0> : tile<512xf32>
  %lowest = constant <f32: 0xFF800000> : tile<512xf32>
  %inside = cmpi less_than %lane, %n_n, signed : tile<512xi32> -> tile<512xi1>
  %x_p = offset %x_n, %at : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>
  %y_p = offset %y_n, %at : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>
  %s, %s_t = load_ptr_tko weak %x_p, %inside, %none : tile<512xptr<f32>>, tile<512xi1>, tile<512xf32> -> tile<512xf32>, token
  %r = divf %one, %s : tile<512xf32>
  %masked = select %inside, %r, %lowest : tile<512xi1>, tile<512xf32>
  %e = exp %masked : tile<512xf32>
  %sum = reduce %e dim=0 identities=[0.0 : f32] : tile<512xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {
    %ab = addf %a, %b : tile<f32>
    yield %ab : tile<f32>
  }
  %sum_1 = reshape %sum : tile<f32> -> tile<1xf32>
  %sum_n = broadcast %sum_1 : tile<1xf32> -> tile<512xf32>
  %p = divf %e, %sum_n : tile<512xf32>
  %done = store_ptr_tko weak %y_p, %p, %inside : tile<512xptr<f32>>, tile<512xf32>, tile<512xi1> -> token
  return
}
// 1 / the sum of each row, in tiles of 8 rows: of the last ones nothing is loaded.
entry @sums(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %row, %b1, %b2 = get_tile_block_id : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %columns = constant <i32: 64> : tile<8x64xi32>
  %begin = muli %row, %eight : tile<i32>
  %begin_1 = reshape %begin : tile<i32> -> tile<1xi32>
  %begin_n = broadcast %begin_1 : tile<1xi32> -> tile<8xi32>
  %i = iota : tile<8xi32>
  %r = addi %begin_n, %i : tile<8xi32>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_8 = broadcast %n_1 : tile<1xi32> -> tile<8xi32>
  %some = cmpi less_than %r, %n_8, signed : tile<8xi32> -> tile<8xi1>
  %some_1 = reshape %some : tile<8xi1> -> tile<8x1xi1>
  %inside = broadcast %some_1 : tile<8x1xi1> -> tile<8x64xi1>
  %r_1 = reshape %r : tile<8xi32> -> tile<8x1xi32>
  %r_n = broadcast %r_1 : tile<8x1xi32> -> tile<8x64xi32>
  %j = iota : tile<64xi32>
  %j_1 = reshape %j : tile<64xi32> -> tile<1x64xi32>
  %j_n = broadcast %j_1 : tile<1x64xi32> -> tile<8x64xi32>
  %down = muli %r_n, %columns : tile<8x64xi32>
  %at = addi %down, %j_n : tile<8x64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1x1xptr<f32>> -> tile<8x64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %x_p = offset %x_n, %at : tile<8x64xptr<f32>>, tile<8x64xi32> -> tile<8x64xptr<f32>>
  %y_p = offset %y_n, %r : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %none = constant <f32: 0.0> : tile<8x64xf32>
  %one = constant <f32: 1.0> : tile<8xf32>
  %s, %s_t = load_ptr_tko weak %x_p, %inside, %none : tile<8x64xptr<f32>>, tile<8x64xi1>, tile<8x64xf32> -> tile<8x64xf32>, token
  %sum = reduce %s dim=1 identities=[0.0 : f32] : tile<8x64xf32> -> tile<8xf32> (%a: tile<f32>, %b: tile<f32>) {
    %ab = addf %a, %b : tile<f32>
    yield %ab : tile<f32>
  }
  %q = divf %one, %sum : tile<8xf32>
  %done = store_ptr_tko weak %y_p, %q, %some : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
  return
}
}
