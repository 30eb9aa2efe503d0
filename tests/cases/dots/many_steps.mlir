// SPDX-License-Identifier: Apache-2.0
// A product of 2^25 multiplications in one operation, and of two halves of the depth.
cuda_tile.module @many_steps {
  entry @whole(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>, %z: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %none = constant <f32: 0.0> : tile<256x256xf32>
    %tx = make_tensor_view %x, shape = [256, 512], strides = [512, 1] : tensor_view<256x512xf16, strides=[512,1]>
    %ty = make_tensor_view %y, shape = [512, 256], strides = [256, 1] : tensor_view<512x256xf16, strides=[256,1]>
    %tz = make_tensor_view %z, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
    %px = make_partition_view %tx : partition_view<tile=(256x512), tensor_view<256x512xf16, strides=[512,1]>>
    %py = make_partition_view %ty : partition_view<tile=(512x256), tensor_view<512x256xf16, strides=[256,1]>>
    %pz = make_partition_view %tz : partition_view<tile=(256x256), tensor_view<256x256xf32, strides=[256,1]>>
    %a, %k0 = load_view_tko weak %px[%zero, %zero] : partition_view<tile=(256x512), tensor_view<256x512xf16, strides=[512,1]>>, tile<i32> -> tile<256x512xf16>, token
    %b, %k1 = load_view_tko weak %py[%zero, %zero] : partition_view<tile=(512x256), tensor_view<512x256xf16, strides=[256,1]>>, tile<i32> -> tile<512x256xf16>, token
    %c = mmaf %a, %b, %none : tile<256x512xf16>, tile<512x256xf16>, tile<256x256xf32>
    %k2 = store_view_tko weak %c, %pz[%zero, %zero] : tile<256x256xf32>, partition_view<tile=(256x256), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
    return
  }
  entry @halves(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>, %z: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %none = constant <f32: 0.0> : tile<256x256xf32>
    %tx = make_tensor_view %x, shape = [256, 512], strides = [512, 1] : tensor_view<256x512xf16, strides=[512,1]>
    %ty = make_tensor_view %y, shape = [512, 256], strides = [256, 1] : tensor_view<512x256xf16, strides=[256,1]>
    %tz = make_tensor_view %z, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
    %px = make_partition_view %tx : partition_view<tile=(256x256), tensor_view<256x512xf16, strides=[512,1]>>
    %py = make_partition_view %ty : partition_view<tile=(256x256), tensor_view<512x256xf16, strides=[256,1]>>
    %pz = make_partition_view %tz : partition_view<tile=(256x256), tensor_view<256x256xf32, strides=[256,1]>>
    %c = for %k in (%zero to %two, step %one) : tile<i32> iter_values(%sum = %none) -> (tile<256x256xf32>) {
      %a, %k0 = load_view_tko weak %px[%zero, %k] : partition_view<tile=(256x256), tensor_view<256x512xf16, strides=[512,1]>>, tile<i32> -> tile<256x256xf16>, token
      %b, %k1 = load_view_tko weak %py[%k, %zero] : partition_view<tile=(256x256), tensor_view<512x256xf16, strides=[256,1]>>, tile<i32> -> tile<256x256xf16>, token
      %more = mmaf %a, %b, %sum : tile<256x256xf16>, tile<256x256xf16>, tile<256x256xf32>
      continue %more : tile<256x256xf32>
    }
    %k2 = store_view_tko weak %c, %pz[%zero, %zero] : tile<256x256xf32>, partition_view<tile=(256x256), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
    return
  }
}
