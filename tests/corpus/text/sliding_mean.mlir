// The mean of eight neighbours: windows that overlap, so that each step of the view moves on by four.
cuda_tile.module @sliding_mean {
  entry @sliding_mean(%p: tile<ptr<f32>>, %out: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %y, %z = get_tile_block_id : tile<i32>
    %signal = make_tensor_view %p, shape = [%n, 16], strides = [16, 1] : tile<i64> -> tensor_view<?x16xf32, strides=[16,1]>
    %windows = make_strided_view %signal : strided_view<tile=(8x16), traversal_strides=[4,16], padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>>
    %count, %one = get_index_space_shape %windows : strided_view<tile=(8x16), traversal_strides=[4,16], padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>> -> tile<i32>
    %inside = cmpi less_than %i, %count, signed : tile<i32> -> tile<i1>
    if %inside {
      %x, %read = load_view_tko weak %windows[%i, %y] : strided_view<tile=(8x16), traversal_strides=[4,16], padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>>, tile<i32> -> tile<8x16xf32>, token
      %sum = reduce %x dim=0 identities=[-0.0 : f32] : tile<8x16xf32> -> tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {
        %s = addf %a, %b : tile<f32>
        yield %s : tile<f32>
      }
      %eighth = constant <f32: 1.25e-1> : tile<16xf32>
      %mean = mulf %sum, %eighth : tile<16xf32>
      %line = reshape %mean : tile<16xf32> -> tile<1x16xf32>
      %result = make_tensor_view %out, shape = [%n, 16], strides = [16, 1] : tile<i64> -> tensor_view<?x16xf32, strides=[16,1]>
      %lines = make_partition_view %result : partition_view<tile=(1x16), tensor_view<?x16xf32, strides=[16,1]>>
      %done = store_view_tko weak %line, %lines[%i, %y] token = %read : tile<1x16xf32>, partition_view<tile=(1x16), tensor_view<?x16xf32, strides=[16,1]>>, tile<i32> -> token
    }
    return
  }
}
