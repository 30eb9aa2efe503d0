// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @laws_formulas(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>, %z_base: tile<ptr<f32>>, %u_base: tile<ptr<f32>>, %r_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %z_tensor = make_tensor_view %z_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %z_view = make_partition_view %z_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %u_tensor = make_tensor_view %u_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %u_view = make_partition_view %u_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %r_tensor = make_tensor_view %r_base, shape = [1216], strides = [1] : tensor_view<1216xf32, strides=[1]>
  %r_view = make_partition_view %r_tensor : partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>
  %x, %x_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %y, %y_t = load_view_tko weak %y_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %z, %z_t = load_view_tko weak %z_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %u, %u_t = load_view_tko weak %u_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %c4_log1p = constant <f32: 1.0> : tile<64xf32>
  %s_log1p = addf %c4_log1p, %x rounding<nearest_even> : tile<64xf32>
  %r_log1p = log %s_log1p : tile<64xf32>
  %to_log1p = constant <i32: 0> : tile<i32>
  %stored_log1p = store_view_tko weak %r_log1p, %r_view[%to_log1p] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %s_expm1 = exp %x : tile<64xf32>
  %c5_expm1 = constant <f32: 1.0> : tile<64xf32>
  %r_expm1 = subf %s_expm1, %c5_expm1 rounding<nearest_even> : tile<64xf32>
  %to_expm1 = constant <i32: 1> : tile<i32>
  %stored_expm1 = store_view_tko weak %r_expm1, %r_view[%to_expm1] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_log10 = log2 %x : tile<64xf32>
  %c5_log10 = constant <f32: 10.0> : tile<64xf32>
  %b_log10 = log2 %c5_log10 : tile<64xf32>
  %r_log10 = divf %a_log10, %b_log10 rounding<nearest_even> : tile<64xf32>
  %to_log10 = constant <i32: 2> : tile<i32>
  %stored_log10 = store_view_tko weak %r_log10, %r_view[%to_log10] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %c4_exp10 = constant <f32: 10.0> : tile<64xf32>
  %b_exp10 = log2 %c4_exp10 : tile<64xf32>
  %a_exp10 = mulf %x, %b_exp10 rounding<nearest_even> : tile<64xf32>
  %r_exp10 = exp2 %a_exp10 : tile<64xf32>
  %to_exp10 = constant <i32: 3> : tile<i32>
  %stored_exp10 = store_view_tko weak %r_exp10, %r_view[%to_exp10] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_erfc = function "erf"(%x) : tile<64xf32> -> tile<64xf32>
  %c5_erfc = constant <f32: 1.0> : tile<64xf32>
  %r_erfc = subf %c5_erfc, %a_erfc rounding<nearest_even> : tile<64xf32>
  %to_erfc = constant <i32: 4> : tile<i32>
  %stored_erfc = store_view_tko weak %r_erfc, %r_view[%to_erfc] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %m_erf_odd = negf %x : tile<64xf32>
  %a_erf_odd = function "erf"(%m_erf_odd) : tile<64xf32> -> tile<64xf32>
  %r_erf_odd = negf %a_erf_odd : tile<64xf32>
  %to_erf_odd = constant <i32: 5> : tile<i32>
  %stored_erf_odd = store_view_tko weak %r_erf_odd, %r_view[%to_erf_odd] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %m_asin_odd = negf %u : tile<64xf32>
  %a_asin_odd = function "asin"(%m_asin_odd) : tile<64xf32> -> tile<64xf32>
  %r_asin_odd = negf %a_asin_odd : tile<64xf32>
  %to_asin_odd = constant <i32: 6> : tile<i32>
  %stored_asin_odd = store_view_tko weak %r_asin_odd, %r_view[%to_asin_odd] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %m_cospi_even = negf %x : tile<64xf32>
  %r_cospi_even = function "cospi"(%m_cospi_even) : tile<64xf32> -> tile<64xf32>
  %to_cospi_even = constant <i32: 7> : tile<i32>
  %stored_cospi_even = store_view_tko weak %r_cospi_even, %r_view[%to_cospi_even] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_rcbrt = function "cbrt"(%x) : tile<64xf32> -> tile<64xf32>
  %c5_rcbrt = constant <f32: 1.0> : tile<64xf32>
  %r_rcbrt = divf %c5_rcbrt, %a_rcbrt rounding<nearest_even> : tile<64xf32>
  %to_rcbrt = constant <i32: 8> : tile<i32>
  %stored_rcbrt = store_view_tko weak %r_rcbrt, %r_view[%to_rcbrt] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_hypot = mulf %x, %x rounding<nearest_even> : tile<64xf32>
  %b_hypot = mulf %y, %y rounding<nearest_even> : tile<64xf32>
  %s_hypot = addf %a_hypot, %b_hypot rounding<nearest_even> : tile<64xf32>
  %r_hypot = sqrt %s_hypot rounding<nearest_even> : tile<64xf32>
  %to_hypot = constant <i32: 9> : tile<i32>
  %stored_hypot = store_view_tko weak %r_hypot, %r_view[%to_hypot] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_rhypot = mulf %x, %x rounding<nearest_even> : tile<64xf32>
  %b_rhypot = mulf %y, %y rounding<nearest_even> : tile<64xf32>
  %s_rhypot = addf %a_rhypot, %b_rhypot rounding<nearest_even> : tile<64xf32>
  %r_rhypot = rsqrt %s_rhypot : tile<64xf32>
  %to_rhypot = constant <i32: 10> : tile<i32>
  %stored_rhypot = store_view_tko weak %r_rhypot, %r_view[%to_rhypot] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_norm3d = mulf %x, %x rounding<nearest_even> : tile<64xf32>
  %b_norm3d = mulf %y, %y rounding<nearest_even> : tile<64xf32>
  %s_norm3d = addf %a_norm3d, %b_norm3d rounding<nearest_even> : tile<64xf32>
  %c_norm3d = mulf %z, %z rounding<nearest_even> : tile<64xf32>
  %t_norm3d = addf %s_norm3d, %c_norm3d rounding<nearest_even> : tile<64xf32>
  %r_norm3d = sqrt %t_norm3d rounding<nearest_even> : tile<64xf32>
  %to_norm3d = constant <i32: 11> : tile<i32>
  %stored_norm3d = store_view_tko weak %r_norm3d, %r_view[%to_norm3d] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_rnorm4d = mulf %x, %x rounding<nearest_even> : tile<64xf32>
  %b_rnorm4d = mulf %y, %y rounding<nearest_even> : tile<64xf32>
  %s_rnorm4d = addf %a_rnorm4d, %b_rnorm4d rounding<nearest_even> : tile<64xf32>
  %c_rnorm4d = mulf %z, %z rounding<nearest_even> : tile<64xf32>
  %t_rnorm4d = addf %s_rnorm4d, %c_rnorm4d rounding<nearest_even> : tile<64xf32>
  %v_rnorm4d = addf %t_rnorm4d, %a_rnorm4d rounding<nearest_even> : tile<64xf32>
  %r_rnorm4d = rsqrt %v_rnorm4d : tile<64xf32>
  %to_rnorm4d = constant <i32: 12> : tile<i32>
  %stored_rnorm4d = store_view_tko weak %r_rnorm4d, %r_view[%to_rnorm4d] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %c4_normcdf = constant <f32: 0.707106769> : tile<64xf32>
  %a_normcdf = mulf %x, %c4_normcdf rounding<nearest_even> : tile<64xf32>
  %e_normcdf = function "erf"(%a_normcdf) : tile<64xf32> -> tile<64xf32>
  %c7_normcdf = constant <f32: 1.0> : tile<64xf32>
  %s_normcdf = addf %c7_normcdf, %e_normcdf rounding<nearest_even> : tile<64xf32>
  %c9_normcdf = constant <f32: 0.5> : tile<64xf32>
  %r_normcdf = mulf %s_normcdf, %c9_normcdf rounding<nearest_even> : tile<64xf32>
  %to_normcdf = constant <i32: 13> : tile<i32>
  %stored_normcdf = store_view_tko weak %r_normcdf, %r_view[%to_normcdf] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %c4_ldexp = constant <f32: 8.0> : tile<64xf32>
  %r_ldexp = mulf %x, %c4_ldexp rounding<nearest_even> : tile<64xf32>
  %to_ldexp = constant <i32: 14> : tile<i32>
  %stored_ldexp = store_view_tko weak %r_ldexp, %r_view[%to_ldexp] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %a_copysign = absf %x : tile<64xf32>
  %p_copysign = negf %a_copysign : tile<64xf32>
  %c6_copysign = constant <f32: 0.0> : tile<64xf32>
  %c_copysign = cmpf less_than ordered %u, %c6_copysign : tile<64xf32> -> tile<64xi1>
  %r_copysign = select %c_copysign, %p_copysign, %a_copysign : tile<64xi1>, tile<64xf32>
  %to_copysign = constant <i32: 15> : tile<i32>
  %stored_copysign = store_view_tko weak %r_copysign, %r_view[%to_copysign] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %d_fdim = subf %x, %y rounding<nearest_even> : tile<64xf32>
  %c5_fdim = constant <f32: 0.0> : tile<64xf32>
  %r_fdim = maxf %d_fdim, %c5_fdim : tile<64xf32>
  %to_fdim = constant <i32: 16> : tile<i32>
  %stored_fdim = store_view_tko weak %r_fdim, %r_view[%to_fdim] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_trunc = floor %x : tile<64xf32>
  %to_trunc = constant <i32: 17> : tile<i32>
  %stored_trunc = store_view_tko weak %r_trunc, %r_view[%to_trunc] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %q_remainder = divf %x, %y rounding<nearest_even> : tile<64xf32>
  %n_remainder = function "rint"(%q_remainder) : tile<64xf32> -> tile<64xf32>
  %p_remainder = mulf %n_remainder, %y rounding<nearest_even> : tile<64xf32>
  %r_remainder = subf %x, %p_remainder rounding<nearest_even> : tile<64xf32>
  %to_remainder = constant <i32: 18> : tile<i32>
  %stored_remainder = store_view_tko weak %r_remainder, %r_view[%to_remainder] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
