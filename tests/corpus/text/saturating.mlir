// Floats to integers that stop at the ends of the range, from 13.4.
cuda_tile.module @saturating {
  entry @clamped_f16() {
    %x = constant <f16: 1.0> : tile<4xf16>
    %y = ftoi %x signed saturating : tile<4xf16> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf16> -> tile<4xi32>
    return
  }
  entry @clamped_bf16() {
    %x = constant <bf16: 1.0> : tile<4xbf16>
    %y = ftoi %x signed saturating : tile<4xbf16> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xbf16> -> tile<4xi32>
    return
  }
  entry @clamped_f32() {
    %x = constant <f32: 1.0> : tile<4xf32>
    %y = ftoi %x signed saturating : tile<4xf32> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf32> -> tile<4xi32>
    return
  }
  entry @clamped_f64() {
    %x = constant <f64: 1.0> : tile<4xf64>
    %y = ftoi %x signed saturating : tile<4xf64> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf64> -> tile<4xi32>
    return
  }
  entry @clamped_tf32() {
    %x = constant <tf32: 1.0> : tile<4xtf32>
    %y = ftoi %x signed saturating : tile<4xtf32> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xtf32> -> tile<4xi32>
    return
  }
  entry @clamped_e4m3() {
    %x = constant <f8E4M3FN: 1.0> : tile<4xf8E4M3FN>
    %y = ftoi %x signed saturating : tile<4xf8E4M3FN> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf8E4M3FN> -> tile<4xi32>
    return
  }
  entry @clamped_e5m2() {
    %x = constant <f8E5M2: 1.0> : tile<4xf8E5M2>
    %y = ftoi %x signed saturating : tile<4xf8E5M2> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf8E5M2> -> tile<4xi32>
    return
  }
  entry @clamped_e8m0() {
    %x = constant <f8E8M0FNU: 1.0> : tile<4xf8E8M0FNU>
    %y = ftoi %x signed saturating : tile<4xf8E8M0FNU> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf8E8M0FNU> -> tile<4xi32>
    return
  }
  entry @clamped_e2m1() {
    %x = constant <f4E2M1FN: 1.0> : tile<4xf4E2M1FN>
    %y = ftoi %x signed saturating : tile<4xf4E2M1FN> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xf4E2M1FN> -> tile<4xi32>
    return
  }
  entry @clamped_e5m3() {
    %x = constant <fnv8E5M3FNU: 1.0> : tile<4xfnv8E5M3FNU>
    %y = ftoi %x signed saturating : tile<4xfnv8E5M3FNU> -> tile<4xi8>
    %z = ftoi %x unsigned saturating : tile<4xfnv8E5M3FNU> -> tile<4xi32>
    return
  }
}
