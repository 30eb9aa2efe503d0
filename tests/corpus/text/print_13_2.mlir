// Prints of tiles, ordered by tokens.
cuda_tile.module @print_13_2 {
  entry @shown_i1() {
    %x = constant <i1: true> : tile<4xi1>
    %first = print_tko "x is %d, 100%%\0A", %x : tile<4xi1> -> token
    %second = print_tko "that was i1" token=%first -> token
    %third = print_tko "%d and %d", %x, %x token=%second : tile<4xi1>, tile<4xi1> -> token
    return
  }
  entry @shown_i8() {
    %x = constant <i8: -128> : tile<4xi8>
    %first = print_tko "x is %d, 100%%\0A", %x : tile<4xi8> -> token
    %second = print_tko "that was i8" token=%first -> token
    %third = print_tko "%d and %d", %x, %x token=%second : tile<4xi8>, tile<4xi8> -> token
    return
  }
  entry @shown_i16() {
    %x = constant <i16: -32768> : tile<4xi16>
    %first = print_tko "x is %d, 100%%\0A", %x : tile<4xi16> -> token
    %second = print_tko "that was i16" token=%first -> token
    %third = print_tko "%d and %d", %x, %x token=%second : tile<4xi16>, tile<4xi16> -> token
    return
  }
  entry @shown_i32() {
    %x = constant <i32: -2147483648> : tile<4xi32>
    %first = print_tko "x is %d, 100%%\0A", %x : tile<4xi32> -> token
    %second = print_tko "that was i32" token=%first -> token
    %third = print_tko "%d and %d", %x, %x token=%second : tile<4xi32>, tile<4xi32> -> token
    return
  }
  entry @shown_i64() {
    %x = constant <i64: -9223372036854775808> : tile<4xi64>
    %first = print_tko "x is %d, 100%%\0A", %x : tile<4xi64> -> token
    %second = print_tko "that was i64" token=%first -> token
    %third = print_tko "%d and %d", %x, %x token=%second : tile<4xi64>, tile<4xi64> -> token
    return
  }
  entry @shown_f16() {
    %x = constant <f16: 1.5> : tile<4xf16>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf16> -> token
    %second = print_tko "that was f16" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf16>, tile<4xf16> -> token
    return
  }
  entry @shown_bf16() {
    %x = constant <bf16: 0x7F80> : tile<4xbf16>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xbf16> -> token
    %second = print_tko "that was bf16" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xbf16>, tile<4xbf16> -> token
    return
  }
  entry @shown_f32() {
    %x = constant <f32: 0.1> : tile<4xf32>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf32> -> token
    %second = print_tko "that was f32" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf32>, tile<4xf32> -> token
    return
  }
  entry @shown_f64() {
    %x = constant <f64: 0.1> : tile<4xf64>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf64> -> token
    %second = print_tko "that was f64" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf64>, tile<4xf64> -> token
    return
  }
  entry @shown_tf32() {
    %x = constant <tf32: 1.0> : tile<4xtf32>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xtf32> -> token
    %second = print_tko "that was tf32" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xtf32>, tile<4xtf32> -> token
    return
  }
  entry @shown_e4m3() {
    %x = constant <f8E4M3FN: 448.0> : tile<4xf8E4M3FN>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf8E4M3FN> -> token
    %second = print_tko "that was f8E4M3FN" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf8E4M3FN>, tile<4xf8E4M3FN> -> token
    return
  }
  entry @shown_e5m2() {
    %x = constant <f8E5M2: 57344.0> : tile<4xf8E5M2>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf8E5M2> -> token
    %second = print_tko "that was f8E5M2" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf8E5M2>, tile<4xf8E5M2> -> token
    return
  }
  entry @shown_e8m0() {
    %x = constant <f8E8M0FNU: 1.0> : tile<4xf8E8M0FNU>
    %first = print_tko "x is %f, 100%%\0A", %x : tile<4xf8E8M0FNU> -> token
    %second = print_tko "that was f8E8M0FNU" token=%first -> token
    %third = print_tko "%f and %f", %x, %x token=%second : tile<4xf8E8M0FNU>, tile<4xf8E8M0FNU> -> token
    return
  }
  entry @shown_ptr() {
    %n = constant <i64: 4096> : tile<4xi64>
    %x = int_to_ptr %n : tile<4xi64> -> tile<4xptr<i8>>
    %first = print_tko "x is %p, 100%%\0A", %x : tile<4xptr<i8>> -> token
    %second = print_tko "that was ptr<i8>" token=%first -> token
    %third = print_tko "%p and %p", %x, %x token=%second : tile<4xptr<i8>>, tile<4xptr<i8>> -> token
    return
  }
}
