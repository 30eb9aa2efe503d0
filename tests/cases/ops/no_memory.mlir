// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @no_memory(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %last = constant <i32: 63> : tile<64xi32>
  %x_1 = reshape %x_base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_i = iota : tile<64xi32>
  %x = offset %x_n, %x_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %back = subi %last, %x_i : tile<64xi32>
  %p = offset %x_n, %back : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %turned, %turned_t = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %square = mulf %a, %a : tile<64xf32>
  %other = mulf %turned, %turned : tile<64xf32>
  %s1 = addf %other, %a : tile<64xf32>
  %s2 = addf %s1, %a : tile<64xf32>
  %s3 = addf %s2, %a : tile<64xf32>
  %result = addf %s3, %square : tile<64xf32>
  %result_to_y = store_view_tko weak %result, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
