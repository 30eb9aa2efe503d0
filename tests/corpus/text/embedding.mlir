// Rows of a table by their numbers, and their gradients added back by other numbers, from 13.3.
cuda_tile.module @embedding {
  entry @look_up(%table: tile<ptr<bf16>>, %numbers: tile<ptr<i32>>, %out: tile<ptr<bf16>>, %words: tile<i32>) {
    %i, %j, %z = get_tile_block_id : tile<i32>
    %rows = make_tensor_view %table, shape = [%words, 256], strides = [256, 1] : tile<i32> -> tensor_view<?x256xbf16, strides=[256,1]>
    %chosen = make_gather_scatter_view %rows : gather_scatter_view<tile=(16x64), padding_value = nan, tensor_view<?x256xbf16, strides=[256,1]>, sparse_dim=0>
    %text = make_tensor_view %numbers, shape = [%words], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %pieces = make_partition_view %text : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %which, %read = load_view_tko weak %pieces[%i] : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
    %x, %read_x = load_view_tko weak %chosen[%which, %j] token = %read : gather_scatter_view<tile=(16x64), padding_value = nan, tensor_view<?x256xbf16, strides=[256,1]>, sparse_dim=0>, tile<16xi32>, tile<i32> -> tile<16x64xbf16>, token
    %result = make_tensor_view %out, shape = [%words, 256], strides = [256, 1] : tile<i32> -> tensor_view<?x256xbf16, strides=[256,1]>
    %blocks = make_partition_view %result : partition_view<tile=(16x64), tensor_view<?x256xbf16, strides=[256,1]>>
    %done = store_view_tko weak %x, %blocks[%i, %j] token = %read_x : tile<16x64xbf16>, partition_view<tile=(16x64), tensor_view<?x256xbf16, strides=[256,1]>>, tile<i32> -> token
    return
  }
  entry @totals(%gradients: tile<ptr<f32>>, %sums: tile<ptr<f32>>, %i: tile<i32>) {
    %rows = make_tensor_view %gradients, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
    %blocks = make_partition_view %rows : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %read = load_view_tko weak %blocks[%i, %zero] : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<32x64xf32> -> tile<64xf32> (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    %line = make_tensor_view %sums, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %whole = make_partition_view %line : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %added = atomic_red_view_tko relaxed device %whole[%zero], addf, %sum token = %read : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
