// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @functions_f64_2(%x_base: tile<ptr<f64>>, %y_base: tile<ptr<f64>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [1344], strides = [1] : tensor_view<1344xf64, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [704], strides = [1] : tensor_view<704xf64, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>
  %at_norm3d_0 = constant <i32: 0> : tile<i32>
  %norm3d_0, %norm3d_0_t = load_view_tko weak %x_view[%at_norm3d_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_norm3d_1 = constant <i32: 1> : tile<i32>
  %norm3d_1, %norm3d_1_t = load_view_tko weak %x_view[%at_norm3d_1] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_norm3d_2 = constant <i32: 2> : tile<i32>
  %norm3d_2, %norm3d_2_t = load_view_tko weak %x_view[%at_norm3d_2] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %norm3d_r = function "__nv_norm3d"(%norm3d_0, %norm3d_1, %norm3d_2) : tile<64xf64>, tile<64xf64>, tile<64xf64> -> tile<64xf64>
  %to_norm3d = constant <i32: 0> : tile<i32>
  %norm3d_s = store_view_tko weak %norm3d_r, %y_view[%to_norm3d] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_rnorm3d_0 = constant <i32: 3> : tile<i32>
  %rnorm3d_0, %rnorm3d_0_t = load_view_tko weak %x_view[%at_rnorm3d_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_rnorm3d_1 = constant <i32: 4> : tile<i32>
  %rnorm3d_1, %rnorm3d_1_t = load_view_tko weak %x_view[%at_rnorm3d_1] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_rnorm3d_2 = constant <i32: 5> : tile<i32>
  %rnorm3d_2, %rnorm3d_2_t = load_view_tko weak %x_view[%at_rnorm3d_2] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %rnorm3d_r = function "__nv_rnorm3d"(%rnorm3d_0, %rnorm3d_1, %rnorm3d_2) : tile<64xf64>, tile<64xf64>, tile<64xf64> -> tile<64xf64>
  %to_rnorm3d = constant <i32: 1> : tile<i32>
  %rnorm3d_s = store_view_tko weak %rnorm3d_r, %y_view[%to_rnorm3d] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_norm4d_0 = constant <i32: 6> : tile<i32>
  %norm4d_0, %norm4d_0_t = load_view_tko weak %x_view[%at_norm4d_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_norm4d_1 = constant <i32: 7> : tile<i32>
  %norm4d_1, %norm4d_1_t = load_view_tko weak %x_view[%at_norm4d_1] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_norm4d_2 = constant <i32: 8> : tile<i32>
  %norm4d_2, %norm4d_2_t = load_view_tko weak %x_view[%at_norm4d_2] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_norm4d_3 = constant <i32: 9> : tile<i32>
  %norm4d_3, %norm4d_3_t = load_view_tko weak %x_view[%at_norm4d_3] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %norm4d_r = function "__nv_norm4d"(%norm4d_0, %norm4d_1, %norm4d_2, %norm4d_3) : tile<64xf64>, tile<64xf64>, tile<64xf64>, tile<64xf64> -> tile<64xf64>
  %to_norm4d = constant <i32: 2> : tile<i32>
  %norm4d_s = store_view_tko weak %norm4d_r, %y_view[%to_norm4d] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_rnorm4d_0 = constant <i32: 10> : tile<i32>
  %rnorm4d_0, %rnorm4d_0_t = load_view_tko weak %x_view[%at_rnorm4d_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_rnorm4d_1 = constant <i32: 11> : tile<i32>
  %rnorm4d_1, %rnorm4d_1_t = load_view_tko weak %x_view[%at_rnorm4d_1] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_rnorm4d_2 = constant <i32: 12> : tile<i32>
  %rnorm4d_2, %rnorm4d_2_t = load_view_tko weak %x_view[%at_rnorm4d_2] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %at_rnorm4d_3 = constant <i32: 13> : tile<i32>
  %rnorm4d_3, %rnorm4d_3_t = load_view_tko weak %x_view[%at_rnorm4d_3] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %rnorm4d_r = function "__nv_rnorm4d"(%rnorm4d_0, %rnorm4d_1, %rnorm4d_2, %rnorm4d_3) : tile<64xf64>, tile<64xf64>, tile<64xf64>, tile<64xf64> -> tile<64xf64>
  %to_rnorm4d = constant <i32: 3> : tile<i32>
  %rnorm4d_s = store_view_tko weak %rnorm4d_r, %y_view[%to_rnorm4d] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_sinpi_0 = constant <i32: 14> : tile<i32>
  %sinpi_0, %sinpi_0_t = load_view_tko weak %x_view[%at_sinpi_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %sinpi_r = function "__nv_sinpi"(%sinpi_0) : tile<64xf64> -> tile<64xf64>
  %to_sinpi = constant <i32: 4> : tile<i32>
  %sinpi_s = store_view_tko weak %sinpi_r, %y_view[%to_sinpi] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_cospi_0 = constant <i32: 15> : tile<i32>
  %cospi_0, %cospi_0_t = load_view_tko weak %x_view[%at_cospi_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %cospi_r = function "__nv_cospi"(%cospi_0) : tile<64xf64> -> tile<64xf64>
  %to_cospi = constant <i32: 5> : tile<i32>
  %cospi_s = store_view_tko weak %cospi_r, %y_view[%to_cospi] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_lgamma_0 = constant <i32: 16> : tile<i32>
  %lgamma_0, %lgamma_0_t = load_view_tko weak %x_view[%at_lgamma_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %lgamma_r = function "__nv_lgamma"(%lgamma_0) : tile<64xf64> -> tile<64xf64>
  %to_lgamma = constant <i32: 6> : tile<i32>
  %lgamma_s = store_view_tko weak %lgamma_r, %y_view[%to_lgamma] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_tgamma_0 = constant <i32: 17> : tile<i32>
  %tgamma_0, %tgamma_0_t = load_view_tko weak %x_view[%at_tgamma_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %tgamma_r = function "__nv_tgamma"(%tgamma_0) : tile<64xf64> -> tile<64xf64>
  %to_tgamma = constant <i32: 7> : tile<i32>
  %tgamma_s = store_view_tko weak %tgamma_r, %y_view[%to_tgamma] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_j0_0 = constant <i32: 18> : tile<i32>
  %j0_0, %j0_0_t = load_view_tko weak %x_view[%at_j0_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %j0_r = function "__nv_j0"(%j0_0) : tile<64xf64> -> tile<64xf64>
  %to_j0 = constant <i32: 8> : tile<i32>
  %j0_s = store_view_tko weak %j0_r, %y_view[%to_j0] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_j1_0 = constant <i32: 19> : tile<i32>
  %j1_0, %j1_0_t = load_view_tko weak %x_view[%at_j1_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %j1_r = function "__nv_j1"(%j1_0) : tile<64xf64> -> tile<64xf64>
  %to_j1 = constant <i32: 9> : tile<i32>
  %j1_s = store_view_tko weak %j1_r, %y_view[%to_j1] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  %at_y0_0 = constant <i32: 20> : tile<i32>
  %y0_0, %y0_0_t = load_view_tko weak %x_view[%at_y0_0] : partition_view<tile=(64), tensor_view<1344xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %y0_r = function "__nv_y0"(%y0_0) : tile<64xf64> -> tile<64xf64>
  %to_y0 = constant <i32: 10> : tile<i32>
  %y0_s = store_view_tko weak %y0_r, %y_view[%to_y0] : tile<64xf64>, partition_view<tile=(64), tensor_view<704xf64, strides=[1]>>, tile<i32> -> token
  return
}
}
