// SPDX-License-Identifier: Apache-2.0
// chain of tests/cases/races/races.py, whose load of the row before does not take the token of the wait.
cuda_tile.module @kernels {
  entry @chain_Kt1_A2f32_1l0_2t1_p16_A2f32_1l0_2t1_p16_A1i32_1t1_p16_I128(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i32>>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<sm_100 = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %cst_1_i64_3 = constant <i64: 1> : tile<i64>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %1 = join_tokens %0, %result_token : token
    %cst_0_i32_12 = constant <i32: 0> : tile<i32>
    %2 = cmpi greater_than %blockId_x, %cst_0_i32_12, signed : tile<i32> -> tile<i1>
    %3:4 = if %2 -> (tile<1x128xf32>, token, token, token) {
      %cst_1_i32_17 = constant <i32: 1> : tile<i32>
      %12 = subi %blockId_x, %cst_1_i32_17 : tile<i32>
      %cst_1_i32_18 = constant <i32: 1> : tile<i32>
      %cst_1_i32_19 = constant <i32: 1> : tile<i32>
      %13 = exti %12 signed : tile<i32> -> tile<i64>
      %14 = exti %assume_11 signed : tile<i32> -> tile<i64>
      %15 = cmpi less_than %13, %14, unsigned : tile<i64> -> tile<i1>
      %16 = muli %13, %cst_1_i64 : tile<i64>
      %17 = offset %assume_1, %16 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
      %cst_0_i32_20 = constant <i32: 0> : tile<i32>
      %18:2 = loop iter_values(%arg13 = %0, %arg14 = %0) : token, token -> token, token {
        %23 = join_tokens %arg13, %arg14 : token
        %result_26, %result_token_27 = atomic_cas_tko acquire device %17, %cst_1_i32_18, %cst_1_i32_19, %15 token=%23 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
        %24 = cmpi equal %result_26, %cst_0_i32_20, signed : tile<i32> -> tile<i1>
        if %24 {
        } else {
          break %result_token_27, %result_token_27 : token, token
        }
        continue %result_token_27, %result_token_27 : token, token
      }
      %cst_1_i32_21 = constant <i32: 1> : tile<i32>
      %19 = subi %blockId_x, %cst_1_i32_21 : tile<i32>
      %cst_0_i32_22 = constant <i32: 0> : tile<i32>
      %pview_23 = make_partition_view %tview_10 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
      %20 = join_tokens %0, %18#1 : token
      %tile_24, %result_token_25 = load_view_tko weak %pview_23[%19, %cst_0_i32_22] token = %0 : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
      %21 = join_tokens %0, %result_token_25 : token
      %22 = addf %tile, %tile_24  : tile<1x128xf32>
      yield %22, %18#0, %21, %18#1 : tile<1x128xf32>, token, token, token
    } else {
      yield %tile, %0, %0, %0 : tile<1x128xf32>, token, token, token
    }
    %cst_0_i32_13 = constant <i32: 0> : tile<i32>
    %pview_14 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = join_tokens %3#2, %3#3 : token
    %5 = store_view_tko weak %3#0, %pview_14[%blockId_x, %cst_0_i32_13] token = %4 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %6 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %7 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %8 = cmpi less_than %6, %7, unsigned : tile<i64> -> tile<i1>
    %9 = muli %6, %cst_1_i64_3 : tile<i64>
    %10 = offset %assume_1, %9 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %11 = join_tokens %3#1, %1, %5, %3#3 : token
    %result, %result_token_16 = atomic_rmw_tko release device %10, xchg, %cst_1_i32_15, %8 token=%11 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    return
  }
}
