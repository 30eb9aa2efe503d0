// Batches of small products, from 13.3 with short accumulators.
cuda_tile.module @matrix_batches {
  entry @batched_f16_f16() {
    %x = constant <f16: 1.0> : tile<2x8x16xf16>
    %y = constant <f16: 0.5> : tile<2x16x4xf16>
    %acc = constant <f16: 0.0> : tile<2x8x4xf16>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf16>, tile<2x16x4xf16>, tile<2x8x4xf16>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf16>, tile<2x16x4xf16>, tile<2x8x4xf16>
    return
  }
  entry @batched_f16_f32() {
    %x = constant <f16: 1.0> : tile<2x8x16xf16>
    %y = constant <f16: 0.5> : tile<2x16x4xf16>
    %acc = constant <f32: 0.0> : tile<2x8x4xf32>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf16>, tile<2x16x4xf16>, tile<2x8x4xf32>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf16>, tile<2x16x4xf16>, tile<2x8x4xf32>
    return
  }
  entry @batched_bf16_f32() {
    %x = constant <bf16: 1.0> : tile<2x8x16xbf16>
    %y = constant <bf16: 0.5> : tile<2x16x4xbf16>
    %acc = constant <f32: 0.0> : tile<2x8x4xf32>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xbf16>, tile<2x16x4xbf16>, tile<2x8x4xf32>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xbf16>, tile<2x16x4xbf16>, tile<2x8x4xf32>
    return
  }
  entry @batched_f32_f32() {
    %x = constant <f32: 1.0> : tile<2x8x16xf32>
    %y = constant <f32: 0.5> : tile<2x16x4xf32>
    %acc = constant <f32: 0.0> : tile<2x8x4xf32>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf32>, tile<2x16x4xf32>, tile<2x8x4xf32>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf32>, tile<2x16x4xf32>, tile<2x8x4xf32>
    return
  }
  entry @batched_tf32_f32() {
    %x = constant <tf32: 1.0> : tile<2x8x16xtf32>
    %y = constant <tf32: 0.5> : tile<2x16x4xtf32>
    %acc = constant <f32: 0.0> : tile<2x8x4xf32>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xtf32>, tile<2x16x4xtf32>, tile<2x8x4xf32>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xtf32>, tile<2x16x4xtf32>, tile<2x8x4xf32>
    return
  }
  entry @batched_f64_f64() {
    %x = constant <f64: 1.0> : tile<2x8x16xf64>
    %y = constant <f64: 0.5> : tile<2x16x4xf64>
    %acc = constant <f64: 0.0> : tile<2x8x4xf64>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf64>, tile<2x16x4xf64>, tile<2x8x4xf64>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf64>, tile<2x16x4xf64>, tile<2x8x4xf64>
    return
  }
  entry @batched_e4m3_f16() {
    %x = constant <f8E4M3FN: 1.0> : tile<2x8x16xf8E4M3FN>
    %y = constant <f8E4M3FN: 0.5> : tile<2x16x4xf8E4M3FN>
    %acc = constant <f16: 0.0> : tile<2x8x4xf16>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf8E4M3FN>, tile<2x16x4xf8E4M3FN>, tile<2x8x4xf16>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf8E4M3FN>, tile<2x16x4xf8E4M3FN>, tile<2x8x4xf16>
    return
  }
  entry @batched_e4m3_f32() {
    %x = constant <f8E4M3FN: 1.0> : tile<2x8x16xf8E4M3FN>
    %y = constant <f8E4M3FN: 0.5> : tile<2x16x4xf8E4M3FN>
    %acc = constant <f32: 0.0> : tile<2x8x4xf32>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf8E4M3FN>, tile<2x16x4xf8E4M3FN>, tile<2x8x4xf32>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf8E4M3FN>, tile<2x16x4xf8E4M3FN>, tile<2x8x4xf32>
    return
  }
  entry @batched_e5m2_f16() {
    %x = constant <f8E5M2: 1.0> : tile<2x8x16xf8E5M2>
    %y = constant <f8E5M2: 0.5> : tile<2x16x4xf8E5M2>
    %acc = constant <f16: 0.0> : tile<2x8x4xf16>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf8E5M2>, tile<2x16x4xf8E5M2>, tile<2x8x4xf16>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf8E5M2>, tile<2x16x4xf8E5M2>, tile<2x8x4xf16>
    return
  }
  entry @batched_e5m2_f32() {
    %x = constant <f8E5M2: 1.0> : tile<2x8x16xf8E5M2>
    %y = constant <f8E5M2: 0.5> : tile<2x16x4xf8E5M2>
    %acc = constant <f32: 0.0> : tile<2x8x4xf32>
    %plain = mmaf %x, %y, %acc : tile<2x8x16xf8E5M2>, tile<2x16x4xf8E5M2>, tile<2x8x4xf32>
    %fast = mmaf %x, %y, %plain fast_acc : tile<2x8x16xf8E5M2>, tile<2x16x4xf8E5M2>, tile<2x8x4xf32>
    return
  }
}
