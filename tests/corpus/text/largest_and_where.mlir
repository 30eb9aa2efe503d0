// The largest element of each row and its column, the first of equal ones: one reduction of two tiles.
cuda_tile.module @largest_and_where {
  entry @argmax(%p: tile<ptr<f32>>, %values: tile<ptr<f32>>, %places: tile<ptr<i32>>) {
    %row, %y, %z = get_tile_block_id : tile<i32>
    %tensor = make_tensor_view %p, shape = [512, 64], strides = [64, 1] : tensor_view<512x64xf32, strides=[64,1]>
    %view = make_partition_view %tensor : partition_view<tile=(8x64), tensor_view<512x64xf32, strides=[64,1]>>
    %x, %read = load_view_tko weak %view[%row, %y] : partition_view<tile=(8x64), tensor_view<512x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x64xf32>, token
    %lane = iota : tile<64xi32>
    %line = reshape %lane : tile<64xi32> -> tile<1x64xi32>
    %columns = broadcast %line : tile<1x64xi32> -> tile<8x64xi32>
    %best, %where = reduce %x, %columns dim=1 identities=[0xFF800000 : f32, 2147483647 : i32] : tile<8x64xf32>, tile<8x64xi32> -> tile<8xf32>, tile<8xi32> (%a: tile<f32>, %b: tile<f32>, %i: tile<i32>, %j: tile<i32>) {
      %greater = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
      %equal = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>
      %earlier = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>
      %tie = andi %equal, %earlier : tile<i1>
      %take = ori %greater, %tie : tile<i1>
      %v = select %take, %a, %b : tile<i1>, tile<f32>
      %w = select %take, %i, %j : tile<i1>, tile<i32>
      yield %v, %w : tile<f32>, tile<i32>
    }
    %eight = iota : tile<8xi32>
    %row_line = reshape %row : tile<i32> -> tile<1xi32>
    %rows = broadcast %row_line : tile<1xi32> -> tile<8xi32>
    %width = constant <i32: 8> : tile<8xi32>
    %start = muli %rows, %width : tile<8xi32>
    %index = addi %start, %eight : tile<8xi32>
    %v1 = reshape %values : tile<ptr<f32>> -> tile<1xptr<f32>>
    %v8 = broadcast %v1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %va = offset %v8, %index : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %p1 = reshape %places : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p8 = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %pa = offset %p8, %index : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %wv = store_ptr_tko weak %va, %best token=%read : tile<8xptr<f32>>, tile<8xf32> -> token
    %wp = store_ptr_tko weak %pa, %where : tile<8xptr<i32>>, tile<8xi32> -> token
    return
  }
}
