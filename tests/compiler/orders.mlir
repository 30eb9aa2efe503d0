// SPDX-License-Identifier: Apache-2.0
// Kernels by what they show of the order in which their blocks run: nothing, nothing though they have products, or
// something.
cuda_tile.module @orders {
entry @heedless_copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %value, %read = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
  %stored = store_ptr_tko weak %y, %value : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @grouped_product(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %a = constant <f32: 1.0> : tile<2x2xf32>
  %product = mmaf %a, %a, %a : tile<2x2xf32>, tile<2x2xf32>, tile<2x2xf32>
  %pointer = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %pointers = broadcast %pointer : tile<1x1xptr<f32>> -> tile<2x2xptr<f32>>
  %stored = store_ptr_tko weak %pointers, %product : tile<2x2xptr<f32>>, tile<2x2xf32> -> token
  return
}
entry @relaxed_load(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %value, %read = load_ptr_tko relaxed device %x : tile<ptr<f32>> -> tile<f32>, token
  %stored = store_ptr_tko weak %y, %value : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @released_store(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %value, %read = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
  %stored = store_ptr_tko release device %y, %value : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @atomic(%x: tile<ptr<i32>>, %y: tile<ptr<f32>>) {
  %one = constant <i32: 1> : tile<i32>
  %old, %added = atomic_rmw_tko relaxed device %x, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
entry @loop(%x: tile<ptr<i32>>, %y: tile<ptr<f32>>) {
  loop {
    break
  }
  return
}
entry @product_that_prints(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %a = constant <f32: 1.0> : tile<2x2xf32>
  %product = mmaf %a, %a, %a : tile<2x2xf32>, tile<2x2xf32>, tile<2x2xf32>
  %printed = print_tko "%f", %product : tile<2x2xf32> -> token
  return
}
}
