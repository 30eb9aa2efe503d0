// SPDX-License-Identifier: Apache-2.0
// A copy that is compiled for arrays at multiples of 16 bytes.
cuda_tile.module @assume_view {
  entry @aligned(%x0: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %x = assume div_by<16>, %x0 : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %k1 = store_view_tko weak %a, %py[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
