// SPDX-License-Identifier: Apache-2.0
// Ops that depend on elements of masked loads. Of x and n the first `count` elements are loaded. The branch depends on n
// in block 0, on x in the others, where it falls otherwise if that is NaN.
cuda_tile.module @kernels {
entry @uses(%x: tile<ptr<f32>>, %n: tile<ptr<i32>>, %y: tile<ptr<f32>>, %count: tile<i32>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %n_1 = reshape %n : tile<ptr<i32>> -> tile<1xptr<i32>>
  %n_n = broadcast %n_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %n_p = offset %n_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %block, %by, %bz = get_tile_block_id : tile<i32>
  %width = constant <i32: 64> : tile<i32>
  %row = muli %block, %width : tile<i32>
  %y_row = offset %y, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %y_1 = reshape %y_row : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %count_1 = reshape %count : tile<i32> -> tile<1xi32>
  %count_n = broadcast %count_1 : tile<1xi32> -> tile<64xi32>
  %seen = cmpi less_than %i, %count_n, signed : tile<64xi32> -> tile<64xi1>
  %a, %a_t = load_ptr_tko weak %x_p, %seen : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %b, %b_t = load_ptr_tko weak %n_p, %seen : tile<64xptr<i32>>, tile<64xi1> -> tile<64xi32>, token
  %none = constant <f32: 0.0> : tile<64xf32>
  %two = constant <f32: 2.0> : tile<64xf32>
  %zero = constant <i32: 0> : tile<64xi32>
  %top = reduce %a dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32> (%p: tile<f32>, %q: tile<f32>) {
    %m = addf %p, %q rounding<nearest_even> : tile<f32>
    yield %m : tile<f32>
  }
  %most = reduce %b dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%p: tile<i32>, %q: tile<i32>) {
    %m = maxi %p, %q signed : tile<i32>
    yield %m : tile<i32>
  }
  %positive = cmpf greater_than_or_equal ordered %a, %none : tile<64xf32> -> tile<64xi1>
  %s0 = store_ptr_tko weak %y_p, %a : tile<64xptr<f32>>, tile<64xf32> -> token
  %s1 = store_ptr_tko weak %y_p, %none token=%s0 : tile<64xptr<f32>>, tile<64xf32> -> token
  %s2 = store_ptr_tko weak %y_p, %two, %positive token=%s1 : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  %by_b = andi %b, %zero : tile<64xi32>
  %at = addi %by_b, %i : tile<64xi32>
  %at_p = offset %y_n, %at : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %s3 = store_ptr_tko weak %at_p, %none token=%s2 : tile<64xptr<f32>>, tile<64xf32> -> token
  %one = constant <i32: 1> : tile<i32>
  %first = constant <i32: 0> : tile<i32>
  %float_first = constant <f32: 0.0> : tile<f32>
  %rounds = mini %most, %one signed : tile<i32>
  for %k in (%first to %rounds, step %one) : tile<i32> {
    %s5 = store_ptr_tko weak %y_p, %none token=%s3 : tile<64xptr<f32>>, tile<64xf32> -> token
  }
  %by_most = cmpi greater_than %most, %first, signed : tile<i32> -> tile<i1>
  %by_top = cmpf greater_than ordered %top, %float_first : tile<f32> -> tile<i1>
  %is_first = cmpi equal %block, %first, signed : tile<i32> -> tile<i1>
  %which = select %is_first, %by_most, %by_top : tile<i1>, tile<i1>
  if %which {
    %s4 = store_ptr_tko weak %y_p, %two token=%s3 : tile<64xptr<f32>>, tile<64xf32> -> token
  }
  return
}
}
