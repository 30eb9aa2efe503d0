// Arithmetic on floats.
cuda_tile.module @float_f32 {
  // Every function of one number, on a scalar and on a block.
  entry @functions_f32(%x: tile<f32>, %p: tile<ptr<f32>>) {
    %many_cell = reshape %x : tile<f32> -> tile<1xf32>
    %many = broadcast %many_cell : tile<1xf32> -> tile<8xf32>
    %absf = absf %many : tile<8xf32>
    %ceil = ceil %absf : tile<8xf32>
    %cos = cos %ceil : tile<8xf32>
    %cosh = cosh %cos : tile<8xf32>
    %exp2 = exp2 %cosh : tile<8xf32>
    %floor = floor %exp2 : tile<8xf32>
    %log = log %floor : tile<8xf32>
    %log2 = log2 %log : tile<8xf32>
    %negf = negf %log2 : tile<8xf32>
    %rsqrt = rsqrt %negf : tile<8xf32>
    %sin = sin %rsqrt : tile<8xf32>
    %sinh = sinh %sin : tile<8xf32>
    %sqrt = sqrt %sinh : tile<8xf32>
    %tan = tan %sqrt : tile<8xf32>
    %exp = exp %tan : tile<8xf32>
    %tanh = tanh %exp : tile<8xf32>
    %lane = iota : tile<8xi32>
    %to_cell = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %to = broadcast %to_cell : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %addresses = offset %to, %lane : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %done = store_ptr_tko weak %addresses, %tanh : tile<8xptr<f32>>, tile<8xf32> -> token
    return
  }

  // Every function of two numbers and three.
  entry @arithmetic_f32(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>, %p: tile<ptr<f32>>) {
    %sum = addf %x, %y : tile<f32>
    %difference = subf %sum, %z : tile<f32>
    %product = mulf %difference, %x : tile<f32>
    %quotient = divf %product, %y : tile<f32>
    %rest = remf %quotient, %z : tile<f32>
    %power = pow %rest, %x : tile<f32>
    %fused = fma %power, %y, %z : tile<f32>
    %larger = maxf %fused, %x : tile<f32>
    %smaller = minf %larger, %y : tile<f32>
    %larger_or_nan = maxf %smaller, %z propagate_nan : tile<f32>
    %smaller_or_nan = minf %larger_or_nan, %x propagate_nan : tile<f32>
    %c0 = cmpf equal ordered %smaller_or_nan, %z : tile<f32> -> tile<i1>
    %s0 = select %c0, %smaller_or_nan, %y : tile<i1>, tile<f32>
    %c1 = cmpf not_equal ordered %s0, %z : tile<f32> -> tile<i1>
    %s1 = select %c1, %s0, %y : tile<i1>, tile<f32>
    %c2 = cmpf less_than ordered %s1, %z : tile<f32> -> tile<i1>
    %s2 = select %c2, %s1, %y : tile<i1>, tile<f32>
    %c3 = cmpf less_than_or_equal ordered %s2, %z : tile<f32> -> tile<i1>
    %s3 = select %c3, %s2, %y : tile<i1>, tile<f32>
    %c4 = cmpf greater_than ordered %s3, %z : tile<f32> -> tile<i1>
    %s4 = select %c4, %s3, %y : tile<i1>, tile<f32>
    %c5 = cmpf greater_than_or_equal ordered %s4, %z : tile<f32> -> tile<i1>
    %s5 = select %c5, %s4, %y : tile<i1>, tile<f32>
    %c6 = cmpf equal unordered %s5, %z : tile<f32> -> tile<i1>
    %s6 = select %c6, %s5, %y : tile<i1>, tile<f32>
    %c7 = cmpf not_equal unordered %s6, %z : tile<f32> -> tile<i1>
    %s7 = select %c7, %s6, %y : tile<i1>, tile<f32>
    %c8 = cmpf less_than unordered %s7, %z : tile<f32> -> tile<i1>
    %s8 = select %c8, %s7, %y : tile<i1>, tile<f32>
    %c9 = cmpf less_than_or_equal unordered %s8, %z : tile<f32> -> tile<i1>
    %s9 = select %c9, %s8, %y : tile<i1>, tile<f32>
    %c10 = cmpf greater_than unordered %s9, %z : tile<f32> -> tile<i1>
    %s10 = select %c10, %s9, %y : tile<i1>, tile<f32>
    %c11 = cmpf greater_than_or_equal unordered %s10, %z : tile<f32> -> tile<i1>
    %s11 = select %c11, %s10, %y : tile<i1>, tile<f32>
    %done = store_ptr_tko weak %p, %s11 : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Every rounding of what can be rounded.
  entry @rounded_f32(%x: tile<f32>, %y: tile<f32>, %p: tile<ptr<f32>>) {
    %r0 = addf %x, %y rounding<nearest_even> : tile<f32>
    %r1 = subf %r0, %y rounding<nearest_even> : tile<f32>
    %r2 = mulf %r1, %y rounding<nearest_even> : tile<f32>
    %r3 = divf %r2, %y rounding<nearest_even> : tile<f32>
    %r4 = fma %r3, %y, %x rounding<nearest_even> : tile<f32>
    %r5 = sqrt %r4 rounding<nearest_even> : tile<f32>
    %r6 = addf %r5, %y rounding<zero> : tile<f32>
    %r7 = subf %r6, %y rounding<zero> : tile<f32>
    %r8 = mulf %r7, %y rounding<zero> : tile<f32>
    %r9 = divf %r8, %y rounding<zero> : tile<f32>
    %r10 = fma %r9, %y, %x rounding<zero> : tile<f32>
    %r11 = sqrt %r10 rounding<zero> : tile<f32>
    %r12 = addf %r11, %y rounding<negative_inf> : tile<f32>
    %r13 = subf %r12, %y rounding<negative_inf> : tile<f32>
    %r14 = mulf %r13, %y rounding<negative_inf> : tile<f32>
    %r15 = divf %r14, %y rounding<negative_inf> : tile<f32>
    %r16 = fma %r15, %y, %x rounding<negative_inf> : tile<f32>
    %r17 = sqrt %r16 rounding<negative_inf> : tile<f32>
    %r18 = addf %r17, %y rounding<positive_inf> : tile<f32>
    %r19 = subf %r18, %y rounding<positive_inf> : tile<f32>
    %r20 = mulf %r19, %y rounding<positive_inf> : tile<f32>
    %r21 = divf %r20, %y rounding<positive_inf> : tile<f32>
    %r22 = fma %r21, %y, %x rounding<positive_inf> : tile<f32>
    %r23 = sqrt %r22 rounding<positive_inf> : tile<f32>
    %done = store_ptr_tko weak %p, %r23 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
