// Numbers of each width packed into bytes and unpacked, from 13.3.
cuda_tile.module @bytes {
  entry @bytes_of_i1() {
    %x = constant <i1: true> : tile<16xi1>
    %bytes = pack %x : tile<16xi1> -> tile<2xi8>
    %back = unpack %bytes : tile<2xi8> -> tile<16xi1>
    return
  }
  entry @bytes_of_i4() {
    %b = constant <i8: 5> : tile<16xi8>
    %x = trunci %b : tile<16xi8> -> tile<16xi4>
    %bytes = pack %x : tile<16xi4> -> tile<8xi8>
    %back = unpack %bytes : tile<8xi8> -> tile<16xi4>
    return
  }
  entry @bytes_of_i16() {
    %x = constant <i16: -32768> : tile<16xi16>
    %bytes = pack %x : tile<16xi16> -> tile<32xi8>
    %back = unpack %bytes : tile<32xi8> -> tile<16xi16>
    return
  }
  entry @bytes_of_i32() {
    %x = constant <i32: -2147483648> : tile<16xi32>
    %bytes = pack %x : tile<16xi32> -> tile<64xi8>
    %back = unpack %bytes : tile<64xi8> -> tile<16xi32>
    return
  }
  entry @bytes_of_i64() {
    %x = constant <i64: -9223372036854775808> : tile<16xi64>
    %bytes = pack %x : tile<16xi64> -> tile<128xi8>
    %back = unpack %bytes : tile<128xi8> -> tile<16xi64>
    return
  }
  entry @bytes_of_f16() {
    %x = constant <f16: 1.5> : tile<16xf16>
    %bytes = pack %x : tile<16xf16> -> tile<32xi8>
    %back = unpack %bytes : tile<32xi8> -> tile<16xf16>
    return
  }
  entry @bytes_of_bf16() {
    %x = constant <bf16: 0x7F80> : tile<16xbf16>
    %bytes = pack %x : tile<16xbf16> -> tile<32xi8>
    %back = unpack %bytes : tile<32xi8> -> tile<16xbf16>
    return
  }
  entry @bytes_of_f32() {
    %x = constant <f32: 0.1> : tile<16xf32>
    %bytes = pack %x : tile<16xf32> -> tile<64xi8>
    %back = unpack %bytes : tile<64xi8> -> tile<16xf32>
    return
  }
  entry @bytes_of_tf32() {
    %x = constant <tf32: 1.0> : tile<16xtf32>
    %bytes = pack %x : tile<16xtf32> -> tile<64xi8>
    %back = unpack %bytes : tile<64xi8> -> tile<16xtf32>
    return
  }
  entry @bytes_of_f64() {
    %x = constant <f64: 0.1> : tile<16xf64>
    %bytes = pack %x : tile<16xf64> -> tile<128xi8>
    %back = unpack %bytes : tile<128xi8> -> tile<16xf64>
    return
  }
  entry @bytes_of_e2m1() {
    %x = constant <f4E2M1FN: 6.0> : tile<16xf4E2M1FN>
    %bytes = pack %x : tile<16xf4E2M1FN> -> tile<8xi8>
    %back = unpack %bytes : tile<8xi8> -> tile<16xf4E2M1FN>
    return
  }
}
