// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @stores {
  entry @gaps(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %at, shape = [13, 41], strides = [41, 1] : tensor_view<13x41xf32, strides=[41,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4), traversal_strides=[5,7], tensor_view<13x41xf32, strides=[41,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [18, 8], strides = [8, 1] : tensor_view<18x8xf32, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<18x8xf32, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<18x8xf32, strides=[8,1]>>, tile<i32> -> tile<1x8xf32>, token
    %tile = reshape %flat : tile<1x8xf32> -> tile<2x4xf32>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<2x4xf32>, strided_view<tile=(2x4), traversal_strides=[5,7], tensor_view<13x41xf32, strides=[41,1]>>, tile<i32> -> token
    return
  }
  entry @columns_first(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %at, shape = [11, 19], strides = [19, 1] : tensor_view<11x19xf16, strides=[19,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[5,9], tensor_view<11x19xf16, strides=[19,1]>, dim_map=[1, 0]>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [8, 32], strides = [32, 1] : tensor_view<8x32xf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<8x32xf16, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<8x32xf16, strides=[32,1]>>, tile<i32> -> tile<1x32xf16>, token
    %tile = reshape %flat : tile<1x32xf16> -> tile<4x8xf16>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<4x8xf16>, strided_view<tile=(4x8), traversal_strides=[5,9], tensor_view<11x19xf16, strides=[19,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
  entry @dynamic(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %d0 = constant <i64: 7> : tile<i64>
    %d1 = constant <i64: 22> : tile<i64>
    %d2 = constant <i64: 8> : tile<i64>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [%d0, %d1], strides = [1, %d2] : tile<i64> -> tensor_view<?x?xi32, strides=[1,?]>
    %view = make_strided_view %tensor : strided_view<tile=(2x8), traversal_strides=[3,9], tensor_view<?x?xi32, strides=[1,?]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [9, 16], strides = [16, 1] : tensor_view<9x16xi32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<9x16xi32, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<9x16xi32, strides=[16,1]>>, tile<i32> -> tile<1x16xi32>, token
    %tile = reshape %flat : tile<1x16xi32> -> tile<2x8xi32>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] : tile<2x8xi32>, strided_view<tile=(2x8), traversal_strides=[3,9], tensor_view<?x?xi32, strides=[1,?]>>, tile<i32> -> token
    return
  }
  entry @rank_3(%x: tile<ptr<f64>>, %y: tile<ptr<f64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %tensor = make_tensor_view %at, shape = [3, 5, 9], strides = [45, 9, 1] : tensor_view<3x5x9xf64, strides=[45,9,1]>
    %view = make_strided_view %tensor : strided_view<tile=(1x2x4), traversal_strides=[2,2,5], tensor_view<3x5x9xf64, strides=[45,9,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %a2 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 0> : tile<i32>
    %p2 = muli %b2, %a2 : tile<i32>
    %i2 = addi %p2, %c2 : tile<i32>
    %all = make_tensor_view %x, shape = [12, 8], strides = [8, 1] : tensor_view<12x8xf64, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<12x8xf64, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<12x8xf64, strides=[8,1]>>, tile<i32> -> tile<1x8xf64>, token
    %tile = reshape %flat : tile<1x8xf64> -> tile<1x2x4xf64>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1, %i2] : tile<1x2x4xf64>, strided_view<tile=(1x2x4), traversal_strides=[2,2,5], tensor_view<3x5x9xf64, strides=[45,9,1]>>, tile<i32> -> token
    return
  }
  entry @release(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 533> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %at, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4), traversal_strides=[3,5], tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [15, 8], strides = [8, 1] : tensor_view<15x8xf32, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<15x8xf32, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<15x8xf32, strides=[8,1]>>, tile<i32> -> tile<1x8xf32>, token
    %tile = reshape %flat : tile<1x8xf32> -> tile<2x4xf32>
    %k1 = store_view_tko release device %tile, %view[%i0, %i1] : tile<2x4xf32>, strided_view<tile=(2x4), traversal_strides=[3,5], tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> token
    return
  }
  entry @relaxed(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %tensor = make_tensor_view %at, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xi8, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4), traversal_strides=[3,5], tensor_view<9x21xi8, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [15, 8], strides = [8, 1] : tensor_view<15x8xi8, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<15x8xi8, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<15x8xi8, strides=[8,1]>>, tile<i32> -> tile<1x8xi8>, token
    %tile = reshape %flat : tile<1x8xi8> -> tile<2x4xi8>
    %k1 = store_view_tko relaxed tl_blk %tile, %view[%i0, %i1] : tile<2x4xi8>, strided_view<tile=(2x4), traversal_strides=[3,5], tensor_view<9x21xi8, strides=[21,1]>>, tile<i32> -> token
    return
  }
  entry @inbounds(%x: tile<ptr<bf16>>, %y: tile<ptr<bf16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %tensor = make_tensor_view %at, shape = [9, 18], strides = [18, 1] : tensor_view<9x18xbf16, strides=[18,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4), traversal_strides=[4,7], tensor_view<9x18xbf16, strides=[18,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [9, 8], strides = [8, 1] : tensor_view<9x8xbf16, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<9x8xbf16, strides=[8,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x8), tensor_view<9x8xbf16, strides=[8,1]>>, tile<i32> -> tile<1x8xbf16>, token
    %tile = reshape %flat : tile<1x8xbf16> -> tile<2x4xbf16>
    %k1 = store_view_tko weak %tile, %view[%i0, %i1] inbounds = [false, true] : tile<2x4xbf16>, strided_view<tile=(2x4), traversal_strides=[4,7], tensor_view<9x18xbf16, strides=[18,1]>>, tile<i32> -> token
    return
  }
  entry @rows(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 722> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %at, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xf32, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 0> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 16> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [4, 64], strides = [64, 1] : tensor_view<4x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<4x64xf32, strides=[64,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x64), tensor_view<4x64xf32, strides=[64,1]>>, tile<i32> -> tile<1x64xf32>, token
    %tile = reshape %flat : tile<1x64xf32> -> tile<4x16xf32>
    %k1 = store_view_tko weak %tile, %view[%row, %i1] : tile<4x16xf32>, gather_scatter_view<tile=(4x16), tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
  entry @rows_before(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1112> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %at, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xf32, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 8> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 16> : tile<i32>
    %c1 = constant <i32: -9> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [2, 64], strides = [64, 1] : tensor_view<2x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>, tile<i32> -> tile<1x64xf32>, token
    %tile = reshape %flat : tile<1x64xf32> -> tile<4x16xf32>
    %k1 = store_view_tko weak %tile, %view[%row, %i1] : tile<4x16xf32>, gather_scatter_view<tile=(4x16), tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
  entry @columns(%x: tile<ptr<i16>>, %y: tile<ptr<i16>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %tensor = make_tensor_view %at, shape = [6, 13], strides = [13, 1] : tensor_view<6x13xi16, strides=[13,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(2x16), tensor_view<6x13xi16, strides=[13,1]>, sparse_dim=1>
    %a0 = constant <i32: 2> : tile<i32>
    %c0 = constant <i32: 1> : tile<i32>
    %p0 = muli %b1, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %first = constant <i32: 12> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 16], strides = [16, 1] : tensor_view<1x16xi32, strides=[16,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x16), tensor_view<1x16xi32, strides=[16,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x16), tensor_view<1x16xi32, strides=[16,1]>>, tile<i32> -> tile<1x16xi32>, token
    %row = reshape %r0 : tile<1x16xi32> -> tile<16xi32>
    %all = make_tensor_view %x, shape = [3, 32], strides = [32, 1] : tensor_view<3x32xi16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<3x32xi16, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<3x32xi16, strides=[32,1]>>, tile<i32> -> tile<1x32xi16>, token
    %tile = reshape %flat : tile<1x32xi16> -> tile<2x16xi16>
    %k1 = store_view_tko weak %tile, %view[%i0, %row] : tile<2x16xi16>, gather_scatter_view<tile=(2x16), tensor_view<6x13xi16, strides=[13,1]>, sparse_dim=1>, tile<i32>, tile<16xi32> -> token
    return
  }
  entry @planes(%x: tile<ptr<f8E5M2>>, %y: tile<ptr<f8E5M2>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f8E5M2>>, tile<i32> -> tile<ptr<f8E5M2>>
    %tensor = make_tensor_view %at, shape = [4, 7, 10], strides = [70, 10, 1] : tensor_view<4x7x10xf8E5M2, strides=[70,10,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(2x4x8), tensor_view<4x7x10xf8E5M2, strides=[70,10,1]>, sparse_dim=1>
    %a0 = constant <i32: 2> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b1, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %first = constant <i32: 28> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a2 = constant <i32: 8> : tile<i32>
    %c2 = constant <i32: 1> : tile<i32>
    %p2 = muli %b2, %a2 : tile<i32>
    %i2 = addi %p2, %c2 : tile<i32>
    %all = make_tensor_view %x, shape = [8, 64], strides = [64, 1] : tensor_view<8x64xf8E5M2, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<8x64xf8E5M2, strides=[64,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x64), tensor_view<8x64xf8E5M2, strides=[64,1]>>, tile<i32> -> tile<1x64xf8E5M2>, token
    %tile = reshape %flat : tile<1x64xf8E5M2> -> tile<2x4x8xf8E5M2>
    %k1 = store_view_tko weak %tile, %view[%i0, %row, %i2] : tile<2x4x8xf8E5M2>, gather_scatter_view<tile=(2x4x8), tensor_view<4x7x10xf8E5M2, strides=[70,10,1]>, sparse_dim=1>, tile<i32>, tile<4xi32>, tile<i32> -> token
    return
  }
  entry @rows_release(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [6, 32], strides = [32, 1] : tensor_view<6x32xi64, strides=[32,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), tensor_view<6x32xi64, strides=[32,1]>, sparse_dim=0>
    %first = constant <i32: 36> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 10> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [4, 32], strides = [32, 1] : tensor_view<4x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<4x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<4x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = store_view_tko release sys %tile, %view[%row, %i1] : tile<4x8xi64>, gather_scatter_view<tile=(4x8), tensor_view<6x32xi64, strides=[32,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
}
