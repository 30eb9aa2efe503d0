// SPDX-License-Identifier: Apache-2.0
// Elements of four bits in memory: narrowed floats that are stored and loaded again, and floats that are overwritten.
cuda_tile.module @halves {
  entry @narrow(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %tx = make_tensor_view %x, shape = [96], strides = [1] : tensor_view<96xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [96], strides = [1] : tensor_view<96xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%i] : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %b = ftof %a : tile<32xf32> -> tile<32xf4E2M1FN>
    %c = ftof %b : tile<32xf4E2M1FN> -> tile<32xf32>
    %k1 = store_view_tko weak %c, %py[%i] : tile<32xf32>, partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @narrow_to_memory(%x: tile<ptr<f32>>, %h: tile<ptr<f4E2M1FN>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %tx = make_tensor_view %x, shape = [96], strides = [1] : tensor_view<96xf32, strides=[1]>
    %th = make_tensor_view %h, shape = [96], strides = [1] : tensor_view<96xf4E2M1FN, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>
    %ph = make_partition_view %th : partition_view<tile=(32), tensor_view<96xf4E2M1FN, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%i] : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %b = ftof %a : tile<32xf32> -> tile<32xf4E2M1FN>
    %k1 = store_view_tko weak %b, %ph[%i] : tile<32xf4E2M1FN>, partition_view<tile=(32), tensor_view<96xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @widen_from_memory(%h: tile<ptr<f4E2M1FN>>, %y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %th = make_tensor_view %h, shape = [96], strides = [1] : tensor_view<96xf4E2M1FN, strides=[1]>
    %ty = make_tensor_view %y, shape = [96], strides = [1] : tensor_view<96xf32, strides=[1]>
    %ph = make_partition_view %th : partition_view<tile=(32), tensor_view<96xf4E2M1FN, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %ph[%i] : partition_view<tile=(32), tensor_view<96xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<32xf4E2M1FN>, token
    %b = ftof %a : tile<32xf4E2M1FN> -> tile<32xf32>
    %k1 = store_view_tko weak %b, %py[%i] : tile<32xf32>, partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @third(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %tx = make_tensor_view %x, shape = [96], strides = [1] : tensor_view<96xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [96], strides = [1] : tensor_view<96xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%i] : partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %c = constant <f32: 0.33333334> : tile<32xf32>
    %b = mulf %a, %c : tile<32xf32>
    %k1 = store_view_tko weak %b, %py[%i] : tile<32xf32>, partition_view<tile=(32), tensor_view<96xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // These two write what is there already: the floats keep their bits, but nothing says any more where they are from.
  entry @rewrite_bytes(%y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %p = ptr_to_ptr %y : tile<ptr<f32>> -> tile<ptr<i8>>
    %t = make_tensor_view %p, shape = [384], strides = [1] : tensor_view<384xi8, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(128), tensor_view<384xi8, strides=[1]>>
    %a, %k0 = load_view_tko weak %v[%i] : partition_view<tile=(128), tensor_view<384xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
    %k1 = store_view_tko weak %a, %v[%i] token = %k0 : tile<128xi8>, partition_view<tile=(128), tensor_view<384xi8, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @rewrite_halves(%y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %p = ptr_to_ptr %y : tile<ptr<f32>> -> tile<ptr<f4E2M1FN>>
    %t = make_tensor_view %p, shape = [768], strides = [1] : tensor_view<768xf4E2M1FN, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(256), tensor_view<768xf4E2M1FN, strides=[1]>>
    %a, %k0 = load_view_tko weak %v[%i] : partition_view<tile=(256), tensor_view<768xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<256xf4E2M1FN>, token
    %k1 = store_view_tko weak %a, %v[%i] token = %k0 : tile<256xf4E2M1FN>, partition_view<tile=(256), tensor_view<768xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
}
