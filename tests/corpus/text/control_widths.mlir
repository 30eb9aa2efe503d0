// Loops over each width of integer.
cuda_tile.module @control_widths {
  entry @counts(%a: tile<i1>, %b: tile<i8>, %c: tile<i16>, %d: tile<i32>, %e: tile<i64>) {
    for %i in (%a to %a, step %a) : tile<i1> {
    }
    for %i in (%b to %b, step %b) : tile<i8> {
    }
    for %i in (%c to %c, step %c) : tile<i16> {
    }
    for %i in (%d to %d, step %d) : tile<i32> {
    }
    for %i in (%e to %e, step %e) : tile<i64> {
    }
    return
  }
}
