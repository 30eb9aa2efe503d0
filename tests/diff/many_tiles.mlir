// SPDX-License-Identifier: Apache-2.0
// Copies in tiles of several sizes, for many_tiles.yaml.
cuda_tile.module @many_tiles {
  entry @copy_4(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
    %i, %y, %z = get_tile_block_id : tile<i32>
    %in = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %out = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %ins = make_partition_view %in : partition_view<tile=(4), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %outs = make_partition_view %out : partition_view<tile=(4), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %x, %read = load_view_tko weak %ins[%i] : partition_view<tile=(4), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %done = store_view_tko weak %x, %outs[%i] token = %read : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @copy_8(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
    %i, %y, %z = get_tile_block_id : tile<i32>
    %in = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %out = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %ins = make_partition_view %in : partition_view<tile=(8), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %outs = make_partition_view %out : partition_view<tile=(8), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %x, %read = load_view_tko weak %ins[%i] : partition_view<tile=(8), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %done = store_view_tko weak %x, %outs[%i] token = %read : tile<8xf32>, partition_view<tile=(8), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @copy_16(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
    %i, %y, %z = get_tile_block_id : tile<i32>
    %in = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %out = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %ins = make_partition_view %in : partition_view<tile=(16), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %outs = make_partition_view %out : partition_view<tile=(16), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %x, %read = load_view_tko weak %ins[%i] : partition_view<tile=(16), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %done = store_view_tko weak %x, %outs[%i] token = %read : tile<16xf32>, partition_view<tile=(16), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @copy_32(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
    %i, %y, %z = get_tile_block_id : tile<i32>
    %in = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %out = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %ins = make_partition_view %in : partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %outs = make_partition_view %out : partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %x, %read = load_view_tko weak %ins[%i] : partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %done = store_view_tko weak %x, %outs[%i] token = %read : tile<32xf32>, partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @copy_64(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
    %i, %y, %z = get_tile_block_id : tile<i32>
    %in = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %out = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %ins = make_partition_view %in : partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %outs = make_partition_view %out : partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %x, %read = load_view_tko weak %ins[%i] : partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %done = store_view_tko weak %x, %outs[%i] token = %read : tile<64xf32>, partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
