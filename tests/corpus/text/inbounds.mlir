// Promises that an access stays inside the tensor, from 13.4, for each kind of view.
cuda_tile.module @inbounds {
  entry @promised(%p: tile<ptr<f16>>, %rows: tile<i32>, %i: tile<i32>, %j: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [%rows, 128], strides = [128, 1] : tile<i32> -> tensor_view<?x128xf16, strides=[128,1]>
    %blocks = make_partition_view %tensor : partition_view<tile=(16x16), tensor_view<?x128xf16, strides=[128,1]>>
    %windows = make_strided_view %tensor : strided_view<tile=(4x16), traversal_strides=[2,8], tensor_view<?x128xf16, strides=[128,1]>>
    %lines = make_gather_scatter_view %tensor : gather_scatter_view<tile=(8x32), tensor_view<?x128xf16, strides=[128,1]>, sparse_dim=0>
    %a, %ra = load_view_tko weak %blocks[%i, %j] inbounds = [true, true] : partition_view<tile=(16x16), tensor_view<?x128xf16, strides=[128,1]>>, tile<i32> -> tile<16x16xf16>, token
    %b, %rb = load_view_tko relaxed device %blocks[%i, %j] token = %ra inbounds = [false, true] : partition_view<tile=(16x16), tensor_view<?x128xf16, strides=[128,1]>>, tile<i32> -> tile<16x16xf16>, token
    %c, %rc = load_view_tko weak %windows[%i, %j] token = %rb optimization_hints = <sm_120 = {latency = 2}> inbounds = [true, false] : strided_view<tile=(4x16), traversal_strides=[2,8], tensor_view<?x128xf16, strides=[128,1]>>, tile<i32> -> tile<4x16xf16>, token
    %chosen = iota : tile<8xi32>
    %d, %rd = load_view_tko weak %lines[%chosen, %j] inbounds = [true, true] : gather_scatter_view<tile=(8x32), tensor_view<?x128xf16, strides=[128,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x32xf16>, token
    %wa = store_view_tko weak %b, %blocks[%i, %j] token = %rc inbounds = [true, true] : tile<16x16xf16>, partition_view<tile=(16x16), tensor_view<?x128xf16, strides=[128,1]>>, tile<i32> -> token
    %wc = store_view_tko release sys %c, %windows[%i, %j] token = %wa inbounds = [false, true] : tile<4x16xf16>, strided_view<tile=(4x16), traversal_strides=[2,8], tensor_view<?x128xf16, strides=[128,1]>>, tile<i32> -> token
    %wd = store_view_tko weak %d, %lines[%chosen, %j] token = %rd inbounds = [true, false] : tile<8x32xf16>, gather_scatter_view<tile=(8x32), tensor_view<?x128xf16, strides=[128,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
    return
  }
}
