// Each pair of float types that 13.1 converts between.
cuda_tile.module @ftof_13_1 {
  entry @from_f16() {
    %x = constant <f16: 1.0> : tile<8x2xf16>
    %to_bf16 = ftof %x : tile<8x2xf16> -> tile<8x2xbf16>
    %to_f32 = ftof %x : tile<8x2xf16> -> tile<8x2xf32>
    %to_f64 = ftof %x : tile<8x2xf16> -> tile<8x2xf64>
    %to_tf32 = ftof %x : tile<8x2xf16> -> tile<8x2xtf32>
    %to_e4m3 = ftof %x : tile<8x2xf16> -> tile<8x2xf8E4M3FN>
    %to_e5m2 = ftof %x : tile<8x2xf16> -> tile<8x2xf8E5M2>
    return
  }
  entry @from_bf16() {
    %x = constant <bf16: 1.0> : tile<8x2xbf16>
    %to_f16 = ftof %x : tile<8x2xbf16> -> tile<8x2xf16>
    %to_f32 = ftof %x : tile<8x2xbf16> -> tile<8x2xf32>
    %to_f64 = ftof %x : tile<8x2xbf16> -> tile<8x2xf64>
    %to_tf32 = ftof %x : tile<8x2xbf16> -> tile<8x2xtf32>
    %to_e4m3 = ftof %x : tile<8x2xbf16> -> tile<8x2xf8E4M3FN>
    %to_e5m2 = ftof %x : tile<8x2xbf16> -> tile<8x2xf8E5M2>
    return
  }
  entry @from_f32() {
    %x = constant <f32: 1.0> : tile<8x2xf32>
    %to_f16 = ftof %x : tile<8x2xf32> -> tile<8x2xf16>
    %to_bf16 = ftof %x : tile<8x2xf32> -> tile<8x2xbf16>
    %to_f64 = ftof %x : tile<8x2xf32> -> tile<8x2xf64>
    %to_tf32 = ftof %x : tile<8x2xf32> -> tile<8x2xtf32>
    %to_e4m3 = ftof %x : tile<8x2xf32> -> tile<8x2xf8E4M3FN>
    %to_e5m2 = ftof %x : tile<8x2xf32> -> tile<8x2xf8E5M2>
    return
  }
  entry @from_f64() {
    %x = constant <f64: 1.0> : tile<8x2xf64>
    %to_f16 = ftof %x : tile<8x2xf64> -> tile<8x2xf16>
    %to_bf16 = ftof %x : tile<8x2xf64> -> tile<8x2xbf16>
    %to_f32 = ftof %x : tile<8x2xf64> -> tile<8x2xf32>
    %to_tf32 = ftof %x : tile<8x2xf64> -> tile<8x2xtf32>
    %to_e4m3 = ftof %x : tile<8x2xf64> -> tile<8x2xf8E4M3FN>
    %to_e5m2 = ftof %x : tile<8x2xf64> -> tile<8x2xf8E5M2>
    return
  }
  entry @from_tf32() {
    %x = constant <tf32: 1.0> : tile<8x2xtf32>
    %to_f16 = ftof %x : tile<8x2xtf32> -> tile<8x2xf16>
    %to_bf16 = ftof %x : tile<8x2xtf32> -> tile<8x2xbf16>
    %to_f32 = ftof %x : tile<8x2xtf32> -> tile<8x2xf32>
    %to_f64 = ftof %x : tile<8x2xtf32> -> tile<8x2xf64>
    %to_e4m3 = ftof %x : tile<8x2xtf32> -> tile<8x2xf8E4M3FN>
    %to_e5m2 = ftof %x : tile<8x2xtf32> -> tile<8x2xf8E5M2>
    return
  }
  entry @from_e4m3() {
    %x = constant <f8E4M3FN: 1.0> : tile<8x2xf8E4M3FN>
    %to_f16 = ftof %x : tile<8x2xf8E4M3FN> -> tile<8x2xf16>
    %to_bf16 = ftof %x : tile<8x2xf8E4M3FN> -> tile<8x2xbf16>
    %to_f32 = ftof %x : tile<8x2xf8E4M3FN> -> tile<8x2xf32>
    %to_f64 = ftof %x : tile<8x2xf8E4M3FN> -> tile<8x2xf64>
    %to_tf32 = ftof %x : tile<8x2xf8E4M3FN> -> tile<8x2xtf32>
    %to_e5m2 = ftof %x : tile<8x2xf8E4M3FN> -> tile<8x2xf8E5M2>
    return
  }
  entry @from_e5m2() {
    %x = constant <f8E5M2: 1.0> : tile<8x2xf8E5M2>
    %to_f16 = ftof %x : tile<8x2xf8E5M2> -> tile<8x2xf16>
    %to_bf16 = ftof %x : tile<8x2xf8E5M2> -> tile<8x2xbf16>
    %to_f32 = ftof %x : tile<8x2xf8E5M2> -> tile<8x2xf32>
    %to_f64 = ftof %x : tile<8x2xf8E5M2> -> tile<8x2xf64>
    %to_tf32 = ftof %x : tile<8x2xf8E5M2> -> tile<8x2xtf32>
    %to_e4m3 = ftof %x : tile<8x2xf8E5M2> -> tile<8x2xf8E4M3FN>
    return
  }
}
