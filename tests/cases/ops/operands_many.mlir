// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @operands_many(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %t0 = reshape %a : tile<64xf32> -> tile<8x8xf32>
  %t1 = mulf %t0, %t0 : tile<8x8xf32>
  %t2 = mulf %t1, %t0 : tile<8x8xf32>
  %t3 = mulf %t2, %t0 : tile<8x8xf32>
  %t4 = mulf %t3, %t0 : tile<8x8xf32>
  %t5 = mulf %t4, %t0 : tile<8x8xf32>
  %r:6 = reduce %t0, %t1, %t2, %t3, %t4, %t5 dim=0 identities=[0.0 : f32, 0.0 : f32, 0.0 : f32, 0.0 : f32, 0.0 : f32, 0.0 : f32] : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32> -> tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32> (%x0: tile<f32>, %y0: tile<f32>, %x1: tile<f32>, %y1: tile<f32>, %x2: tile<f32>, %y2: tile<f32>, %x3: tile<f32>, %y3: tile<f32>, %x4: tile<f32>, %y4: tile<f32>, %x5: tile<f32>, %y5: tile<f32>) {
  %z0 = addf %x0, %y0 : tile<f32>
  %z1 = addf %x1, %y1 : tile<f32>
  %z2 = addf %x2, %y2 : tile<f32>
  %z3 = addf %x3, %y3 : tile<f32>
  %z4 = addf %x4, %y4 : tile<f32>
  %z5 = addf %x5, %y5 : tile<f32>
  yield %z0, %z1, %z2, %z3, %z4, %z5 : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>
  }
  %s0 = reshape %r#0 : tile<8xf32> -> tile<1x8xf32>
  %s1 = reshape %r#1 : tile<8xf32> -> tile<1x8xf32>
  %s2 = reshape %r#2 : tile<8xf32> -> tile<1x8xf32>
  %s3 = reshape %r#3 : tile<8xf32> -> tile<1x8xf32>
  %s4 = reshape %r#4 : tile<8xf32> -> tile<1x8xf32>
  %s5 = reshape %r#5 : tile<8xf32> -> tile<1x8xf32>
  %all0 = constant <f32: 0.0> : tile<8x8xf32>
  %row0 = constant <i32: 0> : tile<i32>
  %all1 = insert %s0, %all0[%row0, %zero] : tile<1x8xf32>, tile<8x8xf32>
  %row1 = constant <i32: 1> : tile<i32>
  %all2 = insert %s1, %all1[%row1, %zero] : tile<1x8xf32>, tile<8x8xf32>
  %row2 = constant <i32: 2> : tile<i32>
  %all3 = insert %s2, %all2[%row2, %zero] : tile<1x8xf32>, tile<8x8xf32>
  %row3 = constant <i32: 3> : tile<i32>
  %all4 = insert %s3, %all3[%row3, %zero] : tile<1x8xf32>, tile<8x8xf32>
  %row4 = constant <i32: 4> : tile<i32>
  %all5 = insert %s4, %all4[%row4, %zero] : tile<1x8xf32>, tile<8x8xf32>
  %row5 = constant <i32: 5> : tile<i32>
  %all6 = insert %s5, %all5[%row5, %zero] : tile<1x8xf32>, tile<8x8xf32>
  %flat = reshape %all6 : tile<8x8xf32> -> tile<64xf32>
  %flat_to_y = store_view_tko weak %flat, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
