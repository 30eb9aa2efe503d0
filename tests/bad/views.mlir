// SPDX-License-Identifier: Apache-2.0
// Accesses through views that leave their tensor: block x of each kernel takes index x.
cuda_tile.module @views {
  entry @windows(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %t = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_strided_view %t : strided_view<tile=(16), traversal_strides=[7], padding_value = zero, tensor_view<64xf32, strides=[1]>>
    %a, %k = load_view_tko weak %v[%i] : strided_view<tile=(16), traversal_strides=[7], padding_value = zero, tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    return
  }
  entry @whole_windows(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %t = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_strided_view %t : strided_view<tile=(16), traversal_strides=[7], tensor_view<64xf32, strides=[1]>>
    %a = constant <f32: 1.0> : tile<16xf32>
    %k = store_view_tko weak %a, %v[%i] inbounds = [true] : tile<16xf32>, strided_view<tile=(16), traversal_strides=[7], tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @large_tile(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %t = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(128), padding_value = zero, tensor_view<64xf32, strides=[1]>>
    %a, %k = load_view_tko weak %v[%i] inbounds = [true] : partition_view<tile=(128), padding_value = zero, tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    return
  }
  // The columns from 2 - x on: some of them have to lie inside.
  entry @columns(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %start = subi %two, %i : tile<i32>
    %rows = constant <i32: [1, 7, 9, -1]> : tile<4xi32>
    %t = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(4x4), padding_value = zero, tensor_view<8x8xf32, strides=[8,1]>, sparse_dim=0>
    %a, %k = load_view_tko weak %v[%rows, %start] : gather_scatter_view<tile=(4x4), padding_value = zero, tensor_view<8x8xf32, strides=[8,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x4xf32>, token
    return
  }
  entry @whole_rows(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %r = reshape %i : tile<i32> -> tile<1xi32>
    %all = broadcast %r : tile<1xi32> -> tile<4xi32>
    %four = iota : tile<4xi32>
    %rows = addi %all, %four : tile<4xi32>
    %t = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(4x4), tensor_view<8x8xf32, strides=[8,1]>, sparse_dim=0>
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %k = store_view_tko weak %a, %v[%rows, %i] inbounds = [true, false] : tile<4x4xf32>, gather_scatter_view<tile=(4x4), tensor_view<8x8xf32, strides=[8,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
  entry @reduction(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %t = make_tensor_view %x, shape = [60], strides = [1] : tensor_view<60xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(16), tensor_view<60xf32, strides=[1]>>
    %a = constant <f32: 1.0> : tile<16xf32>
    %k = atomic_red_view_tko relaxed device %v[%i], addf, %a : tile<16xf32>, partition_view<tile=(16), tensor_view<60xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // A tensor that begins x bytes after its buffer.
  entry @odd_reduction(%x: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %w = exti %i unsigned : tile<i32> -> tile<i64>
    %b = ptr_to_int %x : tile<ptr<f32>> -> tile<i64>
    %c = addi %b, %w : tile<i64>
    %p = int_to_ptr %c : tile<i64> -> tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %p, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(16), tensor_view<32xf32, strides=[1]>>
    %a = constant <f32: 1.0> : tile<16xf32>
    %k = atomic_red_view_tko relaxed device %v[%zero], addf, %a : tile<16xf32>, partition_view<tile=(16), tensor_view<32xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
