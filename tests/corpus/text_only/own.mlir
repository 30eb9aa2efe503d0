// Ops of our own: functions by name, gather, histogram, and reduce and scan without identities.
cuda_tile.module @own {
  entry @functions(%x: tile<f32>, %n: tile<i32>) {
    %single = constant <f32: 0.5> : tile<8x4xf32>
    %double = constant <f64: 0.5> : tile<4xf64>
    %exponents = constant <i32: 3> : tile<4xi32>
    %erf = function "erf"(%single) : tile<8x4xf32> -> tile<8x4xf32>
    %log1p = function "__nv_log1pf"(%single) : tile<8x4xf32> -> tile<8x4xf32>
    %hypot = function "__nv_hypot"(%double, %double) : tile<4xf64>, tile<4xf64> -> tile<4xf64>
    %norm = function "rnorm4d"(%x, %x, %x, %x) : tile<f32>, tile<f32>, tile<f32>, tile<f32> -> tile<f32>
    %scaled = function "ldexp"(%double, %exponents) : tile<4xf64>, tile<4xi32> -> tile<4xf64>
    %bessel = function "__nv_jnf"(%n, %x) : tile<i32>, tile<f32> -> tile<f32>
    return
  }
  entry @gathers() {
    %places = constant <i32: [3, 0]> : tile<2xi32>
    %places2 = constant <i64: [[1, 0, 1, 1], [0, 0, 1, 0]]> : tile<2x4xi64>
    %i1 = constant <i1: true> : tile<4xi1>
    %i1_g = gather %i1[%places] dim=0 : tile<4xi1>, tile<2xi32> -> tile<2xi1>
    %i8 = constant <i8: 1> : tile<4xi8>
    %i8_g = gather %i8[%places] dim=0 : tile<4xi8>, tile<2xi32> -> tile<2xi8>
    %i16 = constant <i16: 1> : tile<4xi16>
    %i16_g = gather %i16[%places] dim=0 : tile<4xi16>, tile<2xi32> -> tile<2xi16>
    %i32 = constant <i32: 1> : tile<4xi32>
    %i32_g = gather %i32[%places] dim=0 : tile<4xi32>, tile<2xi32> -> tile<2xi32>
    %i64 = constant <i64: 1> : tile<4xi64>
    %i64_g = gather %i64[%places] dim=0 : tile<4xi64>, tile<2xi32> -> tile<2xi64>
    %f32 = constant <f32: 1.0> : tile<2x2xf32>
    %f32_g = gather %f32[%places2] dim=1 : tile<2x2xf32>, tile<2x4xi64> -> tile<2x4xf32>
    %f16 = constant <f16: 1.0> : tile<4xf16>
    %f16_g = gather %f16[%places] dim=0 : tile<4xf16>, tile<2xi32> -> tile<2xf16>
    %bf16 = constant <bf16: 1.0> : tile<4xbf16>
    %bf16_g = gather %bf16[%places] dim=0 : tile<4xbf16>, tile<2xi32> -> tile<2xbf16>
    %f64 = constant <f64: 1.0> : tile<4xf64>
    %f64_g = gather %f64[%places] dim=0 : tile<4xf64>, tile<2xi32> -> tile<2xf64>
    %f8E4M3FN = constant <f8E4M3FN: 1.0> : tile<4xf8E4M3FN>
    %f8E4M3FN_g = gather %f8E4M3FN[%places] dim=0 : tile<4xf8E4M3FN>, tile<2xi32> -> tile<2xf8E4M3FN>
    %f8E5M2 = constant <f8E5M2: 1.0> : tile<4xf8E5M2>
    %f8E5M2_g = gather %f8E5M2[%places] dim=0 : tile<4xf8E5M2>, tile<2xi32> -> tile<2xf8E5M2>
    return
  }
  entry @histograms() {
    %values = constant <i32: [3, 0, 1, 1]> : tile<4xi32>
    %wide = constant <i64: [3, 0, 1, 1]> : tile<4xi64>
    %mask = constant <i1: [true, false, true, true]> : tile<4xi1>
    %plain = histogram %values : tile<4xi32> -> tile<8xi32>
    %masked = histogram %wide, %mask : tile<4xi64>, tile<4xi1> -> tile<2xi32>
    return
  }
  entry @folds() {
    %x = constant <f32: 1.0> : tile<4x8xf32>
    %n = constant <i32: 1> : tile<4x8xi32>
    %sum, %last = reduce %x, %n dim=1 identities=[] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32> (%a: tile<f32>, %b: tile<f32>, %k: tile<i32>, %l: tile<i32>) {
      %s = addf %a, %b : tile<f32>
      yield %s, %l : tile<f32>, tile<i32>
    }
    %sums = scan %x dim=0 reverse=true identities=[] : tile<4x8xf32> -> tile<4x8xf32> (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}
