// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @laws_functions(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>, %z_base: tile<ptr<f32>>, %u_base: tile<ptr<f32>>, %r_base: tile<ptr<f32>>) {
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
  %r_log1p = function "log1p"(%x) : tile<64xf32> -> tile<64xf32>
  %to_log1p = constant <i32: 0> : tile<i32>
  %stored_log1p = store_view_tko weak %r_log1p, %r_view[%to_log1p] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_expm1 = function "expm1"(%x) : tile<64xf32> -> tile<64xf32>
  %to_expm1 = constant <i32: 1> : tile<i32>
  %stored_expm1 = store_view_tko weak %r_expm1, %r_view[%to_expm1] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_log10 = function "log10"(%x) : tile<64xf32> -> tile<64xf32>
  %to_log10 = constant <i32: 2> : tile<i32>
  %stored_log10 = store_view_tko weak %r_log10, %r_view[%to_log10] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_exp10 = function "exp10"(%x) : tile<64xf32> -> tile<64xf32>
  %to_exp10 = constant <i32: 3> : tile<i32>
  %stored_exp10 = store_view_tko weak %r_exp10, %r_view[%to_exp10] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_erfc = function "erfc"(%x) : tile<64xf32> -> tile<64xf32>
  %to_erfc = constant <i32: 4> : tile<i32>
  %stored_erfc = store_view_tko weak %r_erfc, %r_view[%to_erfc] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_erf_odd = function "erf"(%x) : tile<64xf32> -> tile<64xf32>
  %to_erf_odd = constant <i32: 5> : tile<i32>
  %stored_erf_odd = store_view_tko weak %r_erf_odd, %r_view[%to_erf_odd] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_asin_odd = function "asin"(%u) : tile<64xf32> -> tile<64xf32>
  %to_asin_odd = constant <i32: 6> : tile<i32>
  %stored_asin_odd = store_view_tko weak %r_asin_odd, %r_view[%to_asin_odd] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_cospi_even = function "cospi"(%x) : tile<64xf32> -> tile<64xf32>
  %to_cospi_even = constant <i32: 7> : tile<i32>
  %stored_cospi_even = store_view_tko weak %r_cospi_even, %r_view[%to_cospi_even] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_rcbrt = function "rcbrt"(%x) : tile<64xf32> -> tile<64xf32>
  %to_rcbrt = constant <i32: 8> : tile<i32>
  %stored_rcbrt = store_view_tko weak %r_rcbrt, %r_view[%to_rcbrt] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_hypot = function "hypot"(%x, %y) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_hypot = constant <i32: 9> : tile<i32>
  %stored_hypot = store_view_tko weak %r_hypot, %r_view[%to_hypot] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_rhypot = function "rhypot"(%x, %y) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_rhypot = constant <i32: 10> : tile<i32>
  %stored_rhypot = store_view_tko weak %r_rhypot, %r_view[%to_rhypot] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_norm3d = function "norm3d"(%x, %y, %z) : tile<64xf32>, tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_norm3d = constant <i32: 11> : tile<i32>
  %stored_norm3d = store_view_tko weak %r_norm3d, %r_view[%to_norm3d] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_rnorm4d = function "rnorm4d"(%x, %y, %z, %x) : tile<64xf32>, tile<64xf32>, tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_rnorm4d = constant <i32: 12> : tile<i32>
  %stored_rnorm4d = store_view_tko weak %r_rnorm4d, %r_view[%to_rnorm4d] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_normcdf = function "normcdf"(%x) : tile<64xf32> -> tile<64xf32>
  %to_normcdf = constant <i32: 13> : tile<i32>
  %stored_normcdf = store_view_tko weak %r_normcdf, %r_view[%to_normcdf] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %n_ldexp = constant <i32: 3> : tile<64xi32>
  %r_ldexp = function "ldexp"(%x, %n_ldexp) : tile<64xf32>, tile<64xi32> -> tile<64xf32>
  %to_ldexp = constant <i32: 14> : tile<i32>
  %stored_ldexp = store_view_tko weak %r_ldexp, %r_view[%to_ldexp] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_copysign = function "copysign"(%x, %u) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_copysign = constant <i32: 15> : tile<i32>
  %stored_copysign = store_view_tko weak %r_copysign, %r_view[%to_copysign] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_fdim = function "fdim"(%x, %y) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_fdim = constant <i32: 16> : tile<i32>
  %stored_fdim = store_view_tko weak %r_fdim, %r_view[%to_fdim] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_trunc = function "trunc"(%x) : tile<64xf32> -> tile<64xf32>
  %to_trunc = constant <i32: 17> : tile<i32>
  %stored_trunc = store_view_tko weak %r_trunc, %r_view[%to_trunc] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  %r_remainder = function "remainder"(%x, %y) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_remainder = constant <i32: 18> : tile<i32>
  %stored_remainder = store_view_tko weak %r_remainder, %r_view[%to_remainder] : tile<64xf32>, partition_view<tile=(64), tensor_view<1216xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
