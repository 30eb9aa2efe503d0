// Entries that are seen from outside, and those that are not.
cuda_tile.module @visibility {
  entry @seen(%x: tile<i32>) {
    return
  }
  entry @hidden(%x: tile<i32>) {
    return
  } {sym_visibility = "private"}
  entry @seen_too() {
    return
  } {sym_visibility = "public"}
}
