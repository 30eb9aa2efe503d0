// Memory of a block's own for the type of 13.4.
cuda_tile.module @scratch_13_4 {
  entry @scratch_e5m3() {
    %room = alloca num_elem = 16, alignment = 1 global : tile<ptr<fnv8E5M3FNU>>
    return
  }
}
