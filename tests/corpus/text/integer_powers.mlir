// Floats to the power of integers of each width, from 13.4.
cuda_tile.module @integer_powers {
  entry @powers_f16(%x: tile<f16>, %ni1: tile<i1>, %ni8: tile<i8>, %ni16: tile<i16>, %ni32: tile<i32>, %p: tile<ptr<f16>>) {
    %pi1 = fpowi %x, %ni1 : tile<f16>, tile<i1>
    %pi8 = fpowi %pi1, %ni8 : tile<f16>, tile<i8>
    %pi16 = fpowi %pi8, %ni16 : tile<f16>, tile<i16>
    %pi32 = fpowi %pi16, %ni32 : tile<f16>, tile<i32>
    %done = store_ptr_tko weak %p, %pi32 : tile<ptr<f16>>, tile<f16> -> token
    return
  }
  entry @powers_bf16(%x: tile<bf16>, %ni1: tile<i1>, %ni8: tile<i8>, %ni16: tile<i16>, %ni32: tile<i32>, %p: tile<ptr<bf16>>) {
    %pi1 = fpowi %x, %ni1 : tile<bf16>, tile<i1>
    %pi8 = fpowi %pi1, %ni8 : tile<bf16>, tile<i8>
    %pi16 = fpowi %pi8, %ni16 : tile<bf16>, tile<i16>
    %pi32 = fpowi %pi16, %ni32 : tile<bf16>, tile<i32>
    %done = store_ptr_tko weak %p, %pi32 : tile<ptr<bf16>>, tile<bf16> -> token
    return
  }
  entry @powers_f32(%x: tile<f32>, %ni1: tile<i1>, %ni8: tile<i8>, %ni16: tile<i16>, %ni32: tile<i32>, %p: tile<ptr<f32>>) {
    %pi1 = fpowi %x, %ni1 : tile<f32>, tile<i1>
    %pi8 = fpowi %pi1, %ni8 : tile<f32>, tile<i8>
    %pi16 = fpowi %pi8, %ni16 : tile<f32>, tile<i16>
    %pi32 = fpowi %pi16, %ni32 : tile<f32>, tile<i32>
    %done = store_ptr_tko weak %p, %pi32 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @powers_f64(%x: tile<f64>, %ni1: tile<i1>, %ni8: tile<i8>, %ni16: tile<i16>, %ni32: tile<i32>, %p: tile<ptr<f64>>) {
    %pi1 = fpowi %x, %ni1 : tile<f64>, tile<i1>
    %pi8 = fpowi %pi1, %ni8 : tile<f64>, tile<i8>
    %pi16 = fpowi %pi8, %ni16 : tile<f64>, tile<i16>
    %pi32 = fpowi %pi16, %ni32 : tile<f64>, tile<i32>
    %done = store_ptr_tko weak %p, %pi32 : tile<ptr<f64>>, tile<f64> -> token
    return
  }
}
