// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @reduce_integers {
  entry @add_i32_tiles(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_partition_view %tensor : partition_view<tile=(2x8), tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xi32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<24x16xi32, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<24x16xi32, strides=[16,1]>>, tile<i32> -> tile<1x16xi32>, token
    %tile = reshape %flat : tile<1x16xi32> -> tile<2x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], add, %tile : tile<2x8xi32>, partition_view<tile=(2x8), tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @add_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 154> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], add, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @and_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 308> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], and, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @or_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 462> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], or, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @xor_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 616> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], xor, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @max_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 770> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], max, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @min_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 924> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], min, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @umax_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1078> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], umax, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @umin_i32(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1232> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi32, strides=[32,1]>>, tile<i32> -> tile<1x32xi32>, token
    %tile = reshape %flat : tile<1x32xi32> -> tile<4x8xi32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], umin, %tile : tile<4x8xi32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @add_i64_tiles(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_partition_view %tensor : partition_view<tile=(2x8), tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xi64, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<24x16xi64, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<24x16xi64, strides=[16,1]>>, tile<i32> -> tile<1x16xi64>, token
    %tile = reshape %flat : tile<1x16xi64> -> tile<2x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], add, %tile : tile<2x8xi64>, partition_view<tile=(2x8), tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @add_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 154> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], add, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @and_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 308> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], and, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @or_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 462> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], or, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @xor_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 616> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], xor, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @max_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 770> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], max, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @min_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 924> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], min, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @umax_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1078> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], umax, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @umin_i64(%x: tile<ptr<i64>>, %y: tile<ptr<i64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 1232> : tile<i32>
    %at = offset %y, %begin : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xi64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xi64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xi64, strides=[32,1]>>, tile<i32> -> tile<1x32xi64>, token
    %tile = reshape %flat : tile<1x32xi64> -> tile<4x8xi64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], umin, %tile : tile<4x8xi64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xi64, strides=[22,1]>>, tile<i32> -> token
    return
  }
}
