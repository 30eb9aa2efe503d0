// Prints of tiles, ordered by tokens.
cuda_tile.module @print_13_3 {
  entry @shown_e2m1() {
    %x = constant <f4E2M1FN: 6.0> : tile<4xf4E2M1FN>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf4E2M1FN> -> token
    %second = print_tko "that was f4E2M1FN" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf4E2M1FN>, tile<4xf4E2M1FN> -> token
    return
  }
  entry @shown_i4() {
    %bytes = constant <i8: 3> : tile<4xi8>
    %x = trunci %bytes : tile<4xi8> -> tile<4xi4>
    %first = print_tko "x is %d, 100%%\0A", %x : tile<4xi4> -> token
    %second = print_tko "that was i4" token=%first -> token
    %third = print_tko "%d and %d", %x, %x token=%second : tile<4xi4>, tile<4xi4> -> token
    return
  }
}
