// Loops that count without a sign, from 13.2, and loops over each width of integer.
cuda_tile.module @control_13_2 {
  entry @unsigned_counts(%n8: tile<i8>, %n64: tile<i64>, %step: tile<i64>) {
    %zero = constant <i8: 0> : tile<i8>
    %one = constant <i8: 1> : tile<i8>
    for unsigned %i in (%zero to %n8, step %one) : tile<i8> {
    }
    %start = constant <i64: -9223372036854775808> : tile<i64>
    %last = for unsigned %i in (%start to %n64, step %step) : tile<i64> iter_values(%v = %start) -> (tile<i64>) {
      %x = xori %v, %i : tile<i64>
      continue %x : tile<i64>
    }
    return
  }
}
