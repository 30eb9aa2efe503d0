// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @argmax_single(%x_base: tile<ptr<f32>>, %v_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %v_tensor = make_tensor_view %v_base, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %v_view = make_partition_view %v_tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %flat, %flat_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %t = reshape %flat : tile<256xf32> -> tile<1x256xf32>
  %i = iota : tile<1xi32>
  %k = reshape %i : tile<1xi32> -> tile<1x1xi32>
  %places = broadcast %k : tile<1x1xi32> -> tile<1x256xi32>
  %best, %place = reduce %t, %places dim=0 identities=[] : tile<1x256xf32>, tile<1x256xi32> -> tile<256xf32>, tile<256xi32> (%a0: tile<f32>, %b0: tile<f32>, %a1: tile<i32>, %b1: tile<i32>) {
  %larger = cmpf greater_than ordered %a0, %b0 : tile<f32> -> tile<i1>
  %equal = cmpf equal ordered %a0, %b0 : tile<f32> -> tile<i1>
  %before = cmpi less_than %a1, %b1, signed : tile<i32> -> tile<i1>
  %tie = andi %equal, %before : tile<i1>
  %first = ori %larger, %tie : tile<i1>
  %r0 = select %first, %a0, %b0 : tile<i1>, tile<f32>
  %r1 = select %first, %a1, %b1 : tile<i1>, tile<i32>
  yield %r0, %r1 : tile<f32>, tile<i32>
  }
  %fv = reshape %best : tile<256xf32> -> tile<256xf32>
  %fp = reshape %place : tile<256xi32> -> tile<256xi32>
  %fv_to_v = store_view_tko weak %fv, %v_view[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
