// Floats to integers and back, and their bits as integers.
cuda_tile.module @float_integer_13_4 {
  entry @e5m3_and_integers() {
    %x = constant <fnv8E5M3FNU: 1.0> : tile<4xfnv8E5M3FNU>
    %to_i1 = ftoi %x signed : tile<4xfnv8E5M3FNU> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xfnv8E5M3FNU> -> tile<4xi1>
    %from_i1 = itof %to_i1 signed : tile<4xi1> -> tile<4xfnv8E5M3FNU>
    %from_ui1 = itof %to_ui1 unsigned rounding<nearest_even> : tile<4xi1> -> tile<4xfnv8E5M3FNU>
    %to_i8 = ftoi %x signed : tile<4xfnv8E5M3FNU> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xfnv8E5M3FNU> -> tile<4xi8>
    %from_i8 = itof %to_i8 signed : tile<4xi8> -> tile<4xfnv8E5M3FNU>
    %from_ui8 = itof %to_ui8 unsigned rounding<nearest_even> : tile<4xi8> -> tile<4xfnv8E5M3FNU>
    %to_i16 = ftoi %x signed : tile<4xfnv8E5M3FNU> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xfnv8E5M3FNU> -> tile<4xi16>
    %from_i16 = itof %to_i16 signed : tile<4xi16> -> tile<4xfnv8E5M3FNU>
    %from_ui16 = itof %to_ui16 unsigned rounding<nearest_even> : tile<4xi16> -> tile<4xfnv8E5M3FNU>
    %to_i32 = ftoi %x signed : tile<4xfnv8E5M3FNU> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xfnv8E5M3FNU> -> tile<4xi32>
    %from_i32 = itof %to_i32 signed : tile<4xi32> -> tile<4xfnv8E5M3FNU>
    %from_ui32 = itof %to_ui32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xfnv8E5M3FNU>
    %to_i64 = ftoi %x signed : tile<4xfnv8E5M3FNU> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xfnv8E5M3FNU> -> tile<4xi64>
    %from_i64 = itof %to_i64 signed : tile<4xi64> -> tile<4xfnv8E5M3FNU>
    %from_ui64 = itof %to_ui64 unsigned rounding<nearest_even> : tile<4xi64> -> tile<4xfnv8E5M3FNU>
    %bits = bitcast %x : tile<4xfnv8E5M3FNU> -> tile<4xi8>
    %back = bitcast %bits : tile<4xi8> -> tile<4xfnv8E5M3FNU>
    return
  }
}
