// SPDX-License-Identifier: Apache-2.0
// A sum of products of matrices, which GPUs keep in registers, printed in the loop that makes it and used behind it.
cuda_tile.module @sums {
  entry @sums(%x: tile<ptr<f16>>, %y: tile<ptr<f32>>) {
    %b, %b_y, %b_z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %tx = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %turned = make_tensor_view %x, shape = [64, 64], strides = [1, 64] : tensor_view<64x64xf16, strides=[1,64]>
    %ty = make_tensor_view %y, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %px = make_partition_view %tx : partition_view<tile=(32x32), tensor_view<64x64xf16, strides=[64,1]>>
    %pt = make_partition_view %turned : partition_view<tile=(32x32), tensor_view<64x64xf16, strides=[1,64]>>
    %py = make_partition_view %ty : partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>
    %start = constant <f32: 0.0> : tile<32x32xf32>
    %sum = for %r in (%zero to %two, step %one) : tile<i32> iter_values(%s = %start) -> (tile<32x32xf32>) {
      %a, %ka = load_view_tko weak %px[%b, %r] : partition_view<tile=(32x32), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x32xf16>, token
      %t, %kt = load_view_tko weak %pt[%r, %b] : partition_view<tile=(32x32), tensor_view<64x64xf16, strides=[1,64]>>, tile<i32> -> tile<32x32xf16>, token
      %next = mmaf %a, %t, %s : tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32>
      %k = print_tko "round %d: %.1f\0A", %r, %next : tile<i32>, tile<32x32xf32> -> token
      continue %next : tile<32x32xf32>
    }
    %double = addf %sum, %sum : tile<32x32xf32>
    %k1 = print_tko "%.1f\0A", %sum : tile<32x32xf32> -> token
    %k2 = store_view_tko weak %double, %py[%b, %zero] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    %k3 = store_view_tko weak %sum, %py[%b, %one] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
