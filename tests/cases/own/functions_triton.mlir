// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @functions_triton(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [448], strides = [1] : tensor_view<448xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>
  %t, %t_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %size = absf %t : tile<64xf32>
  %half = constant <f32: 0.5> : tile<64xf32>
  %p = addf %size, %half rounding<nearest_even> : tile<64xf32>
  %r12 = function "fdiv_rn"(%t, %p) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to12 = constant <i32: 0> : tile<i32>
  %s12 = store_view_tko weak %r12, %y_view[%to12] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  %r13 = function "sqrt_rn"(%p) : tile<64xf32> -> tile<64xf32>
  %to13 = constant <i32: 1> : tile<i32>
  %s13 = store_view_tko weak %r13, %y_view[%to13] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  %r14 = function "__nv_tanhf"(%t) : tile<64xf32> -> tile<64xf32>
  %to14 = constant <i32: 2> : tile<i32>
  %s14 = store_view_tko weak %r14, %y_view[%to14] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  %r15 = function "__nv_powf"(%p, %t) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to15 = constant <i32: 3> : tile<i32>
  %s15 = store_view_tko weak %r15, %y_view[%to15] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  %r16 = function "__nv_log1pf"(%p) : tile<64xf32> -> tile<64xf32>
  %to16 = constant <i32: 4> : tile<i32>
  %s16 = store_view_tko weak %r16, %y_view[%to16] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  %r20 = function "__nv_atan2f"(%t, %p) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to20 = constant <i32: 5> : tile<i32>
  %s20 = store_view_tko weak %r20, %y_view[%to20] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  %r21 = function "erf"(%t) : tile<64xf32> -> tile<64xf32>
  %to21 = constant <i32: 6> : tile<i32>
  %s21 = store_view_tko weak %r21, %y_view[%to21] : tile<64xf32>, partition_view<tile=(64), tensor_view<448xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
