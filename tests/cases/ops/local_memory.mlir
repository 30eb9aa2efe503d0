// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @local_memory(%x_base: tile<ptr<f32>>, %y_base: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %three = constant <i32: 3> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %last = constant <i32: 63> : tile<64xi32>
  %square = mulf %a, %a : tile<64xf32>
  %far = alloca num_elem = 64, alignment = 4096 global : tile<ptr<f32>>
  %q_1 = reshape %far : tile<ptr<f32>> -> tile<1xptr<f32>>
  %q_n = broadcast %q_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %q_i = iota : tile<64xi32>
  %q = offset %q_n, %q_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %square_at_q = store_ptr_tko weak %q, %square : tile<64xptr<f32>>, tile<64xf32> -> token
  %back = subi %last, %q_i : tile<64xi32>
  %p = offset %q_n, %back : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %turned, %turned_t = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
  %sum = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%so_far = %turned) -> (tile<64xf32>) {
  %near = alloca num_elem = 64, alignment = 4 : tile<ptr<f32>>
  %r_1 = reshape %near : tile<ptr<f32>> -> tile<1xptr<f32>>
  %r_n = broadcast %r_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %r_i = iota : tile<64xi32>
  %r = offset %r_n, %r_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %zeros, %zeros_t = load_ptr_tko weak %r : tile<64xptr<f32>> -> tile<64xf32>, token
  %more = addf %zeros, %a : tile<64xf32>
  %more_at_r = store_ptr_tko weak %r, %more : tile<64xptr<f32>>, tile<64xf32> -> token
  %again, %again_t = load_ptr_tko weak %r : tile<64xptr<f32>> -> tile<64xf32>, token
  %next = addf %so_far, %again : tile<64xf32>
  continue %next : tile<64xf32>
  }
  %even = cmpi equal %one, %three, signed : tile<i32> -> tile<i1>
  %either = select %even, %x_base, %far : tile<i1>, tile<ptr<f32>>
  %e_1 = reshape %either : tile<ptr<f32>> -> tile<1xptr<f32>>
  %e_n = broadcast %e_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %e_i = iota : tile<64xi32>
  %e = offset %e_n, %e_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %chosen, %chosen_t = load_ptr_tko weak %e : tile<64xptr<f32>> -> tile<64xf32>, token
  %result = addf %sum, %chosen : tile<64xf32>
  %result_to_y = store_view_tko weak %result, %y_view[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
