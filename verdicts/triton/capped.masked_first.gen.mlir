cuda_tile.module @m {
entry @capped(%q_ptr: tile<ptr<f16>>, %k_ptr: tile<ptr<f16>>, %v_ptr: tile<ptr<f16>>, %o_ptr: tile<ptr<f16>>, %scale: tile<f32>, %cap: tile<f32>, %n: tile<i32>) {
%_1 = make_token : token
%total = constant <f32: 0x00000000> : tile<16xf32>
%c0_i32 = constant <i32: 0> : tile<i32>
%cst = constant <f16: 0x0000> : tile<16x16xf16>
%cst_0 = constant <i32: 16> : tile<1x16xi32>
%largest = constant <f32: 0xFF800000> : tile<16xf32>
%c2_i32 = constant <i32: 2> : tile<i32>
%cst_1 = constant <f32: 0x00000000> : tile<16x16xf32>
%cst_2 = constant <i32: 16> : tile<16x1xi32>
%c16_i32 = constant <i32: 16> : tile<i32>
%_2, %head, %_4 = get_tile_block_id : tile<i32>
%0, %_6, %_7 = get_tile_block_id : tile<i32>
%1 = muli %0, %c16_i32 : tile<i32>
%2 = iota : tile<16xi32>
%_8 = reshape %1 : tile<i32> -> tile<1xi32>
%3 = broadcast %_8 : tile<1xi32> -> tile<16xi32>
%4 = addi %3, %2 : tile<16xi32>
%at = muli %head, %n : tile<i32>
%_9 = reshape %at : tile<i32> -> tile<1xi32>
%at_3 = broadcast %_9 : tile<1xi32> -> tile<16xi32>
%at_4 = addi %at_3, %4 : tile<16xi32>
%at_5 = reshape %at_4 : tile<16xi32> -> tile<16x1xi32>
%at_6 = muli %at_5, %cst_2 : tile<16x1xi32>
%at_7 = reshape %2 : tile<16xi32> -> tile<1x16xi32>
%at_8 = broadcast %at_6 : tile<16x1xi32> -> tile<16x16xi32>
%at_9 = broadcast %at_7 : tile<1x16xi32> -> tile<16x16xi32>
%at_10 = addi %at_8, %at_9 : tile<16x16xi32>
%q = reshape %4 : tile<16xi32> -> tile<16x1xi32>
%_10 = reshape %n : tile<i32> -> tile<1x1xi32>
%q_11 = broadcast %_10 : tile<1x1xi32> -> tile<16x1xi32>
%q_12 = cmpi less_than %q, %q_11, signed : tile<16x1xi32> -> tile<16x1xi1>
%_11 = reshape %q_ptr : tile<ptr<f16>> -> tile<1x1xptr<f16>>
%q_13 = broadcast %_11 : tile<1x1xptr<f16>> -> tile<16x16xptr<f16>>
%q_14 = offset %q_13, %at_10 : tile<16x16xptr<f16>>, tile<16x16xi32> -> tile<16x16xptr<f16>>
%q_15 = broadcast %q_12 : tile<16x1xi1> -> tile<16x16xi1>
%q_16, %_12 = load_ptr_tko weak %q_14, %q_15, %cst token=%_1 : tile<16x16xptr<f16>>, tile<16x16xi1>, tile<16x16xf16> -> tile<16x16xf16>, token
%k_ptr_17 = divi %head, %c2_i32 signed : tile<i32>
%k_ptr_18 = muli %k_ptr_17, %n : tile<i32>
%k_ptr_19 = muli %k_ptr_18, %c16_i32 : tile<i32>
%k_ptr_20 = offset %k_ptr, %k_ptr_19 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
%v_ptr_21 = offset %v_ptr, %k_ptr_19 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
%acc_0, %acc_1, %acc_2, %_14 = for %start in (%c0_i32 to %n, step %c16_i32) : tile<i32> iter_values(%largest_22 = %largest, %total_23 = %total, %acc_24 = %cst_1, %_13 = %_12) -> (tile<16xf32>, tile<16xf32>, tile<16x16xf32>, token) {
%_15 = reshape %start : tile<i32> -> tile<1xi32>
%column = broadcast %_15 : tile<1xi32> -> tile<16xi32>
%column_25 = addi %column, %2 : tile<16xi32>
%k = reshape %column_25 : tile<16xi32> -> tile<1x16xi32>
%_16 = reshape %n : tile<i32> -> tile<1x1xi32>
%k_26 = broadcast %_16 : tile<1x1xi32> -> tile<1x16xi32>
%k_27 = cmpi less_than %k, %k_26, signed : tile<1x16xi32> -> tile<1x16xi1>
%k_28 = muli %k, %cst_0 : tile<1x16xi32>
%_17 = reshape %k_ptr_20 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
%k_29 = broadcast %_17 : tile<1x1xptr<f16>> -> tile<1x16xptr<f16>>
%k_30 = offset %k_29, %k_28 : tile<1x16xptr<f16>>, tile<1x16xi32> -> tile<1x16xptr<f16>>
%k_31 = reshape %2 : tile<16xi32> -> tile<16x1xi32>
%k_32 = broadcast %k_30 : tile<1x16xptr<f16>> -> tile<16x16xptr<f16>>
%k_33 = broadcast %k_31 : tile<16x1xi32> -> tile<16x16xi32>
%k_34 = offset %k_32, %k_33 : tile<16x16xptr<f16>>, tile<16x16xi32> -> tile<16x16xptr<f16>>
%k_35 = broadcast %k_27 : tile<1x16xi1> -> tile<16x16xi1>
%k_36, %_18 = load_ptr_tko weak %k_34, %k_35, %cst token=%_13 : tile<16x16xptr<f16>>, tile<16x16xi1>, tile<16x16xf16> -> tile<16x16xf16>, token
%s = mmaf %q_16, %k_36, %cst_1 : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
%_19 = reshape %scale : tile<f32> -> tile<1x1xf32>
%s_37 = broadcast %_19 : tile<1x1xf32> -> tile<16x16xf32>
%s_38 = mulf %s, %s_37 rounding<nearest_even> : tile<16x16xf32>
%_20 = reshape %cap : tile<f32> -> tile<1x1xf32>
%s_39 = broadcast %_20 : tile<1x1xf32> -> tile<16x16xf32>
%s_40 = divf %s_38, %s_39 rounding<nearest_even> : tile<16x16xf32>
%s_41 = tanh %s_40 : tile<16x16xf32>
%s_42 = mulf %s_39, %s_41 rounding<nearest_even> : tile<16x16xf32>
%s_43 = negf %cap : tile<f32>
%_21 = reshape %s_43 : tile<f32> -> tile<1x1xf32>
%s_44 = broadcast %_21 : tile<1x1xf32> -> tile<16x16xf32>
%s_45 = select %k_35, %s_42, %s_44 : tile<16x16xi1>, tile<16x16xf32>
%new = reduce %s_45 dim=1 identities=[0xFF800000 : f32] : tile<16x16xf32> -> tile<16xf32> (%new_68: tile<f32>, %new_67: tile<f32>) {
%new_69 = maxf %new_67, %new_68 : tile<f32>
yield %new_69 : tile<f32>
}
%new_46 = maxf %largest_22, %new : tile<16xf32>
%p = reshape %new_46 : tile<16xf32> -> tile<16x1xf32>
%p_47 = broadcast %p : tile<16x1xf32> -> tile<16x16xf32>
%p_48 = subf %s_45, %p_47 rounding<nearest_even> : tile<16x16xf32>
%p_49 = exp %p_48 rounding<full> : tile<16x16xf32>
%alpha = subf %largest_22, %new_46 rounding<nearest_even> : tile<16xf32>
%alpha_50 = exp %alpha rounding<full> : tile<16xf32>
%total_51 = mulf %total_23, %alpha_50 rounding<nearest_even> : tile<16xf32>
%total_52 = reduce %p_49 dim=1 identities=[0x80000000 : f32] : tile<16x16xf32> -> tile<16xf32> (%total_68: tile<f32>, %total_67: tile<f32>) {
%total_69 = addf %total_67, %total_68 rounding<nearest_even> : tile<f32>
yield %total_69 : tile<f32>
}
%total_53 = addf %total_51, %total_52 rounding<nearest_even> : tile<16xf32>
%v = reshape %column_25 : tile<16xi32> -> tile<16x1xi32>
%v_54 = cmpi less_than %v, %q_11, signed : tile<16x1xi32> -> tile<16x1xi1>
%v_55 = muli %v, %cst_2 : tile<16x1xi32>
%_22 = reshape %v_ptr_21 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
%v_56 = broadcast %_22 : tile<1x1xptr<f16>> -> tile<16x1xptr<f16>>
%v_57 = offset %v_56, %v_55 : tile<16x1xptr<f16>>, tile<16x1xi32> -> tile<16x1xptr<f16>>
%v_58 = broadcast %v_57 : tile<16x1xptr<f16>> -> tile<16x16xptr<f16>>
%v_59 = offset %v_58, %at_9 : tile<16x16xptr<f16>>, tile<16x16xi32> -> tile<16x16xptr<f16>>
%v_60 = broadcast %v_54 : tile<16x1xi1> -> tile<16x16xi1>
%v_61, %_23 = load_ptr_tko weak %v_59, %v_60, %cst token=%_18 : tile<16x16xptr<f16>>, tile<16x16xi1>, tile<16x16xf16> -> tile<16x16xf16>, token
%acc_62 = reshape %alpha_50 : tile<16xf32> -> tile<16x1xf32>
%acc_63 = broadcast %acc_62 : tile<16x1xf32> -> tile<16x16xf32>
%acc_64 = mulf %acc_24, %acc_63 rounding<nearest_even> : tile<16x16xf32>
%acc_65 = ftof %p_49 rounding<nearest_even> : tile<16x16xf32> -> tile<16x16xf16>
%acc_66 = mmaf %acc_65, %v_61, %acc_64 : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
continue %new_46, %total_53, %acc_66, %_23 : tile<16xf32>, tile<16xf32>, tile<16x16xf32>, token
}
%_24 = reshape %o_ptr : tile<ptr<f16>> -> tile<1x1xptr<f16>>
%5 = broadcast %_24 : tile<1x1xptr<f16>> -> tile<16x16xptr<f16>>
%6 = offset %5, %at_10 : tile<16x16xptr<f16>>, tile<16x16xi32> -> tile<16x16xptr<f16>>
%7 = reshape %acc_1 : tile<16xf32> -> tile<16x1xf32>
%8 = broadcast %7 : tile<16x1xf32> -> tile<16x16xf32>
%9 = divf %acc_2, %8 rounding<nearest_even> : tile<16x16xf32>
%10 = ftof %9 rounding<nearest_even> : tile<16x16xf32> -> tile<16x16xf16>
%_25 = store_ptr_tko weak %6, %10, %q_15 token=%_14 : tile<16x16xptr<f16>>, tile<16x16xf16>, tile<16x16xi1> -> token
return
}
}