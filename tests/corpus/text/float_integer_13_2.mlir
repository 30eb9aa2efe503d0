// Floats to integers and back, and their bits as integers.
cuda_tile.module @float_integer_13_2 {
  entry @e8m0_and_integers() {
    %x = constant <f8E8M0FNU: 1.0> : tile<4xf8E8M0FNU>
    %to_i1 = ftoi %x signed : tile<4xf8E8M0FNU> -> tile<4xi1>
    %to_ui1 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E8M0FNU> -> tile<4xi1>
    %to_i8 = ftoi %x signed : tile<4xf8E8M0FNU> -> tile<4xi8>
    %to_ui8 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E8M0FNU> -> tile<4xi8>
    %to_i16 = ftoi %x signed : tile<4xf8E8M0FNU> -> tile<4xi16>
    %to_ui16 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E8M0FNU> -> tile<4xi16>
    %to_i32 = ftoi %x signed : tile<4xf8E8M0FNU> -> tile<4xi32>
    %to_ui32 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E8M0FNU> -> tile<4xi32>
    %to_i64 = ftoi %x signed : tile<4xf8E8M0FNU> -> tile<4xi64>
    %to_ui64 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<4xf8E8M0FNU> -> tile<4xi64>
    %bits = bitcast %x : tile<4xf8E8M0FNU> -> tile<4xi8>
    %back = bitcast %bits : tile<4xi8> -> tile<4xf8E8M0FNU>
    return
  }
}
