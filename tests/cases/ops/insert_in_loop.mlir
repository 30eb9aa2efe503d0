// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @insert_in_loop(%x_base: tile<ptr<i32>>, %f_base: tile<ptr<i32>>, %y_base: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>
  %f_tensor = make_tensor_view %f_base, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
  %f_view = make_partition_view %f_tensor : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>, tile<i32> -> tile<32xi32>, token
  %one = constant <i32: 1> : tile<i32>
  %seven = constant <i32: 7> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %start = reshape %a : tile<32xi32> -> tile<8x4xi32>
  %rows = for %i in (%zero to %eight, step %one) : tile<i32> iter_values(%t = %start) -> (tile<8x4xi32>) {
  %n = muli %i, %three : tile<i32>
  %n2 = reshape %n : tile<i32> -> tile<1x1xi32>
  %row = broadcast %n2 : tile<1x1xi32> -> tile<1x4xi32>
  %next = insert %row, %t[%i, %zero] : tile<1x4xi32>, tile<8x4xi32>
  continue %next : tile<8x4xi32>
  }
  %mixed = for %j in (%zero to %eight, step %one) : tile<i32> iter_values(%u = %start) -> (tile<8x4xi32>) {
  %back = subi %seven, %j : tile<i32>
  %other = extract %u[%back, %zero] : tile<8x4xi32> -> tile<1x4xi32>
  %m2 = reshape %j : tile<i32> -> tile<1x1xi32>
  %m = broadcast %m2 : tile<1x1xi32> -> tile<1x4xi32>
  %sum = addi %other, %m : tile<1x4xi32>
  %after = insert %sum, %u[%j, %zero] : tile<1x4xi32>, tile<8x4xi32>
  continue %after : tile<8x4xi32>
  }
  %b = reshape %rows : tile<8x4xi32> -> tile<32xi32>
  %c = reshape %mixed : tile<8x4xi32> -> tile<32xi32>
  %b_to_f = store_view_tko weak %b, %f_view[%zero] : tile<32xi32>, partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>, tile<i32> -> token
  %c_to_y = store_view_tko weak %c, %y_view[%zero] : tile<32xi32>, partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>, tile<i32> -> token
  return
}
}
