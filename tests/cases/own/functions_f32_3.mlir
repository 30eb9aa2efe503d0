// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @functions_f32_3(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [1152], strides = [1] : tensor_view<1152xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [832], strides = [1] : tensor_view<832xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>
  %at_y1_0 = constant <i32: 0> : tile<i32>
  %y1_0, %y1_0_t = load_view_tko weak %x_view[%at_y1_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %y1_r = function "__nv_y1f"(%y1_0) : tile<64xf32> -> tile<64xf32>
  %to_y1 = constant <i32: 0> : tile<i32>
  %y1_s = store_view_tko weak %y1_r, %y_view[%to_y1] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_trunc_0 = constant <i32: 1> : tile<i32>
  %trunc_0, %trunc_0_t = load_view_tko weak %x_view[%at_trunc_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %trunc_r = function "__nv_truncf"(%trunc_0) : tile<64xf32> -> tile<64xf32>
  %to_trunc = constant <i32: 1> : tile<i32>
  %trunc_s = store_view_tko weak %trunc_r, %y_view[%to_trunc] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_round_0 = constant <i32: 2> : tile<i32>
  %round_0, %round_0_t = load_view_tko weak %x_view[%at_round_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %round_r = function "__nv_roundf"(%round_0) : tile<64xf32> -> tile<64xf32>
  %to_round = constant <i32: 2> : tile<i32>
  %round_s = store_view_tko weak %round_r, %y_view[%to_round] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_rint_0 = constant <i32: 3> : tile<i32>
  %rint_0, %rint_0_t = load_view_tko weak %x_view[%at_rint_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %rint_r = function "__nv_rintf"(%rint_0) : tile<64xf32> -> tile<64xf32>
  %to_rint = constant <i32: 3> : tile<i32>
  %rint_s = store_view_tko weak %rint_r, %y_view[%to_rint] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_nearbyint_0 = constant <i32: 4> : tile<i32>
  %nearbyint_0, %nearbyint_0_t = load_view_tko weak %x_view[%at_nearbyint_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %nearbyint_r = function "__nv_nearbyintf"(%nearbyint_0) : tile<64xf32> -> tile<64xf32>
  %to_nearbyint = constant <i32: 4> : tile<i32>
  %nearbyint_s = store_view_tko weak %nearbyint_r, %y_view[%to_nearbyint] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_copysign_0 = constant <i32: 5> : tile<i32>
  %copysign_0, %copysign_0_t = load_view_tko weak %x_view[%at_copysign_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_copysign_1 = constant <i32: 6> : tile<i32>
  %copysign_1, %copysign_1_t = load_view_tko weak %x_view[%at_copysign_1] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %copysign_r = function "__nv_copysignf"(%copysign_0, %copysign_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_copysign = constant <i32: 5> : tile<i32>
  %copysign_s = store_view_tko weak %copysign_r, %y_view[%to_copysign] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_fdim_0 = constant <i32: 7> : tile<i32>
  %fdim_0, %fdim_0_t = load_view_tko weak %x_view[%at_fdim_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_fdim_1 = constant <i32: 8> : tile<i32>
  %fdim_1, %fdim_1_t = load_view_tko weak %x_view[%at_fdim_1] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %fdim_r = function "__nv_fdimf"(%fdim_0, %fdim_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_fdim = constant <i32: 6> : tile<i32>
  %fdim_s = store_view_tko weak %fdim_r, %y_view[%to_fdim] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_remainder_0 = constant <i32: 9> : tile<i32>
  %remainder_0, %remainder_0_t = load_view_tko weak %x_view[%at_remainder_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_remainder_1 = constant <i32: 10> : tile<i32>
  %remainder_1, %remainder_1_t = load_view_tko weak %x_view[%at_remainder_1] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %remainder_r = function "__nv_remainderf"(%remainder_0, %remainder_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_remainder = constant <i32: 7> : tile<i32>
  %remainder_s = store_view_tko weak %remainder_r, %y_view[%to_remainder] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_fmod_0 = constant <i32: 11> : tile<i32>
  %fmod_0, %fmod_0_t = load_view_tko weak %x_view[%at_fmod_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_fmod_1 = constant <i32: 12> : tile<i32>
  %fmod_1, %fmod_1_t = load_view_tko weak %x_view[%at_fmod_1] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %fmod_r = function "__nv_fmodf"(%fmod_0, %fmod_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_fmod = constant <i32: 8> : tile<i32>
  %fmod_s = store_view_tko weak %fmod_r, %y_view[%to_fmod] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_tanh_0 = constant <i32: 13> : tile<i32>
  %tanh_0, %tanh_0_t = load_view_tko weak %x_view[%at_tanh_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %tanh_r = function "__nv_tanhf"(%tanh_0) : tile<64xf32> -> tile<64xf32>
  %to_tanh = constant <i32: 9> : tile<i32>
  %tanh_s = store_view_tko weak %tanh_r, %y_view[%to_tanh] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_sqrt_0 = constant <i32: 14> : tile<i32>
  %sqrt_0, %sqrt_0_t = load_view_tko weak %x_view[%at_sqrt_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %sqrt_r = function "__nv_sqrtf"(%sqrt_0) : tile<64xf32> -> tile<64xf32>
  %to_sqrt = constant <i32: 10> : tile<i32>
  %sqrt_s = store_view_tko weak %sqrt_r, %y_view[%to_sqrt] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_tan_0 = constant <i32: 15> : tile<i32>
  %tan_0, %tan_0_t = load_view_tko weak %x_view[%at_tan_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %tan_r = function "__nv_tanf"(%tan_0) : tile<64xf32> -> tile<64xf32>
  %to_tan = constant <i32: 11> : tile<i32>
  %tan_s = store_view_tko weak %tan_r, %y_view[%to_tan] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  %at_pow_0 = constant <i32: 16> : tile<i32>
  %pow_0, %pow_0_t = load_view_tko weak %x_view[%at_pow_0] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %at_pow_1 = constant <i32: 17> : tile<i32>
  %pow_1, %pow_1_t = load_view_tko weak %x_view[%at_pow_1] : partition_view<tile=(64), tensor_view<1152xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %pow_r = function "__nv_powf"(%pow_0, %pow_1) : tile<64xf32>, tile<64xf32> -> tile<64xf32>
  %to_pow = constant <i32: 12> : tile<i32>
  %pow_s = store_view_tko weak %pow_r, %y_view[%to_pow] : tile<64xf32>, partition_view<tile=(64), tensor_view<832xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
