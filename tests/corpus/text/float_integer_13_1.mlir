// Floats to integers and back, and their bits as integers.
cuda_tile.module @float_integer_13_1 {
  entry @f16_and_integers() {
    %x = constant <f16: 1.0> : tile<4xf16>
    %to_i1 = ftoi %x signed : tile<4xf16> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf16> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xf16>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xf16>
    %to_i8 = ftoi %x signed : tile<4xf16> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf16> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xf16>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xf16>
    %to_i16 = ftoi %x signed : tile<4xf16> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf16> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xf16>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xf16>
    %to_i32 = ftoi %x signed : tile<4xf16> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf16> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xf16>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf16>
    %to_i64 = ftoi %x signed : tile<4xf16> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf16> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xf16>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xf16>
    %bits = bitcast %x : tile<4xf16> -> tile<4xi16>
    %back = bitcast %bits : tile<4xi16> -> tile<4xf16>
    return
  }
  entry @bf16_and_integers() {
    %x = constant <bf16: 1.0> : tile<4xbf16>
    %to_i1 = ftoi %x signed : tile<4xbf16> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xbf16> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xbf16>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xbf16>
    %to_i8 = ftoi %x signed : tile<4xbf16> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xbf16> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xbf16>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xbf16>
    %to_i16 = ftoi %x signed : tile<4xbf16> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xbf16> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xbf16>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xbf16>
    %to_i32 = ftoi %x signed : tile<4xbf16> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xbf16> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xbf16>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xbf16>
    %to_i64 = ftoi %x signed : tile<4xbf16> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xbf16> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xbf16>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xbf16>
    %bits = bitcast %x : tile<4xbf16> -> tile<4xi16>
    %back = bitcast %bits : tile<4xi16> -> tile<4xbf16>
    return
  }
  entry @f32_and_integers() {
    %x = constant <f32: 1.0> : tile<4xf32>
    %to_i1 = ftoi %x signed : tile<4xf32> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xf32>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xf32>
    %to_i8 = ftoi %x signed : tile<4xf32> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xf32>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xf32>
    %to_i16 = ftoi %x signed : tile<4xf32> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xf32>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xf32>
    %to_i32 = ftoi %x signed : tile<4xf32> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xf32>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf32>
    %to_i64 = ftoi %x signed : tile<4xf32> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xf32>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xf32>
    %bits = bitcast %x : tile<4xf32> -> tile<4xi32>
    %back = bitcast %bits : tile<4xi32> -> tile<4xf32>
    return
  }
  entry @f64_and_integers() {
    %x = constant <f64: 1.0> : tile<4xf64>
    %to_i1 = ftoi %x signed : tile<4xf64> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf64> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xf64>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xf64>
    %to_i8 = ftoi %x signed : tile<4xf64> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf64> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xf64>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xf64>
    %to_i16 = ftoi %x signed : tile<4xf64> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf64> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xf64>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xf64>
    %to_i32 = ftoi %x signed : tile<4xf64> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf64> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xf64>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf64>
    %to_i64 = ftoi %x signed : tile<4xf64> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf64> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xf64>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xf64>
    %bits = bitcast %x : tile<4xf64> -> tile<4xi64>
    %back = bitcast %bits : tile<4xi64> -> tile<4xf64>
    return
  }
  entry @tf32_and_integers() {
    %x = constant <tf32: 1.0> : tile<4xtf32>
    %to_i1 = ftoi %x signed : tile<4xtf32> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xtf32> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xtf32>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xtf32>
    %to_i8 = ftoi %x signed : tile<4xtf32> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xtf32> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xtf32>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xtf32>
    %to_i16 = ftoi %x signed : tile<4xtf32> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xtf32> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xtf32>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xtf32>
    %to_i32 = ftoi %x signed : tile<4xtf32> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xtf32> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xtf32>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xtf32>
    %to_i64 = ftoi %x signed : tile<4xtf32> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xtf32> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xtf32>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xtf32>
    return
  }
  entry @e4m3_and_integers() {
    %x = constant <f8E4M3FN: 1.0> : tile<4xf8E4M3FN>
    %to_i1 = ftoi %x signed : tile<4xf8E4M3FN> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E4M3FN> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xf8E4M3FN>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xf8E4M3FN>
    %to_i8 = ftoi %x signed : tile<4xf8E4M3FN> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E4M3FN> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xf8E4M3FN>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xf8E4M3FN>
    %to_i16 = ftoi %x signed : tile<4xf8E4M3FN> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E4M3FN> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xf8E4M3FN>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xf8E4M3FN>
    %to_i32 = ftoi %x signed : tile<4xf8E4M3FN> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E4M3FN> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xf8E4M3FN>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf8E4M3FN>
    %to_i64 = ftoi %x signed : tile<4xf8E4M3FN> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E4M3FN> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xf8E4M3FN>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xf8E4M3FN>
    %bits = bitcast %x : tile<4xf8E4M3FN> -> tile<4xi8>
    %back = bitcast %bits : tile<4xi8> -> tile<4xf8E4M3FN>
    return
  }
  entry @e5m2_and_integers() {
    %x = constant <f8E5M2: 1.0> : tile<4xf8E5M2>
    %to_i1 = ftoi %x signed : tile<4xf8E5M2> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E5M2> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xf8E5M2>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xf8E5M2>
    %to_i8 = ftoi %x signed : tile<4xf8E5M2> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E5M2> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xf8E5M2>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xf8E5M2>
    %to_i16 = ftoi %x signed : tile<4xf8E5M2> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E5M2> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xf8E5M2>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xf8E5M2>
    %to_i32 = ftoi %x signed : tile<4xf8E5M2> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E5M2> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xf8E5M2>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf8E5M2>
    %to_i64 = ftoi %x signed : tile<4xf8E5M2> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E5M2> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xf8E5M2>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xf8E5M2>
    %bits = bitcast %x : tile<4xf8E5M2> -> tile<4xi8>
    %back = bitcast %bits : tile<4xi8> -> tile<4xf8E5M2>
    return
  }
}
