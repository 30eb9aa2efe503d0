// SPDX-License-Identifier: Apache-2.0
// What launches.ptx computes, in Tile IR, an element for each block.
cuda_tile.module @kernels {
entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %factor: tile<f32>) {
  %b, %b_y, %b_z = get_tile_block_id : tile<i32>
  %p = offset %x, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %r = mulf %v, %factor rounding<nearest_even> : tile<f32>
  %q = offset %y, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %s = store_ptr_tko weak %q, %r : tile<ptr<f32>>, tile<f32> -> token
  return
}
}
