// Arithmetic on half floats.
cuda_tile.module @float_f16 {
  // Every function of one number, on a scalar and on a block.
  entry @functions_f16(%x: tile<f16>, %p: tile<ptr<f16>>) {
    %many_cell = reshape %x : tile<f16> -> tile<1xf16>
    %many = broadcast %many_cell : tile<1xf16> -> tile<8xf16>
    %absf = absf %many : tile<8xf16>
    %ceil = ceil %absf : tile<8xf16>
    %cos = cos %ceil : tile<8xf16>
    %cosh = cosh %cos : tile<8xf16>
    %exp2 = exp2 %cosh : tile<8xf16>
    %floor = floor %exp2 : tile<8xf16>
    %log = log %floor : tile<8xf16>
    %log2 = log2 %log : tile<8xf16>
    %negf = negf %log2 : tile<8xf16>
    %rsqrt = rsqrt %negf : tile<8xf16>
    %sin = sin %rsqrt : tile<8xf16>
    %sinh = sinh %sin : tile<8xf16>
    %sqrt = sqrt %sinh : tile<8xf16>
    %tan = tan %sqrt : tile<8xf16>
    %exp = exp %tan : tile<8xf16>
    %tanh = tanh %exp : tile<8xf16>
    %lane = iota : tile<8xi32>
    %to_cell = reshape %p : tile<ptr<f16>> -> tile<1xptr<f16>>
    %to = broadcast %to_cell : tile<1xptr<f16>> -> tile<8xptr<f16>>
    %addresses = offset %to, %lane : tile<8xptr<f16>>, tile<8xi32> -> tile<8xptr<f16>>
    %done = store_ptr_tko weak %addresses, %tanh : tile<8xptr<f16>>, tile<8xf16> -> token
    return
  }

  // Every function of two numbers and three.
  entry @arithmetic_f16(%x: tile<f16>, %y: tile<f16>, %z: tile<f16>, %p: tile<ptr<f16>>) {
    %sum = addf %x, %y : tile<f16>
    %difference = subf %sum, %z : tile<f16>
    %product = mulf %difference, %x : tile<f16>
    %quotient = divf %product, %y : tile<f16>
    %rest = remf %quotient, %z : tile<f16>
    %power = pow %rest, %x : tile<f16>
    %fused = fma %power, %y, %z : tile<f16>
    %larger = maxf %fused, %x : tile<f16>
    %smaller = minf %larger, %y : tile<f16>
    %larger_or_nan = maxf %smaller, %z propagate_nan : tile<f16>
    %smaller_or_nan = minf %larger_or_nan, %x propagate_nan : tile<f16>
    %c0 = cmpf equal ordered %smaller_or_nan, %z : tile<f16> -> tile<i1>
    %s0 = select %c0, %smaller_or_nan, %y : tile<i1>, tile<f16>
    %c1 = cmpf not_equal ordered %s0, %z : tile<f16> -> tile<i1>
    %s1 = select %c1, %s0, %y : tile<i1>, tile<f16>
    %c2 = cmpf less_than ordered %s1, %z : tile<f16> -> tile<i1>
    %s2 = select %c2, %s1, %y : tile<i1>, tile<f16>
    %c3 = cmpf less_than_or_equal ordered %s2, %z : tile<f16> -> tile<i1>
    %s3 = select %c3, %s2, %y : tile<i1>, tile<f16>
    %c4 = cmpf greater_than ordered %s3, %z : tile<f16> -> tile<i1>
    %s4 = select %c4, %s3, %y : tile<i1>, tile<f16>
    %c5 = cmpf greater_than_or_equal ordered %s4, %z : tile<f16> -> tile<i1>
    %s5 = select %c5, %s4, %y : tile<i1>, tile<f16>
    %c6 = cmpf equal unordered %s5, %z : tile<f16> -> tile<i1>
    %s6 = select %c6, %s5, %y : tile<i1>, tile<f16>
    %c7 = cmpf not_equal unordered %s6, %z : tile<f16> -> tile<i1>
    %s7 = select %c7, %s6, %y : tile<i1>, tile<f16>
    %c8 = cmpf less_than unordered %s7, %z : tile<f16> -> tile<i1>
    %s8 = select %c8, %s7, %y : tile<i1>, tile<f16>
    %c9 = cmpf less_than_or_equal unordered %s8, %z : tile<f16> -> tile<i1>
    %s9 = select %c9, %s8, %y : tile<i1>, tile<f16>
    %c10 = cmpf greater_than unordered %s9, %z : tile<f16> -> tile<i1>
    %s10 = select %c10, %s9, %y : tile<i1>, tile<f16>
    %c11 = cmpf greater_than_or_equal unordered %s10, %z : tile<f16> -> tile<i1>
    %s11 = select %c11, %s10, %y : tile<i1>, tile<f16>
    %done = store_ptr_tko weak %p, %s11 : tile<ptr<f16>>, tile<f16> -> token
    return
  }

  // Every rounding of what can be rounded.
  entry @rounded_f16(%x: tile<f16>, %y: tile<f16>, %p: tile<ptr<f16>>) {
    %r0 = addf %x, %y rounding<nearest_even> : tile<f16>
    %r1 = subf %r0, %y rounding<nearest_even> : tile<f16>
    %r2 = mulf %r1, %y rounding<nearest_even> : tile<f16>
    %r3 = divf %r2, %y rounding<nearest_even> : tile<f16>
    %r4 = fma %r3, %y, %x rounding<nearest_even> : tile<f16>
    %r5 = sqrt %r4 rounding<nearest_even> : tile<f16>
    %r6 = addf %r5, %y rounding<zero> : tile<f16>
    %r7 = subf %r6, %y rounding<zero> : tile<f16>
    %r8 = mulf %r7, %y rounding<zero> : tile<f16>
    %r9 = divf %r8, %y rounding<zero> : tile<f16>
    %r10 = fma %r9, %y, %x rounding<zero> : tile<f16>
    %r11 = sqrt %r10 rounding<zero> : tile<f16>
    %r12 = addf %r11, %y rounding<negative_inf> : tile<f16>
    %r13 = subf %r12, %y rounding<negative_inf> : tile<f16>
    %r14 = mulf %r13, %y rounding<negative_inf> : tile<f16>
    %r15 = divf %r14, %y rounding<negative_inf> : tile<f16>
    %r16 = fma %r15, %y, %x rounding<negative_inf> : tile<f16>
    %r17 = sqrt %r16 rounding<negative_inf> : tile<f16>
    %r18 = addf %r17, %y rounding<positive_inf> : tile<f16>
    %r19 = subf %r18, %y rounding<positive_inf> : tile<f16>
    %r20 = mulf %r19, %y rounding<positive_inf> : tile<f16>
    %r21 = divf %r20, %y rounding<positive_inf> : tile<f16>
    %r22 = fma %r21, %y, %x rounding<positive_inf> : tile<f16>
    %r23 = sqrt %r22 rounding<positive_inf> : tile<f16>
    %done = store_ptr_tko weak %p, %r23 : tile<ptr<f16>>, tile<f16> -> token
    return
  }
}
