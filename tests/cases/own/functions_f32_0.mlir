// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @functions_f32_0(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [704], strides = [1] : tensor_view<704xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [704], strides = [1] : tensor_view<704xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>
  %at_acos_0 = constant <i32: 0> : tile<i32>
  %acos_0, %acos_0_t = load_view_tko weak %x_view[%at_acos_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %acos_r = function "__nv_acosf"(%acos_0) : tile<64xf32> -> tile<64xf32>
  %to_acos = constant <i32: 0> : tile<i32>
  %acos_s = store_view_tko weak %acos_r, %y_view[%to_acos] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_acosh_0 = constant <i32: 1> : tile<i32>
  %acosh_0, %acosh_0_t = load_view_tko weak %x_view[%at_acosh_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %acosh_r = function "__nv_acoshf"(%acosh_0) : tile<64xf32> -> tile<64xf32>
  %to_acosh = constant <i32: 1> : tile<i32>
  %acosh_s = store_view_tko weak %acosh_r, %y_view[%to_acosh] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_asin_0 = constant <i32: 2> : tile<i32>
  %asin_0, %asin_0_t = load_view_tko weak %x_view[%at_asin_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %asin_r = function "__nv_asinf"(%asin_0) : tile<64xf32> -> tile<64xf32>
  %to_asin = constant <i32: 2> : tile<i32>
  %asin_s = store_view_tko weak %asin_r, %y_view[%to_asin] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_asinh_0 = constant <i32: 3> : tile<i32>
  %asinh_0, %asinh_0_t = load_view_tko weak %x_view[%at_asinh_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %asinh_r = function "__nv_asinhf"(%asinh_0) : tile<64xf32> -> tile<64xf32>
  %to_asinh = constant <i32: 3> : tile<i32>
  %asinh_s = store_view_tko weak %asinh_r, %y_view[%to_asinh] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_atan_0 = constant <i32: 4> : tile<i32>
  %atan_0, %atan_0_t = load_view_tko weak %x_view[%at_atan_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %atan_r = function "__nv_atanf"(%atan_0) : tile<64xf32> -> tile<64xf32>
  %to_atan = constant <i32: 4> : tile<i32>
  %atan_s = store_view_tko weak %atan_r, %y_view[%to_atan] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_atanh_0 = constant <i32: 5> : tile<i32>
  %atanh_0, %atanh_0_t = load_view_tko weak %x_view[%at_atanh_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %atanh_r = function "__nv_atanhf"(%atanh_0) : tile<64xf32> -> tile<64xf32>
  %to_atanh = constant <i32: 5> : tile<i32>
  %atanh_s = store_view_tko weak %atanh_r, %y_view[%to_atanh] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_cbrt_0 = constant <i32: 6> : tile<i32>
  %cbrt_0, %cbrt_0_t = load_view_tko weak %x_view[%at_cbrt_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %cbrt_r = function "__nv_cbrtf"(%cbrt_0) : tile<64xf32> -> tile<64xf32>
  %to_cbrt = constant <i32: 6> : tile<i32>
  %cbrt_s = store_view_tko weak %cbrt_r, %y_view[%to_cbrt] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_rcbrt_0 = constant <i32: 7> : tile<i32>
  %rcbrt_0, %rcbrt_0_t = load_view_tko weak %x_view[%at_rcbrt_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %rcbrt_r = function "__nv_rcbrtf"(%rcbrt_0) : tile<64xf32> -> tile<64xf32>
  %to_rcbrt = constant <i32: 7> : tile<i32>
  %rcbrt_s = store_view_tko weak %rcbrt_r, %y_view[%to_rcbrt] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_erf_0 = constant <i32: 8> : tile<i32>
  %erf_0, %erf_0_t = load_view_tko weak %x_view[%at_erf_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %erf_r = function "__nv_erff"(%erf_0) : tile<64xf32> -> tile<64xf32>
  %to_erf = constant <i32: 8> : tile<i32>
  %erf_s = store_view_tko weak %erf_r, %y_view[%to_erf] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_erfc_0 = constant <i32: 9> : tile<i32>
  %erfc_0, %erfc_0_t = load_view_tko weak %x_view[%at_erfc_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %erfc_r = function "__nv_erfcf"(%erfc_0) : tile<64xf32> -> tile<64xf32>
  %to_erfc = constant <i32: 9> : tile<i32>
  %erfc_s = store_view_tko weak %erfc_r, %y_view[%to_erfc] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  %at_erfcx_0 = constant <i32: 10> : tile<i32>
  %erfcx_0, %erfcx_0_t = load_view_tko weak %x_view[%at_erfcx_0] : partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %erfcx_r = function "__nv_erfcxf"(%erfcx_0) : tile<64xf32> -> tile<64xf32>
  %to_erfcx = constant <i32: 10> : tile<i32>
  %erfcx_s = store_view_tko weak %erfcx_r, %y_view[%to_erfcx] : tile<64xf32>, partition_view<tile=(64), tensor_view<704xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
