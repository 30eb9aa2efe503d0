// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @functions_f32_1(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [832], strides = [1] : tensor_view<832xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [704], strides = [1] : tensor_view<704xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>
  %at_erfinv_0 = constant <i32: 0> : tile<i32>
  %erfinv_0, %erfinv_0_t = load_view_tko weak %x_view[%at_erfinv_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %erfinv_r = function "__nv_erfinvf"(%erfinv_0) : tile<64xf32> -> tile<64xf32>
  %to_erfinv = constant <i32: 0> : tile<i32>
  %erfinv_s = store_view_tko weak %erfinv_r, %y_view[%to_erfinv] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_erfcinv_0 = constant <i32: 1> : tile<i32>
  %erfcinv_0, %erfcinv_0_t = load_view_tko weak %x_view[%at_erfcinv_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %erfcinv_r = function "__nv_erfcinvf"(%erfcinv_0) : tile<64xf32> -> tile<64xf32>
  %to_erfcinv = constant <i32: 1> : tile<i32>
  %erfcinv_s = store_view_tko weak %erfcinv_r, %y_view[%to_erfcinv] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_normcdf_0 = constant <i32: 2> : tile<i32>
  %normcdf_0, %normcdf_0_t = load_view_tko weak %x_view[%at_normcdf_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %normcdf_r = function "__nv_normcdff"(%normcdf_0) : tile<64xf32> -> tile<64xf32>
  %to_normcdf = constant <i32: 2> : tile<i32>
  %normcdf_s = store_view_tko weak %normcdf_r, %y_view[%to_normcdf] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_normcdfinv_0 = constant <i32: 3> : tile<i32>
  %normcdfinv_0, %normcdfinv_0_t = load_view_tko weak %x_view[%at_normcdfinv_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %normcdfinv_r = function "__nv_normcdfinvf"(%normcdfinv_0) : tile<64xf32> -> tile<64xf32>
  %to_normcdfinv = constant <i32: 3> : tile<i32>
  %normcdfinv_s = store_view_tko weak %normcdfinv_r, %y_view[%to_normcdfinv] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_exp10_0 = constant <i32: 4> : tile<i32>
  %exp10_0, %exp10_0_t = load_view_tko weak %x_view[%at_exp10_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %exp10_r = function "__nv_exp10f"(%exp10_0) : tile<64xf32> -> tile<64xf32>
  %to_exp10 = constant <i32: 4> : tile<i32>
  %exp10_s = store_view_tko weak %exp10_r, %y_view[%to_exp10] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_expm1_0 = constant <i32: 5> : tile<i32>
  %expm1_0, %expm1_0_t = load_view_tko weak %x_view[%at_expm1_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %expm1_r = function "__nv_expm1f"(%expm1_0) : tile<64xf32> -> tile<64xf32>
  %to_expm1 = constant <i32: 5> : tile<i32>
  %expm1_s = store_view_tko weak %expm1_r, %y_view[%to_expm1] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_log10_0 = constant <i32: 6> : tile<i32>
  %log10_0, %log10_0_t = load_view_tko weak %x_view[%at_log10_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %log10_r = function "__nv_log10f"(%log10_0) : tile<64xf32> -> tile<64xf32>
  %to_log10 = constant <i32: 6> : tile<i32>
  %log10_s = store_view_tko weak %log10_r, %y_view[%to_log10] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_log1p_0 = constant <i32: 7> : tile<i32>
  %log1p_0, %log1p_0_t = load_view_tko weak %x_view[%at_log1p_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %log1p_r = function "__nv_log1pf"(%log1p_0) : tile<64xf32> -> tile<64xf32>
  %to_log1p = constant <i32: 7> : tile<i32>
  %log1p_s = store_view_tko weak %log1p_r, %y_view[%to_log1p] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_logb_0 = constant <i32: 8> : tile<i32>
  %logb_0, %logb_0_t = load_view_tko weak %x_view[%at_logb_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %logb_r = function "__nv_logbf"(%logb_0) : tile<64xf32> -> tile<64xf32>
  %to_logb = constant <i32: 8> : tile<i32>
  %logb_s = store_view_tko weak %logb_r, %y_view[%to_logb] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_hypot_0 = constant <i32: 9> : tile<i32>
  %hypot_0, %hypot_0_t = load_view_tko weak %x_view[%at_hypot_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_hypot_1 = constant <i32: 10> : tile<i32>
  %hypot_1, %hypot_1_t = load_view_tko weak %x_view[%at_hypot_1] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %hypot_r = function "__nv_hypotf"(%hypot_0, %hypot_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_hypot = constant <i32: 9> : tile<i32>
  %hypot_s = store_view_tko weak %hypot_r, %y_view[%to_hypot] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_rhypot_0 = constant <i32: 11> : tile<i32>
  %rhypot_0, %rhypot_0_t = load_view_tko weak %x_view[%at_rhypot_0] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_rhypot_1 = constant <i32: 12> : tile<i32>
  %rhypot_1, %rhypot_1_t = load_view_tko weak %x_view[%at_rhypot_1] : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %rhypot_r = function "__nv_rhypotf"(%rhypot_0, %rhypot_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_rhypot = constant <i32: 10> : tile<i32>
  %rhypot_s = store_view_tko weak %rhypot_r, %y_view[%to_rhypot] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
