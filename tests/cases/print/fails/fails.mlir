// SPDX-License-Identifier: Apache-2.0
// Blocks that print and fail: behind a print, where all threads do; in what a print evaluates; and before a print, where
// one element of a tile is outside its buffer, so that one thread of a GPU is gone, the first or the last.
cuda_tile.module @fails {
  entry @behind(%x: tile<ptr<i32>>) {
    %b, %b_y, %b_z = get_tile_block_id : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %i = iota : tile<512xi32>
    %k = print_tko "block %d before %d\0A", %b, %i : tile<i32>, tile<512xi32> -> token
    %less = cmpi less_than %b, %three, signed : tile<i32> -> tile<i1>
    assert %less, "block 3 and up" : tile<i1>
    %k1 = print_tko "block %d behind\0A", %b token=%k : tile<i32> -> token
    return
  }
  entry @inside(%x: tile<ptr<i32>>) {
    %b, %b_y, %b_z = get_tile_block_id : tile<i32>
    %i = iota : tile<256xi32>
    %two = constant <i32: 2> : tile<i32>
    %d = subi %two, %b : tile<i32>
    %d1 = reshape %d : tile<i32> -> tile<1xi32>
    %ds = broadcast %d1 : tile<1xi32> -> tile<256xi32>
    %q = divi %i, %ds signed rounding<zero> : tile<256xi32>
    %k = print_tko "block %d\0A", %b : tile<i32> -> token
    %k1 = print_tko "%d\0A", %q token=%k : tile<256xi32> -> token
    %k2 = print_tko "block %d behind\0A", %b token=%k1 : tile<i32> -> token
    return
  }
  entry @gone(%x: tile<ptr<i32>>) {
    %b, %b_y, %b_z = get_tile_block_id : tile<i32>
    %i = iota : tile<1024xi32>
    %f = constant <i32: 1023> : tile<1024xi32>
    %back = subi %f, %i : tile<1024xi32>
    %b1 = reshape %b : tile<i32> -> tile<1xi32>
    %bs = broadcast %b1 : tile<1xi32> -> tile<1024xi32>
    %at = addi %back, %bs : tile<1024xi32>
    %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %xs = broadcast %x1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %p = offset %xs, %at : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %k = print_tko "block %d reads to %d\0A", %b, %at : tile<i32>, tile<1024xi32> -> token
    %v, %kv = load_ptr_tko weak %p token=%k : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %s = store_ptr_tko weak %p, %v token=%kv : tile<1024xptr<i32>>, tile<1024xi32> -> token
    %k1 = print_tko "block %d has read %d\0A", %b, %v token=%s : tile<i32>, tile<1024xi32> -> token
    return
  }
  entry @last(%x: tile<ptr<i32>>) {
    %b, %b_y, %b_z = get_tile_block_id : tile<i32>
    %i = iota : tile<1024xi32>
    %b1 = reshape %b : tile<i32> -> tile<1xi32>
    %bs = broadcast %b1 : tile<1xi32> -> tile<1024xi32>
    %at = addi %i, %bs : tile<1024xi32>
    %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %xs = broadcast %x1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %p = offset %xs, %at : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %k = print_tko "block %d reads to %d\0A", %b, %at : tile<i32>, tile<1024xi32> -> token
    %v, %kv = load_ptr_tko weak %p token=%k : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %s = store_ptr_tko weak %p, %v token=%kv : tile<1024xptr<i32>>, tile<1024xi32> -> token
    %k1 = print_tko "block %d has read %d\0A", %b, %v token=%s : tile<i32>, tile<1024xi32> -> token
    return
  }
}
