// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @strided_loads {
  entry @windows_f32_zero(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f32_neg_zero(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 480> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_zero, tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_zero, tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f32_nan(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 960> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f32_pos_inf(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1440> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = pos_inf, tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = pos_inf, tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f32_neg_inf(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1920> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f16_neg_inf(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf16, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<9x21xf16, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf16, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<9x21xf16, strides=[21,1]>>, tile<i32> -> tile<4x8xf16>, token
    %flat = reshape %tile : tile<4x8xf16> -> tile<1x32xf16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf16>, partition_view<tile=(1x32), tensor_view<15x32xf16, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f16_nan(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 480> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf16, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf16, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf16, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf16, strides=[21,1]>>, tile<i32> -> tile<4x8xf16>, token
    %flat = reshape %tile : tile<4x8xf16> -> tile<1x32xf16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf16>, partition_view<tile=(1x32), tensor_view<15x32xf16, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_bf16_pos_inf(%x: tile<ptr<bf16>>, %y: tile<ptr<bf16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xbf16, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = pos_inf, tensor_view<9x21xbf16, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xbf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xbf16, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = pos_inf, tensor_view<9x21xbf16, strides=[21,1]>>, tile<i32> -> tile<4x8xbf16>, token
    %flat = reshape %tile : tile<4x8xbf16> -> tile<1x32xbf16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xbf16>, partition_view<tile=(1x32), tensor_view<15x32xbf16, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f64_neg_zero(%x: tile<ptr<f64>>, %y: tile<ptr<f64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf64, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_zero, tensor_view<9x21xf64, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf64, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_zero, tensor_view<9x21xf64, strides=[21,1]>>, tile<i32> -> tile<4x8xf64>, token
    %flat = reshape %tile : tile<4x8xf64> -> tile<1x32xf64>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf64>, partition_view<tile=(1x32), tensor_view<15x32xf64, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f8e5m2_nan(%x: tile<ptr<f8E5M2>>, %y: tile<ptr<f8E5M2>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f8E5M2>>, tile<i32> -> tile<ptr<f8E5M2>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf8E5M2, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf8E5M2, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf8E5M2, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf8E5M2, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf8E5M2, strides=[21,1]>>, tile<i32> -> tile<4x8xf8E5M2>, token
    %flat = reshape %tile : tile<4x8xf8E5M2> -> tile<1x32xf8E5M2>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf8E5M2>, partition_view<tile=(1x32), tensor_view<15x32xf8E5M2, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_f8e5m2_neg_inf(%x: tile<ptr<f8E5M2>>, %y: tile<ptr<f8E5M2>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 480> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f8E5M2>>, tile<i32> -> tile<ptr<f8E5M2>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf8E5M2, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<9x21xf8E5M2, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf8E5M2, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf8E5M2, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<9x21xf8E5M2, strides=[21,1]>>, tile<i32> -> tile<4x8xf8E5M2>, token
    %flat = reshape %tile : tile<4x8xf8E5M2> -> tile<1x32xf8E5M2>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf8E5M2>, partition_view<tile=(1x32), tensor_view<15x32xf8E5M2, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_i8_zero(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xi8, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xi8, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xi8, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xi8, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xi8, strides=[21,1]>>, tile<i32> -> tile<4x8xi8>, token
    %flat = reshape %tile : tile<4x8xi8> -> tile<1x32xi8>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xi8>, partition_view<tile=(1x32), tensor_view<15x32xi8, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_i16_zero(%x: tile<ptr<i16>>, %y: tile<ptr<i16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xi16, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xi16, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xi16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xi16, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xi16, strides=[21,1]>>, tile<i32> -> tile<4x8xi16>, token
    %flat = reshape %tile : tile<4x8xi16> -> tile<1x32xi16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xi16>, partition_view<tile=(1x32), tensor_view<15x32xi16, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @windows_i64_zero(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xi64, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xi64, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xi64, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<9x21xi64, strides=[21,1]>>, tile<i32> -> tile<4x8xi64>, token
    %flat = reshape %tile : tile<4x8xi64> -> tile<1x32xi64>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xi64>, partition_view<tile=(1x32), tensor_view<15x32xi64, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @gaps(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 2400> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [13, 40], strides = [40, 1] : tensor_view<13x40xf32, strides=[40,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4), traversal_strides=[5,16], padding_value = zero, tensor_view<13x40xf32, strides=[40,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [9, 8], strides = [8, 1] : tensor_view<9x8xf32, strides=[8,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x8), tensor_view<9x8xf32, strides=[8,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(2x4), traversal_strides=[5,16], padding_value = zero, tensor_view<13x40xf32, strides=[40,1]>>, tile<i32> -> tile<2x4xf32>, token
    %flat = reshape %tile : tile<2x4xf32> -> tile<1x8xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x8xf32>, partition_view<tile=(1x8), tensor_view<9x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  entry @one_by_one(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 2472> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [5, 19], strides = [19, 1] : tensor_view<5x19xf32, strides=[19,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x16), traversal_strides=[1,1], padding_value = zero, tensor_view<5x19xf32, strides=[19,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [95, 64], strides = [64, 1] : tensor_view<95x64xf32, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<95x64xf32, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x16), traversal_strides=[1,1], padding_value = zero, tensor_view<5x19xf32, strides=[19,1]>>, tile<i32> -> tile<4x16xf32>, token
    %flat = reshape %tile : tile<4x16xf32> -> tile<1x64xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<95x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @columns_first(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 8552> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [11, 12], strides = [12, 1] : tensor_view<11x12xf32, strides=[12,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,4], padding_value = nan, tensor_view<11x12xf32, strides=[12,1]>, dim_map=[1, 0]>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [12, 32], strides = [32, 1] : tensor_view<12x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<12x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,4], padding_value = nan, tensor_view<11x12xf32, strides=[12,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<12x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @column_major(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 8936> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [12, 11], strides = [1, 13] : tensor_view<12x11xf32, strides=[1,13]>
    %view = make_strided_view %tensor : strided_view<tile=(8x4), traversal_strides=[7,2], padding_value = zero, tensor_view<12x11xf32, strides=[1,13]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [12, 32], strides = [32, 1] : tensor_view<12x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<12x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(8x4), traversal_strides=[7,2], padding_value = zero, tensor_view<12x11xf32, strides=[1,13]>>, tile<i32> -> tile<8x4xf32>, token
    %flat = reshape %tile : tile<8x4xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<12x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @no_unit_stride(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %d0 = constant <i64: 7> : tile<i64>
    %d1 = constant <i64: 6> : tile<i64>
    %d2 = constant <i64: 18> : tile<i64>
    %d3 = constant <i64: 2> : tile<i64>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %x, shape = [%d0, %d1], strides = [%d2, %d3] : tile<i64> -> tensor_view<?x?xi32, strides=[?,?]>
    %view = make_strided_view %tensor : strided_view<tile=(4x4), traversal_strides=[2,3], padding_value = zero, tensor_view<?x?xi32, strides=[?,?]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xi32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<8x16xi32, strides=[16,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x4), traversal_strides=[2,3], padding_value = zero, tensor_view<?x?xi32, strides=[?,?]>>, tile<i32> -> tile<4x4xi32>, token
    %flat = reshape %tile : tile<4x4xi32> -> tile<1x16xi32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x16xi32>, partition_view<tile=(1x16), tensor_view<8x16xi32, strides=[16,1]>>, tile<i32> -> token
    return
  }
  entry @dynamic(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %d0 = constant <i64: 10> : tile<i64>
    %d1 = constant <i64: 33> : tile<i64>
    %d2 = constant <i64: 33> : tile<i64>
    %begin = constant <i32: 960> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %x, shape = [%d0, %d1], strides = [%d2, 1] : tile<i64> -> tensor_view<?x?xf16, strides=[?,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x16), traversal_strides=[3,9], padding_value = neg_inf, tensor_view<?x?xf16, strides=[?,1]>>
    %w0 = exti %b0 unsigned : tile<i32> -> tile<i64>
    %a0 = constant <i64: 1> : tile<i64>
    %c0 = constant <i64: 0> : tile<i64>
    %p0 = muli %w0, %a0 : tile<i64>
    %i0 = addi %p0, %c0 : tile<i64>
    %w1 = exti %b1 unsigned : tile<i32> -> tile<i64>
    %a1 = constant <i64: 1> : tile<i64>
    %c1 = constant <i64: 0> : tile<i64>
    %p1 = muli %w1, %a1 : tile<i64>
    %i1 = addi %p1, %c1 : tile<i64>
    %all = make_tensor_view %at, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf16, strides=[64,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x64), tensor_view<16x64xf16, strides=[64,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] : strided_view<tile=(4x16), traversal_strides=[3,9], padding_value = neg_inf, tensor_view<?x?xf16, strides=[?,1]>>, tile<i64> -> tile<4x16xf16>, token
    %flat = reshape %tile : tile<4x16xf16> -> tile<1x64xf16>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x64xf16>, partition_view<tile=(1x64), tensor_view<16x64xf16, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @rank_3(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 9320> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [3, 5, 9], strides = [45, 9, 1] : tensor_view<3x5x9xf32, strides=[45,9,1]>
    %view = make_strided_view %tensor : strided_view<tile=(2x4x4), traversal_strides=[1,3,2], padding_value = zero, tensor_view<3x5x9xf32, strides=[45,9,1]>, dim_map=[2, 0, 1]>
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
    %all = make_tensor_view %at, shape = [27, 32], strides = [32, 1] : tensor_view<27x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<27x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1, %i2] : strided_view<tile=(2x4x4), traversal_strides=[1,3,2], padding_value = zero, tensor_view<3x5x9xf32, strides=[45,9,1]>, dim_map=[2, 0, 1]>, tile<i32> -> tile<2x4x4xf32>, token
    %flat = reshape %tile : tile<2x4x4xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<27x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @rank_1(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 10184> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [61], strides = [1] : tensor_view<61xf32, strides=[1]>
    %view = make_strided_view %tensor : strided_view<tile=(16), traversal_strides=[9], padding_value = pos_inf, tensor_view<61xf32, strides=[1]>>
    %w0 = trunci %b0 : tile<i32> -> tile<i16>
    %a0 = constant <i16: 1> : tile<i16>
    %c0 = constant <i16: 0> : tile<i16>
    %p0 = muli %w0, %a0 : tile<i16>
    %i0 = addi %p0, %c0 : tile<i16>
    %all = make_tensor_view %at, shape = [7, 16], strides = [16, 1] : tensor_view<7x16xf32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<7x16xf32, strides=[16,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0] : strided_view<tile=(16), traversal_strides=[9], padding_value = pos_inf, tensor_view<61xf32, strides=[1]>>, tile<i16> -> tile<16xf32>, token
    %flat = reshape %tile : tile<16xf32> -> tile<1x16xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x16xf32>, partition_view<tile=(1x16), tensor_view<7x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
  entry @inbounds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 10296> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [12, 20], strides = [20, 1] : tensor_view<12x20xf32, strides=[20,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[4,6], padding_value = zero, tensor_view<12x20xf32, strides=[20,1]>>
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
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] inbounds = [true, true] : strided_view<tile=(4x8), traversal_strides=[4,6], padding_value = zero, tensor_view<12x20xf32, strides=[20,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<9x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @half_inbounds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 10584> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [13, 20], strides = [20, 1] : tensor_view<13x20xf32, strides=[20,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[4,6], padding_value = nan, tensor_view<13x20xf32, strides=[20,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [12, 32], strides = [32, 1] : tensor_view<12x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<12x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko weak %view[%i0, %i1] inbounds = [false, true] : strided_view<tile=(4x8), traversal_strides=[4,6], padding_value = nan, tensor_view<13x20xf32, strides=[20,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<12x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @relaxed(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 10968> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf32, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_zero, tensor_view<9x21xf32, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>
    %tile, %k0 = load_view_tko relaxed device %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = neg_zero, tensor_view<9x21xf32, strides=[21,1]>>, tile<i32> -> tile<4x8xf32>, token
    %flat = reshape %tile : tile<4x8xf32> -> tile<1x32xf32>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<15x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
  entry @acquire(%x: tile<ptr<f64>>, %y: tile<ptr<f64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 480> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %tensor = make_tensor_view %x, shape = [9, 21], strides = [21, 1] : tensor_view<9x21xf64, strides=[21,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf64, strides=[21,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %at, shape = [15, 32], strides = [32, 1] : tensor_view<15x32xf64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<15x32xf64, strides=[32,1]>>
    %tile, %k0 = load_view_tko acquire sys %view[%i0, %i1] : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<9x21xf64, strides=[21,1]>>, tile<i32> -> tile<4x8xf64>, token
    %flat = reshape %tile : tile<4x8xf64> -> tile<1x32xf64>
    %k1 = store_view_tko weak %flat, %tiles[%block, %zero] : tile<1x32xf64>, partition_view<tile=(1x32), tensor_view<15x32xf64, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
