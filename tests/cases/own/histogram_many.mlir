// SPDX-License-Identifier: Apache-2.0
// Written by expect.py.
cuda_tile.module @kernels {
entry @histogram_many(%x_base: tile<ptr<i32>>, %m_base: tile<ptr<i32>>, %y_base: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_tensor = make_tensor_view %x_base, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
  %x_view = make_partition_view %x_tensor : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>
  %m_tensor = make_tensor_view %m_base, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
  %m_view = make_partition_view %m_tensor : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>
  %y_tensor = make_tensor_view %y_base, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
  %y_view = make_partition_view %y_tensor : partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x_view[%zero] : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<512xi32>, token
  %k, %k_t = load_view_tko weak %m_view[%zero] : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>, tile<i32> -> tile<512xi32>, token
  %none = constant <i32: 0> : tile<512xi32>
  %on = cmpi not_equal %k, %none, signed : tile<512xi32> -> tile<512xi1>
  %h = histogram %a, %on : tile<512xi32>, tile<512xi1> -> tile<1024xi32>
  %h_to_y = store_view_tko weak %h, %y_view[%zero] : tile<1024xi32>, partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
  return
}
}
