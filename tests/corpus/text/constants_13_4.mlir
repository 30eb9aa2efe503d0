// Numbers of every kind: scalars, the same in all elements, and each its own; in decimal, as bits, special values.
cuda_tile.module @constants_13_4 {
  entry @constants_e5m3() {
    %c0 = constant <fnv8E5M3FNU: 1.0> : tile<fnv8E5M3FNU>
    %s0 = constant <fnv8E5M3FNU: 1.0> : tile<16xfnv8E5M3FNU>
    %c1 = constant <fnv8E5M3FNU: 0xFF> : tile<fnv8E5M3FNU>
    %s1 = constant <fnv8E5M3FNU: 0xFF> : tile<16xfnv8E5M3FNU>
    %c2 = constant <fnv8E5M3FNU: 0.0> : tile<fnv8E5M3FNU>
    %s2 = constant <fnv8E5M3FNU: 0.0> : tile<16xfnv8E5M3FNU>
    %c3 = constant <fnv8E5M3FNU: 0x70> : tile<fnv8E5M3FNU>
    %s3 = constant <fnv8E5M3FNU: 0x70> : tile<16xfnv8E5M3FNU>
    %line = constant <fnv8E5M3FNU: [1.0, 0xFF, 0.0, 0x70]> : tile<4xfnv8E5M3FNU>
    %square = constant <fnv8E5M3FNU: [[1.0, 0xFF], [0.0, 0x70]]> : tile<2x2xfnv8E5M3FNU>
    %cube = constant <fnv8E5M3FNU: [[[1.0, 0x70]], [[0.0, 0xFF]]]> : tile<2x1x2xfnv8E5M3FNU>
    %long = constant <fnv8E5M3FNU: [1.0, 0xFF, 0.0, 0x70, 1.0, 0xFF, 0.0, 0x70, 1.0, 0xFF, 0.0, 0x70, 1.0, 0xFF, 0.0, 0x70]> : tile<16xfnv8E5M3FNU>
    return
  }
}
