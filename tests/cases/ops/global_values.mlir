// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
  global @weights <f32: [0.1, 0.25, -1.5, 0.33333334]> : tile<4xf32>
  global private constant @halves alignment = 256 <f16: 0.333251953125> : tile<4xf16>
  global @flags <i1: [true, false, true, true]> : tile<4xi1>
  global @total alignment = 8 <i64: 7> : tile<1xi64>
entry @global_values(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>, %n_base: tile<ptr<i64>>, %b_base: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %n_tensor = make_tensor_view %n_base, shape = [1], strides = [1] : tensor_view<1xi64, strides=[1]>
  %n_view = make_partition_view %n_tensor : partition_view<tile=(1), tensor_view<1xi64, strides=[1]>>
  %b_tensor = make_tensor_view %b_base, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
  %b_view = make_partition_view %b_tensor : partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %w_base = get_global @weights : tile<ptr<f32>>
  %w_1 = reshape %w_base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %w_n = broadcast %w_1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %w_i = iota : tile<4xi32>
  %w = offset %w_n, %w_i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %weights, %weights_t = load_ptr_tko weak %w : tile<4xptr<f32>> -> tile<4xf32>, token
  %h_base = get_global @halves : tile<ptr<f16>>
  %h_1 = reshape %h_base : tile<ptr<f16>> -> tile<1xptr<f16>>
  %h_n = broadcast %h_1 : tile<1xptr<f16>> -> tile<4xptr<f16>>
  %h_i = iota : tile<4xi32>
  %h = offset %h_n, %h_i : tile<4xptr<f16>>, tile<4xi32> -> tile<4xptr<f16>>
  %halves, %halves_t = load_ptr_tko weak %h : tile<4xptr<f16>> -> tile<4xf16>, token
  %f_base = get_global @flags : tile<ptr<i1>>
  %f_1 = reshape %f_base : tile<ptr<i1>> -> tile<1xptr<i1>>
  %f_n = broadcast %f_1 : tile<1xptr<i1>> -> tile<4xptr<i1>>
  %f_i = iota : tile<4xi32>
  %f = offset %f_n, %f_i : tile<4xptr<i1>>, tile<4xi32> -> tile<4xptr<i1>>
  %flags, %flags_t = load_ptr_tko weak %f : tile<4xptr<i1>> -> tile<4xi1>, token
  %bits = exti %flags unsigned : tile<4xi1> -> tile<4xi32>
  %wide = ftof %halves : tile<4xf16> -> tile<4xf32>
  %product = mulf %a, %weights : tile<4xf32>
  %r = mulf %product, %wide : tile<4xf32>
  %product_at_w = store_ptr_tko weak %w, %product : tile<4xptr<f32>>, tile<4xf32> -> token
  %t_base = get_global @total : tile<ptr<i64>>
  %five = constant <i64: 5> : tile<i64>
  %old, %old_t = atomic_rmw_tko relaxed device %t_base, add, %five : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
  %total = reshape %old : tile<i64> -> tile<1xi64>
  %r_to_y = store_view_tko weak %r, %y_view[%zero] : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
  %total_to_n = store_view_tko weak %total, %n_view[%zero] : tile<1xi64>, partition_view<tile=(1), tensor_view<1xi64, strides=[1]>>, tile<i32> -> token
  %bits_to_b = store_view_tko weak %bits, %b_view[%zero] : tile<4xi32>, partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32> -> token
  return
}
}
