// refused: cannot hold
entry @f() {
  %y = iota : tile<512xi8>
  return
}
// -----
// refused: expected as many
entry @f() {
  %y = iota : tile<4xi32>
  %z = reshape %y : tile<4xi32> -> tile<8xi32>
  return
}
// -----
// refused: stretches dimension 0 from 4 to 8
entry @f() {
  %y = iota : tile<4xi32>
  %z = broadcast %y : tile<4xi32> -> tile<8xi32>
  return
}
// -----
// refused: has dim 1, expected 0 to less than the rank 1
entry @f() {
  %y = iota : tile<4xi32>
  %z = cat %y, %y dim = 1 : tile<4xi32>, tile<4xi32> -> tile<8xi32>
  return
}
// -----
// refused: which does not give
entry @f() {
  %y = iota : tile<4xi32>
  %z = cat %y, %y dim = 0 : tile<4xi32>, tile<4xi32> -> tile<16xi32>
  return
}
// -----
// refused: twice in its permutation
entry @f() {
  %y = constant <i32: 0> : tile<2x4xi32>
  %z = permute %y [0, 0] : tile<2x4xi32> -> tile<2x2xi32>
  return
}
// -----
// refused: has a permutation of 1 dimensions, expected 2
entry @f() {
  %y = constant <i32: 0> : tile<2x4xi32>
  %z = permute %y [0] : tile<2x4xi32> -> tile<2x4xi32>
  return
}
// -----
// refused: has dimension 0 of size 2 in its result, expected 4
entry @f() {
  %y = constant <i32: 0> : tile<2x4xi32>
  %z = permute %y [1, 0] : tile<2x4xi32> -> tile<2x4xi32>
  return
}
// -----
// refused: expected sizes that divide
entry @f(%x: tile<i32>) {
  %y = iota : tile<4xi32>
  %z = extract %y[%x] : tile<4xi32> -> tile<8xi32>
  return
}
// -----
// refused: has 2 indices, expected 1
entry @f(%x: tile<i32>) {
  %y = iota : tile<4xi32>
  %z = extract %y[%x, %x] : tile<4xi32> -> tile<2xi32>
  return
}
// -----
// refused: expected sizes that divide
entry @f(%x: tile<i32>) {
  %y = iota : tile<4xi32>
  %w = iota : tile<8xi32>
  %z = insert %w, %y[%x] : tile<8xi32>, tile<4xi32>
  return
}
// -----
// refused: which share bytes
entry @f() {
  %y = constant <f4E2M1FN: 1.0> : tile<4xf4E2M1FN>
  %c = constant <i1: true> : tile<4xi1>
  %z = select %c, %y, %y : tile<4xi1>, tile<4xf4E2M1FN>
  return
}
// -----
// refused: expected 2 or 3
entry @f() {
  %y = constant <f16: 1.0> : tile<4xf16>
  %z = mmaf %y, %y, %y : tile<4xf16>, tile<4xf16>, tile<4xf16>
  return
}
// -----
// refused: into an accumulator of
entry @f() {
  %y = constant <bf16: 1.0> : tile<4x4xbf16>
  %a = constant <f64: 1.0> : tile<4x4xf64>
  %z = mmaf %y, %y, %a : tile<4x4xbf16>, tile<4x4xbf16>, tile<4x4xf64>
  return
}
// -----
// refused: to be equal
entry @f() {
  %y = constant <f16: 1.0> : tile<4x8xf16>
  %a = constant <f32: 1.0> : tile<4x4xf32>
  %z = mmaf %y, %y, %a : tile<4x8xf16>, tile<4x8xf16>, tile<4x4xf32>
  return
}
// -----
// refused: scales f8E5M2 with
entry @f() {
  %y = constant <f8E5M2: 1.0> : tile<32x32xf8E5M2>
  %s = constant <f8E4M3FN: 1.0> : tile<32x1xf8E4M3FN>
  %u = constant <f8E4M3FN: 1.0> : tile<1x32xf8E4M3FN>
  %a = constant <f32: 1.0> : tile<32x32xf32>
  %z = mmaf_scaled %y, %y, %a, %s, %u : tile<32x32xf8E5M2>, tile<32x32xf8E5M2>, tile<32x32xf32>, tile<32x1xf8E4M3FN>, tile<1x32xf8E4M3FN>
  return
}
