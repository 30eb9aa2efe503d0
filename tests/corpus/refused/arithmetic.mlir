// refused: has rounding approx, expected one of
entry @f(%x: tile<f32>) {
  %y = addf %x, %x rounding<approx> : tile<f32>
  return
}
// -----
// refused: has rounding full, expected one of
entry @f(%x: tile<f32>) {
  %y = sqrt %x rounding<full> : tile<f32>
  return
}
// -----
// refused: has rounding nearest_away, expected one of
entry @f(%x: tile<f64>) {
  %y = mulf %x, %x rounding<nearest_away> : tile<f64>
  return
}
// -----
// refused: has rounding zero, expected one of
entry @f(%x: tile<f32>) {
  %y = exp %x rounding<zero> : tile<f32>
  return
}
// -----
// refused: which needs f32 elements
entry @f(%x: tile<f16>) {
  %y = divf %x, %x rounding<approx> : tile<f16>
  return
}
// -----
// refused: which needs f32 elements
entry @f(%x: tile<f64>) {
  %y = tanh %x rounding<approx> : tile<f64>
  return
}
// -----
// refused: flush_to_zero
entry @f(%x: tile<bf16>) {
  %y = fma %x, %x, %x flush_to_zero : tile<bf16>
  return
}
// -----
// refused: flush_to_zero
entry @f(%x: tile<f64>) {
  %y = exp2 %x flush_to_zero : tile<f64>
  return
}
// -----
// refused: is unsigned with rounding negative_inf
entry @f(%x: tile<i32>) {
  %y = divi %x, %x unsigned rounding<negative_inf> : tile<i32>
  return
}
// -----
// refused: has overflow no_unsigned_wrap
entry @f(%x: tile<i32>) {
  %y = negi %x overflow<no_unsigned_wrap> : tile<i32>
  return
}
// -----
// refused: expected tile of f16, bf16, f32 or f64
entry @f(%x: tile<tf32>) {
  %y = addf %x, %x : tile<tf32>
  return
}
// -----
// refused: expected tile of f16, bf16, f32 or f64
entry @f(%x: tile<tf32>) {
  %y = cos %x : tile<tf32>
  return
}
// -----
// refused: expected tile of f16, bf16, f32 or f64
entry @f(%x: tile<tf32>) {
  %y = remf %x, %x : tile<tf32>
  return
}
// -----
// refused: expected tile of f16, bf16, f32 or f64
entry @f(%x: tile<f8E5M2>) {
  %y = absf %x : tile<f8E5M2>
  return
}
// -----
// refused: expected tile of i1, i8, i16, i32 or i64
entry @f(%x: tile<f32>) {
  %y = addi %x, %x : tile<f32>
  return
}
