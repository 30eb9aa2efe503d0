// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @unpack_f4(%x_base: tile<ptr<i8>>, %s_base: tile<ptr<f32>>, %y_base: tile<ptr<i8>>, %z_base: tile<ptr<i8>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %s_tensor = make_tensor_view %s_base, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
  %s_view = make_partition_view %s_tensor : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %z_tensor = make_tensor_view %z_base, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
  %z_view = make_partition_view %z_tensor : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %b = unpack %a : tile<64xi8> -> tile<128xf4E2M1FN>
  %wide = ftof %b : tile<128xf4E2M1FN> -> tile<128xf32>
  %narrow = ftof %wide : tile<128xf32> -> tile<128xf4E2M1FN>
  %packed = pack %b : tile<128xf4E2M1FN> -> tile<64xi8>
  %again = pack %narrow : tile<128xf4E2M1FN> -> tile<64xi8>
  %wide_to_s = store_view_tko weak %wide, %s_view[%zero] : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
  %packed_to_y = store_view_tko weak %packed, %y_view[%zero] : tile<64xi8>, partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> token
  %again_to_z = store_view_tko weak %again, %z_view[%zero] : tile<64xi8>, partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> token
  return
}
}
