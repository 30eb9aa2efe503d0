// Integers to wider and narrower ones.
cuda_tile.module @widths {
  entry @widths_i1(%x: tile<i1>) {
    %s_i8 = exti %x signed : tile<i1> -> tile<i8>
    %u_i8 = exti %x unsigned : tile<i1> -> tile<i8>
    %s_i16 = exti %x signed : tile<i1> -> tile<i16>
    %u_i16 = exti %x unsigned : tile<i1> -> tile<i16>
    %s_i32 = exti %x signed : tile<i1> -> tile<i32>
    %u_i32 = exti %x unsigned : tile<i1> -> tile<i32>
    %s_i64 = exti %x signed : tile<i1> -> tile<i64>
    %u_i64 = exti %x unsigned : tile<i1> -> tile<i64>
    return
  }
  entry @widths_i8(%x: tile<i8>) {
    %s_i16 = exti %x signed : tile<i8> -> tile<i16>
    %u_i16 = exti %x unsigned : tile<i8> -> tile<i16>
    %s_i32 = exti %x signed : tile<i8> -> tile<i32>
    %u_i32 = exti %x unsigned : tile<i8> -> tile<i32>
    %s_i64 = exti %x signed : tile<i8> -> tile<i64>
    %u_i64 = exti %x unsigned : tile<i8> -> tile<i64>
    %t_i1 = trunci %x : tile<i8> -> tile<i1>
    %t_i1_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i8> -> tile<i1>
    %t_i1_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i8> -> tile<i1>
    %t_i1_no_wrap = trunci %x overflow<no_wrap> : tile<i8> -> tile<i1>
    return
  }
  entry @widths_i16(%x: tile<i16>) {
    %s_i32 = exti %x signed : tile<i16> -> tile<i32>
    %u_i32 = exti %x unsigned : tile<i16> -> tile<i32>
    %s_i64 = exti %x signed : tile<i16> -> tile<i64>
    %u_i64 = exti %x unsigned : tile<i16> -> tile<i64>
    %t_i1 = trunci %x : tile<i16> -> tile<i1>
    %t_i1_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i16> -> tile<i1>
    %t_i1_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i16> -> tile<i1>
    %t_i1_no_wrap = trunci %x overflow<no_wrap> : tile<i16> -> tile<i1>
    %t_i8 = trunci %x : tile<i16> -> tile<i8>
    %t_i8_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i16> -> tile<i8>
    %t_i8_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i16> -> tile<i8>
    %t_i8_no_wrap = trunci %x overflow<no_wrap> : tile<i16> -> tile<i8>
    return
  }
  entry @widths_i32(%x: tile<i32>) {
    %s_i64 = exti %x signed : tile<i32> -> tile<i64>
    %u_i64 = exti %x unsigned : tile<i32> -> tile<i64>
    %t_i1 = trunci %x : tile<i32> -> tile<i1>
    %t_i1_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i32> -> tile<i1>
    %t_i1_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i32> -> tile<i1>
    %t_i1_no_wrap = trunci %x overflow<no_wrap> : tile<i32> -> tile<i1>
    %t_i8 = trunci %x : tile<i32> -> tile<i8>
    %t_i8_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    %t_i8_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i32> -> tile<i8>
    %t_i8_no_wrap = trunci %x overflow<no_wrap> : tile<i32> -> tile<i8>
    %t_i16 = trunci %x : tile<i32> -> tile<i16>
    %t_i16_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i32> -> tile<i16>
    %t_i16_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i32> -> tile<i16>
    %t_i16_no_wrap = trunci %x overflow<no_wrap> : tile<i32> -> tile<i16>
    return
  }
  entry @widths_i64(%x: tile<i64>) {
    %t_i1 = trunci %x : tile<i64> -> tile<i1>
    %t_i1_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i64> -> tile<i1>
    %t_i1_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i64> -> tile<i1>
    %t_i1_no_wrap = trunci %x overflow<no_wrap> : tile<i64> -> tile<i1>
    %t_i8 = trunci %x : tile<i64> -> tile<i8>
    %t_i8_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i64> -> tile<i8>
    %t_i8_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i64> -> tile<i8>
    %t_i8_no_wrap = trunci %x overflow<no_wrap> : tile<i64> -> tile<i8>
    %t_i16 = trunci %x : tile<i64> -> tile<i16>
    %t_i16_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i64> -> tile<i16>
    %t_i16_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i64> -> tile<i16>
    %t_i16_no_wrap = trunci %x overflow<no_wrap> : tile<i64> -> tile<i16>
    %t_i32 = trunci %x : tile<i64> -> tile<i32>
    %t_i32_no_signed_wrap = trunci %x overflow<no_signed_wrap> : tile<i64> -> tile<i32>
    %t_i32_no_unsigned_wrap = trunci %x overflow<no_unsigned_wrap> : tile<i64> -> tile<i32>
    %t_i32_no_wrap = trunci %x overflow<no_wrap> : tile<i64> -> tile<i32>
    return
  }
}
