// Conversions with each rounding.
cuda_tile.module @ftof_roundings {
  // Every rounding that a conversion takes, from 13.4 away from zero as well.
  entry @roundings(%h: tile<f16>, %s: tile<f32>, %d: tile<f64>) {
    %r0 = ftof %d rounding<nearest_even> : tile<f64> -> tile<f32>
    %r1 = ftof %d rounding<zero> : tile<f64> -> tile<f32>
    %r2 = ftof %d rounding<negative_inf> : tile<f64> -> tile<f32>
    %r3 = ftof %d rounding<positive_inf> : tile<f64> -> tile<f32>
    %r4 = ftof %s rounding<nearest_even> : tile<f32> -> tile<tf32>
    %r5 = ftof %s rounding<zero> : tile<f32> -> tile<tf32>
    %r6 = ftof %s rounding<nearest_away> : tile<f32> -> tile<tf32>
    %r7 = ftof %s rounding<nearest_even> : tile<f32> -> tile<f16>
    %r8 = ftof %s rounding<zero> : tile<f32> -> tile<f16>
    %r9 = ftof %s rounding<zero> : tile<f32> -> tile<bf16>
    %r10 = ftof %h rounding<nearest_even> : tile<f16> -> tile<f32>
    %r11 = ftof %h rounding<zero> : tile<f16> -> tile<f32>
    %r12 = ftof %h rounding<negative_inf> : tile<f16> -> tile<f32>
    %r13 = ftof %h rounding<positive_inf> : tile<f16> -> tile<f32>
    %r14 = ftof %h rounding<nearest_away> : tile<f16> -> tile<f32>
    %r15 = ftof %s rounding<positive_inf> : tile<f32> -> tile<f64>
    %r16 = ftof %s rounding<nearest_away> : tile<f32> -> tile<f64>
    return
  }
}
