// Blocks of 4-bit floats through memory, data movement and control flow.
cuda_tile.module @moves_e2m1 {
  // Turns pairs of blocks of 8 x 16 over: loads, joins, permutes, cuts and stores them.
  entry @blocks_e2m1(%from: tile<ptr<f4E2M1FN>>, %to: tile<ptr<f4E2M1FN>>, %rows: tile<i32>, %pitch: tile<i32>) {
    %in = make_tensor_view %from, shape = [%rows, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf4E2M1FN, strides=[64,1]>
    %out = make_tensor_view %to, shape = [%rows, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf4E2M1FN, strides=[64,1]>
    %in_blocks = make_partition_view %in : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf4E2M1FN, strides=[64,1]>>
    %out_blocks = make_partition_view %out : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf4E2M1FN, strides=[64,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %next = addi %y, %one overflow<no_signed_wrap> : tile<i32>
    %upper, %upper_read = load_view_tko weak %in_blocks[%x, %y] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf4E2M1FN, strides=[64,1]>>, tile<i32> -> tile<8x16xf4E2M1FN>, token
    %lower, %lower_read = load_view_tko weak %in_blocks[%x, %next] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf4E2M1FN, strides=[64,1]>>, tile<i32> -> tile<8x16xf4E2M1FN>, token
    %both = cat %upper, %lower dim = 0 : tile<8x16xf4E2M1FN>, tile<8x16xf4E2M1FN> -> tile<16x16xf4E2M1FN>
    %turned = permute %both [1, 0] : tile<16x16xf4E2M1FN> -> tile<16x16xf4E2M1FN>
    %left = extract %turned[%x, %y] : tile<16x16xf4E2M1FN> -> tile<8x16xf4E2M1FN>
    %flat = reshape %left : tile<8x16xf4E2M1FN> -> tile<1x128xf4E2M1FN>
    %twice = broadcast %flat : tile<1x128xf4E2M1FN> -> tile<2x128xf4E2M1FN>
    %wide = reshape %twice : tile<2x128xf4E2M1FN> -> tile<16x16xf4E2M1FN>
    %part = extract %wide[%one, %x] : tile<16x16xf4E2M1FN> -> tile<8x16xf4E2M1FN>
    %read = join_tokens %upper_read, %lower_read : token
    %stored = store_view_tko weak %part, %out_blocks[%x, %y] token = %read : tile<8x16xf4E2M1FN>, partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf4E2M1FN, strides=[64,1]>>, tile<i32> -> token
    return
  }

  // Carries a block through every form of control flow.
  entry @carried_e2m1(%from: tile<ptr<f4E2M1FN>>, %rounds: tile<i32>, %turn: tile<i1>) {
    %row = make_tensor_view %from, shape = [%rounds], strides = [1] : tile<i32> -> tensor_view<?xf4E2M1FN, strides=[1]>
    %blocks = make_partition_view %row : partition_view<tile=(16), tensor_view<?xf4E2M1FN, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start, %start_read = load_view_tko relaxed device %blocks[%zero] : partition_view<tile=(16), tensor_view<?xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<16xf4E2M1FN>, token
    %last, %last_read = for %round in (%zero to %rounds, step %one) : tile<i32> iter_values(%value = %start, %done = %start_read) -> (tile<16xf4E2M1FN>, token) {
      %choice, %choice_read = if %turn -> (tile<16xf4E2M1FN>, token) {
        %again, %again_read = load_view_tko acquire sys %blocks[%round] token = %done : partition_view<tile=(16), tensor_view<?xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<16xf4E2M1FN>, token
        yield %again, %again_read : tile<16xf4E2M1FN>, token
      } else {
        yield %value, %done : tile<16xf4E2M1FN>, token
      }
      continue %choice, %choice_read : tile<16xf4E2M1FN>, token
    }
    %found, %steps = loop iter_values(%value = %last, %step = %zero) : tile<16xf4E2M1FN>, tile<i32> -> tile<16xf4E2M1FN>, tile<i32> {
      %more = addi %step, %one : tile<i32>
      %enough = cmpi greater_than_or_equal %more, %rounds, unsigned : tile<i32> -> tile<i1>
      if %enough {
        break %value, %more : tile<16xf4E2M1FN>, tile<i32>
      }
      continue %value, %more : tile<16xf4E2M1FN>, tile<i32>
    }
    %stored = store_view_tko release device %found, %blocks[%one] token = %last_read : tile<16xf4E2M1FN>, partition_view<tile=(16), tensor_view<?xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
}
