// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @packed_stores {
  entry @even_rows(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [6, 44], strides = [44, 1] : tensor_view<6x44xf4E2M1FN, strides=[44,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x16), traversal_strides=[2,16], tensor_view<6x44xf4E2M1FN, strides=[44,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x4, shape = [9, 32], strides = [32, 1] : tensor_view<9x32xf4E2M1FN, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<9x32xf4E2M1FN, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<9x32xf4E2M1FN, strides=[32,1]>>, tile<i32> -> tile<1x32xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x32xf4E2M1FN> -> tile<2x16xf4E2M1FN>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<2x16xf4E2M1FN>, strided_view<tile=(2x16), traversal_strides=[2,16], tensor_view<6x44xf4E2M1FN, strides=[44,1]>>, tile<i32> -> token
    return
  }
  entry @odd_windows(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 132> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [9, 44], strides = [44, 1] : tensor_view<9x44xf4E2M1FN, strides=[44,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4), traversal_strides=[3,5], tensor_view<9x44xf4E2M1FN, strides=[44,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x4, shape = [27, 8], strides = [8, 1] : tensor_view<27x8xf4E2M1FN, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<27x8xf4E2M1FN, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<27x8xf4E2M1FN, strides=[8,1]>>, tile<i32> -> tile<1x8xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x8xf4E2M1FN> -> tile<2x4xf4E2M1FN>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<2x4xf4E2M1FN>, strided_view<tile=(2x4), traversal_strides=[3,5], tensor_view<9x44xf4E2M1FN, strides=[44,1]>>, tile<i32> -> token
    return
  }
  entry @odd_rows(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 330> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [4, 32], strides = [33, 1] : tensor_view<4x32xf4E2M1FN, strides=[33,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x16), traversal_strides=[2,17], tensor_view<4x32xf4E2M1FN, strides=[33,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x4, shape = [4, 32], strides = [32, 1] : tensor_view<4x32xf4E2M1FN, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<4x32xf4E2M1FN, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<4x32xf4E2M1FN, strides=[32,1]>>, tile<i32> -> tile<1x32xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x32xf4E2M1FN> -> tile<2x16xf4E2M1FN>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<2x16xf4E2M1FN>, strided_view<tile=(2x16), traversal_strides=[2,17], tensor_view<4x32xf4E2M1FN, strides=[33,1]>>, tile<i32> -> token
    return
  }
  entry @halves_of_bytes(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 396> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [16, 30], strides = [30, 1] : tensor_view<16x30xf4E2M1FN, strides=[30,1]>
    %view = make_strided_view %tensor : strided_view<tile=(16x1), traversal_strides=[16,1], tensor_view<16x30xf4E2M1FN, strides=[30,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x4, shape = [30, 16], strides = [16, 1] : tensor_view<30x16xf4E2M1FN, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<30x16xf4E2M1FN, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<30x16xf4E2M1FN, strides=[16,1]>>, tile<i32> -> tile<1x16xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x16xf4E2M1FN> -> tile<16x1xf4E2M1FN>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<16x1xf4E2M1FN>, strided_view<tile=(16x1), traversal_strides=[16,1], tensor_view<16x30xf4E2M1FN, strides=[30,1]>>, tile<i32> -> token
    return
  }
  entry @release(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 636> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [26], strides = [1] : tensor_view<26xf4E2M1FN, strides=[1]>
    %view = make_strided_view %tensor : strided_view<tile=(2), traversal_strides=[3], tensor_view<26xf4E2M1FN, strides=[1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %all = make_tensor_view %x4, shape = [9, 2], strides = [2, 1] : tensor_view<9x2xf4E2M1FN, strides=[2,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x2), tensor_view<9x2xf4E2M1FN, strides=[2,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x2), tensor_view<9x2xf4E2M1FN, strides=[2,1]>>, tile<i32> -> tile<1x2xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x2xf4E2M1FN> -> tile<2xf4E2M1FN>
    %k1 = store_view_tko release device %tile, %view[%i0] : tile<2xf4E2M1FN>, strided_view<tile=(2), traversal_strides=[3], tensor_view<26xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @odd_size(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %d0 = constant <i64: 27> : tile<i64>
    %begin = constant <i32: 649> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [%d0], strides = [1] : tile<i64> -> tensor_view<?xf4E2M1FN, strides=[1]>
    %view = make_strided_view %tensor : strided_view<tile=(8), traversal_strides=[8], tensor_view<?xf4E2M1FN, strides=[1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %all = make_tensor_view %x4, shape = [4, 8], strides = [8, 1] : tensor_view<4x8xf4E2M1FN, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<4x8xf4E2M1FN, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<4x8xf4E2M1FN, strides=[8,1]>>, tile<i32> -> tile<1x8xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x8xf4E2M1FN> -> tile<8xf4E2M1FN>
    %k1 = store_view_tko weak %tile, %view[%i0] : tile<8xf4E2M1FN>, strided_view<tile=(8), traversal_strides=[8], tensor_view<?xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @rows(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 663> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %at4 = ptr_to_ptr %at : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %at4, shape = [7, 40], strides = [40, 1] : tensor_view<7x40xf4E2M1FN, strides=[40,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x32), tensor_view<7x40xf4E2M1FN, strides=[40,1]>, sparse_dim=0>
    %first = constant <i32: 0> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 33> : tile<i32>
    %c1 = constant <i32: 3> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x4, shape = [2, 128], strides = [128, 1] : tensor_view<2x128xf4E2M1FN, strides=[128,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x128), tensor_view<2x128xf4E2M1FN, strides=[128,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x128), tensor_view<2x128xf4E2M1FN, strides=[128,1]>>, tile<i32> -> tile<1x128xf4E2M1FN>, token
    %tile = reshape %flat : tile<1x128xf4E2M1FN> -> tile<4x32xf4E2M1FN>
    %k1 = store_view_tko weak %tile, %view[%row, %i1] : tile<4x32xf4E2M1FN>, gather_scatter_view<tile=(4x32), tensor_view<7x40xf4E2M1FN, strides=[40,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
}
