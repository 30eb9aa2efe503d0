// A matrix turned over by a view whose dimensions are swapped; no element of a tile changes places.
cuda_tile.module @transposed {
  entry @transposed(%p: tile<ptr<i16>>, %out: tile<ptr<i16>>, %rows: tile<i32>, %columns: tile<i32>) {
    %i, %j, %z = get_tile_block_id : tile<i32>
    %matrix = make_tensor_view %p, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xi16, strides=[?,1]>
    %turned = make_tensor_view %out, shape = [%columns, %rows], strides = [%rows, 1] : tile<i32> -> tensor_view<?x?xi16, strides=[?,1]>
    %from = make_partition_view %matrix : partition_view<tile=(16x32), tensor_view<?x?xi16, strides=[?,1]>, dim_map=[1, 0]>
    %to = make_partition_view %turned : partition_view<tile=(16x32), tensor_view<?x?xi16, strides=[?,1]>>
    %x, %read = load_view_tko weak %from[%i, %j] : partition_view<tile=(16x32), tensor_view<?x?xi16, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<16x32xi16>, token
    %done = store_view_tko weak %x, %to[%i, %j] token = %read : tile<16x32xi16>, partition_view<tile=(16x32), tensor_view<?x?xi16, strides=[?,1]>>, tile<i32> -> token
    return
  }
  entry @batch(%p: tile<ptr<f16>>, %out: tile<ptr<f16>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %in = make_tensor_view %p, shape = [8, 64, 32], strides = [2048, 32, 1] : tensor_view<8x64x32xf16, strides=[2048,32,1]>
    %result = make_tensor_view %out, shape = [32, 8, 64], strides = [512, 64, 1] : tensor_view<32x8x64xf16, strides=[512,64,1]>
    %from = make_partition_view %in : partition_view<tile=(8x2x16), tensor_view<8x64x32xf16, strides=[2048,32,1]>, dim_map=[2, 0, 1]>
    %to = make_partition_view %result : partition_view<tile=(8x2x16), tensor_view<32x8x64xf16, strides=[512,64,1]>>
    %x, %read = load_view_tko weak %from[%i, %j, %k] : partition_view<tile=(8x2x16), tensor_view<8x64x32xf16, strides=[2048,32,1]>, dim_map=[2, 0, 1]>, tile<i32> -> tile<8x2x16xf16>, token
    %done = store_view_tko weak %x, %to[%i, %j, %k] token = %read : tile<8x2x16xf16>, partition_view<tile=(8x2x16), tensor_view<32x8x64xf16, strides=[512,64,1]>>, tile<i32> -> token
    return
  }
}
