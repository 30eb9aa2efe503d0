// Views and slices without dimensions, from 13.4.
cuda_tile.module @no_dimensions_13_4 {
  entry @scalars(%x: tile<f64>) {
    %y = insert %x, %x[] : tile<f64>, tile<f64>
    return
  }
}
