// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %a = constant <f4E2M1FN: 1.0> : tile<16x32xf4E2M1FN>
  %b = constant <f4E2M1FN: 1.0> : tile<32x16xf4E2M1FN>
  %c = constant <f32: 1.0> : tile<16x16xf32>
  %s = constant <f8E4M3FN: 1.0> : tile<16x1xf8E4M3FN>
  %t = constant <f8E4M3FN: 1.0> : tile<1x16xf8E4M3FN>
  %d = nv_tileaa.dot %a, %b, %c sfa(%s) sfb(%t) : tile<16x32xf4E2M1FN>, tile<32x16xf4E2M1FN>, tile<16x16xf32> sfa: tile<16x1xe4m3>, sfb: tile<1x16xe4m3> -> tile<16x16xf32>
  return
}
