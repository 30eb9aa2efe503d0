// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @pack_f16(%x_base: tile<ptr<f16>>, %y_base: tile<ptr<i8>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [32], strides = [1] : tensor_view<32xf16, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(32), tensor_view<32xf16, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(32), tensor_view<32xf16, strides=[1]>>, tile<i32> -> tile<32xf16>, token
  %b = pack %a : tile<32xf16> -> tile<64xi8>
  %b_to_y = store_view_tko weak %b, %y_view[%zero] : tile<64xi8>, partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> token
  return
}
}
