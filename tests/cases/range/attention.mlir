// SPDX-License-Identifier: Apache-2.0
// Causal attention of 16 queries, masked by the least f32 (torch.finfo.min), with the maximum taken off and without.
cuda_tile.module @attention {
entry @shifted(%q: tile<ptr<f32>>, %k: tile<ptr<f32>>, %v: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %q_1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
  %q_n = broadcast %q_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %q_p = offset %q_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %k_1 = reshape %k : tile<ptr<f32>> -> tile<1xptr<f32>>
  %k_n = broadcast %k_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %k_p = offset %k_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %v_1 = reshape %v : tile<ptr<f32>> -> tile<1xptr<f32>>
  %v_n = broadcast %v_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %v_p = offset %v_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %o_1 = reshape %o : tile<ptr<f32>> -> tile<1xptr<f32>>
  %o_n = broadcast %o_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %o_p = offset %o_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %q_v, %q_t = load_ptr_tko weak %q_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %q_m = reshape %q_v : tile<256xf32> -> tile<16x16xf32>
  %k_v, %k_t = load_ptr_tko weak %k_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %k_m = reshape %k_v : tile<256xf32> -> tile<16x16xf32>
  %v_v, %v_t = load_ptr_tko weak %v_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %v_m = reshape %v_v : tile<256xf32> -> tile<16x16xf32>
  %kt = permute %k_m [1, 0] : tile<16x16xf32> -> tile<16x16xf32>
  %zero = constant <f32: 0.0> : tile<16x16xf32>
  %s = mmaf %q_m, %kt, %zero : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %n = iota : tile<16xi32>
  %row_1 = reshape %n : tile<16xi32> -> tile<16x1xi32>
  %column_1 = reshape %n : tile<16xi32> -> tile<1x16xi32>
  %row = broadcast %row_1 : tile<16x1xi32> -> tile<16x16xi32>
  %column = broadcast %column_1 : tile<1x16xi32> -> tile<16x16xi32>
  %seen = cmpi greater_than_or_equal %row, %column, signed : tile<16x16xi32> -> tile<16x16xi1>
  %least = constant <f32: 0xFF7FFFFF> : tile<16x16xf32>
  %mask = select %seen, %zero, %least : tile<16x16xi1>, tile<16x16xf32>
  %known = addf %s, %mask : tile<16x16xf32>
  %most = reduce %known dim=1 identities=[0xFF800000 : f32] : tile<16x16xf32> -> tile<16xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    %ab = maxf %a, %b : tile<f32>
    yield %ab : tile<f32>
  }
  %most_1 = reshape %most : tile<16xf32> -> tile<16x1xf32>
  %most_n = broadcast %most_1 : tile<16x1xf32> -> tile<16x16xf32>
  %d = subf %known, %most_n : tile<16x16xf32>
  %e = exp %d : tile<16x16xf32>
  %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<16x16xf32> -> tile<16xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    %ab = addf %a, %b : tile<f32>
    yield %ab : tile<f32>
  }
  %sum_1 = reshape %sum : tile<16xf32> -> tile<16x1xf32>
  %sum_n = broadcast %sum_1 : tile<16x1xf32> -> tile<16x16xf32>
  %p = divf %e, %sum_n : tile<16x16xf32>
  %r_m = mmaf %p, %v_m, %zero : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %r = reshape %r_m : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %o_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
entry @bare(%q: tile<ptr<f32>>, %k: tile<ptr<f32>>, %v: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
  %i = iota : tile<256xi32>
  %q_1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
  %q_n = broadcast %q_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %q_p = offset %q_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %k_1 = reshape %k : tile<ptr<f32>> -> tile<1xptr<f32>>
  %k_n = broadcast %k_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %k_p = offset %k_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %v_1 = reshape %v : tile<ptr<f32>> -> tile<1xptr<f32>>
  %v_n = broadcast %v_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %v_p = offset %v_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %o_1 = reshape %o : tile<ptr<f32>> -> tile<1xptr<f32>>
  %o_n = broadcast %o_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %o_p = offset %o_n, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
  %q_v, %q_t = load_ptr_tko weak %q_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %q_m = reshape %q_v : tile<256xf32> -> tile<16x16xf32>
  %k_v, %k_t = load_ptr_tko weak %k_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %k_m = reshape %k_v : tile<256xf32> -> tile<16x16xf32>
  %v_v, %v_t = load_ptr_tko weak %v_p : tile<256xptr<f32>> -> tile<256xf32>, token
  %v_m = reshape %v_v : tile<256xf32> -> tile<16x16xf32>
  %kt = permute %k_m [1, 0] : tile<16x16xf32> -> tile<16x16xf32>
  %zero = constant <f32: 0.0> : tile<16x16xf32>
  %s = mmaf %q_m, %kt, %zero : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %n = iota : tile<16xi32>
  %row_1 = reshape %n : tile<16xi32> -> tile<16x1xi32>
  %column_1 = reshape %n : tile<16xi32> -> tile<1x16xi32>
  %row = broadcast %row_1 : tile<16x1xi32> -> tile<16x16xi32>
  %column = broadcast %column_1 : tile<1x16xi32> -> tile<16x16xi32>
  %seen = cmpi greater_than_or_equal %row, %column, signed : tile<16x16xi32> -> tile<16x16xi1>
  %least = constant <f32: 0xFF7FFFFF> : tile<16x16xf32>
  %mask = select %seen, %zero, %least : tile<16x16xi1>, tile<16x16xf32>
  %known = addf %s, %mask : tile<16x16xf32>
  %e = exp %known : tile<16x16xf32>
  %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<16x16xf32> -> tile<16xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    %ab = addf %a, %b : tile<f32>
    yield %ab : tile<f32>
  }
  %sum_1 = reshape %sum : tile<16xf32> -> tile<16x1xf32>
  %sum_n = broadcast %sum_1 : tile<16x1xf32> -> tile<16x16xf32>
  %p = divf %e, %sum_n : tile<16x16xf32>
  %r_m = mmaf %p, %v_m, %zero : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %r = reshape %r_m : tile<16x16xf32> -> tile<256xf32>
  %done = store_ptr_tko weak %o_p, %r : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
}
