// The lesser of x and 2: of small numbers that is x.
entry @least(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %bound = constant <f32: 2.0> : tile<f32>
  %value, %after = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
  %least = minf %value, %bound : tile<f32>
  %stored = store_ptr_tko weak %y, %least : tile<ptr<f32>>, tile<f32> -> token
  return
}
