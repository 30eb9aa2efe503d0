// SPDX-License-Identifier: Apache-2.0
// Kernels that the fake driver has in C, too (fake_kernels.c).
cuda_tile.module @kernels {
global @table <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
entry @copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %b, %b_y, %b_z = get_tile_block_id : tile<i32>
  %p = offset %x, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %q = offset %y, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %q, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @look_up(%y: tile<ptr<f32>>) {
  %b, %b_y, %b_z = get_tile_block_id : tile<i32>
  %x = get_global @table : tile<ptr<f32>>
  %p = offset %x, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %q = offset %y, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %q, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @show() {
  %b, %b_y, %b_z = get_tile_block_id : tile<i32>
  %i = iota : tile<4xi16>
  %j = reshape %i : tile<4xi16> -> tile<2x2xi16>
  %first = print_tko "block %d\09of \00 and \FF: %+i%%\0A", %b, %j : tile<i32>, tile<2x2xi16> -> token
  %second = print_tko "done\0A" token=%first -> token
  return
}
}
