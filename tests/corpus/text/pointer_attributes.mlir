// Pointers and tensors with an attribute, from 13.4.
cuda_tile.module @pointer_attributes {
  entry @marked(%p: tile<ptr<f32, <none>>>, %n: tile<i32>, %plain: tile<ptr<f32>>) {
    %tensor = make_tensor_view %p, shape = [%n], strides = [1] : tile<ptr<f32, <none>>>, tile<i32> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>
    %blocks = make_partition_view %tensor : partition_view<tile=(32), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>>
    %x, %read = load_view_tko weak %blocks[%n] : partition_view<tile=(32), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>>, tile<i32> -> tile<32xf32>, token
    %bare = ptr_to_ptr %p : tile<ptr<f32, <none>>> -> tile<ptr<f32>>
    %again = ptr_to_ptr %plain : tile<ptr<f32>> -> tile<ptr<f32, <none>>>
    %y, %read_y = load_ptr_tko weak %again token=%read : tile<ptr<f32, <none>>> -> tile<f32>, token
    %done = store_ptr_tko weak %bare, %y token=%read_y : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
