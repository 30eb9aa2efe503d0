// Loads and stores in every order and scope that they take, with hints and without.
cuda_tile.module @orders {
  entry @by_pointer(%p: tile<ptr<f32>>, %x: tile<f32>, %mask: tile<i1>) {
    %t0 = make_token : token
    %v0, %t1 = load_ptr_tko weak %p token=%t0 optimization_hints = <sm_80 = {latency = 1}> : tile<ptr<f32>> -> tile<f32>, token
    %v1, %t2 = load_ptr_tko relaxed tl_blk %p, %mask, %x token=%t1 optimization_hints = <sm_90 = {latency = 10}, sm_100 = {latency = 5}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %v2, %t3 = load_ptr_tko relaxed device %p token=%t2 : tile<ptr<f32>> -> tile<f32>, token
    %v3, %t4 = load_ptr_tko relaxed sys %p, %mask, %x token=%t3 optimization_hints = <sm_80 = {latency = 1}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %v4, %t5 = load_ptr_tko acquire tl_blk %p token=%t4 optimization_hints = <sm_90 = {latency = 10}, sm_100 = {latency = 5}> : tile<ptr<f32>> -> tile<f32>, token
    %v5, %t6 = load_ptr_tko acquire device %p, %mask, %x token=%t5 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %v6, %t7 = load_ptr_tko acquire sys %p token=%t6 optimization_hints = <sm_80 = {latency = 1}> : tile<ptr<f32>> -> tile<f32>, token
    %t8 = store_ptr_tko weak %p, %x, %mask token=%t7 optimization_hints = <sm_90 = {latency = 10}, sm_100 = {latency = 5}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %t9 = store_ptr_tko relaxed tl_blk %p, %x token=%t8 : tile<ptr<f32>>, tile<f32> -> token
    %t10 = store_ptr_tko relaxed device %p, %x, %mask token=%t9 optimization_hints = <sm_80 = {latency = 1}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %t11 = store_ptr_tko relaxed sys %p, %x token=%t10 optimization_hints = <sm_90 = {latency = 10}, sm_100 = {latency = 5}> : tile<ptr<f32>>, tile<f32> -> token
    %t12 = store_ptr_tko release tl_blk %p, %x, %mask token=%t11 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %t13 = store_ptr_tko release device %p, %x token=%t12 optimization_hints = <sm_80 = {latency = 1}> : tile<ptr<f32>>, tile<f32> -> token
    %t14 = store_ptr_tko release sys %p, %x, %mask token=%t13 optimization_hints = <sm_90 = {latency = 10}, sm_100 = {latency = 5}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
  entry @by_view(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t0 = make_token : token
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %view = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %v0, %t1 = load_view_tko weak %view[%i] token = %t0 optimization_hints = <default = {allow_tma = true}, sm_103 = {}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %v1, %t2 = load_view_tko relaxed tl_blk %view[%i] token = %t1 optimization_hints = <sm_100 = {allow_tma = false, latency = 4}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %v2, %t3 = load_view_tko relaxed device %view[%i] token = %t2 : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %v3, %t4 = load_view_tko relaxed sys %view[%i] token = %t3 optimization_hints = <default = {allow_tma = true}, sm_103 = {}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %v4, %t5 = load_view_tko acquire tl_blk %view[%i] token = %t4 optimization_hints = <sm_100 = {allow_tma = false, latency = 4}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %v5, %t6 = load_view_tko acquire device %view[%i] token = %t5 : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %v6, %t7 = load_view_tko acquire sys %view[%i] token = %t6 optimization_hints = <default = {allow_tma = true}, sm_103 = {}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %t8 = store_view_tko weak %v0, %view[%i] token = %t7 optimization_hints = <sm_100 = {allow_tma = false, latency = 4}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %t9 = store_view_tko relaxed tl_blk %v0, %view[%i] token = %t8 : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %t10 = store_view_tko relaxed device %v0, %view[%i] token = %t9 optimization_hints = <default = {allow_tma = true}, sm_103 = {}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %t11 = store_view_tko relaxed sys %v0, %view[%i] token = %t10 optimization_hints = <sm_100 = {allow_tma = false, latency = 4}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %t12 = store_view_tko release tl_blk %v0, %view[%i] token = %t11 : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %t13 = store_view_tko release device %v0, %view[%i] token = %t12 optimization_hints = <default = {allow_tma = true}, sm_103 = {}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %t14 = store_view_tko release sys %v0, %view[%i] token = %t13 optimization_hints = <sm_100 = {allow_tma = false, latency = 4}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
