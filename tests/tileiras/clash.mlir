// SPDX-License-Identifier: Apache-2.0
// A global that an object file cannot have.
cuda_tile.module @kernels {
global @memcpy <f32: 1.0> : tile<1xf32>
entry @k(%y: tile<ptr<f32>>) {
  %g = get_global @memcpy : tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %g : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
}
