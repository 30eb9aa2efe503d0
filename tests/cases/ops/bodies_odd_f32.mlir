// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @bodies_odd_f32(%x_base: tile<ptr<f32>>, %r_base: tile<ptr<f32>>, %c_base: tile<ptr<f32>>, %s_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>
  %r_tensor = make_tensor_view %r_base, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %r_view = make_partition_view %r_tensor : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
  %c_tensor = make_tensor_view %c_base, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
  %c_view = make_partition_view %c_tensor : partition_view<tile=(32), tensor_view<32xf32, strides=[1]>>
  %s_tensor = make_tensor_view %s_base, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
  %s_view = make_partition_view %s_tensor : partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>, tile<i32> -> tile<512xf32>, token
  %t = reshape %a : tile<512xf32> -> tile<16x32xf32>
  %rows = reduce %t dim=1 identities=[0.0 : f32] : tile<16x32xf32> -> tile<16xf32> (%x: tile<f32>, %y: tile<f32>) {
  %x1 = reshape %x : tile<f32> -> tile<1xf32>
  %y1 = reshape %y : tile<f32> -> tile<1xf32>
  %both = cat %x1, %y1 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>
  %z = reduce %both dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32> (%v: tile<f32>, %w: tile<f32>) {
  %s = addf %v, %w : tile<f32>
  yield %s : tile<f32>
  }
  yield %z : tile<f32>
  }
  %columns = reduce %t dim=0 identities=[0.0 : f32] : tile<16x32xf32> -> tile<32xf32> (%x: tile<f32>, %y: tile<f32>) {
  %x1 = reshape %x : tile<f32> -> tile<1xf32>
  %y1 = reshape %y : tile<f32> -> tile<1xf32>
  %both = cat %x1, %y1 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>
  %z = reduce %both dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32> (%v: tile<f32>, %w: tile<f32>) {
  %s = addf %v, %w : tile<f32>
  yield %s : tile<f32>
  }
  yield %z : tile<f32>
  }
  %sums = scan %t dim=1 reverse=true identities=[0.0 : f32] : tile<16x32xf32> -> tile<16x32xf32> (%x: tile<f32>, %y: tile<f32>) {
  %x1 = reshape %x : tile<f32> -> tile<1xf32>
  %y1 = reshape %y : tile<f32> -> tile<1xf32>
  %both = cat %x1, %y1 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>
  %z = reduce %both dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32> (%v: tile<f32>, %w: tile<f32>) {
  %s = addf %v, %w : tile<f32>
  yield %s : tile<f32>
  }
  yield %z : tile<f32>
  }
  %flat = reshape %sums : tile<16x32xf32> -> tile<512xf32>
  %rows_to_r = store_view_tko weak %rows, %r_view[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
  %columns_to_c = store_view_tko weak %columns, %c_view[%zero] : tile<32xf32>, partition_view<tile=(32), tensor_view<32xf32, strides=[1]>>, tile<i32> -> token
  %flat_to_s = store_view_tko weak %flat, %s_view[%zero] : tile<512xf32>, partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
