// SPDX-License-Identifier: Apache-2.0
// Kernels that do what the dialect leaves undefined, in the block of x = 2 first.
cuda_tile.module @undefined {
  entry @divide(%y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %r = reshape %i : tile<i32> -> tile<1xi32>
    %all = broadcast %r : tile<1xi32> -> tile<4xi32>
    %five = constant <i32: 5> : tile<4xi32>
    %four = iota : tile<4xi32>
    %sum = addi %all, %four : tile<4xi32>
    %divisor = subi %sum, %five : tile<4xi32>
    %q = divi %five, %divisor signed : tile<4xi32>
    return
  }
  entry @bounded(%y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %less = assume bounded<0, 1>, %i : tile<i32>
    return
  }
  entry @multiples(%y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %four = iota : tile<4xi32>
    %one = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %r = reshape %i : tile<i32> -> tile<1xi32>
    %x = broadcast %r : tile<1xi32> -> tile<4xi32>
    %many = broadcast %one : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %by_x = muli %four, %x : tile<4xi32>
    %ptrs = offset %many, %by_x : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %same = assume div_by<4>, %ptrs : tile<4xptr<f32>>
    %two = constant <i32: 2> : tile<i32>
    %last = cmpi greater_than_or_equal %i, %two, signed : tile<i32> -> tile<i1>
    if %last {
      %odd = assume div_by<16>, %same : tile<4xptr<f32>>
    }
    return
  }
}
