// SPDX-License-Identifier: Apache-2.0
cuda_tile.module @kernels {
entry @dependents(%y: tile<ptr<f32>>) {
  %t = gdc_wait_tko -> token
  return
}
}
