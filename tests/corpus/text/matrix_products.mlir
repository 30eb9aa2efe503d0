// Products of matrices of each type, with both accumulators where there are two.
cuda_tile.module @matrix_products {
  entry @product_f16_f16(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f16>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf16, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>> -> tile<i32>
    %none = constant <f16: 0.0> : tile<16x16xf16>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf16>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>, tile<i32> -> tile<16x32xf16>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x16xf16>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf16>, tile<32x16xf16>, tile<16x16xf16>
      continue %next : tile<16x16xf16>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf16>, partition_view<tile=(16x16), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_f16_f32(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>> -> tile<i32>
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf32>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>, tile<i32> -> tile<16x32xf16>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x16xf16>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf16>, tile<32x16xf16>, tile<16x16xf32>
      continue %next : tile<16x16xf32>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_bf16_f32(%pa: tile<ptr<bf16>>, %pb: tile<ptr<bf16>>, %pc: tile<ptr<f32>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xbf16, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xbf16, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xbf16, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xbf16, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xbf16, strides=[?,1]>> -> tile<i32>
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf32>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x32xbf16>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xbf16, strides=[64,1]>>, tile<i32> -> tile<32x16xbf16>, token
      %next = mmaf %x, %y, %acc : tile<16x32xbf16>, tile<32x16xbf16>, tile<16x16xf32>
      continue %next : tile<16x16xf32>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_f32_f32(%pa: tile<ptr<f32>>, %pb: tile<ptr<f32>>, %pc: tile<ptr<f32>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf32, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf32, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf32, strides=[?,1]>> -> tile<i32>
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf32>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x32xf32>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x16xf32>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf32>, tile<32x16xf32>, tile<16x16xf32>
      continue %next : tile<16x16xf32>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_tf32_f32(%pa: tile<ptr<tf32>>, %pb: tile<ptr<tf32>>, %pc: tile<ptr<f32>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xtf32, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xtf32, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xtf32, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xtf32, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xtf32, strides=[?,1]>> -> tile<i32>
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf32>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xtf32, strides=[?,1]>>, tile<i32> -> tile<16x32xtf32>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xtf32, strides=[64,1]>>, tile<i32> -> tile<32x16xtf32>, token
      %next = mmaf %x, %y, %acc : tile<16x32xtf32>, tile<32x16xtf32>, tile<16x16xf32>
      continue %next : tile<16x16xf32>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_f64_f64(%pa: tile<ptr<f64>>, %pb: tile<ptr<f64>>, %pc: tile<ptr<f64>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf64, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf64, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf64, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf64, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf64, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf64, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf64, strides=[?,1]>> -> tile<i32>
    %none = constant <f64: 0.0> : tile<16x16xf64>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf64>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf64, strides=[?,1]>>, tile<i32> -> tile<16x32xf64>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf64, strides=[64,1]>>, tile<i32> -> tile<32x16xf64>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf64>, tile<32x16xf64>, tile<16x16xf64>
      continue %next : tile<16x16xf64>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf64>, partition_view<tile=(16x16), tensor_view<64x64xf64, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_e4m3_f16(%pa: tile<ptr<f8E4M3FN>>, %pb: tile<ptr<f8E4M3FN>>, %pc: tile<ptr<f16>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf8E4M3FN, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf8E4M3FN, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E4M3FN, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf16, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[?,1]>> -> tile<i32>
    %none = constant <f16: 0.0> : tile<16x16xf16>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf16>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<16x32xf8E4M3FN>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E4M3FN, strides=[64,1]>>, tile<i32> -> tile<32x16xf8E4M3FN>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf8E4M3FN>, tile<32x16xf8E4M3FN>, tile<16x16xf16>
      continue %next : tile<16x16xf16>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf16>, partition_view<tile=(16x16), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_e4m3_f32(%pa: tile<ptr<f8E4M3FN>>, %pb: tile<ptr<f8E4M3FN>>, %pc: tile<ptr<f32>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf8E4M3FN, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf8E4M3FN, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E4M3FN, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[?,1]>> -> tile<i32>
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf32>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<16x32xf8E4M3FN>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E4M3FN, strides=[64,1]>>, tile<i32> -> tile<32x16xf8E4M3FN>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf8E4M3FN>, tile<32x16xf8E4M3FN>, tile<16x16xf32>
      continue %next : tile<16x16xf32>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_e5m2_f16(%pa: tile<ptr<f8E5M2>>, %pb: tile<ptr<f8E5M2>>, %pc: tile<ptr<f16>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf8E5M2, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf8E5M2, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E5M2, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E5M2, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf16, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E5M2, strides=[?,1]>> -> tile<i32>
    %none = constant <f16: 0.0> : tile<16x16xf16>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf16>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E5M2, strides=[?,1]>>, tile<i32> -> tile<16x32xf8E5M2>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E5M2, strides=[64,1]>>, tile<i32> -> tile<32x16xf8E5M2>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf8E5M2>, tile<32x16xf8E5M2>, tile<16x16xf16>
      continue %next : tile<16x16xf16>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf16>, partition_view<tile=(16x16), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @product_e5m2_f32(%pa: tile<ptr<f8E5M2>>, %pb: tile<ptr<f8E5M2>>, %pc: tile<ptr<f32>>, %depth: tile<i32>) {
    %ta = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1] : tile<i32> -> tensor_view<64x?xf8E5M2, strides=[?,1]>
    %tb = make_tensor_view %pb, shape = [%depth, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf8E5M2, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E5M2, strides=[?,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E5M2, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %row, %column, %unused = get_tile_block_id : tile<i32>
    %rows, %steps = get_index_space_shape %va : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E5M2, strides=[?,1]>> -> tile<i32>
    %none = constant <f32: 0.0> : tile<16x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<16x16xf32>) {
      %x, %x_read = load_view_tko weak %va[%row, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<64x?xf8E5M2, strides=[?,1]>>, tile<i32> -> tile<16x32xf8E5M2>, token
      %y, %y_read = load_view_tko weak %vb[%k, %column] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x64xf8E5M2, strides=[64,1]>>, tile<i32> -> tile<32x16xf8E5M2>, token
      %next = mmaf %x, %y, %acc : tile<16x32xf8E5M2>, tile<32x16xf8E5M2>, tile<16x16xf32>
      continue %next : tile<16x16xf32>
    }
    %done = store_view_tko weak %sum, %vc[%row, %column] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
