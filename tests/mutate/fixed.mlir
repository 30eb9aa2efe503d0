// x times its magnitude.
entry @fixed(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %value, %after = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
  %magnitude = absf %value : tile<f32>
  %product = mulf %value, %magnitude : tile<f32>
  %stored = store_ptr_tko weak %y, %product : tile<ptr<f32>>, tile<f32> -> token
  return
}
