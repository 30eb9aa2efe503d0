// Pointers to memory of one other device, or of several, from 13.5.
cuda_tile.module @pointer_attributes_13_5 {
  entry @one(%p: tile<ptr<f32, <unicast>>>, %n: tile<i32>, %plain: tile<ptr<f32>>) {
    %tensor = make_tensor_view %p, shape = [%n], strides = [1] : tile<ptr<f32, <unicast>>>, tile<i32> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
    %blocks = make_partition_view %tensor : partition_view<tile=(32), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>
    %x, %read = load_view_tko weak %blocks[%n] : partition_view<tile=(32), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>, tile<i32> -> tile<32xf32>, token
    %added = atomic_red_view_tko relaxed device %blocks[%n], addf, %x token = %read : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>, tile<i32> -> token
    %next = offset %p, %n : tile<ptr<f32, <unicast>>>, tile<i32> -> tile<ptr<f32, <unicast>>>
    %y, %read_y = load_ptr_tko relaxed sys %next token=%added : tile<ptr<f32, <unicast>>> -> tile<f32>, token
    %done = store_ptr_tko release sys %p, %y token=%read_y : tile<ptr<f32, <unicast>>>, tile<f32> -> token
    %old, %swapped = atomic_cas_tko relaxed sys %p, %y, %y token=%done : tile<ptr<f32, <unicast>>>, tile<f32> -> tile<f32>, token
    %older, %summed = atomic_rmw_tko relaxed sys %p, addf, %y token=%swapped : tile<ptr<f32, <unicast>>>, tile<f32> -> tile<f32>, token
    return
  }
  entry @casts(%p: tile<ptr<f32>>, %address: tile<i64>) {
    %many = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, <multicast>>>
    %one = ptr_to_ptr %many : tile<ptr<f32, <multicast>>> -> tile<ptr<f32, <unicast>>>
    %none = ptr_to_ptr %one : tile<ptr<f32, <unicast>>> -> tile<ptr<f32, <none>>>
    %other = int_to_ptr %address : tile<i64> -> tile<ptr<f32, <multicast>>>
    %number = ptr_to_int %other : tile<ptr<f32, <multicast>>> -> tile<i64>
    %tensor = make_tensor_view %many, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %size = get_tensor_shape %tensor : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>> -> tile<i32>
    return
  }
}
