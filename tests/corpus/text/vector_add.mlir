// The sum of two vectors of 1024 floats, one block of 128 for each tile block.
cuda_tile.module @vector_add {
  entry @vector_add(%a: !cuda_tile.tile<ptr<f32>>, %b: !cuda_tile.tile<ptr<f32>>, %sum: !cuda_tile.tile<ptr<f32>>) {
    %block, %unused_y, %unused_z = get_tile_block_id : tile<i32>
    %tensor_a = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %tensor_b = make_tensor_view %b, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %tensor_sum = make_tensor_view %sum, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %tiles_a = make_partition_view %tensor_a : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %tiles_b = make_partition_view %tensor_b : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %tiles_sum = make_partition_view %tensor_sum : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %x, %x_read = load_view_tko weak %tiles_a[%block] : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %y, %y_read = load_view_tko weak %tiles_b[%block] : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %z = addf %x, %y rounding<nearest_even> : tile<128xf32>
    %written = store_view_tko weak %z, %tiles_sum[%block] : tile<128xf32>, partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
