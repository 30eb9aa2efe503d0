// 4-bit integers: made from wider ones, moved, widened again.
cuda_tile.module @moves_i4 {
  entry @moves_i4(%p: tile<ptr<i8>>, %index: tile<i32>, %rounds: tile<i32>, %turn: tile<i1>) {
    %many_cell = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
    %many = broadcast %many_cell : tile<1xptr<i8>> -> tile<16xptr<i8>>
    %lane = iota : tile<16xi32>
    %addresses = offset %many, %lane : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
    %bytes, %read = load_ptr_tko weak %addresses : tile<16xptr<i8>> -> tile<16xi8>, token
    %value = trunci %bytes overflow<no_signed_wrap> : tile<16xi8> -> tile<16xi4>
    %square = reshape %value : tile<16xi4> -> tile<4x4xi4>
    %turned = permute %square [1, 0] : tile<4x4xi4> -> tile<4x4xi4>
    %tall = cat %square, %turned dim = 0 : tile<4x4xi4>, tile<4x4xi4> -> tile<8x4xi4>
    %part = extract %tall[%index, %index] : tile<8x4xi4> -> tile<1x4xi4>
    %four = broadcast %part : tile<1x4xi4> -> tile<4x4xi4>
    %turn_cell = reshape %turn : tile<i1> -> tile<1x1xi1>
    %turns = broadcast %turn_cell : tile<1x1xi1> -> tile<4x4xi1>
    %picked = select %turns, %four, %turned : tile<4x4xi1>, tile<4x4xi4>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last = for %round in (%zero to %rounds, step %one) : tile<i32> iter_values(%v = %picked) -> (tile<4x4xi4>) {
      %next = if %turn -> (tile<4x4xi4>) {
        yield %turned : tile<4x4xi4>
      } else {
        yield %v : tile<4x4xi4>
      }
      continue %next : tile<4x4xi4>
    }
    %found = loop iter_values(%v = %last) : tile<4x4xi4> -> tile<4x4xi4> {
      if %turn {
        break %v : tile<4x4xi4>
      } else {
        continue %turned : tile<4x4xi4>
      }
      continue %v : tile<4x4xi4>
    }
    %line = reshape %found : tile<4x4xi4> -> tile<16xi4>
    %signed_bytes = exti %line signed : tile<16xi4> -> tile<16xi8>
    %unsigned_words = exti %line unsigned : tile<16xi4> -> tile<16xi64>
    %low = trunci %unsigned_words : tile<16xi64> -> tile<16xi8>
    %sum = addi %signed_bytes, %low : tile<16xi8>
    %done = store_ptr_tko weak %addresses, %sum token=%read : tile<16xptr<i8>>, tile<16xi8> -> token
    return
  }
}
