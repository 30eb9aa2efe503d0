// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @packed_loads {
  entry @even_rows(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [6, 44], strides = [44, 1] : tensor_view<6x44xf4E2M1FN, strides=[44,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x16), traversal_strides=[2,16], padding_value = neg_zero, tensor_view<6x44xf4E2M1FN, strides=[44,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [9, 32], strides = [32, 1] : tensor_view<9x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<9x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(2x16), traversal_strides=[2,16], padding_value = neg_zero, tensor_view<6x44xf4E2M1FN, strides=[44,1]>>, tile<i32> -> tile<2x16xf4E2M1FN>, token
    %wide = ftof %tile : tile<2x16xf4E2M1FN> -> tile<2x16xf32>
    %flat = reshape %wide : tile<2x16xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<9x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @odd_windows(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 288> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [9, 44], strides = [44, 1] : tensor_view<9x44xf4E2M1FN, strides=[44,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x44xf4E2M1FN, strides=[44,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [27, 32], strides = [32, 1] : tensor_view<27x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<27x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x44xf4E2M1FN, strides=[44,1]>>, tile<i32> -> tile<4x8xf4E2M1FN>, token
    %wide = ftof %tile : tile<4x8xf4E2M1FN> -> tile<4x8xf32>
    %flat = reshape %wide : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<27x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @odd_rows(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1152> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [4, 32], strides = [37, 1] : tensor_view<4x32xf4E2M1FN, strides=[37,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x32), traversal_strides=[1,32], padding_value = zero, tensor_view<4x32xf4E2M1FN, strides=[37,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [4, 128], strides = [128, 1] : tensor_view<4x128xf32, strides=[128,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x128), tensor_view<4x128xf32, strides=[128,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x32), traversal_strides=[1,32], padding_value = zero, tensor_view<4x32xf4E2M1FN, strides=[37,1]>>, tile<i32> -> tile<4x32xf4E2M1FN>, token
    %wide = ftof %tile : tile<4x32xf4E2M1FN> -> tile<4x32xf32>
    %flat = reshape %wide : tile<4x32xf32> -> tile<1x128xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<4x128xf32, strides=[128,1]>>, tile<i32> -> token
    return
  }
  entry @columns(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1664> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [8, 6], strides = [6, 1] : tensor_view<8x6xf4E2M1FN, strides=[6,1]>
    %view = make_strided_view %tensor : strided_view<tile=(8x1), traversal_strides=[8,1], padding_value = zero, tensor_view<8x6xf4E2M1FN, strides=[6,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [6, 8], strides = [8, 1] : tensor_view<6x8xf32, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<6x8xf32, strides=[8,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(8x1), traversal_strides=[8,1], padding_value = zero, tensor_view<8x6xf4E2M1FN, strides=[6,1]>>, tile<i32> -> tile<8x1xf4E2M1FN>, token
    %wide = ftof %tile : tile<8x1xf4E2M1FN> -> tile<8x1xf32>
    %flat = reshape %wide : tile<8x1xf32> -> tile<1x8xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x8xf32>, partition_view<tile=(1x8), tensor_view<6x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  entry @column_major(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1712> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [12, 9], strides = [1, 12] : tensor_view<12x9xf4E2M1FN, strides=[1,12]>
    %view = make_strided_view %tensor : strided_view<tile=(8x2), traversal_strides=[4,2], padding_value = neg_zero, tensor_view<12x9xf4E2M1FN, strides=[1,12]>, dim_map=[1, 0]>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [18, 16], strides = [16, 1] : tensor_view<18x16xf32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<18x16xf32, strides=[16,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(8x2), traversal_strides=[4,2], padding_value = neg_zero, tensor_view<12x9xf4E2M1FN, strides=[1,12]>, dim_map=[1, 0]>, tile<i32> -> tile<8x2xf4E2M1FN>, token
    %wide = ftof %tile : tile<8x2xf4E2M1FN> -> tile<8x2xf32>
    %flat = reshape %wide : tile<8x2xf32> -> tile<1x16xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x16xf32>, partition_view<tile=(1x16), tensor_view<18x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
  entry @dynamic(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %d0 = constant <i64: 5> : tile<i64>
    %d1 = constant <i64: 70> : tile<i64>
    %d2 = constant <i64: 72> : tile<i64>
    %begin = constant <i32: 2000> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [%d0, %d1], strides = [%d2, 1] : tile<i64> -> tensor_view<?x?xf4E2M1FN, strides=[?,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x64), traversal_strides=[2,64], padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [6, 128], strides = [128, 1] : tensor_view<6x128xf32, strides=[128,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x128), tensor_view<6x128xf32, strides=[128,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(2x64), traversal_strides=[2,64], padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>>, tile<i32> -> tile<2x64xf4E2M1FN>, token
    %wide = ftof %tile : tile<2x64xf4E2M1FN> -> tile<2x64xf32>
    %flat = reshape %wide : tile<2x64xf32> -> tile<1x128xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<6x128xf32, strides=[128,1]>>, tile<i32> -> token
    return
  }
  entry @pairs(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 2768> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [26], strides = [1] : tensor_view<26xf4E2M1FN, strides=[1]>
    %view = make_strided_view %tensor : strided_view<tile=(2), traversal_strides=[3], padding_value = neg_zero, tensor_view<26xf4E2M1FN, strides=[1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %all = make_tensor_view %at, shape = [9, 2], strides = [2, 1] : tensor_view<9x2xf32, strides=[2,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x2), tensor_view<9x2xf32, strides=[2,1]>>
    %tile, %k0 = load_view_tko acquire device %view[%i0] : strided_view<tile=(2), traversal_strides=[3], padding_value = neg_zero, tensor_view<26xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<2xf4E2M1FN>, token
    %wide = ftof %tile : tile<2xf4E2M1FN> -> tile<2xf32>
    %flat = reshape %wide : tile<2xf32> -> tile<1x2xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x2xf32>, partition_view<tile=(1x2), tensor_view<9x2xf32, strides=[2,1]>>, tile<i32> -> token
    return
  }
  entry @rows(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 2786> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [7, 40], strides = [40, 1] : tensor_view<7x40xf4E2M1FN, strides=[40,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x32), padding_value = neg_zero, tensor_view<7x40xf4E2M1FN, strides=[40,1]>, sparse_dim=0>
    %first = constant <i32: 0> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 3> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [6, 128], strides = [128, 1] : tensor_view<6x128xf32, strides=[128,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x128), tensor_view<6x128xf32, strides=[128,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x32), padding_value = neg_zero, tensor_view<7x40xf4E2M1FN, strides=[40,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x32xf4E2M1FN>, token
    %wide = ftof %tile : tile<4x32xf4E2M1FN> -> tile<4x32xf32>
    %flat = reshape %wide : tile<4x32xf32> -> tile<1x128xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<6x128xf32, strides=[128,1]>>, tile<i32> -> token
    return
  }
  entry @rows_before(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 3554> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [7, 40], strides = [40, 1] : tensor_view<7x40xf4E2M1FN, strides=[40,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x32), padding_value = neg_zero, tensor_view<7x40xf4E2M1FN, strides=[40,1]>, sparse_dim=0>
    %first = constant <i32: 8> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: -6> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [3, 128], strides = [128, 1] : tensor_view<3x128xf32, strides=[128,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x128), tensor_view<3x128xf32, strides=[128,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x32), padding_value = neg_zero, tensor_view<7x40xf4E2M1FN, strides=[40,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x32xf4E2M1FN>, token
    %wide = ftof %tile : tile<4x32xf4E2M1FN> -> tile<4x32xf32>
    %flat = reshape %wide : tile<4x32xf32> -> tile<1x128xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<3x128xf32, strides=[128,1]>>, tile<i32> -> token
    return
  }
  entry @row_columns(%x: tile<ptr<i8>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 3938> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x4 = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
    %tensor = make_tensor_view %x4, shape = [6, 14], strides = [14, 1] : tensor_view<6x14xf4E2M1FN, strides=[14,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(2x8), padding_value = zero, tensor_view<6x14xf4E2M1FN, strides=[14,1]>, sparse_dim=1>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b1, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %first = constant <i32: 12> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 8], strides = [8, 1] : tensor_view<1x8xi32, strides=[8,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x8), tensor_view<1x8xi32, strides=[8,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x8), tensor_view<1x8xi32, strides=[8,1]>>, tile<i32> -> tile<1x8xi32>, token
    %row = reshape %r0 : tile<1x8xi32> -> tile<8xi32>
    %all = make_tensor_view %at, shape = [6, 16], strides = [16, 1] : tensor_view<6x16xf32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<6x16xf32, strides=[16,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %row] : gather_scatter_view<tile=(2x8), padding_value = zero, tensor_view<6x14xf4E2M1FN, strides=[14,1]>, sparse_dim=1>, tile<i32>, tile<8xi32> -> tile<2x8xf4E2M1FN>, token
    %wide = ftof %tile : tile<2x8xf4E2M1FN> -> tile<2x8xf32>
    %flat = reshape %wide : tile<2x8xf32> -> tile<1x16xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x16xf32>, partition_view<tile=(1x16), tensor_view<6x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
