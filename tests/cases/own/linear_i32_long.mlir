// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @linear_i32_long(%a_base: tile<ptr<i32>>, %x_base: tile<ptr<i32>>, %f_base: tile<ptr<i32>>, %b_base: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %a_tensor = make_tensor_view %a_base, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %a_view = make_partition_view %a_tensor : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
  %x_tensor = make_tensor_view %x_base, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
  %f_tensor = make_tensor_view %f_base, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %f_view = make_partition_view %f_tensor : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
  %b_tensor = make_tensor_view %b_base, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %b_view = make_partition_view %b_tensor : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
  %fa, %fa_t = load_view_tko weak %a_view[%zero] : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %fx, %fx_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %ta = reshape %fa : tile<256xi32> -> tile<2x128xi32>
  %tx = reshape %fx : tile<256xi32> -> tile<2x128xi32>
  %sa, %sx = scan %ta, %tx dim=1 reverse=false identities=[] : tile<2x128xi32>, tile<2x128xi32> -> tile<2x128xi32>, tile<2x128xi32> (%a0: tile<i32>, %b0: tile<i32>, %a1: tile<i32>, %b1: tile<i32>) {
  %r0 = muli %b0, %a0 : tile<i32>
  %p = muli %b0, %a1 : tile<i32>
  %r1 = addi %p, %b1 : tile<i32>
  yield %r0, %r1 : tile<i32>, tile<i32>
  }
  %ra, %rx = scan %ta, %tx dim=1 reverse=true identities=[] : tile<2x128xi32>, tile<2x128xi32> -> tile<2x128xi32>, tile<2x128xi32> (%a0: tile<i32>, %b0: tile<i32>, %a1: tile<i32>, %b1: tile<i32>) {
  %r0 = muli %b0, %a0 : tile<i32>
  %p = muli %b0, %a1 : tile<i32>
  %r1 = addi %p, %b1 : tile<i32>
  yield %r0, %r1 : tile<i32>, tile<i32>
  }
  %flat_f = reshape %sx : tile<2x128xi32> -> tile<256xi32>
  %flat_b = reshape %rx : tile<2x128xi32> -> tile<256xi32>
  %flat_f_to_f = store_view_tko weak %flat_f, %f_view[%zero] : tile<256xi32>, partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token
  %flat_b_to_b = store_view_tko weak %flat_b, %b_view[%zero] : tile<256xi32>, partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token
  return
}
}
