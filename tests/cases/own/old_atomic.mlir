// SPDX-License-Identifier: Apache-2.0
// Written by expect_own.py.
cuda_tile.module @kernels {
entry @old_atomic(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %o_base: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %tv = make_tensor_view %x_base, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %v = make_partition_view %tv : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %half = constant <f32: 0.5> : tile<64xf32>
  %raw, %t = load_view_tko weak %v[%x] : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %f = mulf %raw, %half rounding<nearest_even> : tile<64xf32>
  %bits = bitcast %f : tile<64xf32> -> tile<64xi32>
  %at = iota : tile<64xi32>
  %none = constant <i32: 0> : tile<64xi32>
  %plus = cmpi greater_than_or_equal %bits, %none, signed : tile<64xi32> -> tile<64xi1>
  %minus = cmpi less_than %bits, %none, signed : tile<64xi32> -> tile<64xi1>
  %m1 = reshape %m_base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m2 = broadcast %m1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %m3 = offset %m2, %at : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %mp = ptr_to_ptr %m3 : tile<64xptr<f32>> -> tile<64xptr<i32>>
  %ma, %ms = atomic_rmw_tko acq_rel device %mp, max, %bits, %plus : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
  %mb, %mu = atomic_rmw_tko acq_rel device %mp, umin, %bits, %minus : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
  %chosen = select %plus, %ma, %mb : tile<64xi1>, tile<64xi32>
  %before = bitcast %chosen : tile<64xi32> -> tile<64xf32>
  %ot = make_tensor_view %o_base, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %ov = make_partition_view %ot : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %scaled = mulf %before, %half rounding<nearest_even> : tile<64xf32>
  %os = store_view_tko weak %scaled, %ov[%x] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
