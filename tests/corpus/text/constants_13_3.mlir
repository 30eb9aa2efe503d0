// Numbers of every kind: scalars, the same in all elements, and each its own; in decimal, as bits, special values.
cuda_tile.module @constants_13_3 {
  entry @constants_e2m1() {
    %s0 = constant <f4E2M1FN: 6.0> : tile<16xf4E2M1FN>
    %s1 = constant <f4E2M1FN: -0.5> : tile<16xf4E2M1FN>
    %s2 = constant <f4E2M1FN: 0.0> : tile<16xf4E2M1FN>
    %s3 = constant <f4E2M1FN: -6.0> : tile<16xf4E2M1FN>
    %line = constant <f4E2M1FN: [6.0, -0.5, 0.0, -6.0]> : tile<4xf4E2M1FN>
    %square = constant <f4E2M1FN: [[6.0, -0.5], [0.0, -6.0]]> : tile<2x2xf4E2M1FN>
    %cube = constant <f4E2M1FN: [[[6.0, -6.0]], [[0.0, -0.5]]]> : tile<2x1x2xf4E2M1FN>
    %long = constant <f4E2M1FN: [6.0, -0.5, 0.0, -6.0, 6.0, -0.5, 0.0, -6.0, 6.0, -0.5, 0.0, -6.0, 6.0, -0.5, 0.0, -6.0]> : tile<16xf4E2M1FN>
    return
  }
}
