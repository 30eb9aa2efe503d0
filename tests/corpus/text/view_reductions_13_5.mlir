// Reductions into memory through views: what is in bounds, and padding that none of them uses; from 13.5.
cuda_tile.module @view_reductions_13_5 {
  entry @inbounds(%p: tile<ptr<i32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xi32, strides=[16,1]>
    %w = make_partition_view %t : partition_view<tile=(4x4), padding_value = zero, tensor_view<?x16xi32, strides=[16,1]>>
    %one = constant <i32: 1> : tile<4x4xi32>
    %a = atomic_red_view_tko relaxed device %w[%n, %n], add, %one : tile<4x4xi32>, partition_view<tile=(4x4), padding_value = zero, tensor_view<?x16xi32, strides=[16,1]>>, tile<i32> -> token
    %b = atomic_red_view_tko relaxed device %w[%n, %n], umax, %one token = %a inbounds = [false, true] : tile<4x4xi32>, partition_view<tile=(4x4), padding_value = zero, tensor_view<?x16xi32, strides=[16,1]>>, tile<i32> -> token
    %u = make_tensor_view %q, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %v = make_strided_view %u : strided_view<tile=(8), traversal_strides=[4], tensor_view<?xf32, strides=[1]>>
    %x = constant <f32: 2.5> : tile<8xf32>
    %c = atomic_red_view_tko relaxed tl_blk %v[%n], addf, %x inbounds = [true] : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
