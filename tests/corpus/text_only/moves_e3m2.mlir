// Tiles of f6E3M2FN, which only text has: memory, data movement, control flow, folds, constants, prints.
cuda_tile.module @moves_e3m2 {
  global @table_e3m2 alignment = 16 <f6E3M2FN: [28.0, 0x20, -0.0625, 0x01]> : tile<4xf6E3M2FN>
  // Turns pairs of blocks of 8 x 16 over: loads, joins, permutes, cuts and stores them.
  entry @blocks_e3m2(%from: tile<ptr<f6E3M2FN>>, %to: tile<ptr<f6E3M2FN>>, %rows: tile<i32>, %pitch: tile<i32>) {
    %in = make_tensor_view %from, shape = [%rows, 64], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x64xf6E3M2FN, strides=[?,1]>
    %out = make_tensor_view %to, shape = [%rows, 64], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x64xf6E3M2FN, strides=[?,1]>
    %in_blocks = make_partition_view %in : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E3M2FN, strides=[?,1]>>
    %out_blocks = make_partition_view %out : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E3M2FN, strides=[?,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %next = addi %y, %one overflow<no_signed_wrap> : tile<i32>
    %upper, %upper_read = load_view_tko weak %in_blocks[%x, %y] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E3M2FN, strides=[?,1]>>, tile<i32> -> tile<8x16xf6E3M2FN>, token
    %lower, %lower_read = load_view_tko weak %in_blocks[%x, %next] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E3M2FN, strides=[?,1]>>, tile<i32> -> tile<8x16xf6E3M2FN>, token
    %even = trunci %rows : tile<i32> -> tile<i1>
    %even_cell = reshape %even : tile<i1> -> tile<1x1xi1>
    %even_cells = broadcast %even_cell : tile<1x1xi1> -> tile<8x16xi1>
    %picked = select %even_cells, %upper, %lower : tile<8x16xi1>, tile<8x16xf6E3M2FN>
    %both = cat %picked, %lower dim = 0 : tile<8x16xf6E3M2FN>, tile<8x16xf6E3M2FN> -> tile<16x16xf6E3M2FN>
    %turned = permute %both [1, 0] : tile<16x16xf6E3M2FN> -> tile<16x16xf6E3M2FN>
    %left = extract %turned[%x, %y] : tile<16x16xf6E3M2FN> -> tile<8x16xf6E3M2FN>
    %flat = reshape %left : tile<8x16xf6E3M2FN> -> tile<1x128xf6E3M2FN>
    %twice = broadcast %flat : tile<1x128xf6E3M2FN> -> tile<2x128xf6E3M2FN>
    %wide = reshape %twice : tile<2x128xf6E3M2FN> -> tile<16x16xf6E3M2FN>
    %part = extract %wide[%one, %x] : tile<16x16xf6E3M2FN> -> tile<8x16xf6E3M2FN>
    %read = join_tokens %upper_read, %lower_read : token
    %stored = store_view_tko weak %part, %out_blocks[%x, %y] token = %read : tile<8x16xf6E3M2FN>, partition_view<tile=(8x16), padding_value = zero, tensor_view<?x64xf6E3M2FN, strides=[?,1]>>, tile<i32> -> token
    return
  }

  // Copies the elements below a count, by pointers, in three ways.
  entry @elements_e3m2(%from: tile<ptr<f6E3M2FN>>, %to: tile<ptr<f6E3M2FN>>, %count: tile<i32>) {
    %from_cell = reshape %from : tile<ptr<f6E3M2FN>> -> tile<1xptr<f6E3M2FN>>
    %from_cells = broadcast %from_cell : tile<1xptr<f6E3M2FN>> -> tile<16xptr<f6E3M2FN>>
    %lane = iota : tile<16xi32>
    %count_cell = reshape %count : tile<i32> -> tile<1xi32>
    %counts = broadcast %count_cell : tile<1xi32> -> tile<16xi32>
    %inside = cmpi less_than %lane, %counts, signed : tile<16xi32> -> tile<16xi1>
    %addresses = offset %from_cells, %lane : tile<16xptr<f6E3M2FN>>, tile<16xi32> -> tile<16xptr<f6E3M2FN>>
    %none = make_token : token
    %first, %first_read = load_ptr_tko weak %addresses token=%none : tile<16xptr<f6E3M2FN>> -> tile<16xf6E3M2FN>, token
    %second, %second_read = load_ptr_tko relaxed device %addresses, %inside, %first token=%first_read : tile<16xptr<f6E3M2FN>>, tile<16xi1>, tile<16xf6E3M2FN> -> tile<16xf6E3M2FN>, token
    %third, %third_read = load_ptr_tko acquire sys %addresses, %inside : tile<16xptr<f6E3M2FN>>, tile<16xi1> -> tile<16xf6E3M2FN>, token
    %to_cell = reshape %to : tile<ptr<f6E3M2FN>> -> tile<1xptr<f6E3M2FN>>
    %to_cells = broadcast %to_cell : tile<1xptr<f6E3M2FN>> -> tile<16xptr<f6E3M2FN>>
    %targets = offset %to_cells, %lane : tile<16xptr<f6E3M2FN>>, tile<16xi32> -> tile<16xptr<f6E3M2FN>>
    %w0 = store_ptr_tko weak %targets, %first, %inside token=%third_read : tile<16xptr<f6E3M2FN>>, tile<16xf6E3M2FN>, tile<16xi1> -> token
    %w1 = store_ptr_tko relaxed device %targets, %second token=%w0 : tile<16xptr<f6E3M2FN>>, tile<16xf6E3M2FN> -> token
    %w2 = store_ptr_tko release sys %targets, %third, %inside token=%w1 : tile<16xptr<f6E3M2FN>>, tile<16xf6E3M2FN>, tile<16xi1> -> token
    return
  }

  // Carries a block through every form of control flow.
  entry @carried_e3m2(%from: tile<ptr<f6E3M2FN>>, %rounds: tile<i32>, %turn: tile<i1>) {
    %cell = reshape %from : tile<ptr<f6E3M2FN>> -> tile<1xptr<f6E3M2FN>>
    %same = broadcast %cell : tile<1xptr<f6E3M2FN>> -> tile<16xptr<f6E3M2FN>>
    %lane = iota : tile<16xi16>
    %addresses = offset %same, %lane : tile<16xptr<f6E3M2FN>>, tile<16xi16> -> tile<16xptr<f6E3M2FN>>
    %start, %start_read = load_ptr_tko weak %addresses : tile<16xptr<f6E3M2FN>> -> tile<16xf6E3M2FN>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last, %last_read = for %round in (%zero to %rounds, step %one) : tile<i32> iter_values(%value = %start, %done = %start_read) -> (tile<16xf6E3M2FN>, token) {
      %choice, %choice_read = if %turn -> (tile<16xf6E3M2FN>, token) {
        %again, %again_read = load_ptr_tko weak %addresses token=%done : tile<16xptr<f6E3M2FN>> -> tile<16xf6E3M2FN>, token
        yield %again, %again_read : tile<16xf6E3M2FN>, token
      } else {
        yield %value, %done : tile<16xf6E3M2FN>, token
      }
      continue %choice, %choice_read : tile<16xf6E3M2FN>, token
    }
    %found, %steps = loop iter_values(%value = %last, %step = %zero) : tile<16xf6E3M2FN>, tile<i32> -> tile<16xf6E3M2FN>, tile<i32> {
      %more = addi %step, %one : tile<i32>
      %enough = cmpi greater_than_or_equal %more, %rounds, unsigned : tile<i32> -> tile<i1>
      if %enough {
        break %value, %more : tile<16xf6E3M2FN>, tile<i32>
      }
      continue %value, %more : tile<16xf6E3M2FN>, tile<i32>
    }
    %stored = store_ptr_tko weak %addresses, %found token=%last_read : tile<16xptr<f6E3M2FN>>, tile<16xf6E3M2FN> -> token
    return
  }

  entry @folds_e3m2() {
    %x = constant <f6E3M2FN: [[28.0, 0x20], [-0.0625, 0x01]]> : tile<2x2xf6E3M2FN>
    %rows = reduce %x dim=1 identities=[0.0 : f6E3M2FN] : tile<2x2xf6E3M2FN> -> tile<2xf6E3M2FN> (%a: tile<f6E3M2FN>, %b: tile<f6E3M2FN>) {
      %w = nv_tileaa.cast %a : tile<f6E3M2FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E3M2FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E3M2FN> {satf = true}
      yield %c : tile<f6E3M2FN>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f6E3M2FN] : tile<2xf6E3M2FN> -> tile<f6E3M2FN> (%a: tile<f6E3M2FN>, %b: tile<f6E3M2FN>) {
      %w = nv_tileaa.cast %a : tile<f6E3M2FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E3M2FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E3M2FN> {satf = true}
      yield %c : tile<f6E3M2FN>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f6E3M2FN] : tile<2x2xf6E3M2FN> -> tile<2x2xf6E3M2FN> (%a: tile<f6E3M2FN>, %b: tile<f6E3M2FN>) {
      %w = nv_tileaa.cast %a : tile<f6E3M2FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E3M2FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E3M2FN> {satf = true}
      yield %c : tile<f6E3M2FN>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f6E3M2FN] : tile<2x2xf6E3M2FN> -> tile<2x2xf6E3M2FN> (%a: tile<f6E3M2FN>, %b: tile<f6E3M2FN>) {
      %w = nv_tileaa.cast %a : tile<f6E3M2FN> to tile<f32>
      %u = nv_tileaa.cast %b : tile<f6E3M2FN> to tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = nv_tileaa.cast %s : tile<f32> to tile<f6E3M2FN> {satf = true}
      yield %c : tile<f6E3M2FN>
    }
    return
  }

  // Constants, as one number and as several; a slice of them replaced; printed; the same bits.
  entry @constants_e3m2(%i: tile<i32>) {
    %one = constant <f6E3M2FN: 28.0> : tile<f6E3M2FN>
    %all = constant <f6E3M2FN: 0x20> : tile<8x4xf6E3M2FN>
    %line = constant <f6E3M2FN: [28.0, 0x20, -0.0625, 0x01]> : tile<4xf6E3M2FN>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %all[%i, %zero] : tile<8x4xf6E3M2FN> -> tile<2x4xf6E3M2FN>
    %whole = insert %part, %all[%zero, %zero] : tile<2x4xf6E3M2FN>, tile<8x4xf6E3M2FN>
    %shown = print_tko "%f", %line : tile<4xf6E3M2FN> -> token
    %same = bitcast %line : tile<4xf6E3M2FN> -> tile<4xf6E3M2FN>
    %table = get_global @table_e3m2 : tile<ptr<f6E3M2FN>>
    %scratch = alloca num_elem = 64, alignment = 16 : tile<ptr<f6E3M2FN>>
    %bytes = pack %line : tile<4xf6E3M2FN> -> tile<4xi8>
    %back = unpack %bytes : tile<4xi8> -> tile<4xf6E3M2FN>
    return
  }
}
