// SPDX-License-Identifier: Apache-2.0
// Running sums of rows: each block waits for the one before it, or one block goes through all rows.
cuda_tile.module @order {
  // flags: one for each block, 1 when its row of y is there.
  entry @waiting(%x: tile<ptr<f32>>, %flags: tile<ptr<i32>>, %y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = make_token : token
    %tx = make_tensor_view %x, shape = [24, 32], strides = [32, 1] : tensor_view<24x32xf32, strides=[32,1]>
    %ty = make_tensor_view %y, shape = [24, 32], strides = [32, 1] : tensor_view<24x32xf32, strides=[32,1]>
    %tf = make_tensor_view %flags, shape = [24], strides = [1] : tensor_view<24xi32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>
    %py = make_partition_view %ty : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>
    %pf = make_strided_view %tf : strided_view<tile=(1), traversal_strides=[1], tensor_view<24xi32, strides=[1]>>
    %mine, %k0 = load_view_tko weak %px[%i, %zero] : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>, tile<i32> -> tile<1x32xf32>, token
    %first = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>
    %sum = if %first -> (tile<1x32xf32>) {
      yield %mine : tile<1x32xf32>
    } else {
      %before = subi %i, %one : tile<i32>
      %ready = loop iter_values(%t = %start) : token -> token {
        %flag, %k1 = load_view_tko acquire device %pf[%before] token = %t : strided_view<tile=(1), traversal_strides=[1], tensor_view<24xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
        %f = reshape %flag : tile<1xi32> -> tile<i32>
        %set = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
        if %set {
          break %k1 : token
        }
        continue %k1 : token
      }
      %last, %k2 = load_view_tko weak %py[%before, %zero] token = %ready : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>, tile<i32> -> tile<1x32xf32>, token
      %s = addf %last, %mine : tile<1x32xf32>
      yield %s : tile<1x32xf32>
    }
    %k3 = store_view_tko weak %sum, %py[%i, %zero] token = %start : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>, tile<i32> -> token
    %done = reshape %one : tile<i32> -> tile<1xi32>
    %k4 = store_view_tko release device %done, %pf[%i] token = %k3 : tile<1xi32>, strided_view<tile=(1), traversal_strides=[1], tensor_view<24xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @alone(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rows = constant <i32: 24> : tile<i32>
    %none = constant <f32: 0.0> : tile<1x32xf32>
    %tx = make_tensor_view %x, shape = [24, 32], strides = [32, 1] : tensor_view<24x32xf32, strides=[32,1]>
    %ty = make_tensor_view %y, shape = [24, 32], strides = [32, 1] : tensor_view<24x32xf32, strides=[32,1]>
    %px = make_partition_view %tx : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>
    %py = make_partition_view %ty : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>
    %all = for %i in (%zero to %rows, step %one) : tile<i32> iter_values(%sum = %none) -> (tile<1x32xf32>) {
      %mine, %k0 = load_view_tko weak %px[%i, %zero] : partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>, tile<i32> -> tile<1x32xf32>, token
      %s = addf %sum, %mine : tile<1x32xf32>
      %k1 = store_view_tko weak %s, %py[%i, %zero] : tile<1x32xf32>, partition_view<tile=(1x32), tensor_view<24x32xf32, strides=[32,1]>>, tile<i32> -> token
      continue %s : tile<1x32xf32>
    }
    return
  }
}
