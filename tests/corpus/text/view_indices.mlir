// Sizes, steps and indices of each width of integer.
cuda_tile.module @view_indices {
  entry @indexed_i1(%p: tile<ptr<f32>>, %n: tile<i1>, %i: tile<i1>) {
    %tensor = make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : tile<i1> -> tensor_view<?x?xf32, strides=[?,?]>
    %rows, %columns = get_tensor_shape %tensor : tensor_view<?x?xf32, strides=[?,?]> -> tile<i1>
    %view = make_partition_view %tensor : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>
    %across, %down = get_index_space_shape %view : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>> -> tile<i1>
    %x, %read = load_view_tko weak %view[%i, %i] : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i1> -> tile<2x2xf32>, token
    %done = store_view_tko weak %x, %view[%i, %i] token = %read : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i1> -> token
    return
  }
  entry @indexed_i8(%p: tile<ptr<f32>>, %n: tile<i8>, %i: tile<i8>) {
    %tensor = make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : tile<i8> -> tensor_view<?x?xf32, strides=[?,?]>
    %rows, %columns = get_tensor_shape %tensor : tensor_view<?x?xf32, strides=[?,?]> -> tile<i8>
    %view = make_partition_view %tensor : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>
    %across, %down = get_index_space_shape %view : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>> -> tile<i8>
    %x, %read = load_view_tko weak %view[%i, %i] : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i8> -> tile<2x2xf32>, token
    %done = store_view_tko weak %x, %view[%i, %i] token = %read : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i8> -> token
    return
  }
  entry @indexed_i16(%p: tile<ptr<f32>>, %n: tile<i16>, %i: tile<i16>) {
    %tensor = make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : tile<i16> -> tensor_view<?x?xf32, strides=[?,?]>
    %rows, %columns = get_tensor_shape %tensor : tensor_view<?x?xf32, strides=[?,?]> -> tile<i16>
    %view = make_partition_view %tensor : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>
    %across, %down = get_index_space_shape %view : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>> -> tile<i16>
    %x, %read = load_view_tko weak %view[%i, %i] : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i16> -> tile<2x2xf32>, token
    %done = store_view_tko weak %x, %view[%i, %i] token = %read : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i16> -> token
    return
  }
  entry @indexed_i32(%p: tile<ptr<f32>>, %n: tile<i32>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : tile<i32> -> tensor_view<?x?xf32, strides=[?,?]>
    %rows, %columns = get_tensor_shape %tensor : tensor_view<?x?xf32, strides=[?,?]> -> tile<i32>
    %view = make_partition_view %tensor : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>
    %across, %down = get_index_space_shape %view : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>> -> tile<i32>
    %x, %read = load_view_tko weak %view[%i, %i] : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i32> -> tile<2x2xf32>, token
    %done = store_view_tko weak %x, %view[%i, %i] token = %read : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i32> -> token
    return
  }
  entry @indexed_i64(%p: tile<ptr<f32>>, %n: tile<i64>, %i: tile<i64>) {
    %tensor = make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : tile<i64> -> tensor_view<?x?xf32, strides=[?,?]>
    %rows, %columns = get_tensor_shape %tensor : tensor_view<?x?xf32, strides=[?,?]> -> tile<i64>
    %view = make_partition_view %tensor : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>
    %across, %down = get_index_space_shape %view : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>> -> tile<i64>
    %x, %read = load_view_tko weak %view[%i, %i] : partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i64> -> tile<2x2xf32>, token
    %done = store_view_tko weak %x, %view[%i, %i] token = %read : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<?x?xf32, strides=[?,?]>>, tile<i64> -> token
    return
  }
}
