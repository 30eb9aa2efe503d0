// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %x = constant <f32: 1.0> : tile<16xf32>
  %y = nv_tileaa.cast %x {rounding = #rm} : tile<16 x f32> to tile<16 x f8E5M2>
  return
}
