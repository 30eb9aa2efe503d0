// Tables of addresses go through data movement, control flow and all that pointers can do.
cuda_tile.module @moves_ptr {
  entry @moves_ptr(%p: tile<ptr<f32>>, %index: tile<i32>, %rounds: tile<i32>, %turn: tile<i1>) {
    %many_cell = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %many = broadcast %many_cell : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %lane = iota : tile<16xi64>
    %value = offset %many, %lane : tile<16xptr<f32>>, tile<16xi64> -> tile<16xptr<f32>>
    %square = reshape %value : tile<16xptr<f32>> -> tile<4x4xptr<f32>>
    %turned = permute %square [1, 0] : tile<4x4xptr<f32>> -> tile<4x4xptr<f32>>
    %tall = cat %square, %turned dim = 0 : tile<4x4xptr<f32>>, tile<4x4xptr<f32>> -> tile<8x4xptr<f32>>
    %part = extract %tall[%index, %index] : tile<8x4xptr<f32>> -> tile<1x4xptr<f32>>
    %four = broadcast %part : tile<1x4xptr<f32>> -> tile<4x4xptr<f32>>
    %turn_cell = reshape %turn : tile<i1> -> tile<1x1xi1>
    %turns = broadcast %turn_cell : tile<1x1xi1> -> tile<4x4xi1>
    %picked = select %turns, %four, %turned : tile<4x4xi1>, tile<4x4xptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last = for %round in (%zero to %rounds, step %one) : tile<i32> iter_values(%v = %picked) -> (tile<4x4xptr<f32>>) {
      %next = if %turn -> (tile<4x4xptr<f32>>) {
        yield %turned : tile<4x4xptr<f32>>
      } else {
        yield %v : tile<4x4xptr<f32>>
      }
      continue %next : tile<4x4xptr<f32>>
    }
    %found = loop iter_values(%v = %last) : tile<4x4xptr<f32>> -> tile<4x4xptr<f32>> {
      if %turn {
        break %v : tile<4x4xptr<f32>>
      } else {
        continue %turned : tile<4x4xptr<f32>>
      }
      continue %v : tile<4x4xptr<f32>>
    }
    %line = reshape %found : tile<4x4xptr<f32>> -> tile<16xptr<f32>>
    %numbers = ptr_to_int %line : tile<16xptr<f32>> -> tile<16xi64>
    %mask = constant <i64: -128> : tile<16xi64>
    %aligned = andi %numbers, %mask : tile<16xi64>
    %lines = int_to_ptr %aligned : tile<16xi64> -> tile<16xptr<f32>>
    %words = ptr_to_ptr %lines : tile<16xptr<f32>> -> tile<16xptr<i32>>
    %bits, %read = load_ptr_tko weak %words : tile<16xptr<i32>> -> tile<16xi32>, token
    %floats = bitcast %bits : tile<16xi32> -> tile<16xf32>
    %done = store_ptr_tko weak %line, %floats token=%read : tile<16xptr<f32>>, tile<16xf32> -> token
    return
  }

  // Offsets of each width of integer.
  entry @steps(%p: tile<ptr<i8>>, %a: tile<i1>, %b: tile<i8>, %c: tile<i16>, %d: tile<i32>, %e: tile<i64>) {
    %p1 = offset %p, %a : tile<ptr<i8>>, tile<i1> -> tile<ptr<i8>>
    %p2 = offset %p1, %b : tile<ptr<i8>>, tile<i8> -> tile<ptr<i8>>
    %p3 = offset %p2, %c : tile<ptr<i8>>, tile<i16> -> tile<ptr<i8>>
    %p4 = offset %p3, %d : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %p5 = offset %p4, %e : tile<ptr<i8>>, tile<i64> -> tile<ptr<i8>>
    %v = constant <i8: 0x7F> : tile<i8>
    %done = store_ptr_tko weak %p5, %v : tile<ptr<i8>>, tile<i8> -> token
    return
  }
}
