// SPDX-License-Identifier: Apache-2.0
cuda_tile.module @kernels {
entry @large_alloca(%y: tile<ptr<f32>>) {
  %a = alloca num_elem = 268435457, alignment = 4 : tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
}
