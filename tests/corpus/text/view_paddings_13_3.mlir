// The same for views with strides and for gathered rows and columns, from 13.3.
cuda_tile.module @view_paddings_13_3 {
  entry @strided(%p: tile<ptr<f32>>, %size: tile<i32>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [%size, 32], strides = [%size, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[?,1]>
    %v0 = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[4,8], tensor_view<?x32xf32, strides=[?,1]>>
    %n0, %m0 = get_index_space_shape %v0 : strided_view<tile=(4x8), traversal_strides=[4,8], tensor_view<?x32xf32, strides=[?,1]>> -> tile<i32>
    %x0, %r0 = load_view_tko weak %v0[%i, %i] : strided_view<tile=(4x8), traversal_strides=[4,8], tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %w0 = store_view_tko weak %x0, %v0[%i, %i] token = %r0 : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[4,8], tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> token
    %v1 = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
    %n1, %m1 = get_index_space_shape %v1 : strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %x1, %r1 = load_view_tko weak %v1[%i, %i] : strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %w1 = store_view_tko weak %x1, %v1[%i, %i] token = %r1 : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    %v2 = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>>
    %n2, %m2 = get_index_space_shape %v2 : strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>> -> tile<i32>
    %x2, %r2 = load_view_tko weak %v2[%i, %i] : strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %w2 = store_view_tko weak %x2, %v2[%i, %i] token = %r2 : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> token
    %v3 = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[4,8], padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
    %n3, %m3 = get_index_space_shape %v3 : strided_view<tile=(4x8), traversal_strides=[4,8], padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %x3, %r3 = load_view_tko weak %v3[%i, %i] : strided_view<tile=(4x8), traversal_strides=[4,8], padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %w3 = store_view_tko weak %x3, %v3[%i, %i] token = %r3 : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[4,8], padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    %v4 = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>>
    %n4, %m4 = get_index_space_shape %v4 : strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>> -> tile<i32>
    %x4, %r4 = load_view_tko weak %v4[%i, %i] : strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
    %w4 = store_view_tko weak %x4, %v4[%i, %i] token = %r4 : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[2,3], padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>>, tile<i32> -> token
    %v5 = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
    %n5, %m5 = get_index_space_shape %v5 : strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %x5, %r5 = load_view_tko weak %v5[%i, %i] : strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %w5 = store_view_tko weak %x5, %v5[%i, %i] token = %r5 : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[1,16], padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
  entry @gather(%p: tile<ptr<f32>>, %size: tile<i32>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [%size, 32], strides = [%size, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[?,1]>
    %rows = iota : tile<4xi32>
    %columns = iota : tile<8xi32>
    %v0 = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>
    %n0, %m0 = get_index_space_shape %v0 : gather_scatter_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0> -> tile<i32>
    %x0, %r0 = load_view_tko weak %v0[%rows, %i] : gather_scatter_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    %w0 = store_view_tko weak %x0, %v0[%rows, %i] token = %r0 : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    %v1 = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>
    %n1, %m1 = get_index_space_shape %v1 : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1> -> tile<i32>
    %x1, %r1 = load_view_tko weak %v1[%i, %columns] : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> tile<4x8xf32>, token
    %w1 = store_view_tko weak %x1, %v1[%i, %columns] token = %r1 : tile<4x8xf32>, gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> token
    %v2 = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>
    %n2, %m2 = get_index_space_shape %v2 : gather_scatter_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0> -> tile<i32>
    %x2, %r2 = load_view_tko weak %v2[%rows, %i] : gather_scatter_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    %w2 = store_view_tko weak %x2, %v2[%rows, %i] token = %r2 : tile<4x8xf32>, gather_scatter_view<tile=(4x8), padding_value = neg_zero, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    %v3 = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>
    %n3, %m3 = get_index_space_shape %v3 : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1> -> tile<i32>
    %x3, %r3 = load_view_tko weak %v3[%i, %columns] : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> tile<4x8xf32>, token
    %w3 = store_view_tko weak %x3, %v3[%i, %columns] token = %r3 : tile<4x8xf32>, gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> token
    %v4 = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>
    %n4, %m4 = get_index_space_shape %v4 : gather_scatter_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0> -> tile<i32>
    %x4, %r4 = load_view_tko weak %v4[%rows, %i] : gather_scatter_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    %w4 = store_view_tko weak %x4, %v4[%rows, %i] token = %r4 : tile<4x8xf32>, gather_scatter_view<tile=(4x8), padding_value = pos_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    %v5 = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>
    %n5, %m5 = get_index_space_shape %v5 : gather_scatter_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1> -> tile<i32>
    %x5, %r5 = load_view_tko weak %v5[%i, %columns] : gather_scatter_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> tile<4x8xf32>, token
    %w5 = store_view_tko weak %x5, %v5[%i, %columns] token = %r5 : tile<4x8xf32>, gather_scatter_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> token
    return
  }
}
