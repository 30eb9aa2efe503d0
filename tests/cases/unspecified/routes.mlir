// SPDX-License-Identifier: Apache-2.0
// Elements of masked loads on ways through integers. Of x and n the first `count` elements are loaded.
cuda_tile.module @kernels {
entry @routes(%x: tile<ptr<f32>>, %n: tile<ptr<i32>>, %m: tile<ptr<i32>>, %negated: tile<ptr<f32>>, %chosen: tile<ptr<f32>>, %bits: tile<ptr<f32>>, %summed: tile<ptr<i32>>, %scanned: tile<ptr<i32>>, %larger: tile<ptr<i32>>, %both: tile<ptr<i32>>, %divided: tile<ptr<i32>>, %carried: tile<ptr<i32>>, %product: tile<ptr<i32>>, %memory: tile<ptr<f32>>, %added: tile<ptr<i32>>, %far: tile<ptr<f32>>, %count: tile<i32>) {
  %i = iota : tile<64xi32>
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_p = offset %x_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %n_1 = reshape %n : tile<ptr<i32>> -> tile<1xptr<i32>>
  %n_n = broadcast %n_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %n_p = offset %n_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %m_1 = reshape %m : tile<ptr<i32>> -> tile<1xptr<i32>>
  %m_n = broadcast %m_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %m_p = offset %m_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %negated_1 = reshape %negated : tile<ptr<f32>> -> tile<1xptr<f32>>
  %negated_n = broadcast %negated_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %negated_p = offset %negated_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %chosen_1 = reshape %chosen : tile<ptr<f32>> -> tile<1xptr<f32>>
  %chosen_n = broadcast %chosen_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %chosen_p = offset %chosen_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %bits_1 = reshape %bits : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bits_n = broadcast %bits_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %bits_p = offset %bits_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %summed_1 = reshape %summed : tile<ptr<i32>> -> tile<1xptr<i32>>
  %summed_n = broadcast %summed_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %summed_p = offset %summed_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %scanned_1 = reshape %scanned : tile<ptr<i32>> -> tile<1xptr<i32>>
  %scanned_n = broadcast %scanned_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %scanned_p = offset %scanned_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %larger_1 = reshape %larger : tile<ptr<i32>> -> tile<1xptr<i32>>
  %larger_n = broadcast %larger_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %larger_p = offset %larger_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %both_1 = reshape %both : tile<ptr<i32>> -> tile<1xptr<i32>>
  %both_n = broadcast %both_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %both_p = offset %both_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %divided_1 = reshape %divided : tile<ptr<i32>> -> tile<1xptr<i32>>
  %divided_n = broadcast %divided_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %divided_p = offset %divided_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %carried_1 = reshape %carried : tile<ptr<i32>> -> tile<1xptr<i32>>
  %carried_n = broadcast %carried_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %carried_p = offset %carried_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %product_1 = reshape %product : tile<ptr<i32>> -> tile<1xptr<i32>>
  %product_n = broadcast %product_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %product_p = offset %product_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %memory_1 = reshape %memory : tile<ptr<f32>> -> tile<1xptr<f32>>
  %memory_n = broadcast %memory_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %memory_p = offset %memory_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %added_1 = reshape %added : tile<ptr<i32>> -> tile<1xptr<i32>>
  %added_n = broadcast %added_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %added_p = offset %added_n, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %far_1 = reshape %far : tile<ptr<f32>> -> tile<1xptr<f32>>
  %far_n = broadcast %far_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %far_p = offset %far_n, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %count_1 = reshape %count : tile<i32> -> tile<1xi32>
  %count_n = broadcast %count_1 : tile<1xi32> -> tile<64xi32>
  %seen = cmpi less_than %i, %count_n, signed : tile<64xi32> -> tile<64xi1>
  %a, %a_t = load_ptr_tko weak %x_p, %seen : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %b, %b_t = load_ptr_tko weak %n_p, %seen : tile<64xptr<i32>>, tile<64xi1> -> tile<64xi32>, token
  %zero = constant <i32: 0> : tile<64xi32>
  %one = constant <i32: 1> : tile<64xi32>
  %none = constant <f32: 0.0> : tile<64xf32>
  %two = constant <f32: 2.0> : tile<64xf32>
  %huge = constant <f32: 1.0e30> : tile<64xf32>
  %a_i = ftoi %a signed rounding<nearest_int_to_zero> : tile<64xf32> -> tile<64xi32>
  %a_neg = negf %a : tile<64xf32>
  %a_ni = ftoi %a_neg signed rounding<nearest_int_to_zero> : tile<64xf32> -> tile<64xi32>
  %negated_v = itof %a_ni signed rounding<nearest_even> : tile<64xi32> -> tile<64xf32>
  %a_less = cmpf less_than ordered %a, %none : tile<64xf32> -> tile<64xi1>
  %chosen_v = select %a_less, %none, %two : tile<64xi1>, tile<64xf32>
  %a_bits = bitcast %a : tile<64xf32> -> tile<64xi32>
  %a_other = xori %a_bits, %one : tile<64xi32>
  %bits_v = bitcast %a_other : tile<64xi32> -> tile<64xf32>
  %total = reduce %b dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%p: tile<i32>, %q: tile<i32>) {
    %s = addi %p, %q : tile<i32>
    yield %s : tile<i32>
  }
  %total_1 = reshape %total : tile<i32> -> tile<1xi32>
  %summed_v = broadcast %total_1 : tile<1xi32> -> tile<64xi32>
  %scanned_v = scan %b dim=0 reverse=false identities=[0 : i32] : tile<64xi32> -> tile<64xi32> (%p: tile<i32>, %q: tile<i32>) {
    %s = addi %p, %q : tile<i32>
    yield %s : tile<i32>
  }
  %larger_v = maxi %b, %one signed : tile<64xi32>
  %both_v = addi %b, %a_i : tile<64xi32>
  %three = constant <i32: 3> : tile<64xi32>
  %divided_v = divi %b, %three signed rounding<zero> : tile<64xi32>
  %first = constant <i32: 0> : tile<i32>
  %end = constant <i32: 3> : tile<i32>
  %step = constant <i32: 1> : tile<i32>
  %carried_v = for %k in (%first to %end, step %step) : tile<i32> iter_values(%c = %zero) -> (tile<64xi32>) {
    %next = addi %c, %b : tile<64xi32>
    continue %next : tile<64xi32>
  }
  %b_8 = trunci %b : tile<64xi32> -> tile<64xi8>
  %i_8 = trunci %i : tile<64xi32> -> tile<64xi8>
  %left = reshape %b_8 : tile<64xi8> -> tile<8x8xi8>
  %right = reshape %i_8 : tile<64xi8> -> tile<8x8xi8>
  %start = constant <i32: 0> : tile<8x8xi32>
  %square = mmai %left, %right, %start signed signed : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi32>
  %product_v = reshape %square : tile<8x8xi32> -> tile<64xi32>
  %m_t = store_ptr_tko weak %m_p, %a_i : tile<64xptr<i32>>, tile<64xi32> -> token
  %kept, %kept_t = load_ptr_tko weak %m_p token=%m_t : tile<64xptr<i32>> -> tile<64xi32>, token
  %memory_v = itof %kept signed rounding<nearest_even> : tile<64xi32> -> tile<64xf32>
  %added_t0 = store_ptr_tko weak %added_p, %one : tile<64xptr<i32>>, tile<64xi32> -> token
  %old, %added_t = atomic_rmw_tko relaxed device %added_p, add, %b token=%added_t0 : tile<64xptr<i32>>, tile<64xi32> -> tile<64xi32>, token
  %f = select %seen, %two, %huge : tile<64xi1>, tile<64xf32>
  %f_i = ftoi %f signed rounding<nearest_int_to_zero> : tile<64xf32> -> tile<64xi32>
  %far_v = itof %f_i signed rounding<nearest_even> : tile<64xi32> -> tile<64xf32>
  %negated_t = store_ptr_tko weak %negated_p, %negated_v : tile<64xptr<f32>>, tile<64xf32> -> token
  %chosen_t = store_ptr_tko weak %chosen_p, %chosen_v : tile<64xptr<f32>>, tile<64xf32> -> token
  %bits_t = store_ptr_tko weak %bits_p, %bits_v : tile<64xptr<f32>>, tile<64xf32> -> token
  %summed_t = store_ptr_tko weak %summed_p, %summed_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %scanned_t = store_ptr_tko weak %scanned_p, %scanned_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %larger_t = store_ptr_tko weak %larger_p, %larger_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %both_t = store_ptr_tko weak %both_p, %both_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %divided_t = store_ptr_tko weak %divided_p, %divided_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %carried_t = store_ptr_tko weak %carried_p, %carried_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %product_t = store_ptr_tko weak %product_p, %product_v : tile<64xptr<i32>>, tile<64xi32> -> token
  %memory_t = store_ptr_tko weak %memory_p, %memory_v : tile<64xptr<f32>>, tile<64xf32> -> token
  %far_t = store_ptr_tko weak %far_p, %far_v : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
}
