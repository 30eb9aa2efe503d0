// Weights of four bits, two in each byte: integers with a scale for each row, and floats with a scale for each 32. From 13.3.
cuda_tile.module @short_weights {
  entry @integers(%weights: tile<ptr<i8>>, %scales: tile<ptr<f16>>, %out: tile<ptr<f16>>) {
    %packed = make_tensor_view %weights, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1]>
    %bytes = make_partition_view %packed : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %read = load_view_tko weak %bytes[%zero] : partition_view<tile=(64), tensor_view<64xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
    %small = unpack %x : tile<64xi8> -> tile<128xi4>
    %wide = exti %small signed : tile<128xi4> -> tile<128xi8>
    %float = itof %wide signed : tile<128xi8> -> tile<128xf16>
    %scale, %read_scale = load_ptr_tko weak %scales : tile<ptr<f16>> -> tile<f16>, token
    %scale_ = reshape %scale : tile<f16> -> tile<1xf16>
    %scales_ = broadcast %scale_ : tile<1xf16> -> tile<128xf16>
    %scaled = mulf %float, %scales_ : tile<128xf16>
    %result = make_tensor_view %out, shape = [128], strides = [1] : tensor_view<128xf16, strides=[1]>
    %whole = make_partition_view %result : partition_view<tile=(128), tensor_view<128xf16, strides=[1]>>
    %done = store_view_tko weak %scaled, %whole[%zero] : tile<128xf16>, partition_view<tile=(128), tensor_view<128xf16, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @floats(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %a_scales: tile<ptr<f8E8M0FNU>>, %b_scales: tile<ptr<f8E8M0FNU>>, %out: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %ta = make_tensor_view %a, shape = [2048], strides = [1] : tensor_view<2048xi8, strides=[1]>
    %tb = make_tensor_view %b, shape = [2048], strides = [1] : tensor_view<2048xi8, strides=[1]>
    %va = make_partition_view %ta : partition_view<tile=(1024), tensor_view<2048xi8, strides=[1]>>
    %vb = make_partition_view %tb : partition_view<tile=(1024), tensor_view<2048xi8, strides=[1]>>
    %xa, %ra = load_view_tko weak %va[%zero] : partition_view<tile=(1024), tensor_view<2048xi8, strides=[1]>>, tile<i32> -> tile<1024xi8>, token
    %xb, %rb = load_view_tko weak %vb[%zero] : partition_view<tile=(1024), tensor_view<2048xi8, strides=[1]>>, tile<i32> -> tile<1024xi8>, token
    %fa = unpack %xa : tile<1024xi8> -> tile<2048xf4E2M1FN>
    %fb = unpack %xb : tile<1024xi8> -> tile<2048xf4E2M1FN>
    %ma = reshape %fa : tile<2048xf4E2M1FN> -> tile<16x128xf4E2M1FN>
    %mb = reshape %fb : tile<2048xf4E2M1FN> -> tile<128x16xf4E2M1FN>
    %tsa = make_tensor_view %a_scales, shape = [16, 4], strides = [4, 1] : tensor_view<16x4xf8E8M0FNU, strides=[4,1]>
    %tsb = make_tensor_view %b_scales, shape = [4, 16], strides = [16, 1] : tensor_view<4x16xf8E8M0FNU, strides=[16,1]>
    %vsa = make_partition_view %tsa : partition_view<tile=(16x4), tensor_view<16x4xf8E8M0FNU, strides=[4,1]>>
    %vsb = make_partition_view %tsb : partition_view<tile=(4x16), tensor_view<4x16xf8E8M0FNU, strides=[16,1]>>
    %sa, %rsa = load_view_tko weak %vsa[%zero, %zero] : partition_view<tile=(16x4), tensor_view<16x4xf8E8M0FNU, strides=[4,1]>>, tile<i32> -> tile<16x4xf8E8M0FNU>, token
    %sb, %rsb = load_view_tko weak %vsb[%zero, %zero] : partition_view<tile=(4x16), tensor_view<4x16xf8E8M0FNU, strides=[16,1]>>, tile<i32> -> tile<4x16xf8E8M0FNU>, token
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %product = mmaf_scaled %ma, %mb, %none, %sa, %sb : tile<16x128xf4E2M1FN>, tile<128x16xf4E2M1FN>, tile<16x16xf32>, tile<16x4xf8E8M0FNU>, tile<4x16xf8E8M0FNU>
    %result = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
    %whole = make_partition_view %result : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
    %done = store_view_tko weak %product, %whole[%zero, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
