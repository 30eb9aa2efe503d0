// Between i1 and i4, and the bits of 4-bit floats, from 13.3.
cuda_tile.module @small_widths {
  entry @small(%p: tile<ptr<i1>>) {
    %truths = constant <i1: [true, false, false, true]> : tile<4xi1>
    %negative = exti %truths signed : tile<4xi1> -> tile<4xi4>
    %positive = exti %truths unsigned : tile<4xi1> -> tile<4xi4>
    %back = trunci %negative overflow<no_signed_wrap> : tile<4xi4> -> tile<4xi1>
    %again = trunci %positive overflow<no_unsigned_wrap> : tile<4xi4> -> tile<4xi1>
    %floats = constant <f4E2M1FN: [0.5, 1.0, 3.0, -4.0]> : tile<4xf4E2M1FN>
    %floats_again = bitcast %floats : tile<4xf4E2M1FN> -> tile<4xf4E2M1FN>
    return
  }
}
