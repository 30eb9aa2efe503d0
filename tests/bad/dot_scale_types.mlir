// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %a = constant <f8E4M3FN: 1.0> : tile<16x32xf8E4M3FN>
  %b = constant <f8E4M3FN: 1.0> : tile<32x16xf8E4M3FN>
  %c = constant <f32: 1.0> : tile<16x16xf32>
  %s = constant <f8E4M3FN: 1.0> : tile<16x1xf8E4M3FN>
  %t = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
  %d = nv_tileaa.dot %a, %b, %c sfa(%s) sfb(%t) : tile<16x32xf8E4M3FN>, tile<32x16xf8E4M3FN>, tile<16x16xf32> sfa: tile<16x1xe4m3>, sfb: tile<1x16xe8m0> -> tile<16x16xf32>
  return
}
