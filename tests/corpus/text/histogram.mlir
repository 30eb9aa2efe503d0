// Counts of bytes: each lane adds to the bin of its byte. The bins are a global that a second kernel hands out.
cuda_tile.module @histogram {
  global @bins alignment = 64 <i32: 0> : tile<256xi32>
  entry @count(%p: tile<ptr<i8>>, %n: tile<i32>) {
    %block, %y, %z = get_tile_block_id : tile<i32>
    %width = constant <i32: 128> : tile<128xi32>
    %lane = iota : tile<128xi32>
    %block1 = reshape %block : tile<i32> -> tile<1xi32>
    %blocks = broadcast %block1 : tile<1xi32> -> tile<128xi32>
    %start = muli %blocks, %width : tile<128xi32>
    %index = addi %start, %lane : tile<128xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ends = broadcast %n1 : tile<1xi32> -> tile<128xi32>
    %inside = cmpi less_than %index, %ends, unsigned : tile<128xi32> -> tile<128xi1>
    %p1 = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
    %p128 = broadcast %p1 : tile<1xptr<i8>> -> tile<128xptr<i8>>
    %addresses = offset %p128, %index : tile<128xptr<i8>>, tile<128xi32> -> tile<128xptr<i8>>
    %none = constant <i8: 0> : tile<128xi8>
    %bytes, %read = load_ptr_tko weak %addresses, %inside, %none : tile<128xptr<i8>>, tile<128xi1>, tile<128xi8> -> tile<128xi8>, token
    %bin = exti %bytes unsigned : tile<128xi8> -> tile<128xi64>
    %bins = get_global @bins : tile<ptr<i32>>
    %bins1 = reshape %bins : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bins128 = broadcast %bins1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %slots = offset %bins128, %bin : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %one = constant <i32: 1> : tile<128xi32>
    %old, %counted = atomic_rmw_tko relaxed device %slots, add, %one, %inside : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
    return
  }
  entry @hand_out(%out: tile<ptr<i32>>) {
    %lane = iota : tile<256xi16>
    %bins = get_global @bins : tile<ptr<i32>>
    %b1 = reshape %bins : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b256 = broadcast %b1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %from = offset %b256, %lane : tile<256xptr<i32>>, tile<256xi16> -> tile<256xptr<i32>>
    %zero = constant <i32: 0> : tile<256xi32>
    %counts, %taken = atomic_rmw_tko acq_rel device %from, xchg, %zero : tile<256xptr<i32>>, tile<256xi32> -> tile<256xi32>, token
    %o1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
    %o256 = broadcast %o1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %to = offset %o256, %lane : tile<256xptr<i32>>, tile<256xi16> -> tile<256xptr<i32>>
    %done = store_ptr_tko weak %to, %counts token=%taken : tile<256xptr<i32>>, tile<256xi32> -> token
    return
  }
}
