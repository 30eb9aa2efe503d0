// Tiles of f6E2M3FN, which only text has: memory, data movement, control flow, folds, constants, prints.
cuda_tile.module @moves_e2m3 {
  global @table_e2m3 alignment = 16 <f6E2M3FN: [7.5, 0x20, -0.125, 0x01]> : tile<4xf6E2M3FN>
  // Turns pairs of blocks of 8 x 16 over: loads, joins, permutes, cuts and stores them.
  entry @blocks_e2m3(%from: tile<ptr<f6E2M3FN>>, %to: tile<ptr<f6E2M3FN>>, %rows: tile<i32>, %pitch: tile<i32>) {
    %in = make_tensor_view %from, shape = [%rows, 64], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x64xf6E2M3FN, strides=[?,1]>
    %out = make_tensor_view %to, shape = [%rows, 64], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x64xf6E2M3FN, strides=[?,1]>
    %in_blocks = make_partition_view %in : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E2M3FN, strides=[?,1]>>
    %out_blocks = make_partition_view %out : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E2M3FN, strides=[?,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %next = addi %y, %one overflow<no_signed_wrap> : tile<i32>
    %upper, %upper_read = load_view_tko weak %in_blocks[%x, %y] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E2M3FN, strides=[?,1]>>, tile<i32> -> tile<8x16xf6E2M3FN>, token
    %lower, %lower_read = load_view_tko weak %in_blocks[%x, %next] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E2M3FN, strides=[?,1]>>, tile<i32> -> tile<8x16xf6E2M3FN>, token
    %even = trunci %rows : tile<i32> -> tile<i1>
    %even_cell = reshape %even : tile<i1> -> tile<1x1xi1>
    %even_cells = broadcast %even_cell : tile<1x1xi1> -> tile<8x16xi1>
    %picked = select %even_cells, %upper, %lower : tile<8x16xi1>, tile<8x16xf6E2M3FN>
    %both = cat %picked, %lower dim = 0 : tile<8x16xf6E2M3FN>, tile<8x16xf6E2M3FN> -> tile<16x16xf6E2M3FN>
    %turned = permute %both [1, 0] : tile<16x16xf6E2M3FN> -> tile<16x16xf6E2M3FN>
    %left = extract %turned[%x, %y] : tile<16x16xf6E2M3FN> -> tile<8x16xf6E2M3FN>
    %flat = reshape %left : tile<8x16xf6E2M3FN> -> tile<1x128xf6E2M3FN>
    %twice = broadcast %flat : tile<1x128xf6E2M3FN> -> tile<2x128xf6E2M3FN>
    %wide = reshape %twice : tile<2x128xf6E2M3FN> -> tile<16x16xf6E2M3FN>
    %part = extract %wide[%one, %x] : tile<16x16xf6E2M3FN> -> tile<8x16xf6E2M3FN>
    %read = join_tokens %upper_read, %lower_read : token
    %stored = store_view_tko weak %part, %out_blocks[%x, %y] token = %read : tile<8x16xf6E2M3FN>, partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E2M3FN, strides=[?,1]>>, tile<i32> -> token
    return
  }

  // Copies the elements below a count, by pointers, in three ways.
  entry @elements_e2m3(%from: tile<ptr<f6E2M3FN>>, %to: tile<ptr<f6E2M3FN>>, %count: tile<i32>) {
    %from_cell = reshape %from : tile<ptr<f6E2M3FN>> -> tile<1xptr<f6E2M3FN>>
    %from_cells = broadcast %from_cell : tile<1xptr<f6E2M3FN>> -> tile<16xptr<f6E2M3FN>>
    %lane = iota : tile<16xi32>
    %count_cell = reshape %count : tile<i32> -> tile<1xi32>
    %counts = broadcast %count_cell : tile<1xi32> -> tile<16xi32>
    %inside = cmpi less_than %lane, %counts, signed : tile<16xi32> -> tile<16xi1>
    %addresses = offset %from_cells, %lane : tile<16xptr<f6E2M3FN>>, tile<16xi32> -> tile<16xptr<f6E2M3FN>>
    %none = make_token : token
    %first, %first_read = load_ptr_tko weak %addresses token=%none : tile<16xptr<f6E2M3FN>> -> tile<16xf6E2M3FN>, token
    %second, %second_read = load_ptr_tko relaxed device %addresses, %inside, %first token=%first_read : tile<16xptr<f6E2M3FN>>, tile<16xi1>, tile<16xf6E2M3FN> -> tile<16xf6E2M3FN>, token
    %third, %third_read = load_ptr_tko acquire sys %addresses, %inside : tile<16xptr<f6E2M3FN>>, tile<16xi1> -> tile<16xf6E2M3FN>, token
    %to_cell = reshape %to : tile<ptr<f6E2M3FN>> -> tile<1xptr<f6E2M3FN>>
    %to_cells = broadcast %to_cell : tile<1xptr<f6E2M3FN>> -> tile<16xptr<f6E2M3FN>>
    %targets = offset %to_cells, %lane : tile<16xptr<f6E2M3FN>>, tile<16xi32> -> tile<16xptr<f6E2M3FN>>
    %w0 = store_ptr_tko weak %targets, %first, %inside token=%third_read : tile<16xptr<f6E2M3FN>>, tile<16xf6E2M3FN>, tile<16xi1> -> token
    %w1 = store_ptr_tko relaxed device %targets, %second token=%w0 : tile<16xptr<f6E2M3FN>>, tile<16xf6E2M3FN> -> token
    %w2 = store_ptr_tko release sys %targets, %third, %inside token=%w1 : tile<16xptr<f6E2M3FN>>, tile<16xf6E2M3FN>, tile<16xi1> -> token
    return
  }

  // Carries a block through every form of control flow.
  entry @carried_e2m3(%from: tile<ptr<f6E2M3FN>>, %rounds: tile<i32>, %turn: tile<i1>) {
    %cell = reshape %from : tile<ptr<f6E2M3FN>> -> tile<1xptr<f6E2M3FN>>
    %same = broadcast %cell : tile<1xptr<f6E2M3FN>> -> tile<16xptr<f6E2M3FN>>
    %lane = iota : tile<16xi16>
    %addresses = offset %same, %lane : tile<16xptr<f6E2M3FN>>, tile<16xi16> -> tile<16xptr<f6E2M3FN>>
    %start, %start_read = load_ptr_tko weak %addresses : tile<16xptr<f6E2M3FN>> -> tile<16xf6E2M3FN>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last, %last_read = for %round in (%zero to %rounds, step %one) : tile<i32> iter_values(%value = %start, %done = %start_read) -> (tile<16xf6E2M3FN>, token) {
      %choice, %choice_read = if %turn -> (tile<16xf6E2M3FN>, token) {
        %again, %again_read = load_ptr_tko weak %addresses token=%done : tile<16xptr<f6E2M3FN>> -> tile<16xf6E2M3FN>, token
        yield %again, %again_read : tile<16xf6E2M3FN>, token
      } else {
        yield %value, %done : tile<16xf6E2M3FN>, token
      }
      continue %choice, %choice_read : tile<16xf6E2M3FN>, token
    }
    %found, %steps = loop iter_values(%value = %last, %step = %zero) : tile<16xf6E2M3FN>, tile<i32> -> tile<16xf6E2M3FN>, tile<i32> {
      %more = addi %step, %one : tile<i32>
      %enough = cmpi greater_than_or_equal %more, %rounds, unsigned : tile<i32> -> tile<i1>
      if %enough {
        break %value, %more : tile<16xf6E2M3FN>, tile<i32>
      }
      continue %value, %more : tile<16xf6E2M3FN>, tile<i32>
    }
    %stored = store_ptr_tko weak %addresses, %found token=%last_read : tile<16xptr<f6E2M3FN>>, tile<16xf6E2M3FN> -> token
    return
  }

  entry @folds_e2m3() {
    %x = constant <f6E2M3FN: [[7.5, 0x20], [-0.125, 0x01]]> : tile<2x2xf6E2M3FN>
    %rows = reduce %x dim=1 identities=[0.0 : f6E2M3FN] : tile<2x2xf6E2M3FN> -> tile<2xf6E2M3FN> (%a: tile<f6E2M3FN>, %b: tile<f6E2M3FN>) {
      %w = nv_tileaa.cast %a : tile<f6E2M3FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E2M3FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E2M3FN> {satf = true}
      yield %c : tile<f6E2M3FN>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f6E2M3FN] : tile<2xf6E2M3FN> -> tile<f6E2M3FN> (%a: tile<f6E2M3FN>, %b: tile<f6E2M3FN>) {
      %w = nv_tileaa.cast %a : tile<f6E2M3FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E2M3FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E2M3FN> {satf = true}
      yield %c : tile<f6E2M3FN>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f6E2M3FN] : tile<2x2xf6E2M3FN> -> tile<2x2xf6E2M3FN> (%a: tile<f6E2M3FN>, %b: tile<f6E2M3FN>) {
      %w = nv_tileaa.cast %a : tile<f6E2M3FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E2M3FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E2M3FN> {satf = true}
      yield %c : tile<f6E2M3FN>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f6E2M3FN] : tile<2x2xf6E2M3FN> -> tile<2x2xf6E2M3FN> (%a: tile<f6E2M3FN>, %b: tile<f6E2M3FN>) {
      %w = nv_tileaa.cast %a : tile<f6E2M3FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E2M3FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E2M3FN> {satf = true}
      yield %c : tile<f6E2M3FN>
    }
    return
  }

  // Constants, as one number and as several; a slice of them replaced; printed; the same bits.
  entry @constants_e2m3(%i: tile<i32>) {
    %one = constant <f6E2M3FN: 7.5> : tile<f6E2M3FN>
    %all = constant <f6E2M3FN: 0x20> : tile<8x4xf6E2M3FN>
    %line = constant <f6E2M3FN: [7.5, 0x20, -0.125, 0x01]> : tile<4xf6E2M3FN>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %all[%i, %zero] : tile<8x4xf6E2M3FN> -> tile<2x4xf6E2M3FN>
    %whole = insert %part, %all[%zero, %zero] : tile<2x4xf6E2M3FN>, tile<8x4xf6E2M3FN>
    %shown = print_tko "%f", %line : tile<4xf6E2M3FN> -> token
    %same = bitcast %line : tile<4xf6E2M3FN> -> tile<4xf6E2M3FN>
    %table = get_global @table_e2m3 : tile<ptr<f6E2M3FN>>
    %scratch = alloca num_elem = 64, alignment = 16 : tile<ptr<f6E2M3FN>>
    %bytes = pack %line : tile<4xf6E2M3FN> -> tile<4xi8>
    %back = unpack %bytes : tile<4xi8> -> tile<4xf6E2M3FN>
    return
  }
}
