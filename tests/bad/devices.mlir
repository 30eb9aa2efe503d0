// Kernels of memory of several devices that must not run.
cuda_tile.module @devices {
  entry @largest(%x: tile<ptr<i32, <multicast>>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %v, %k = multimem_load_reduce_view_tko weak %xv[%b] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<64xi32>, token
    %s = store_view_tko weak %v, %yv[%b] : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @beyond(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %v = constant <i32: 1> : tile<64xi32>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%b] inbounds = [true] : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @beyond_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %v = constant <i32: 1> : tile<64xi32>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %s = atomic_red_view_tko relaxed device %yv[%b], add, %v inbounds = [true] : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
