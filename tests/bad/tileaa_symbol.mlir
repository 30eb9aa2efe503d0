// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %x = constant <f32: 1.0> : tile<16xf32>
  %y = nv_tileaa.extern_elementwise %x {symbol = "__nv_fast_sqrtf"} : tile<16xf32> -> tile<16xf32>
  return
}
