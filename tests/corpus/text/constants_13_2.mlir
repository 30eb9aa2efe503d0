// Numbers of every kind: scalars, the same in all elements, and each its own; in decimal, as bits, special values.
cuda_tile.module @constants_13_2 {
  entry @constants_e8m0() {
    %c0 = constant <f8E8M0FNU: 1.0> : tile<f8E8M0FNU>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<16xf8E8M0FNU>
    %c1 = constant <f8E8M0FNU: 0xFF> : tile<f8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 0xFF> : tile<16xf8E8M0FNU>
    %c2 = constant <f8E8M0FNU: 2.0> : tile<f8E8M0FNU>
    %s2 = constant <f8E8M0FNU: 2.0> : tile<16xf8E8M0FNU>
    %c3 = constant <f8E8M0FNU: 0x00> : tile<f8E8M0FNU>
    %s3 = constant <f8E8M0FNU: 0x00> : tile<16xf8E8M0FNU>
    %line = constant <f8E8M0FNU: [1.0, 0xFF, 2.0, 0x00]> : tile<4xf8E8M0FNU>
    %square = constant <f8E8M0FNU: [[1.0, 0xFF], [2.0, 0x00]]> : tile<2x2xf8E8M0FNU>
    %cube = constant <f8E8M0FNU: [[[1.0, 0x00]], [[2.0, 0xFF]]]> : tile<2x1x2xf8E8M0FNU>
    %long = constant <f8E8M0FNU: [1.0, 0xFF, 2.0, 0x00, 1.0, 0xFF, 2.0, 0x00, 1.0, 0xFF, 2.0, 0x00, 1.0, 0xFF, 2.0, 0x00]> : tile<16xf8E8M0FNU>
    return
  }
}
