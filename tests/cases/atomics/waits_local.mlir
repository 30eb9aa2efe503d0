// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for each other and have memory of their own.
cuda_tile.module @wait_local {
  // Each block keeps an element in memory of its own while it waits for all others.
  entry @waits(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<ptr<i32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %six = constant <i32: 6> : tile<i32>
    %room = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>
    %px = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %py = offset %y, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %k0 = load_ptr_tko weak %px : tile<ptr<f32>> -> tile<f32>, token
    %k1 = store_ptr_tko weak %room, %v : tile<ptr<f32>>, tile<f32> -> token
    %old, %k2 = atomic_rmw_tko acq_rel device %n, add, %one token=%k1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    loop {
      %c, %k3 = load_ptr_tko acquire device %n : tile<ptr<i32>> -> tile<i32>, token
      %all = cmpi greater_than_or_equal %c, %six, signed : tile<i32> -> tile<i1>
      if %all {
        break
      }
      continue
    }
    %w, %k4 = load_ptr_tko weak %room token=%k1 : tile<ptr<f32>> -> tile<f32>, token
    %z = addf %w, %w rounding<nearest_even> : tile<f32>
    %k5 = store_ptr_tko weak %py, %z : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @directly(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<ptr<i32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %px = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %py = offset %y, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %k0 = load_ptr_tko weak %px : tile<ptr<f32>> -> tile<f32>, token
    %z = addf %v, %v rounding<nearest_even> : tile<f32>
    %k5 = store_ptr_tko weak %py, %z : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
