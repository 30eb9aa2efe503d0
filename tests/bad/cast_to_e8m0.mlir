// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %x = constant <f32: 1.0> : tile<16xf32>
  %y = nv_tileaa.cast %x : tile<16 x f32> to tile<16 x f8E8M0FNU>
  return
}
