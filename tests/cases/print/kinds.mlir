// SPDX-License-Identifier: Apache-2.0
// Prints of tiles of many kinds, wherever their elements are: loaded in and against the order of memory, computed where
// they are printed, in loops and branches; and what comes from them behind the print.
cuda_tile.module @kinds {
  entry @kinds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b, %b_y, %b_z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %tx = make_tensor_view %x, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xf32, strides=[32,1]>
    %turned = make_tensor_view %x, shape = [32, 16], strides = [1, 32] : tensor_view<32x16xf32, strides=[1,32]>
    %px = make_partition_view %tx : partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>
    %pt = make_partition_view %turned : partition_view<tile=(8x4), tensor_view<32x16xf32, strides=[1,32]>>
    %a, %ka = load_view_tko weak %px[%b, %zero] : partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> tile<4x8xf32>, token
    %t, %kt = load_view_tko weak %pt[%zero, %b] : partition_view<tile=(8x4), tensor_view<32x16xf32, strides=[1,32]>>, tile<i32> -> tile<8x4xf32>, token
    %k0 = print_tko "nothing: 100%% of \09 tab, \00 zero and \FF\0A" -> token
    %k1 = print_tko "block %d: turned %.2f, printed twice %g\0A", %b, %t, %t token=%k0 : tile<i32>, tile<8x4xf32>, tile<8x4xf32> -> token
    %m = permute %t [1, 0] : tile<8x4xf32> -> tile<4x8xf32>
    %s = addf %a, %m : tile<4x8xf32>
    %k2 = print_tko "%+9.3e\0A", %s token=%k1 : tile<4x8xf32> -> token
    %h = ftof %s : tile<4x8xf32> -> tile<4x8xf16>
    %d = ftof %s : tile<4x8xf32> -> tile<4x8xf64>
    %e = ftof %a : tile<4x8xf32> -> tile<4x8xf8E4M3FN>
    %k3 = print_tko "%g %g %g\0A", %h, %d, %e token=%k2 : tile<4x8xf16>, tile<4x8xf64>, tile<4x8xf8E4M3FN> -> token
    %i = iota : tile<512xi32>
    %w = exti %i signed : tile<512xi32> -> tile<512xi64>
    %n = trunci %i : tile<512xi32> -> tile<512xi8>
    %c = reshape %two : tile<i32> -> tile<1xi32>
    %cc = broadcast %c : tile<1xi32> -> tile<512xi32>
    %odd = andi %i, %cc : tile<512xi32>
    %z = constant <i32: 0> : tile<512xi32>
    %is_odd = cmpi not_equal %odd, %z, signed : tile<512xi32> -> tile<512xi1>
    %k4 = print_tko "%d\0A%d %x %d\0A", %is_odd, %w, %n, %cc token=%k3 : tile<512xi1>, tile<512xi64>, tile<512xi8>, tile<512xi32> -> token
    %rounds = for %r in (%zero to %b, step %one) : tile<i32> iter_values(%sum = %a) -> (tile<4x8xf32>) {
      %more = addf %sum, %m : tile<4x8xf32>
      %even = andi %r, %one : tile<i32>
      %is_even = cmpi equal %even, %zero, signed : tile<i32> -> tile<i1>
      if %is_even {
        %k5 = print_tko "round %i: %a\0A", %r, %more : tile<i32>, tile<4x8xf32> -> token
      }
      continue %more : tile<4x8xf32>
    }
    %total = reduce %rounds dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
    (%l: tile<f32>, %g: tile<f32>) {
      %sum2 = addf %l, %g : tile<f32>
      yield %sum2 : tile<f32>
    }
    %k6 = print_tko "%8.1f|%s|%d", %total, %b, %total token=%k4 : tile<4xf32>, tile<i32>, tile<4xf32> -> token
    %ty = make_tensor_view %y, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xf32, strides=[32,1]>
    %py = make_partition_view %ty : partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>
    %k7 = store_view_tko weak %rounds, %py[%b, %zero] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> token
    %k8 = store_view_tko weak %m, %py[%b, %one] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> token
    %k9 = store_view_tko weak %s, %py[%b, %two] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> token
    %k10 = store_view_tko weak %a, %py[%b, %three] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
