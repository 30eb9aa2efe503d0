// Arithmetic on truth values.
cuda_tile.module @integer_i1 {
  // Arithmetic with each promise about overflow, bits and shifts.
  entry @arithmetic_i1(%x: tile<i1>, %y: tile<i1>, %p: tile<ptr<i1>>) {
    %v0 = addi %x, %y : tile<i1>
    %v1 = addi %v0, %y overflow<none> : tile<i1>
    %v2 = addi %v1, %y overflow<no_signed_wrap> : tile<i1>
    %v3 = addi %v2, %y overflow<no_unsigned_wrap> : tile<i1>
    %v4 = addi %v3, %y overflow<no_wrap> : tile<i1>
    %v5 = subi %v4, %y : tile<i1>
    %v6 = subi %v5, %y overflow<none> : tile<i1>
    %v7 = subi %v6, %y overflow<no_signed_wrap> : tile<i1>
    %v8 = subi %v7, %y overflow<no_unsigned_wrap> : tile<i1>
    %v9 = subi %v8, %y overflow<no_wrap> : tile<i1>
    %v10 = muli %v9, %y : tile<i1>
    %v11 = muli %v10, %y overflow<none> : tile<i1>
    %v12 = muli %v11, %y overflow<no_signed_wrap> : tile<i1>
    %v13 = muli %v12, %y overflow<no_unsigned_wrap> : tile<i1>
    %v14 = muli %v13, %y overflow<no_wrap> : tile<i1>
    %v15 = shli %v14, %y : tile<i1>
    %v16 = shli %v15, %y overflow<none> : tile<i1>
    %v17 = shli %v16, %y overflow<no_signed_wrap> : tile<i1>
    %v18 = shli %v17, %y overflow<no_unsigned_wrap> : tile<i1>
    %v19 = shli %v18, %y overflow<no_wrap> : tile<i1>
    %v20 = andi %v19, %x : tile<i1>
    %v21 = ori %v20, %x : tile<i1>
    %v22 = xori %v21, %x : tile<i1>
    %v23 = mulhii %v22, %x : tile<i1>
    %v24 = absi %v23 : tile<i1>
    %v25 = negi %v24 : tile<i1>
    %v26 = maxi %v25, %y signed : tile<i1>
    %v27 = mini %v26, %y signed : tile<i1>
    %v28 = remi %v27, %y signed : tile<i1>
    %v29 = shri %v28, %y signed : tile<i1>
    %v30 = divi %v29, %y signed : tile<i1>
    %v31 = maxi %v30, %y unsigned : tile<i1>
    %v32 = mini %v31, %y unsigned : tile<i1>
    %v33 = remi %v32, %y unsigned : tile<i1>
    %v34 = shri %v33, %y unsigned : tile<i1>
    %v35 = divi %v34, %y unsigned : tile<i1>
    %v36 = divi %v35, %y signed rounding<zero> : tile<i1>
    %v37 = divi %v36, %y signed rounding<negative_inf> : tile<i1>
    %v38 = divi %v37, %y signed rounding<positive_inf> : tile<i1>
    %v39 = divi %v38, %y unsigned rounding<positive_inf> : tile<i1>
    %done = store_ptr_tko weak %p, %v39 : tile<ptr<i1>>, tile<i1> -> token
    return
  }

  // Every comparison.
  entry @comparisons_i1(%x: tile<i1>, %y: tile<i1>, %p: tile<ptr<i1>>) {
    %left_cell = reshape %x : tile<i1> -> tile<1xi1>
    %left = broadcast %left_cell : tile<1xi1> -> tile<4xi1>
    %right_cell = reshape %y : tile<i1> -> tile<1xi1>
    %right = broadcast %right_cell : tile<1xi1> -> tile<4xi1>
    %c0 = cmpi equal %left, %right, signed : tile<4xi1> -> tile<4xi1>
    %c1 = cmpi not_equal %left, %right, signed : tile<4xi1> -> tile<4xi1>
    %a1 = xori %c0, %c1 : tile<4xi1>
    %c2 = cmpi less_than %left, %right, signed : tile<4xi1> -> tile<4xi1>
    %a2 = xori %a1, %c2 : tile<4xi1>
    %c3 = cmpi less_than_or_equal %left, %right, signed : tile<4xi1> -> tile<4xi1>
    %a3 = xori %a2, %c3 : tile<4xi1>
    %c4 = cmpi greater_than %left, %right, signed : tile<4xi1> -> tile<4xi1>
    %a4 = xori %a3, %c4 : tile<4xi1>
    %c5 = cmpi greater_than_or_equal %left, %right, signed : tile<4xi1> -> tile<4xi1>
    %a5 = xori %a4, %c5 : tile<4xi1>
    %c6 = cmpi equal %left, %right, unsigned : tile<4xi1> -> tile<4xi1>
    %a6 = xori %a5, %c6 : tile<4xi1>
    %c7 = cmpi not_equal %left, %right, unsigned : tile<4xi1> -> tile<4xi1>
    %a7 = xori %a6, %c7 : tile<4xi1>
    %c8 = cmpi less_than %left, %right, unsigned : tile<4xi1> -> tile<4xi1>
    %a8 = xori %a7, %c8 : tile<4xi1>
    %c9 = cmpi less_than_or_equal %left, %right, unsigned : tile<4xi1> -> tile<4xi1>
    %a9 = xori %a8, %c9 : tile<4xi1>
    %c10 = cmpi greater_than %left, %right, unsigned : tile<4xi1> -> tile<4xi1>
    %a10 = xori %a9, %c10 : tile<4xi1>
    %c11 = cmpi greater_than_or_equal %left, %right, unsigned : tile<4xi1> -> tile<4xi1>
    %a11 = xori %a10, %c11 : tile<4xi1>
    %lane = iota : tile<2xi1>
    assert %a11, "each comparison holds an even number of times" : tile<4xi1>
    %to_cell = reshape %p : tile<ptr<i1>> -> tile<1xptr<i1>>
    %to = broadcast %to_cell : tile<1xptr<i1>> -> tile<4xptr<i1>>
    %done = store_ptr_tko weak %to, %a11 : tile<4xptr<i1>>, tile<4xi1> -> token
    return
  }
}
