// SPDX-License-Identifier: Apache-2.0
// Written by expect_own.py.
cuda_tile.module @kernels {
entry @atomic_extremes(%x_base: tile<ptr<f32>>, %m_base: tile<ptr<f32>>, %n_base: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %tv = make_tensor_view %x_base, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %v = make_partition_view %tv : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %raw, %t = load_view_tko weak %v[%x] : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %half = constant <f32: 0.5> : tile<64xf32>
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
  %mb, %mu = atomic_rmw_tko acq_rel device %mp, umin, %bits, %minus token=%ms : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
  %n1 = reshape %n_base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %n2 = broadcast %n1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %n3 = offset %n2, %at : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %np = ptr_to_ptr %n3 : tile<64xptr<f32>> -> tile<64xptr<i32>>
  %na, %ns = atomic_rmw_tko acq_rel device %np, min, %bits, %plus : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
  %nb, %nu = atomic_rmw_tko acq_rel device %np, umax, %bits, %minus token=%ns : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
  return
}
}
