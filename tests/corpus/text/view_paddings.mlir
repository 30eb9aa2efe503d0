// What a load gives beside the tensor: nothing said, or one of five values, for views of blocks.
cuda_tile.module @view_paddings {
  entry @partition(%p: tile<ptr<f32>>, %size: tile<i32>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [%size, 32], strides = [%size, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[?,1]>
    %v0 = make_partition_view %tensor : partition_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>>
    %n0, %m0 = get_index_space_shape %v0 : partition_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>> -> tile<i32>
    %x0, %r0 = load_view_tko weak %v0[%i, %i] : partition_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %w0 = store_view_tko weak %x0, %v0[%i, %i] token = %r0 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> token
    %v1 = make_partition_view %tensor : partition_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
    %n1, %m1 = get_index_space_shape %v1 : partition_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %x1, %r1 = load_view_tko weak %v1[%i, %i] : partition_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %w1 = store_view_tko weak %x1, %v1[%i, %i] token = %r1 : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    %v2 = make_partition_view %tensor : partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>>
    %n2, %m2 = get_index_space_shape %v2 : partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>> -> tile<i32>
    %x2, %r2 = load_view_tko weak %v2[%i, %i] : partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %w2 = store_view_tko weak %x2, %v2[%i, %i] token = %r2 : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> token
    %v3 = make_partition_view %tensor : partition_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
    %n3, %m3 = get_index_space_shape %v3 : partition_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %x3, %r3 = load_view_tko weak %v3[%i, %i] : partition_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %w3 = store_view_tko weak %x3, %v3[%i, %i] token = %r3 : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    %v4 = make_partition_view %tensor : partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>>
    %n4, %m4 = get_index_space_shape %v4 : partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>> -> tile<i32>
    %x4, %r4 = load_view_tko weak %v4[%i, %i] : partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %w4 = store_view_tko weak %x4, %v4[%i, %i] token = %r4 : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> token
    %v5 = make_partition_view %tensor : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
    %n5, %m5 = get_index_space_shape %v5 : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %x5, %r5 = load_view_tko weak %v5[%i, %i] : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %w5 = store_view_tko weak %x5, %v5[%i, %i] token = %r5 : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
