// SPDX-License-Identifier: Apache-2.0
// A kernel of an object file that prints and has globals; run_talk.c calls it.
cuda_tile.module @kernels {
global @gain <f32: [0.5, 2.0]> : tile<2xf32>
global private @calls alignment = 128 <i32: 0> : tile<1xi32>
entry @talk(%y: tile<ptr<f32>>) {
  %b, %b_y, %b_z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %g = get_global @gain : tile<ptr<f32>>
  %h = offset %g, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %h : tile<ptr<f32>> -> tile<f32>, token
  %c = get_global @calls : tile<ptr<i32>>
  %n, %u = atomic_rmw_tko relaxed device %c, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  print_tko "block %d, call %d: %.2f\n", %b, %n, %v : tile<i32>, tile<i32>, tile<f32> -> token
  %s = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
}
