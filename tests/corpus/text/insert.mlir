// A slice of a tile replaced, from 13.4, for every type.
cuda_tile.module @insert {
  entry @replaced_i1(%i: tile<i32>) {
    %x = constant <i1: true> : tile<8x4xi1>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xi1> -> tile<2x4xi1>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xi1>, tile<8x4xi1>
    return
  }
  entry @replaced_i8(%i: tile<i32>) {
    %x = constant <i8: -128> : tile<8x4xi8>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xi8> -> tile<2x4xi8>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xi8>, tile<8x4xi8>
    return
  }
  entry @replaced_i16(%i: tile<i32>) {
    %x = constant <i16: -32768> : tile<8x4xi16>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xi16> -> tile<2x4xi16>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xi16>, tile<8x4xi16>
    return
  }
  entry @replaced_i32(%i: tile<i32>) {
    %x = constant <i32: -2147483648> : tile<8x4xi32>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xi32> -> tile<2x4xi32>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xi32>, tile<8x4xi32>
    return
  }
  entry @replaced_i64(%i: tile<i32>) {
    %x = constant <i64: -9223372036854775808> : tile<8x4xi64>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xi64> -> tile<2x4xi64>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xi64>, tile<8x4xi64>
    return
  }
  entry @replaced_f16(%i: tile<i32>) {
    %x = constant <f16: 1.5> : tile<8x4xf16>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf16> -> tile<2x4xf16>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf16>, tile<8x4xf16>
    return
  }
  entry @replaced_bf16(%i: tile<i32>) {
    %x = constant <bf16: 0x7F80> : tile<8x4xbf16>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xbf16> -> tile<2x4xbf16>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xbf16>, tile<8x4xbf16>
    return
  }
  entry @replaced_f32(%i: tile<i32>) {
    %x = constant <f32: 0.1> : tile<8x4xf32>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf32> -> tile<2x4xf32>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf32>, tile<8x4xf32>
    return
  }
  entry @replaced_f64(%i: tile<i32>) {
    %x = constant <f64: 0.1> : tile<8x4xf64>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf64> -> tile<2x4xf64>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf64>, tile<8x4xf64>
    return
  }
  entry @replaced_tf32(%i: tile<i32>) {
    %x = constant <tf32: 1.0> : tile<8x4xtf32>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xtf32> -> tile<2x4xtf32>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xtf32>, tile<8x4xtf32>
    return
  }
  entry @replaced_e4m3(%i: tile<i32>) {
    %x = constant <f8E4M3FN: 448.0> : tile<8x4xf8E4M3FN>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf8E4M3FN> -> tile<2x4xf8E4M3FN>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf8E4M3FN>, tile<8x4xf8E4M3FN>
    return
  }
  entry @replaced_e5m2(%i: tile<i32>) {
    %x = constant <f8E5M2: 57344.0> : tile<8x4xf8E5M2>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf8E5M2> -> tile<2x4xf8E5M2>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf8E5M2>, tile<8x4xf8E5M2>
    return
  }
  entry @replaced_e8m0(%i: tile<i32>) {
    %x = constant <f8E8M0FNU: 1.0> : tile<8x4xf8E8M0FNU>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf8E8M0FNU> -> tile<2x4xf8E8M0FNU>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf8E8M0FNU>, tile<8x4xf8E8M0FNU>
    return
  }
  entry @replaced_e2m1(%i: tile<i32>) {
    %x = constant <f4E2M1FN: 6.0> : tile<8x4xf4E2M1FN>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xf4E2M1FN> -> tile<2x4xf4E2M1FN>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xf4E2M1FN>, tile<8x4xf4E2M1FN>
    return
  }
  entry @replaced_e5m3(%i: tile<i32>) {
    %x = constant <fnv8E5M3FNU: 1.0> : tile<8x4xfnv8E5M3FNU>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xfnv8E5M3FNU> -> tile<2x4xfnv8E5M3FNU>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xfnv8E5M3FNU>, tile<8x4xfnv8E5M3FNU>
    return
  }
  entry @replaced_i4(%i: tile<i32>) {
    %bytes = constant <i8: 3> : tile<8x4xi8>
    %x = trunci %bytes : tile<8x4xi8> -> tile<8x4xi4>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xi4> -> tile<2x4xi4>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xi4>, tile<8x4xi4>
    return
  }
  entry @replaced_ptr(%i: tile<i32>) {
    %n = constant <i64: 4096> : tile<8x4xi64>
    %x = int_to_ptr %n : tile<8x4xi64> -> tile<8x4xptr<i8>>
    %zero = constant <i32: 0> : tile<i32>
    %part = extract %x[%i, %zero] : tile<8x4xptr<i8>> -> tile<2x4xptr<i8>>
    %y = insert %part, %x[%zero, %zero] : tile<2x4xptr<i8>>, tile<8x4xptr<i8>>
    return
  }
}
