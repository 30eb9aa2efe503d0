// Prints of tiles, ordered by tokens.
cuda_tile.module @print_13_4 {
  entry @shown_e5m3() {
    %x = constant <fnv8E5M3FNU: 1.0> : tile<4xfnv8E5M3FNU>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xfnv8E5M3FNU> -> token
    %second = print_tko "that was fnv8E5M3FNU" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xfnv8E5M3FNU>, tile<4xfnv8E5M3FNU> -> token
    return
  }
}
