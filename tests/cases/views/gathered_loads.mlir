// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @gathered_loads {
  entry @rows(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xf32, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 0> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [3, 4], strides = [4, 1] : tensor_view<3x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<3x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<3x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 11> : tile<i32>
    %c1 = constant <i32: 3> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [9, 64], strides = [64, 1] : tensor_view<9x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<9x64xf32, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x16xf32>, token
    %flat = reshape %tile : tile<4x16xf32> -> tile<1x64xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<9x64xf32, strides=[64,1]>>, tile<i32> -> token
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
    %begin = constant <i32: 576> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xf32, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 12> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [3, 4], strides = [4, 1] : tensor_view<3x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<3x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<3x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 15> : tile<i32>
    %c1 = constant <i32: -14> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [9, 64], strides = [64, 1] : tensor_view<9x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<9x64xf32, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<13x30xf32, strides=[30,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x16xf32>, token
    %flat = reshape %tile : tile<4x16xf32> -> tile<1x64xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<9x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @rows_around(%x: tile<ptr<i16>>, %y: tile<ptr<i16>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %tensor = make_tensor_view %x, shape = [5, 6], strides = [6, 1] : tensor_view<5x6xi16, strides=[6,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(2x16), padding_value = zero, tensor_view<5x6xi16, strides=[6,1]>, sparse_dim=0>
    %first = constant <i32: 24> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [2, 2], strides = [2, 1] : tensor_view<2x2xi32, strides=[2,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x2), tensor_view<2x2xi32, strides=[2,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x2), tensor_view<2x2xi32, strides=[2,1]>>, tile<i32> -> tile<1x2xi32>, token
    %row = reshape %r0 : tile<1x2xi32> -> tile<2xi32>
    %w1 = exti %b1 unsigned : tile<i32> -> tile<i64>
    %a1 = constant <i64: 1> : tile<i64>
    %c1 = constant <i64: -3> : tile<i64>
    %p1 = muli %w1, %a1 : tile<i64>
    %i1 = addi %p1, %c1 : tile<i64>
    %all = make_tensor_view %at, shape = [2, 32], strides = [32, 1] : tensor_view<2x32xi16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<2x32xi16, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(2x16), padding_value = zero, tensor_view<5x6xi16, strides=[6,1]>, sparse_dim=0>, tile<2xi32>, tile<i64> -> tile<2x16xi16>, token
    %flat = reshape %tile : tile<2x16xi16> -> tile<1x32xi16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xi16>, partition_view<tile=(1x32), tensor_view<2x32xi16, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @rows_nan(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %x, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xf16, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<13x30xf16, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 28> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [3, 4], strides = [4, 1] : tensor_view<3x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<3x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<3x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 7> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf16, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<13x30xf16, strides=[30,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf16>, token
    %flat = reshape %tile : tile<4x8xf16> -> tile<1x32xf16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf16>, partition_view<tile=(1x32), tensor_view<15x32xf16, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @rows_of_i64(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %rows: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %x, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xi32, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<13x30xi32, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 0> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi64, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi64, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi64, strides=[4,1]>>, tile<i32> -> tile<1x4xi64>, token
    %row = reshape %r0 : tile<1x4xi64> -> tile<4xi64>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 29> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [1, 64], strides = [64, 1] : tensor_view<1x64xi32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<1x64xi32, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<13x30xi32, strides=[30,1]>, sparse_dim=0>, tile<4xi64>, tile<i32> -> tile<4x16xi32>, token
    %flat = reshape %tile : tile<4x16xi32> -> tile<1x64xi32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xi32>, partition_view<tile=(1x64), tensor_view<1x64xi32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @rows_of_i16(%x: tile<ptr<bf16>>, %y: tile<ptr<bf16>>, %rows: tile<ptr<i16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %tensor = make_tensor_view %x, shape = [13, 30], strides = [30, 1] : tensor_view<13x30xbf16, strides=[30,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), padding_value = neg_inf, tensor_view<13x30xbf16, strides=[30,1]>, sparse_dim=0>
    %first = constant <i32: 0> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi16, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi16, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi16, strides=[4,1]>>, tile<i32> -> tile<1x4xi16>, token
    %row = reshape %r0 : tile<1x4xi16> -> tile<4xi16>
    %w1 = exti %b1 unsigned : tile<i32> -> tile<i64>
    %a1 = constant <i64: 1> : tile<i64>
    %c1 = constant <i64: 2> : tile<i64>
    %p1 = muli %w1, %a1 : tile<i64>
    %i1 = addi %p1, %c1 : tile<i64>
    %all = make_tensor_view %at, shape = [1, 64], strides = [64, 1] : tensor_view<1x64xbf16, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<1x64xbf16, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(4x16), padding_value = neg_inf, tensor_view<13x30xbf16, strides=[30,1]>, sparse_dim=0>, tile<4xi16>, tile<i64> -> tile<4x16xbf16>, token
    %flat = reshape %tile : tile<4x16xbf16> -> tile<1x64xbf16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xbf16>, partition_view<tile=(1x64), tensor_view<1x64xbf16, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @columns(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1152> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [6, 13], strides = [13, 1] : tensor_view<6x13xf32, strides=[13,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<6x13xf32, strides=[13,1]>, sparse_dim=1>
    %a0 = constant <i32: 2> : tile<i32>
    %c0 = constant <i32: 1> : tile<i32>
    %p0 = muli %b1, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %first = constant <i32: 40> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 16], strides = [16, 1] : tensor_view<1x16xi32, strides=[16,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x16), tensor_view<1x16xi32, strides=[16,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x16), tensor_view<1x16xi32, strides=[16,1]>>, tile<i32> -> tile<1x16xi32>, token
    %row = reshape %r0 : tile<1x16xi32> -> tile<16xi32>
    %all = make_tensor_view %at, shape = [2, 64], strides = [64, 1] : tensor_view<2x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %row] : gather_scatter_view<tile=(4x16), padding_value = zero, tensor_view<6x13xf32, strides=[13,1]>, sparse_dim=1>, tile<i32>, tile<16xi32> -> tile<4x16xf32>, token
    %flat = reshape %tile : tile<4x16xf32> -> tile<1x64xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @planes(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1280> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [4, 7, 10], strides = [70, 10, 1] : tensor_view<4x7x10xf32, strides=[70,10,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(2x4x8), padding_value = pos_inf, tensor_view<4x7x10xf32, strides=[70,10,1]>, sparse_dim=1>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b1, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %first = constant <i32: 56> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<2x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a2 = constant <i32: 3> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %p2 = muli %b2, %a2 : tile<i32>
    %i2 = addi %p2, %c2 : tile<i32>
    %all = make_tensor_view %at, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<16x64xf32, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %row, %i2] : gather_scatter_view<tile=(2x4x8), padding_value = pos_inf, tensor_view<4x7x10xf32, strides=[70,10,1]>, sparse_dim=1>, tile<i32>, tile<4xi32>, tile<i32> -> tile<2x4x8xf32>, token
    %flat = reshape %tile : tile<2x4x8xf32> -> tile<1x64xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<16x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @column_major_rows(%x: tile<ptr<f64>>, %y: tile<ptr<f64>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %d0 = constant <i64: 9> : tile<i64>
    %d1 = constant <i64: 8> : tile<i64>
    %d2 = constant <i64: 10> : tile<i64>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %tensor = make_tensor_view %x, shape = [%d0, %d1], strides = [1, %d2] : tile<i64> -> tensor_view<?x?xf64, strides=[1,?]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(8x4), padding_value = zero, tensor_view<?x?xf64, strides=[1,?]>, sparse_dim=0>
    %first = constant <i32: 64> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 8], strides = [8, 1] : tensor_view<1x8xi32, strides=[8,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x8), tensor_view<1x8xi32, strides=[8,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x8), tensor_view<1x8xi32, strides=[8,1]>>, tile<i32> -> tile<1x8xi32>, token
    %row = reshape %r0 : tile<1x8xi32> -> tile<8xi32>
    %a1 = constant <i32: 3> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [2, 32], strides = [32, 1] : tensor_view<2x32xf64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<2x32xf64, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(8x4), padding_value = zero, tensor_view<?x?xf64, strides=[1,?]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x4xf64>, token
    %flat = reshape %tile : tile<8x4xf64> -> tile<1x32xf64>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf64>, partition_view<tile=(1x32), tensor_view<2x32xf64, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @one_row(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %tensor = make_tensor_view %x, shape = [5, 40], strides = [40, 1] : tensor_view<5x40xi8, strides=[40,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(1x32), padding_value = zero, tensor_view<5x40xi8, strides=[40,1]>, sparse_dim=0>
    %first = constant <i32: 72> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [2, 1], strides = [1, 1] : tensor_view<2x1xi32, strides=[1,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x1), tensor_view<2x1xi32, strides=[1,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x1), tensor_view<2x1xi32, strides=[1,1]>>, tile<i32> -> tile<1x1xi32>, token
    %row = reshape %r0 : tile<1x1xi32> -> tile<1xi32>
    %a1 = constant <i32: 20> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [4, 32], strides = [32, 1] : tensor_view<4x32xi8, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<4x32xi8, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] : gather_scatter_view<tile=(1x32), padding_value = zero, tensor_view<5x40xi8, strides=[40,1]>, sparse_dim=0>, tile<1xi32>, tile<i32> -> tile<1x32xi8>, token
    %flat = reshape %tile : tile<1x32xi8> -> tile<1x32xi8>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xi8>, partition_view<tile=(1x32), tensor_view<4x32xi8, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @rows_inbounds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 2304> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [6, 32], strides = [32, 1] : tensor_view<6x32xf32, strides=[32,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(8x16), padding_value = zero, tensor_view<6x32xf32, strides=[32,1]>, sparse_dim=0>
    %first = constant <i32: 74> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 8], strides = [8, 1] : tensor_view<1x8xi32, strides=[8,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x8), tensor_view<1x8xi32, strides=[8,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x8), tensor_view<1x8xi32, strides=[8,1]>>, tile<i32> -> tile<1x8xi32>, token
    %row = reshape %r0 : tile<1x8xi32> -> tile<8xi32>
    %a1 = constant <i32: 15> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [2, 128], strides = [128, 1] : tensor_view<2x128xf32, strides=[128,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x128), tensor_view<2x128xf32, strides=[128,1]>>
    %tile, %k0 = load_view_tko weak %view[%row, %i1] inbounds = [true, false] : gather_scatter_view<tile=(8x16), padding_value = zero, tensor_view<6x32xf32, strides=[32,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x16xf32>, token
    %flat = reshape %tile : tile<8x16xf32> -> tile<1x128xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<2x128xf32, strides=[128,1]>>, tile<i32> -> token
    return
  }
  entry @rows_acquire(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %rows: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 64> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %x, shape = [6, 32], strides = [32, 1] : tensor_view<6x32xi32, strides=[32,1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<6x32xi32, strides=[32,1]>, sparse_dim=0>
    %first = constant <i32: 82> : tile<i32>
    %rp = offset %rows, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %rt = make_tensor_view %rp, shape = [1, 4], strides = [4, 1] : tensor_view<1x4xi32, strides=[4,1]>
    %rv = make_partition_view %rt : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>
    %r0, %rk = load_view_tko weak %rv[%b0, %zero] : partition_view<tile=(1x4), tensor_view<1x4xi32, strides=[4,1]>>, tile<i32> -> tile<1x4xi32>, token
    %row = reshape %r0 : tile<1x4xi32> -> tile<4xi32>
    %a1 = constant <i32: 10> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [4, 32], strides = [32, 1] : tensor_view<4x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<4x32xi32, strides=[32,1]>>
    %tile, %k0 = load_view_tko acquire device %view[%row, %i1] : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<6x32xi32, strides=[32,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xi32>, token
    %flat = reshape %tile : tile<4x8xi32> -> tile<1x32xi32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xi32>, partition_view<tile=(1x32), tensor_view<4x32xi32, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
