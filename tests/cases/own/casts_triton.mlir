// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @casts_triton(%x_base: tile<ptr<f32>>, %h_base: tile<ptr<f16>>, %b_base: tile<ptr<bf16>>, %e_base: tile<ptr<f8E4M3FN>>, %f_base: tile<ptr<f8E5M2>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %h_tensor = make_tensor_view %h_base, shape = [256], strides = [1] : tensor_view<256xf16, strides=[1]>
  %h_view = make_partition_view %h_tensor : partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>
  %b_tensor = make_tensor_view %b_base, shape = [256], strides = [1] : tensor_view<256xbf16, strides=[1]>
  %b_view = make_partition_view %b_tensor : partition_view<tile=(256), tensor_view<256xbf16, strides=[1]>>
  %e_tensor = make_tensor_view %e_base, shape = [256], strides = [1] : tensor_view<256xf8E4M3FN, strides=[1]>
  %e_view = make_partition_view %e_tensor : partition_view<tile=(256), tensor_view<256xf8E4M3FN, strides=[1]>>
  %f_tensor = make_tensor_view %f_base, shape = [256], strides = [1] : tensor_view<256xf8E5M2, strides=[1]>
  %f_view = make_partition_view %f_tensor : partition_view<tile=(256), tensor_view<256xf8E5M2, strides=[1]>>
  %t, %t_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %rh = nv_tileaa.cast %t : tile<256xf32> to tile<256xf16> {rounding = #rz, satf = false}
  %rh_to_h = store_view_tko weak %rh, %h_view[%zero] : tile<256xf16>, partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>, tile<i32> -> token
  %rb = ftof %t rounding<nearest_even> : tile<256xf32> -> tile<256xbf16>
  %rb_to_b = store_view_tko weak %rb, %b_view[%zero] : tile<256xbf16>, partition_view<tile=(256), tensor_view<256xbf16, strides=[1]>>, tile<i32> -> token
  %re = ftof %t rounding<nearest_even> : tile<256xf32> -> tile<256xf8E4M3FN>
  %re_to_e = store_view_tko weak %re, %e_view[%zero] : tile<256xf8E4M3FN>, partition_view<tile=(256), tensor_view<256xf8E4M3FN, strides=[1]>>, tile<i32> -> token
  %rf = nv_tileaa.cast %t : tile<256xf32> to tile<256xf8E5M2> {rounding = #rz, satf = false}
  %rf_to_f = store_view_tko weak %rf, %f_view[%zero] : tile<256xf8E5M2>, partition_view<tile=(256), tensor_view<256xf8E5M2, strides=[1]>>, tile<i32> -> token
  return
}
}
