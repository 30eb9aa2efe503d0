// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @unpack_i4(%x_base: tile<ptr<i8>>, %s_base: tile<ptr<i32>>, %u_base: tile<ptr<i16>>, %y_base: tile<ptr<i8>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %s_tensor = make_tensor_view %s_base, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
  %s_view = make_partition_view %s_tensor : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>
  %u_tensor = make_tensor_view %u_base, shape = [128], strides = [1] : tensor_view<128xi16, strides=[1]>
  %u_view = make_partition_view %u_tensor : partition_view<tile=(128), tensor_view<128xi16, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %b = unpack %a : tile<64xi8> -> tile<128xi4>
  %signed = exti %b signed : tile<128xi4> -> tile<128xi32>
  %unsigned = exti %b unsigned : tile<128xi4> -> tile<128xi16>
  %back = trunci %signed : tile<128xi32> -> tile<128xi4>
  %packed = pack %back : tile<128xi4> -> tile<64xi8>
  %signed_to_s = store_view_tko weak %signed, %s_view[%zero] : tile<128xi32>, partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32> -> token
  %unsigned_to_u = store_view_tko weak %unsigned, %u_view[%zero] : tile<128xi16>, partition_view<tile=(128), tensor_view<128xi16, strides=[1]>>, tile<i32> -> token
  %packed_to_y = store_view_tko weak %packed, %y_view[%zero] : tile<64xi8>, partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> token
  return
}
}
