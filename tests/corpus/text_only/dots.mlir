// nv_tileaa.dot: operands of 8 bits and less that differ, sums of f16 and f32, block scales; and functions of libdevice.
cuda_tile.module @dots {
  entry @of_f8E4M3FN() {
    %x = constant <f8E4M3FN: 1.0> : tile<4x32xf8E4M3FN>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %sum : tile<4 x 32 x f8E4M3FN>, tile<32x8xf8E4M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %half : tile<4 x 32 x f8E4M3FN>, tile<32x8xf8E5M2>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %sum : tile<4 x 32 x f8E4M3FN>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %half : tile<4 x 32 x f8E4M3FN>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %sum : tile<4 x 32 x f8E4M3FN>, tile<32x8xf6E2M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %half : tile<4 x 32 x f8E4M3FN>, tile<32x8xf6E3M2FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %sum : tile<4 x 32 x f8E4M3FN>, tile<32x8xf4E2M1FN>, tile<4x8xf32> -> tile<4x8xf32>
    return
  }
  entry @of_f8E5M2() {
    %x = constant <f8E5M2: 1.0> : tile<4x32xf8E5M2>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %half : tile<4 x 32 x f8E5M2>, tile<32x8xf8E4M3FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %sum : tile<4 x 32 x f8E5M2>, tile<32x8xf8E5M2>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %half : tile<4 x 32 x f8E5M2>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %sum : tile<4 x 32 x f8E5M2>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %half : tile<4 x 32 x f8E5M2>, tile<32x8xf6E2M3FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %sum : tile<4 x 32 x f8E5M2>, tile<32x8xf6E3M2FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %half : tile<4 x 32 x f8E5M2>, tile<32x8xf4E2M1FN>, tile<4x8xf16> -> tile<4x8xf16>
    return
  }
  entry @of_f8E4M3FNUZ() {
    %x = constant <f8E4M3FNUZ: 1.0> : tile<4x32xf8E4M3FNUZ>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %sum : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf8E4M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %half : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf8E5M2>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %sum : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %half : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %sum : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf6E2M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %half : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf6E3M2FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %sum : tile<4 x 32 x f8E4M3FNUZ>, tile<32x8xf4E2M1FN>, tile<4x8xf32> -> tile<4x8xf32>
    return
  }
  entry @of_f8E5M2FNUZ() {
    %x = constant <f8E5M2FNUZ: 1.0> : tile<4x32xf8E5M2FNUZ>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %half : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf8E4M3FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %sum : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf8E5M2>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %half : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %sum : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %half : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf6E2M3FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %sum : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf6E3M2FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %half : tile<4 x 32 x f8E5M2FNUZ>, tile<32x8xf4E2M1FN>, tile<4x8xf16> -> tile<4x8xf16>
    return
  }
  entry @of_f6E2M3FN() {
    %x = constant <f6E2M3FN: 1.0> : tile<4x32xf6E2M3FN>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %sum : tile<4 x 32 x f6E2M3FN>, tile<32x8xf8E4M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %half : tile<4 x 32 x f6E2M3FN>, tile<32x8xf8E5M2>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %sum : tile<4 x 32 x f6E2M3FN>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %half : tile<4 x 32 x f6E2M3FN>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %sum : tile<4 x 32 x f6E2M3FN>, tile<32x8xf6E2M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %half : tile<4 x 32 x f6E2M3FN>, tile<32x8xf6E3M2FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %sum : tile<4 x 32 x f6E2M3FN>, tile<32x8xf4E2M1FN>, tile<4x8xf32> -> tile<4x8xf32>
    return
  }
  entry @of_f6E3M2FN() {
    %x = constant <f6E3M2FN: 1.0> : tile<4x32xf6E3M2FN>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %half : tile<4 x 32 x f6E3M2FN>, tile<32x8xf8E4M3FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %sum : tile<4 x 32 x f6E3M2FN>, tile<32x8xf8E5M2>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %half : tile<4 x 32 x f6E3M2FN>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %sum : tile<4 x 32 x f6E3M2FN>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %half : tile<4 x 32 x f6E3M2FN>, tile<32x8xf6E2M3FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %sum : tile<4 x 32 x f6E3M2FN>, tile<32x8xf6E3M2FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %half : tile<4 x 32 x f6E3M2FN>, tile<32x8xf4E2M1FN>, tile<4x8xf16> -> tile<4x8xf16>
    return
  }
  entry @of_f4E2M1FN() {
    %x = constant <f4E2M1FN: 1.0> : tile<4x32xf4E2M1FN>
    %half = constant <f16: 1.0> : tile<4x8xf16>
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x, %y_f8E4M3FN, %sum : tile<4 x 32 x f4E2M1FN>, tile<32x8xf8E4M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x, %y_f8E5M2, %half : tile<4 x 32 x f4E2M1FN>, tile<32x8xf8E5M2>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f8E4M3FNUZ = constant <f8E4M3FNUZ: 1.0> : tile<32x8xf8E4M3FNUZ>
    %d_f8E4M3FNUZ = nv_tileaa.dot %x, %y_f8E4M3FNUZ, %sum : tile<4 x 32 x f4E2M1FN>, tile<32x8xf8E4M3FNUZ>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f8E5M2FNUZ = constant <f8E5M2FNUZ: 1.0> : tile<32x8xf8E5M2FNUZ>
    %d_f8E5M2FNUZ = nv_tileaa.dot %x, %y_f8E5M2FNUZ, %half : tile<4 x 32 x f4E2M1FN>, tile<32x8xf8E5M2FNUZ>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<32x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x, %y_f6E2M3FN, %sum : tile<4 x 32 x f4E2M1FN>, tile<32x8xf6E2M3FN>, tile<4x8xf32> -> tile<4x8xf32>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<32x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x, %y_f6E3M2FN, %half : tile<4 x 32 x f4E2M1FN>, tile<32x8xf6E3M2FN>, tile<4x8xf16> -> tile<4x8xf16>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x, %y_f4E2M1FN, %sum : tile<4 x 32 x f4E2M1FN>, tile<32x8xf4E2M1FN>, tile<4x8xf32> -> tile<4x8xf32>
    return
  }
  entry @of_f16() {
    %x = constant <f16: 1.0> : tile<2x4x16xf16>
    %y = constant <f16: 1.0> : tile<2x16x8xf16>
    %sum = constant <f16: 1.0> : tile<2x4x8xf16>
    %d = nv_tileaa.dot %x, %y, %sum : tile<2x4x16xf16>, tile<2x16x8xf16>, tile<2x4x8xf16> -> tile<2x4x8xf16>
    return
  }
  entry @of_bf16() {
    %x = constant <bf16: 1.0> : tile<2x4x16xbf16>
    %y = constant <bf16: 1.0> : tile<2x16x8xbf16>
    %sum = constant <f32: 1.0> : tile<2x4x8xf32>
    %d = nv_tileaa.dot %x, %y, %sum : tile<2x4x16xbf16>, tile<2x16x8xbf16>, tile<2x4x8xf32> -> tile<2x4x8xf32>
    return
  }
  entry @of_tf32() {
    %x = constant <tf32: 1.0> : tile<2x4x16xtf32>
    %y = constant <tf32: 1.0> : tile<2x16x8xtf32>
    %sum = constant <f32: 1.0> : tile<2x4x8xf32>
    %d = nv_tileaa.dot %x, %y, %sum : tile<2x4x16xtf32>, tile<2x16x8xtf32>, tile<2x4x8xf32> -> tile<2x4x8xf32>
    return
  }
  entry @of_f32() {
    %x = constant <f32: 1.0> : tile<2x4x16xf32>
    %y = constant <f32: 1.0> : tile<2x16x8xf32>
    %sum = constant <f32: 1.0> : tile<2x4x8xf32>
    %d = nv_tileaa.dot %x, %y, %sum : tile<2x4x16xf32>, tile<2x16x8xf32>, tile<2x4x8xf32> -> tile<2x4x8xf32>
    return
  }
  entry @of_f64() {
    %x = constant <f64: 1.0> : tile<2x4x16xf64>
    %y = constant <f64: 1.0> : tile<2x16x8xf64>
    %sum = constant <f64: 1.0> : tile<2x4x8xf64>
    %d = nv_tileaa.dot %x, %y, %sum : tile<2x4x16xf64>, tile<2x16x8xf64>, tile<2x4x8xf64> -> tile<2x4x8xf64>
    return
  }
  entry @scaled() {
    %sum = constant <f32: 1.0> : tile<4x8xf32>
    %sa = constant <f8E8M0FNU: 1.0> : tile<4x2xf8E8M0FNU>
    %sb = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
    %x_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<4x64xf8E4M3FN>
    %y_f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<64x8xf8E4M3FN>
    %d_f8E4M3FN = nv_tileaa.dot %x_f8E4M3FN, %y_f8E4M3FN, %sum sfa(%sa) sfb(%sb) : tile<4x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<4x8xf32> sfa: tile<4x2xe8m0>, sfb: tile<2x8xf8E8M0FNU> -> tile<4x8xf32>
    %x_f8E5M2 = constant <f8E5M2: 1.0> : tile<4x64xf8E5M2>
    %y_f8E5M2 = constant <f8E5M2: 1.0> : tile<64x8xf8E5M2>
    %d_f8E5M2 = nv_tileaa.dot %x_f8E5M2, %y_f8E5M2, %sum sfa(%sa) sfb(%sb) : tile<4x64xf8E5M2>, tile<64x8xf8E5M2>, tile<4x8xf32> sfa: tile<4x2xe8m0>, sfb: tile<2x8xf8E8M0FNU> -> tile<4x8xf32>
    %x_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<4x64xf6E2M3FN>
    %y_f6E2M3FN = constant <f6E2M3FN: 1.0> : tile<64x8xf6E2M3FN>
    %d_f6E2M3FN = nv_tileaa.dot %x_f6E2M3FN, %y_f6E2M3FN, %sum sfa(%sa) sfb(%sb) : tile<4x64xf6E2M3FN>, tile<64x8xf6E2M3FN>, tile<4x8xf32> sfa: tile<4x2xe8m0>, sfb: tile<2x8xf8E8M0FNU> -> tile<4x8xf32>
    %x_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<4x64xf6E3M2FN>
    %y_f6E3M2FN = constant <f6E3M2FN: 1.0> : tile<64x8xf6E3M2FN>
    %d_f6E3M2FN = nv_tileaa.dot %x_f6E3M2FN, %y_f6E3M2FN, %sum sfa(%sa) sfb(%sb) : tile<4x64xf6E3M2FN>, tile<64x8xf6E3M2FN>, tile<4x8xf32> sfa: tile<4x2xe8m0>, sfb: tile<2x8xf8E8M0FNU> -> tile<4x8xf32>
    %x_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<4x64xf4E2M1FN>
    %y_f4E2M1FN = constant <f4E2M1FN: 1.0> : tile<64x8xf4E2M1FN>
    %d_f4E2M1FN = nv_tileaa.dot %x_f4E2M1FN, %y_f4E2M1FN, %sum sfa(%sa) sfb(%sb) : tile<4x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<4x8xf32> sfa: tile<4x2xe8m0>, sfb: tile<2x8xf8E8M0FNU> -> tile<4x8xf32>
    %x = constant <f4E2M1FN: 1.0> : tile<4x32xf4E2M1FN>
    %y = constant <f4E2M1FN: 1.0> : tile<32x8xf4E2M1FN>
    %ta = constant <f8E4M3FN: 1.0> : tile<4x2xf8E4M3FN>
    %tb = constant <f8E4M3FN: 1.0> : tile<2x8xf8E4M3FN>
    %nv = nv_tileaa.dot %x, %y, %sum sfa(%ta) sfb(%tb) : tile<4x32xf4E2M1FN>, tile<32x8xf4E2M1FN>, tile<4x8xf32> sfa: tile<4x2xe4m3>, sfb: tile<2x8xe4m3> -> tile<4x8xf32>
    return
  }
  entry @functions() {
    %x = constant <f32: 1.0> : tile<8xf32>
    %w = constant <f64: 1.0> : tile<8xf64>
    %a = nv_tileaa.extern_elementwise %x {symbol = "__nv_fast_sinf"} : tile<8xf32> -> tile<8xf32>
    %b = nv_tileaa.extern_elementwise %x, %a {symbol = "__nv_powf", fastmath = #fastmath<nnan>} : tile<8xf32>, tile<8xf32> -> tile<8xf32>
    %c = nv_tileaa.extern_elementwise %w {symbol = "__nv_exp"} : tile<8 x f64> -> tile<8xf64>
    return
  }
}
