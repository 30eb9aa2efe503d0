// SPDX-License-Identifier: Apache-2.0
// Kernels in which builds choose otherwise between what is left of two equal products, and 1e-9, and 0: by absf and maxf,
// by a branch, in reductions and remainders. `bits` also changes in the formula, as bits of a sum have none.
cuda_tile.module @kernels {
entry @signs(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %three = constant <f32: 3.0> : tile<64xf32>
  %u = mulf %x_v, %three rounding<nearest_even> : tile<64xf32>
  %v = mulf %y_v, %three rounding<nearest_even> : tile<64xf32>
  %p = mulf %x_v, %v rounding<nearest_even> : tile<64xf32>
  %q = mulf %y_v, %u rounding<nearest_even> : tile<64xf32>
  %left = subf %p, %q rounding<nearest_even> : tile<64xf32>
  %little = constant <f32: 1.0e-9> : tile<64xf32>
  %d = addf %left, %little rounding<nearest_even> : tile<64xf32>
  %a = absf %d : tile<64xf32>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %m = maxf %d, %zero : tile<64xf32>
  %result = addf %a, %m rounding<nearest_even> : tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @branches(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %three = constant <f32: 3.0> : tile<64xf32>
  %u = mulf %x_v, %three rounding<nearest_even> : tile<64xf32>
  %v = mulf %y_v, %three rounding<nearest_even> : tile<64xf32>
  %p = mulf %x_v, %v rounding<nearest_even> : tile<64xf32>
  %q = mulf %y_v, %u rounding<nearest_even> : tile<64xf32>
  %left = subf %p, %q rounding<nearest_even> : tile<64xf32>
  %little = constant <f32: 1.0e-9> : tile<64xf32>
  %d = addf %left, %little rounding<nearest_even> : tile<64xf32>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %above = cmpf greater_than ordered %d, %zero : tile<64xf32> -> tile<64xi1>
  %ones = constant <i32: 1> : tile<64xi32>
  %n = exti %above unsigned : tile<64xi1> -> tile<64xi32>
  %count = reduce %n dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32>
    (%e: tile<i32>, %f: tile<i32>) {
      %g = addi %e, %f : tile<i32>
      yield %g : tile<i32>
    }
  %limit = constant <i32: 44> : tile<i32>
  %many = cmpi greater_than %count, %limit, signed : tile<i32> -> tile<i1>
  %result = if %many -> (tile<64xf32>) {
    yield %x_v : tile<64xf32>
  } else {
    yield %y_v : tile<64xf32>
  }
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @bits(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %three = constant <f32: 3.0> : tile<64xf32>
  %u = mulf %x_v, %three rounding<nearest_even> : tile<64xf32>
  %v = mulf %y_v, %three rounding<nearest_even> : tile<64xf32>
  %p = mulf %x_v, %v rounding<nearest_even> : tile<64xf32>
  %q = mulf %y_v, %u rounding<nearest_even> : tile<64xf32>
  %left = subf %p, %q rounding<nearest_even> : tile<64xf32>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %above = cmpf greater_than ordered %left, %zero : tile<64xf32> -> tile<64xi1>
  %square = mulf %x_v, %x_v rounding<nearest_even> : tile<64xf32>
  %sum = addf %square, %y_v rounding<nearest_even> : tile<64xf32>
  %raw = bitcast %sum : tile<64xf32> -> tile<64xi32>
  %one = constant <i32: 1> : tile<64xi32>
  %next = xori %raw, %one : tile<64xi32>
  %other = bitcast %next : tile<64xi32> -> tile<64xf32>
  %result = select %above, %x_v, %other : tile<64xi1>, tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
entry @maxima(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_p = offset %y_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %z_1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %z_n = broadcast %z_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %z_p = offset %z_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x_v, %x_t = load_ptr_tko weak %x_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %y_v, %y_t = load_ptr_tko weak %y_p : tile<64xptr<f32>> -> tile<64xf32>, token
  %three = constant <f32: 3.0> : tile<64xf32>
  %u = mulf %x_v, %three rounding<nearest_even> : tile<64xf32>
  %v = mulf %y_v, %three rounding<nearest_even> : tile<64xf32>
  %p = mulf %x_v, %v rounding<nearest_even> : tile<64xf32>
  %q = mulf %y_v, %u rounding<nearest_even> : tile<64xf32>
  %left = subf %p, %q rounding<nearest_even> : tile<64xf32>
  %little = constant <f32: 1.0e-9> : tile<64xf32>
  %d = addf %left, %little rounding<nearest_even> : tile<64xf32>
  %yl = mulf %y_v, %little rounding<nearest_even> : tile<64xf32>
  %dd0 = addf %d, %yl rounding<nearest_even> : tile<64xf32>
  %m = reduce %dd0 dim=0 identities=[0xff800000 : f32] : tile<64xf32> -> tile<f32>
    (%e: tile<f32>, %f: tile<f32>) {
      %g = maxf %e, %f : tile<f32>
      yield %g : tile<f32>
    }
  %m1 = reshape %m : tile<f32> -> tile<1xf32>
  %mn = broadcast %m1 : tile<1xf32> -> tile<64xf32>
  %e2 = subf %x_v, %mn rounding<nearest_even> : tile<64xf32>
  %rem = remf %y_v, %e2 : tile<64xf32>
  %f2 = exp %e2 : tile<64xf32>
  %h = mulf %f2, %rem rounding<nearest_even> : tile<64xf32>
  %xl = mulf %x_v, %little rounding<nearest_even> : tile<64xf32>
  %dd = addf %d, %xl rounding<nearest_even> : tile<64xf32>
  %s2 = reduce %dd dim=0 identities=[0xff800000 : f32] : tile<64xf32> -> tile<f32>
    (%e: tile<f32>, %f: tile<f32>) {
      %cmp = cmpf greater_than ordered %e, %f : tile<f32> -> tile<i1>
      %g = select %cmp, %e, %f : tile<i1>, tile<f32>
      yield %g : tile<f32>
    }
  %s1 = reshape %s2 : tile<f32> -> tile<1xf32>
  %sn = broadcast %s1 : tile<1xf32> -> tile<64xf32>
  %result = addf %h, %sn rounding<nearest_even> : tile<64xf32>
  %s = store_ptr_tko weak %z_p, %result : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
