// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @bodies_plain_i32(%x_base: tile<ptr<i32>>, %r_base: tile<ptr<i32>>, %c_base: tile<ptr<i32>>, %s_base: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>
  %r_tensor = make_tensor_view %r_base, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
  %r_view = make_partition_view %r_tensor : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
  %c_tensor = make_tensor_view %c_base, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
  %c_view = make_partition_view %c_tensor : partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>
  %s_tensor = make_tensor_view %s_base, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
  %s_view = make_partition_view %s_tensor : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<512xi32>, token
  %t = reshape %a : tile<512xi32> -> tile<16x32xi32>
  %rows = reduce %t dim=1 identities=[-2147483648 : i32] : tile<16x32xi32> -> tile<16xi32> (%x: tile<i32>, %y: tile<i32>) {
  %z = maxi %x, %y signed : tile<i32>
  yield %z : tile<i32>
  }
  %columns = reduce %t dim=0 identities=[-2147483648 : i32] : tile<16x32xi32> -> tile<32xi32> (%x: tile<i32>, %y: tile<i32>) {
  %z = maxi %x, %y signed : tile<i32>
  yield %z : tile<i32>
  }
  %sums = scan %t dim=1 reverse=true identities=[-2147483648 : i32] : tile<16x32xi32> -> tile<16x32xi32> (%x: tile<i32>, %y: tile<i32>) {
  %z = maxi %x, %y signed : tile<i32>
  yield %z : tile<i32>
  }
  %flat = reshape %sums : tile<16x32xi32> -> tile<512xi32>
  %rows_to_r = store_view_tko weak %rows, %r_view[%zero] : tile<16xi32>, partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
  %columns_to_c = store_view_tko weak %columns, %c_view[%zero] : tile<32xi32>, partition_view<tile=(32), tensor_view<32xi32, strides=[1]>>, tile<i32> -> token
  %flat_to_s = store_view_tko weak %flat, %s_view[%zero] : tile<512xi32>, partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>, tile<i32> -> token
  return
}
}
