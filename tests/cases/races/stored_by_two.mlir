// SPDX-License-Identifier: Apache-2.0
// Two ops store the same to one element, each in one of the two blocks.
cuda_tile.module @kernels {
  entry @stored_by_two(%y: tile<ptr<f32>>, %x: tile<ptr<f32>>) {
    %t = make_token : token
    %block, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %first = cmpi equal %block, %zero, signed : tile<i32> -> tile<i1>
    %second = cmpi not_equal %block, %zero, signed : tile<i32> -> tile<i1>
    %a, %ta = load_ptr_tko weak %x token = %t : tile<ptr<f32>> -> tile<f32>, token
    %s = addf %a, %a rounding<nearest_even> : tile<f32>
    %t1 = store_ptr_tko weak %y, %s, %first token = %ta : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %t2 = store_ptr_tko weak %y, %s, %second token = %t1 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
}
