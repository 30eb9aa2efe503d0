// Prefixes here and there, line breaks anywhere, numbers spelled in every way.
module @mixed_forms attributes {} {
  cuda_tile.entry
  @mixed(
    %a: !cuda_tile.tile<i32>,
    %f: tile<f64>) {
    %0 = cuda_tile.constant <i32: 0x10> : tile<i32> %1 = constant <i32: -0> : !cuda_tile.tile<i32>
    %2 =
      addi %0,
        %1 overflow
        <no_wrap>
        : tile<i32>
    // constants of four rows
    %m = constant <f64: [[1.0, 2.5e+1], [-3.0E-2, 0x7FF8000000000000],
                         [0.0, -0.0], [1.0e308, 4.9e-324]]> : tile<4x2xf64> %s = constant <i1: [true, false, true, true, false, false, true, false, true, true, true, true, false, true, false, true]> : tile<16xi1>
    %e = constant <i8: 255> : tile<2x2xi8>
    %p = cuda_tile.permute %m [1, 0] : tile<4x2xf64> -> tile<2x4xf64>
    %t = cuda_tile.cmpi equal %a, %2, signed : tile<i32> -> tile<i1>
    %some:2 = if %t -> (tile<i32>, tile<f64>) { yield %2, %f : tile<i32>, tile<f64> } else { yield %a, %f : tile<i32>, tile<f64> }
    %last = cuda_tile.subi %some#0, %a : tile<i32>
    cuda_tile.assert %t, "a \"string\"\n\t\\ \41 \C3\BC" : tile<i1>
    return }
}
