// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @reduce_floats {
  entry @addf_f16_tiles(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xf16, strides=[22,1]>
    %view = make_partition_view %tensor : partition_view<tile=(2x8), tensor_view<7x22xf16, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xf16, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<24x16xf16, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<24x16xf16, strides=[16,1]>>, tile<i32> -> tile<1x16xf16>, token
    %tile = reshape %flat : tile<1x16xf16> -> tile<2x8xf16>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<2x8xf16>, partition_view<tile=(2x8), tensor_view<7x22xf16, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_f16(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 154> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xf16, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xf16, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xf16, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xf16, strides=[32,1]>>, tile<i32> -> tile<1x32xf16>, token
    %tile = reshape %flat : tile<1x32xf16> -> tile<4x8xf16>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<4x8xf16>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xf16, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_bf16_tiles(%x: tile<ptr<bf16>>, %y: tile<ptr<bf16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xbf16, strides=[22,1]>
    %view = make_partition_view %tensor : partition_view<tile=(2x8), tensor_view<7x22xbf16, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xbf16, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<24x16xbf16, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<24x16xbf16, strides=[16,1]>>, tile<i32> -> tile<1x16xbf16>, token
    %tile = reshape %flat : tile<1x16xbf16> -> tile<2x8xbf16>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<2x8xbf16>, partition_view<tile=(2x8), tensor_view<7x22xbf16, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_bf16(%x: tile<ptr<bf16>>, %y: tile<ptr<bf16>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 154> : tile<i32>
    %at = offset %y, %begin : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xbf16, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xbf16, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xbf16, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xbf16, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xbf16, strides=[32,1]>>, tile<i32> -> tile<1x32xbf16>, token
    %tile = reshape %flat : tile<1x32xbf16> -> tile<4x8xbf16>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<4x8xbf16>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xbf16, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_f32_tiles(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xf32, strides=[22,1]>
    %view = make_partition_view %tensor : partition_view<tile=(2x8), tensor_view<7x22xf32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xf32, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<24x16xf32, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<24x16xf32, strides=[16,1]>>, tile<i32> -> tile<1x16xf32>, token
    %tile = reshape %flat : tile<1x16xf32> -> tile<2x8xf32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<2x8xf32>, partition_view<tile=(2x8), tensor_view<7x22xf32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 154> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xf32, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xf32, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xf32, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xf32, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xf32, strides=[32,1]>>, tile<i32> -> tile<1x32xf32>, token
    %tile = reshape %flat : tile<1x32xf32> -> tile<4x8xf32>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xf32, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_f64_tiles(%x: tile<ptr<f64>>, %y: tile<ptr<f64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 0> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xf64, strides=[22,1]>
    %view = make_partition_view %tensor : partition_view<tile=(2x8), tensor_view<7x22xf64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xf64, strides=[16,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x16), tensor_view<24x16xf64, strides=[16,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x16), tensor_view<24x16xf64, strides=[16,1]>>, tile<i32> -> tile<1x16xf64>, token
    %tile = reshape %flat : tile<1x16xf64> -> tile<2x8xf64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<2x8xf64>, partition_view<tile=(2x8), tensor_view<7x22xf64, strides=[22,1]>>, tile<i32> -> token
    return
  }
  entry @addf_f64(%x: tile<ptr<f64>>, %y: tile<ptr<f64>>) {
    %b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %g0, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %n0 = muli %b2, %g1 : tile<i32>
    %n1 = addi %n0, %b1 : tile<i32>
    %n2 = muli %n1, %g0 : tile<i32>
    %block = addi %n2, %b0 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %begin = constant <i32: 154> : tile<i32>
    %at = offset %y, %begin : tile<ptr<f64>>, tile<i32> -> tile<ptr<f64>>
    %tensor = make_tensor_view %at, shape = [7, 22], strides = [22, 1] : tensor_view<7x22xf64, strides=[22,1]>
    %view = make_strided_view %tensor : strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xf64, strides=[22,1]>>
    %a0 = constant <i32: 1> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %p0 = muli %b0, %a0 : tile<i32>
    %i0 = addi %p0, %c0 : tile<i32>
    %a1 = constant <i32: 1> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %p1 = muli %b1, %a1 : tile<i32>
    %i1 = addi %p1, %c1 : tile<i32>
    %all = make_tensor_view %x, shape = [20, 32], strides = [32, 1] : tensor_view<20x32xf64, strides=[32,1]>
    %tiles = make_partition_view %all : partition_view<tile=(1x32), tensor_view<20x32xf64, strides=[32,1]>>
    %flat, %k0 = load_view_tko weak %tiles[%block, %zero] : partition_view<tile=(1x32), tensor_view<20x32xf64, strides=[32,1]>>, tile<i32> -> tile<1x32xf64>, token
    %tile = reshape %flat : tile<1x32xf64> -> tile<4x8xf64>
    %k1 = atomic_red_view_tko relaxed device %view[%i0, %i1], addf, %tile : tile<4x8xf64>, strided_view<tile=(4x8), traversal_strides=[2,5], tensor_view<7x22xf64, strides=[22,1]>>, tile<i32> -> token
    return
  }
}
