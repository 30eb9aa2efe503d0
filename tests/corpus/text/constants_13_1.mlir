// Numbers of every kind: scalars, the same in all elements, and each its own; in decimal, as bits, special values.
cuda_tile.module @constants_13_1 {
  entry @constants_i1() {
    %c0 = constant <i1: true> : tile<i1>
    %s0 = constant <i1: true> : tile<16xi1>
    %c1 = constant <i1: false> : tile<i1>
    %s1 = constant <i1: false> : tile<16xi1>
    %c2 = constant <i1: false> : tile<i1>
    %s2 = constant <i1: false> : tile<16xi1>
    %c3 = constant <i1: true> : tile<i1>
    %s3 = constant <i1: true> : tile<16xi1>
    %line = constant <i1: [true, false, false, true]> : tile<4xi1>
    %square = constant <i1: [[true, false], [false, true]]> : tile<2x2xi1>
    %cube = constant <i1: [[[true, true]], [[false, false]]]> : tile<2x1x2xi1>
    %long = constant <i1: [true, false, false, true, true, false, false, true, true, false, false, true, true, false, false, true]> : tile<16xi1>
    return
  }
  entry @constants_i8() {
    %c0 = constant <i8: -128> : tile<i8>
    %s0 = constant <i8: -128> : tile<16xi8>
    %c1 = constant <i8: 127> : tile<i8>
    %s1 = constant <i8: 127> : tile<16xi8>
    %c2 = constant <i8: 0> : tile<i8>
    %s2 = constant <i8: 0> : tile<16xi8>
    %c3 = constant <i8: 0xAA> : tile<i8>
    %s3 = constant <i8: 0xAA> : tile<16xi8>
    %line = constant <i8: [-128, 127, 0, 0xAA]> : tile<4xi8>
    %square = constant <i8: [[-128, 127], [0, 0xAA]]> : tile<2x2xi8>
    %cube = constant <i8: [[[-128, 0xAA]], [[0, 127]]]> : tile<2x1x2xi8>
    %long = constant <i8: [-128, 127, 0, 0xAA, -128, 127, 0, 0xAA, -128, 127, 0, 0xAA, -128, 127, 0, 0xAA]> : tile<16xi8>
    return
  }
  entry @constants_i16() {
    %c0 = constant <i16: -32768> : tile<i16>
    %s0 = constant <i16: -32768> : tile<16xi16>
    %c1 = constant <i16: 32767> : tile<i16>
    %s1 = constant <i16: 32767> : tile<16xi16>
    %c2 = constant <i16: -1> : tile<i16>
    %s2 = constant <i16: -1> : tile<16xi16>
    %c3 = constant <i16: 65535> : tile<i16>
    %s3 = constant <i16: 65535> : tile<16xi16>
    %line = constant <i16: [-32768, 32767, -1, 65535]> : tile<4xi16>
    %square = constant <i16: [[-32768, 32767], [-1, 65535]]> : tile<2x2xi16>
    %cube = constant <i16: [[[-32768, 65535]], [[-1, 32767]]]> : tile<2x1x2xi16>
    %long = constant <i16: [-32768, 32767, -1, 65535, -32768, 32767, -1, 65535, -32768, 32767, -1, 65535, -32768, 32767, -1, 65535]> : tile<16xi16>
    return
  }
  entry @constants_i32() {
    %c0 = constant <i32: -2147483648> : tile<i32>
    %s0 = constant <i32: -2147483648> : tile<16xi32>
    %c1 = constant <i32: 2147483647> : tile<i32>
    %s1 = constant <i32: 2147483647> : tile<16xi32>
    %c2 = constant <i32: 4294967295> : tile<i32>
    %s2 = constant <i32: 4294967295> : tile<16xi32>
    %c3 = constant <i32: 0x80000000> : tile<i32>
    %s3 = constant <i32: 0x80000000> : tile<16xi32>
    %line = constant <i32: [-2147483648, 2147483647, 4294967295, 0x80000000]> : tile<4xi32>
    %square = constant <i32: [[-2147483648, 2147483647], [4294967295, 0x80000000]]> : tile<2x2xi32>
    %cube = constant <i32: [[[-2147483648, 0x80000000]], [[4294967295, 2147483647]]]> : tile<2x1x2xi32>
    %long = constant <i32: [-2147483648, 2147483647, 4294967295, 0x80000000, -2147483648, 2147483647, 4294967295, 0x80000000, -2147483648, 2147483647, 4294967295, 0x80000000, -2147483648, 2147483647, 4294967295, 0x80000000]> : tile<16xi32>
    return
  }
  entry @constants_i64() {
    %c0 = constant <i64: -9223372036854775808> : tile<i64>
    %s0 = constant <i64: -9223372036854775808> : tile<16xi64>
    %c1 = constant <i64: 9223372036854775807> : tile<i64>
    %s1 = constant <i64: 9223372036854775807> : tile<16xi64>
    %c2 = constant <i64: 0> : tile<i64>
    %s2 = constant <i64: 0> : tile<16xi64>
    %c3 = constant <i64: -1> : tile<i64>
    %s3 = constant <i64: -1> : tile<16xi64>
    %line = constant <i64: [-9223372036854775808, 9223372036854775807, 0, -1]> : tile<4xi64>
    %square = constant <i64: [[-9223372036854775808, 9223372036854775807], [0, -1]]> : tile<2x2xi64>
    %cube = constant <i64: [[[-9223372036854775808, -1]], [[0, 9223372036854775807]]]> : tile<2x1x2xi64>
    %long = constant <i64: [-9223372036854775808, 9223372036854775807, 0, -1, -9223372036854775808, 9223372036854775807, 0, -1, -9223372036854775808, 9223372036854775807, 0, -1, -9223372036854775808, 9223372036854775807, 0, -1]> : tile<16xi64>
    return
  }
  entry @constants_f16() {
    %c0 = constant <f16: 1.5> : tile<f16>
    %s0 = constant <f16: 1.5> : tile<16xf16>
    %c1 = constant <f16: -0.0> : tile<f16>
    %s1 = constant <f16: -0.0> : tile<16xf16>
    %c2 = constant <f16: 0x7C00> : tile<f16>
    %s2 = constant <f16: 0x7C00> : tile<16xf16>
    %c3 = constant <f16: 6.550400e+04> : tile<f16>
    %s3 = constant <f16: 6.550400e+04> : tile<16xf16>
    %line = constant <f16: [1.5, -0.0, 0x7C00, 6.550400e+04]> : tile<4xf16>
    %square = constant <f16: [[1.5, -0.0], [0x7C00, 6.550400e+04]]> : tile<2x2xf16>
    %cube = constant <f16: [[[1.5, 6.550400e+04]], [[0x7C00, -0.0]]]> : tile<2x1x2xf16>
    %long = constant <f16: [1.5, -0.0, 0x7C00, 6.550400e+04, 1.5, -0.0, 0x7C00, 6.550400e+04, 1.5, -0.0, 0x7C00, 6.550400e+04, 1.5, -0.0, 0x7C00, 6.550400e+04]> : tile<16xf16>
    return
  }
  entry @constants_bf16() {
    %c0 = constant <bf16: 0x7F80> : tile<bf16>
    %s0 = constant <bf16: 0x7F80> : tile<16xbf16>
    %c1 = constant <bf16: 0xFFC0> : tile<bf16>
    %s1 = constant <bf16: 0xFFC0> : tile<16xbf16>
    %c2 = constant <bf16: 3.140625> : tile<bf16>
    %s2 = constant <bf16: 3.140625> : tile<16xbf16>
    %c3 = constant <bf16: -1.0e-30> : tile<bf16>
    %s3 = constant <bf16: -1.0e-30> : tile<16xbf16>
    %line = constant <bf16: [0x7F80, 0xFFC0, 3.140625, -1.0e-30]> : tile<4xbf16>
    %square = constant <bf16: [[0x7F80, 0xFFC0], [3.140625, -1.0e-30]]> : tile<2x2xbf16>
    %cube = constant <bf16: [[[0x7F80, -1.0e-30]], [[3.140625, 0xFFC0]]]> : tile<2x1x2xbf16>
    %long = constant <bf16: [0x7F80, 0xFFC0, 3.140625, -1.0e-30, 0x7F80, 0xFFC0, 3.140625, -1.0e-30, 0x7F80, 0xFFC0, 3.140625, -1.0e-30, 0x7F80, 0xFFC0, 3.140625, -1.0e-30]> : tile<16xbf16>
    return
  }
  entry @constants_f32() {
    %c0 = constant <f32: 0.1> : tile<f32>
    %s0 = constant <f32: 0.1> : tile<16xf32>
    %c1 = constant <f32: 0xFF800000> : tile<f32>
    %s1 = constant <f32: 0xFF800000> : tile<16xf32>
    %c2 = constant <f32: 0x7FC00001> : tile<f32>
    %s2 = constant <f32: 0x7FC00001> : tile<16xf32>
    %c3 = constant <f32: 1.401298464324817e-45> : tile<f32>
    %s3 = constant <f32: 1.401298464324817e-45> : tile<16xf32>
    %line = constant <f32: [0.1, 0xFF800000, 0x7FC00001, 1.401298464324817e-45]> : tile<4xf32>
    %square = constant <f32: [[0.1, 0xFF800000], [0x7FC00001, 1.401298464324817e-45]]> : tile<2x2xf32>
    %cube = constant <f32: [[[0.1, 1.401298464324817e-45]], [[0x7FC00001, 0xFF800000]]]> : tile<2x1x2xf32>
    %long = constant <f32: [0.1, 0xFF800000, 0x7FC00001, 1.401298464324817e-45, 0.1, 0xFF800000, 0x7FC00001, 1.401298464324817e-45, 0.1, 0xFF800000, 0x7FC00001, 1.401298464324817e-45, 0.1, 0xFF800000, 0x7FC00001, 1.401298464324817e-45]> : tile<16xf32>
    return
  }
  entry @constants_f64() {
    %c0 = constant <f64: 0.1> : tile<f64>
    %s0 = constant <f64: 0.1> : tile<16xf64>
    %c1 = constant <f64: 2.2250738585072014e-308> : tile<f64>
    %s1 = constant <f64: 2.2250738585072014e-308> : tile<16xf64>
    %c2 = constant <f64: 0x7FF0000000000000> : tile<f64>
    %s2 = constant <f64: 0x7FF0000000000000> : tile<16xf64>
    %c3 = constant <f64: -1.7976931348623157e+308> : tile<f64>
    %s3 = constant <f64: -1.7976931348623157e+308> : tile<16xf64>
    %line = constant <f64: [0.1, 2.2250738585072014e-308, 0x7FF0000000000000, -1.7976931348623157e+308]> : tile<4xf64>
    %square = constant <f64: [[0.1, 2.2250738585072014e-308], [0x7FF0000000000000, -1.7976931348623157e+308]]> : tile<2x2xf64>
    %cube = constant <f64: [[[0.1, -1.7976931348623157e+308]], [[0x7FF0000000000000, 2.2250738585072014e-308]]]> : tile<2x1x2xf64>
    %long = constant <f64: [0.1, 2.2250738585072014e-308, 0x7FF0000000000000, -1.7976931348623157e+308, 0.1, 2.2250738585072014e-308, 0x7FF0000000000000, -1.7976931348623157e+308, 0.1, 2.2250738585072014e-308, 0x7FF0000000000000, -1.7976931348623157e+308, 0.1, 2.2250738585072014e-308, 0x7FF0000000000000, -1.7976931348623157e+308]> : tile<16xf64>
    return
  }
  entry @constants_tf32() {
    %c0 = constant <tf32: 1.0> : tile<tf32>
    %s0 = constant <tf32: 1.0> : tile<16xtf32>
    %c1 = constant <tf32: -2.5> : tile<tf32>
    %s1 = constant <tf32: -2.5> : tile<16xtf32>
    %c2 = constant <tf32: 0x3FC00> : tile<tf32>
    %s2 = constant <tf32: 0x3FC00> : tile<16xtf32>
    %c3 = constant <tf32: 0x00001> : tile<tf32>
    %s3 = constant <tf32: 0x00001> : tile<16xtf32>
    %line = constant <tf32: [1.0, -2.5, 0x3FC00, 0x00001]> : tile<4xtf32>
    %square = constant <tf32: [[1.0, -2.5], [0x3FC00, 0x00001]]> : tile<2x2xtf32>
    %cube = constant <tf32: [[[1.0, 0x00001]], [[0x3FC00, -2.5]]]> : tile<2x1x2xtf32>
    %long = constant <tf32: [1.0, -2.5, 0x3FC00, 0x00001, 1.0, -2.5, 0x3FC00, 0x00001, 1.0, -2.5, 0x3FC00, 0x00001, 1.0, -2.5, 0x3FC00, 0x00001]> : tile<16xtf32>
    return
  }
  entry @constants_e4m3() {
    %c0 = constant <f8E4M3FN: 448.0> : tile<f8E4M3FN>
    %s0 = constant <f8E4M3FN: 448.0> : tile<16xf8E4M3FN>
    %c1 = constant <f8E4M3FN: 0x7F> : tile<f8E4M3FN>
    %s1 = constant <f8E4M3FN: 0x7F> : tile<16xf8E4M3FN>
    %c2 = constant <f8E4M3FN: -0.015625> : tile<f8E4M3FN>
    %s2 = constant <f8E4M3FN: -0.015625> : tile<16xf8E4M3FN>
    %c3 = constant <f8E4M3FN: 0x01> : tile<f8E4M3FN>
    %s3 = constant <f8E4M3FN: 0x01> : tile<16xf8E4M3FN>
    %line = constant <f8E4M3FN: [448.0, 0x7F, -0.015625, 0x01]> : tile<4xf8E4M3FN>
    %square = constant <f8E4M3FN: [[448.0, 0x7F], [-0.015625, 0x01]]> : tile<2x2xf8E4M3FN>
    %cube = constant <f8E4M3FN: [[[448.0, 0x01]], [[-0.015625, 0x7F]]]> : tile<2x1x2xf8E4M3FN>
    %long = constant <f8E4M3FN: [448.0, 0x7F, -0.015625, 0x01, 448.0, 0x7F, -0.015625, 0x01, 448.0, 0x7F, -0.015625, 0x01, 448.0, 0x7F, -0.015625, 0x01]> : tile<16xf8E4M3FN>
    return
  }
  entry @constants_e5m2() {
    %c0 = constant <f8E5M2: 57344.0> : tile<f8E5M2>
    %s0 = constant <f8E5M2: 57344.0> : tile<16xf8E5M2>
    %c1 = constant <f8E5M2: 0x7C> : tile<f8E5M2>
    %s1 = constant <f8E5M2: 0x7C> : tile<16xf8E5M2>
    %c2 = constant <f8E5M2: 0xFE> : tile<f8E5M2>
    %s2 = constant <f8E5M2: 0xFE> : tile<16xf8E5M2>
    %c3 = constant <f8E5M2: -0.25> : tile<f8E5M2>
    %s3 = constant <f8E5M2: -0.25> : tile<16xf8E5M2>
    %line = constant <f8E5M2: [57344.0, 0x7C, 0xFE, -0.25]> : tile<4xf8E5M2>
    %square = constant <f8E5M2: [[57344.0, 0x7C], [0xFE, -0.25]]> : tile<2x2xf8E5M2>
    %cube = constant <f8E5M2: [[[57344.0, -0.25]], [[0xFE, 0x7C]]]> : tile<2x1x2xf8E5M2>
    %long = constant <f8E5M2: [57344.0, 0x7C, 0xFE, -0.25, 57344.0, 0x7C, 0xFE, -0.25, 57344.0, 0x7C, 0xFE, -0.25, 57344.0, 0x7C, 0xFE, -0.25]> : tile<16xf8E5M2>
    return
  }
}
