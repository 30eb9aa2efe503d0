// refused: expected equal widths
entry @f(%x: tile<f32>) {
  %y = bitcast %x : tile<f32> -> tile<i64>
  return
}
// -----
// refused: expected a wider result
entry @f(%x: tile<i32>) {
  %y = exti %x signed : tile<i32> -> tile<i16>
  return
}
// -----
// refused: expected a narrower result
entry @f(%x: tile<i32>) {
  %y = trunci %x : tile<i32> -> tile<i64>
  return
}
// -----
// refused: which takes no integers
entry @f(%x: tile<i32>) {
  %y = itof %x signed : tile<i32> -> tile<f8E8M0FNU>
  return
}
// -----
// refused: to itself
entry @f(%x: tile<f32>) {
  %y = ftof %x : tile<f32> -> tile<f32>
  return
}
// -----
// refused: has rounding nearest_even, expected one of
entry @f(%x: tile<f32>) {
  %y = ftof %x : tile<f32> -> tile<f8E8M0FNU>
  return
}
// -----
// refused: has rounding negative_inf, expected one of
entry @f(%x: tile<f32>) {
  %y = ftof %x rounding<negative_inf> : tile<f32> -> tile<f16>
  return
}
// -----
// refused: has rounding zero, expected one of
entry @f(%x: tile<f32>) {
  %y = ftoi %x signed rounding<zero> : tile<f32> -> tile<i32>
  return
}
// -----
// refused: has rounding positive_inf, expected one of
entry @f(%x: tile<i32>) {
  %y = itof %x signed rounding<positive_inf> : tile<i32> -> tile<f32>
  return
}
// -----
// refused: expected different widths
entry @f() {
  %y = constant <i8: 1> : tile<4xi8>
  %z = pack %y : tile<4xi8> -> tile<4xi8>
  return
}
// -----
// refused: expected as many
entry @f() {
  %y = constant <i16: 1> : tile<4xi16>
  %z = pack %y : tile<4xi16> -> tile<4xi8>
  return
}
