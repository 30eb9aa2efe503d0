// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %a = constant <f8E4M3FN: 1.0> : tile<16x16xf8E4M3FN>
  %c = constant <bf16: 1.0> : tile<16x16xbf16>
  %d = nv_tileaa.dot %a, %a, %c : tile<16x16xf8E4M3FN>, tile<16x16xf8E4M3FN>, tile<16x16xbf16> -> tile<16x16xbf16>
  return
}
