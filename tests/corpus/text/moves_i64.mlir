// Blocks of 64-bit integers through memory, data movement and control flow.
cuda_tile.module @moves_i64 {
  // Turns pairs of blocks of 8 x 16 over: loads, joins, permutes, cuts and stores them.
  entry @blocks_i64(%from: tile<ptr<i64>>, %to: tile<ptr<i64>>, %rows: tile<i32>, %pitch: tile<i32>) {
    %in = make_tensor_view %from, shape = [%rows, 64], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x64xi64, strides=[?,1]>
    %out = make_tensor_view %to, shape = [%rows, 64], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x64xi64, strides=[?,1]>
    %in_blocks = make_partition_view %in : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xi64, strides=[?,1]>>
    %out_blocks = make_partition_view %out : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xi64, strides=[?,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %next = addi %y, %one overflow<no_signed_wrap> : tile<i32>
    %upper, %upper_read = load_view_tko weak %in_blocks[%x, %y] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xi64, strides=[?,1]>>, tile<i32> -> tile<8x16xi64>, token
    %lower, %lower_read = load_view_tko weak %in_blocks[%x, %next] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xi64, strides=[?,1]>>, tile<i32> -> tile<8x16xi64>, token
    %even = trunci %rows : tile<i32> -> tile<i1>
    %even_cell = reshape %even : tile<i1> -> tile<1x1xi1>
    %even_cells = broadcast %even_cell : tile<1x1xi1> -> tile<8x16xi1>
    %picked = select %even_cells, %upper, %lower : tile<8x16xi1>, tile<8x16xi64>
    %both = cat %picked, %lower dim = 0 : tile<8x16xi64>, tile<8x16xi64> -> tile<16x16xi64>
    %turned = permute %both [1, 0] : tile<16x16xi64> -> tile<16x16xi64>
    %left = extract %turned[%x, %y] : tile<16x16xi64> -> tile<8x16xi64>
    %flat = reshape %left : tile<8x16xi64> -> tile<1x128xi64>
    %twice = broadcast %flat : tile<1x128xi64> -> tile<2x128xi64>
    %wide = reshape %twice : tile<2x128xi64> -> tile<16x16xi64>
    %part = extract %wide[%one, %x] : tile<16x16xi64> -> tile<8x16xi64>
    %read = join_tokens %upper_read, %lower_read : token
    %stored = store_view_tko weak %part, %out_blocks[%x, %y] token = %read : tile<8x16xi64>, partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xi64, strides=[?,1]>>, tile<i32> -> token
    return
  }

  // Copies the elements below a count, by pointers, in three ways.
  entry @elements_i64(%from: tile<ptr<i64>>, %to: tile<ptr<i64>>, %count: tile<i32>) {
    %from_cell = reshape %from : tile<ptr<i64>> -> tile<1xptr<i64>>
    %from_cells = broadcast %from_cell : tile<1xptr<i64>> -> tile<16xptr<i64>>
    %lane = iota : tile<16xi32>
    %count_cell = reshape %count : tile<i32> -> tile<1xi32>
    %counts = broadcast %count_cell : tile<1xi32> -> tile<16xi32>
    %inside = cmpi less_than %lane, %counts, signed : tile<16xi32> -> tile<16xi1>
    %addresses = offset %from_cells, %lane : tile<16xptr<i64>>, tile<16xi32> -> tile<16xptr<i64>>
    %none = make_token : token
    %first, %first_read = load_ptr_tko weak %addresses token=%none : tile<16xptr<i64>> -> tile<16xi64>, token
    %second, %second_read = load_ptr_tko relaxed device %addresses, %inside, %first token=%first_read : tile<16xptr<i64>>, tile<16xi1>, tile<16xi64> -> tile<16xi64>, token
    %third, %third_read = load_ptr_tko acquire sys %addresses, %inside : tile<16xptr<i64>>, tile<16xi1> -> tile<16xi64>, token
    %to_cell = reshape %to : tile<ptr<i64>> -> tile<1xptr<i64>>
    %to_cells = broadcast %to_cell : tile<1xptr<i64>> -> tile<16xptr<i64>>
    %targets = offset %to_cells, %lane : tile<16xptr<i64>>, tile<16xi32> -> tile<16xptr<i64>>
    %w0 = store_ptr_tko weak %targets, %first, %inside token=%third_read : tile<16xptr<i64>>, tile<16xi64>, tile<16xi1> -> token
    %w1 = store_ptr_tko relaxed device %targets, %second token=%w0 : tile<16xptr<i64>>, tile<16xi64> -> token
    %w2 = store_ptr_tko release sys %targets, %third, %inside token=%w1 : tile<16xptr<i64>>, tile<16xi64>, tile<16xi1> -> token
    return
  }

  // Carries a block through every form of control flow.
  entry @carried_i64(%from: tile<ptr<i64>>, %rounds: tile<i32>, %turn: tile<i1>) {
    %cell = reshape %from : tile<ptr<i64>> -> tile<1xptr<i64>>
    %same = broadcast %cell : tile<1xptr<i64>> -> tile<16xptr<i64>>
    %lane = iota : tile<16xi16>
    %addresses = offset %same, %lane : tile<16xptr<i64>>, tile<16xi16> -> tile<16xptr<i64>>
    %start, %start_read = load_ptr_tko weak %addresses : tile<16xptr<i64>> -> tile<16xi64>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last, %last_read = for %round in (%zero to %rounds, step %one) : tile<i32> iter_values(%value = %start, %done = %start_read) -> (tile<16xi64>, token) {
      %choice, %choice_read = if %turn -> (tile<16xi64>, token) {
        %again, %again_read = load_ptr_tko weak %addresses token=%done : tile<16xptr<i64>> -> tile<16xi64>, token
        yield %again, %again_read : tile<16xi64>, token
      } else {
        yield %value, %done : tile<16xi64>, token
      }
      continue %choice, %choice_read : tile<16xi64>, token
    }
    %found, %steps = loop iter_values(%value = %last, %step = %zero) : tile<16xi64>, tile<i32> -> tile<16xi64>, tile<i32> {
      %more = addi %step, %one : tile<i32>
      %enough = cmpi greater_than_or_equal %more, %rounds, unsigned : tile<i32> -> tile<i1>
      if %enough {
        break %value, %more : tile<16xi64>, tile<i32>
      }
      continue %value, %more : tile<16xi64>, tile<i32>
    }
    %stored = store_ptr_tko weak %addresses, %found token=%last_read : tile<16xptr<i64>>, tile<16xi64> -> token
    return
  }
}
