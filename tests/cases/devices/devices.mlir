// Kernels of memory that several devices share, and plain ones that compute the same where there is one device.
cuda_tile.module @devices {
  entry @copy_f16(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf16, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xf16, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
    %w = addf %v, %v : tile<64xf16>
    %s = store_view_tko weak %w, %yv[%b] : tile<64xf16>, partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @all_reduce_f16(%x: tile<ptr<f16, <multicast>>>, %y: tile<ptr<f16, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %v, %k = multimem_load_reduce_view_tko acquire sys %xv[%b] : partition_view<tile=(64), tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<64xf16>, token
    %w = addf %v, %v : tile<64xf16>
    %s = multimem_store_view_tko release sys %yv, %w[%b] token = %k inbounds = [true] : partition_view<tile=(64), tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xf16>, tile<i32>, token -> token
    return
  }
  entry @sum_f16(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf16, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xf16, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], addf, %v : tile<64xf16>, partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @sum_all_f16(%x: tile<ptr<f16>>, %y: tile<ptr<f16, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf16, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
    %s = multimem_reduce_view_tko release sys %yv, %v[%zero] : partition_view<tile=(64), tensor_view<512xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xf16>, tile<i32> -> token
    return
  }
  entry @copy_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %w = addf %v, %v : tile<64xf32>
    %s = store_view_tko weak %w, %yv[%b] : tile<64xf32>, partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @all_reduce_f32(%x: tile<ptr<f32, <multicast>>>, %y: tile<ptr<f32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %v, %k = multimem_load_reduce_view_tko acquire sys %xv[%b] : partition_view<tile=(64), tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<64xf32>, token
    %w = addf %v, %v : tile<64xf32>
    %s = multimem_store_view_tko release sys %yv, %w[%b] token = %k inbounds = [true] : partition_view<tile=(64), tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xf32>, tile<i32>, token -> token
    return
  }
  entry @sum_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], addf, %v : tile<64xf32>, partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @sum_all_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %s = multimem_reduce_view_tko release sys %yv, %v[%zero] : partition_view<tile=(64), tensor_view<512xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xf32>, tile<i32> -> token
    return
  }
  entry @add_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], add, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @add_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @min_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], min, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @min_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @max_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], max, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @max_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @and_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], and, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @and_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<and>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @or_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], or, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @or_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<or>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @xor_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], xor, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @xor_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<xor>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @umin_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], umin, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @umin_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<umin>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
  entry @umax_plain(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = atomic_red_view_tko relaxed device %yv[%zero], umax, %v : tile<64xi32>, partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @umax_all(%x: tile<ptr<i32>>, %y: tile<ptr<i32, <multicast>>>) {
    %b, %c, %d = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [512], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %yv = make_partition_view %yt : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %k = load_view_tko weak %xv[%b] : partition_view<tile=(64), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %s = multimem_reduce_view_tko relaxed device %yv, %v[%zero] attributes {reduction = #cuda_tile.multimem_reduction_kind<umax>} : partition_view<tile=(64), tensor_view<512xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<64xi32>, tile<i32> -> token
    return
  }
}
