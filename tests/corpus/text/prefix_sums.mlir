// Sums of everything before, within a block of 256; a total for each block goes beside, so that a second kernel can add
// the totals of the blocks before.
cuda_tile.module @prefix_sums {
  entry @within_blocks(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %totals: tile<ptr<i32>>, %n: tile<i32>) {
    %n_even = assume div_by<256>, %n : tile<i32>
    %in_16 = assume div_by<16>, %in : tile<ptr<i32>>
    %out_16 = assume div_by<16>, %out : tile<ptr<i32>>
    %block, %y, %z = get_tile_block_id : tile<i32>
    %tensor = make_tensor_view %in_16, shape = [%n_even], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %result = make_tensor_view %out_16, shape = [%n_even], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %from = make_partition_view %tensor : partition_view<tile=(256), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %to = make_partition_view %result : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
    %x, %read = load_view_tko weak %from[%block] : partition_view<tile=(256), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
    %sums = scan %x dim=0 reverse=false identities=[0 : i32] : tile<256xi32> -> tile<256xi32> (%before: tile<i32>, %here: tile<i32>) {
      %s = addi %before, %here : tile<i32>
      yield %s : tile<i32>
    }
    %written = store_view_tko weak %sums, %to[%block] token = %read : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %last = constant <i32: 255> : tile<i32>
    %total_line = extract %sums[%last] : tile<256xi32> -> tile<1xi32>
    %total = reshape %total_line : tile<1xi32> -> tile<i32>
    %slot = offset %totals, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %kept = store_ptr_tko release device %slot, %total : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  entry @add_totals(%out: tile<ptr<i32>>, %totals: tile<ptr<i32>>) {
    %block, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %before = for %b in (%zero to %block, step %one) : tile<i32> iter_values(%sum = %zero) -> (tile<i32>) {
      %slot = offset %totals, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %t, %read = load_ptr_tko acquire device %slot : tile<ptr<i32>> -> tile<i32>, token
      %next = addi %sum, %t : tile<i32>
      continue %next : tile<i32>
    }
    %lane = iota : tile<256xi32>
    %width = constant <i32: 256> : tile<i32>
    %start = muli %block, %width overflow<no_signed_wrap> : tile<i32>
    %first = offset %out, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %cell = reshape %first : tile<ptr<i32>> -> tile<1xptr<i32>>
    %cells = broadcast %cell : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %all = offset %cells, %lane : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %x, %read = load_ptr_tko weak %all : tile<256xptr<i32>> -> tile<256xi32>, token
    %b1 = reshape %before : tile<i32> -> tile<1xi32>
    %b256 = broadcast %b1 : tile<1xi32> -> tile<256xi32>
    %y2 = addi %x, %b256 : tile<256xi32>
    %done = store_ptr_tko weak %all, %y2 token=%read : tile<256xptr<i32>>, tile<256xi32> -> token
    return
  }
}
