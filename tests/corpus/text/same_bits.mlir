// Casts of bits to the same type, for what has no other of its width.
cuda_tile.module @same_bits {
  entry @same_bits_13_1(%p: tile<ptr<i1>>) {
    %truth = constant <i1: [true, false]> : tile<2xi1>
    %truth_again = bitcast %truth : tile<2xi1> -> tile<2xi1>
    %short = constant <tf32: 1.5> : tile<2xtf32>
    %short_again = bitcast %short : tile<2xtf32> -> tile<2xtf32>
    %x, %y, %z = get_num_tile_blocks : tile<i32>
    %any = cmpi not_equal %x, %z, signed : tile<i32> -> tile<i1>
    %done = store_ptr_tko weak %p, %any : tile<ptr<i1>>, tile<i1> -> token
    return
  }
}
