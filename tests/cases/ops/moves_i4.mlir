// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @moves_i4(%x_base: tile<ptr<i8>>, %y_base: tile<ptr<i8>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [32], strides = [1] : tensor_view<32xi8, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(32), tensor_view<32xi8, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [16], strides = [1] : tensor_view<16xi8, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(16), tensor_view<16xi8, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(32), tensor_view<32xi8, strides=[1]>>, tile<i32> -> tile<32xi8>, token
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %flat = unpack %a : tile<32xi8> -> tile<64xi4>
  %grid = reshape %flat : tile<64xi4> -> tile<8x8xi4>
  %turned = permute %grid [1, 0] : tile<8x8xi4> -> tile<8x8xi4>
  %wide = cat %turned, %grid dim = 1 : tile<8x8xi4>, tile<8x8xi4> -> tile<8x16xi4>
  %part = extract %wide[%one, %two] : tile<8x16xi4> -> tile<4x4xi4>
  %filled = insert %part, %grid[%one, %zero] : tile<4x4xi4>, tile<8x8xi4>
  %column = extract %part[%zero, %zero] : tile<4x4xi4> -> tile<4x1xi4>
  %spread = broadcast %column : tile<4x1xi4> -> tile<4x8xi4>
  %upper = extract %filled[%zero, %zero] : tile<8x8xi4> -> tile<4x8xi4>
  %mask = constant <i1: [true, false, false, true, false, false, true, false, false, true, false, false, true, false, false, true, false, false, true, false, false, true, false, false, true, false, false, true, false, false, true, false]> : tile<32xi1>
  %mask2 = reshape %mask : tile<32xi1> -> tile<4x8xi1>
  %chosen = select %mask2, %spread, %upper : tile<4x8xi1>, tile<4x8xi4>
  %line = reshape %chosen : tile<4x8xi4> -> tile<32xi4>
  %packed = pack %line : tile<32xi4> -> tile<16xi8>
  %packed_to_y = store_view_tko weak %packed, %y_view[%zero] : tile<16xi8>, partition_view<tile=(16), tensor_view<16xi8, strides=[1]>>, tile<i32> -> token
  return
}
}
