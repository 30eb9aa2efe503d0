// SPDX-License-Identifier: Apache-2.0
entry @k() {
  %x = constant <f6E2M3FN: 1.0> : tile<16xf6E2M3FN>
  %y = addf %x, %x : tile<16xf6E2M3FN>
  return
}
