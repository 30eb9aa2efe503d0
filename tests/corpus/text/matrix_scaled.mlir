// Products of short floats with one scale for each 16 or 32 of them, from 13.3.
cuda_tile.module @matrix_scaled {
  entry @scaled_e4m3_e8m0_32() {
    %x = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %y = constant <f8E4M3FN: 2.0> : tile<64x8xf8E4M3FN>
    %sx = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %sy = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
    %bx = constant <f8E4M3FN: 1.0> : tile<2x16x64xf8E4M3FN>
    %by = constant <f8E4M3FN: -2.0> : tile<2x64x8xf8E4M3FN>
    %bsx = constant <f8E8M0FNU: 1.0> : tile<2x16x2xf8E8M0FNU>
    %bsy = constant <f8E8M0FNU: 1.0> : tile<2x2x8xf8E8M0FNU>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf8E4M3FN>, tile<2x64x8xf8E4M3FN>, tile<2x16x8xf32>, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
    return
  }
  entry @scaled_e5m2_e8m0_32() {
    %x = constant <f8E5M2: 1.0> : tile<16x64xf8E5M2>
    %y = constant <f8E5M2: 2.0> : tile<64x8xf8E5M2>
    %sx = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %sy = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf8E5M2>, tile<64x8xf8E5M2>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
    %bx = constant <f8E5M2: 1.0> : tile<2x16x64xf8E5M2>
    %by = constant <f8E5M2: -2.0> : tile<2x64x8xf8E5M2>
    %bsx = constant <f8E8M0FNU: 1.0> : tile<2x16x2xf8E8M0FNU>
    %bsy = constant <f8E8M0FNU: 1.0> : tile<2x2x8xf8E8M0FNU>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf8E5M2>, tile<2x64x8xf8E5M2>, tile<2x16x8xf32>, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
    return
  }
  entry @scaled_e2m1_e4m3_16() {
    %x = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %y = constant <f4E2M1FN: 2.0> : tile<64x8xf4E2M1FN>
    %sx = constant <f8E4M3FN: 1.0> : tile<16x4xf8E4M3FN>
    %sy = constant <f8E4M3FN: 1.0> : tile<4x8xf8E4M3FN>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x4xf8E4M3FN>, tile<4x8xf8E4M3FN>
    %bx = constant <f4E2M1FN: 1.0> : tile<2x16x64xf4E2M1FN>
    %by = constant <f4E2M1FN: -2.0> : tile<2x64x8xf4E2M1FN>
    %bsx = constant <f8E4M3FN: 1.0> : tile<2x16x4xf8E4M3FN>
    %bsy = constant <f8E4M3FN: 1.0> : tile<2x4x8xf8E4M3FN>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf4E2M1FN>, tile<2x64x8xf4E2M1FN>, tile<2x16x8xf32>, tile<2x16x4xf8E4M3FN>, tile<2x4x8xf8E4M3FN>
    return
  }
  entry @scaled_e2m1_e8m0_16() {
    %x = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %y = constant <f4E2M1FN: 2.0> : tile<64x8xf4E2M1FN>
    %sx = constant <f8E8M0FNU: 1.0> : tile<16x4xf8E8M0FNU>
    %sy = constant <f8E8M0FNU: 1.0> : tile<4x8xf8E8M0FNU>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x4xf8E8M0FNU>, tile<4x8xf8E8M0FNU>
    %bx = constant <f4E2M1FN: 1.0> : tile<2x16x64xf4E2M1FN>
    %by = constant <f4E2M1FN: -2.0> : tile<2x64x8xf4E2M1FN>
    %bsx = constant <f8E8M0FNU: 1.0> : tile<2x16x4xf8E8M0FNU>
    %bsy = constant <f8E8M0FNU: 1.0> : tile<2x4x8xf8E8M0FNU>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf4E2M1FN>, tile<2x64x8xf4E2M1FN>, tile<2x16x8xf32>, tile<2x16x4xf8E8M0FNU>, tile<2x4x8xf8E8M0FNU>
    return
  }
  entry @scaled_e2m1_e8m0_32() {
    %x = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %y = constant <f4E2M1FN: 2.0> : tile<64x8xf4E2M1FN>
    %sx = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %sy = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
    %bx = constant <f4E2M1FN: 1.0> : tile<2x16x64xf4E2M1FN>
    %by = constant <f4E2M1FN: -2.0> : tile<2x64x8xf4E2M1FN>
    %bsx = constant <f8E8M0FNU: 1.0> : tile<2x16x2xf8E8M0FNU>
    %bsy = constant <f8E8M0FNU: 1.0> : tile<2x2x8xf8E8M0FNU>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf4E2M1FN>, tile<2x64x8xf4E2M1FN>, tile<2x16x8xf32>, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
    return
  }
}
