// SPDX-License-Identifier: Apache-2.0
cuda_tile.module @kernels {
entry @function_unknown(%p: tile<ptr<f32>>) {
  %x = constant <f32: 1.0> : tile<4xf32>
  %r = function "erff"(%x) : tile<4xf32> -> tile<4xf32>
  return
}
}
