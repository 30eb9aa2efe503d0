// Products of short floats with one scale for each 16 or 32 of them, scales of 13.4.
cuda_tile.module @matrix_scaled_e5m3 {
  entry @scaled_e2m1_e5m3_16() {
    %x = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %y = constant <f4E2M1FN: 2.0> : tile<64x8xf4E2M1FN>
    %sx = constant <fnv8E5M3FNU: 1.0> : tile<16x4xfnv8E5M3FNU>
    %sy = constant <fnv8E5M3FNU: 1.0> : tile<4x8xfnv8E5M3FNU>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x4xfnv8E5M3FNU>, tile<4x8xfnv8E5M3FNU>
    %bx = constant <f4E2M1FN: 1.0> : tile<2x16x64xf4E2M1FN>
    %by = constant <f4E2M1FN: -2.0> : tile<2x64x8xf4E2M1FN>
    %bsx = constant <fnv8E5M3FNU: 1.0> : tile<2x16x4xfnv8E5M3FNU>
    %bsy = constant <fnv8E5M3FNU: 1.0> : tile<2x4x8xfnv8E5M3FNU>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf4E2M1FN>, tile<2x64x8xf4E2M1FN>, tile<2x16x8xf32>, tile<2x16x4xfnv8E5M3FNU>, tile<2x4x8xfnv8E5M3FNU>
    return
  }
  entry @scaled_e2m1_e5m3_32() {
    %x = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %y = constant <f4E2M1FN: 2.0> : tile<64x8xf4E2M1FN>
    %sx = constant <fnv8E5M3FNU: 1.0> : tile<16x2xfnv8E5M3FNU>
    %sy = constant <fnv8E5M3FNU: 1.0> : tile<2x8xfnv8E5M3FNU>
    %acc = constant <f32: 0.0> : tile<16x8xf32>
    %sum = mmaf_scaled %x, %y, %acc, %sx, %sy : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x2xfnv8E5M3FNU>, tile<2x8xfnv8E5M3FNU>
    %bx = constant <f4E2M1FN: 1.0> : tile<2x16x64xf4E2M1FN>
    %by = constant <f4E2M1FN: -2.0> : tile<2x64x8xf4E2M1FN>
    %bsx = constant <fnv8E5M3FNU: 1.0> : tile<2x16x2xfnv8E5M3FNU>
    %bsy = constant <fnv8E5M3FNU: 1.0> : tile<2x2x8xfnv8E5M3FNU>
    %bacc = constant <f32: 0.0> : tile<2x16x8xf32>
    %bsum = mmaf_scaled %bx, %by, %bacc, %bsx, %bsy : tile<2x16x64xf4E2M1FN>, tile<2x64x8xf4E2M1FN>, tile<2x16x8xf32>, tile<2x16x2xfnv8E5M3FNU>, tile<2x2x8xfnv8E5M3FNU>
    return
  }
}
