// SPDX-License-Identifier: Apache-2.0
// Kernels of one argument that fail when they run.
cuda_tile.module @kernels {
global @table <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
entry @alloca_load(%y: tile<ptr<f32>>) {
  %n = constant <i32: 8> : tile<i32>
  %a = alloca num_elem = 8, alignment = 128 : tile<ptr<f32>>
  %p = offset %a, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @alloca_view(%y: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %a = alloca num_elem = 8, alignment = 4 : tile<ptr<f32>>
  %tensor = make_tensor_view %a, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %view = make_partition_view %tensor : partition_view<tile=(1), tensor_view<16xf32, strides=[1]>>
  %v, %t = load_view_tko weak %view[%zero] : partition_view<tile=(1), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
  %r = reshape %v : tile<1xf32> -> tile<f32>
  %s = store_ptr_tko weak %y, %r : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @global_store(%y: tile<ptr<f32>>) {
  %n = constant <i32: -1> : tile<i32>
  %g = get_global @table : tile<ptr<f32>>
  %p = offset %g, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %g : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token
  %u = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @insert_index(%y: tile<ptr<f32>>) {
  %b, %b_y, %b_z = get_tile_block_id : tile<i32>
  %part = constant <f32: [1.0, 2.0]> : tile<2xf32>
  %whole = constant <f32: 0.0> : tile<8xf32>
  %i = insert %part, %whole[%b] : tile<2xf32>, tile<8xf32>
  %e = extract %i[%b] : tile<8xf32> -> tile<1xf32>
  %r = reshape %e : tile<1xf32> -> tile<f32>
  print_tko "block %d prints %g\n", %b, %r : tile<i32>, tile<f32> -> token
  %s = store_ptr_tko weak %y, %r : tile<ptr<f32>>, tile<f32> -> token
  return
}
}
