// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @loop_with_bytes(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %one = constant <i32: 1> : tile<i32>
  %five = constant <i32: 5> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64xf32>
  %r, %s = for %i in (%zero to %five, step %one) : tile<i32> iter_values(%x = %a, %sum = %zeros) -> (tile<64xf32>, tile<64xf32>) {
  %bytes = pack %x : tile<64xf32> -> tile<256xi8>
  %old = unpack %bytes : tile<256xi8> -> tile<64xf32>
  %next = mulf %x, %a : tile<64xf32>
  %more = addf %sum, %old : tile<64xf32>
  continue %next, %more : tile<64xf32>, tile<64xf32>
  }
  %both = addf %r, %s : tile<64xf32>
  %both_to_y = store_view_tko weak %both, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
