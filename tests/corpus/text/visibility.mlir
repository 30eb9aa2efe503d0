// Entries that are seen from outside, as all are.
cuda_tile.module @visibility {
  entry @seen(%x: tile<i32>) {
    return
  }
  entry @seen_too() {
    return
  } {sym_visibility = "public"}
}
