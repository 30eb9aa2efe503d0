// SPDX-License-Identifier: Apache-2.0
// Kernels that follow addresses in memory, and such that make them; overlapping arrays.
cuda_tile.module @addresses {
  // y = x * x + x, of 64 elements.
  entry @one(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = mulf %a, %a rounding<nearest_even> : tile<64xf32>
    %c = addf %b, %a rounding<nearest_even> : tile<64xf32>
    %k1 = store_view_tko weak %c, %py[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // Block i does that for rows of a table: the addresses of x and y, and a number that is added.
  entry @grouped(%table: tile<ptr<i64>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %row = muli %i, %three : tile<i32>
    %at = offset %table, %row : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %at1 = offset %at, %one : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %at2 = offset %at, %two : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %wx, %k0 = load_ptr_tko weak %at : tile<ptr<i64>> -> tile<i64>, token
    %wy, %k1 = load_ptr_tko weak %at1 : tile<ptr<i64>> -> tile<i64>, token
    %n, %k2 = load_ptr_tko weak %at2 : tile<ptr<i64>> -> tile<i64>, token
    %x = int_to_ptr %wx : tile<i64> -> tile<ptr<f32>>
    %y = int_to_ptr %wy : tile<i64> -> tile<ptr<f32>>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k3 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = mulf %a, %a rounding<nearest_even> : tile<64xf32>
    %c = addf %b, %a rounding<nearest_even> : tile<64xf32>
    %f = itof %n signed rounding<nearest_even> : tile<i64> -> tile<f32>
    %f1 = reshape %f : tile<f32> -> tile<1xf32>
    %f64 = broadcast %f1 : tile<1xf32> -> tile<64xf32>
    %d = addf %c, %f64 rounding<nearest_even> : tile<64xf32>
    %k4 = store_view_tko weak %d, %py[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // Makes the table of `grouped` for two rows: each row's arrays follow the one before.
  entry @make_table(%table: tile<ptr<i64>>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %none = constant <i64: 0> : tile<i64>
    %row = muli %i, %three : tile<i32>
    %begin = muli %i, %size : tile<i32>
    %at = offset %table, %row : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %at1 = offset %at, %one : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %at2 = offset %at, %two : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %x1 = offset %x, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %y1 = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %wx = ptr_to_int %x1 : tile<ptr<f32>> -> tile<i64>
    %wy = ptr_to_int %y1 : tile<ptr<f32>> -> tile<i64>
    %k0 = store_ptr_tko weak %at, %wx : tile<ptr<i64>>, tile<i64> -> token
    %k1 = store_ptr_tko weak %at1, %wy : tile<ptr<i64>>, tile<i64> -> token
    %k2 = store_ptr_tko weak %at2, %none : tile<ptr<i64>>, tile<i64> -> token
    return
  }
  // Twice x is stored to y, then what x has become is stored to z: where they overlap that is another number.
  entry @store_between(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %tz = make_tensor_view %z, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %pz = make_partition_view %tz : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = addf %a, %a rounding<nearest_even> : tile<64xf32>
    %k1 = store_view_tko weak %b, %py[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %c, %k2 = load_view_tko weak %px[%zero] token = %k1 : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %d = addf %c, %a rounding<nearest_even> : tile<64xf32>
    %k3 = store_view_tko weak %d, %pz[%zero] token = %k2 : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // The same with one array for x and y, which begins 16 elements after x.
  entry @store_between_in_one(%x: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %far = constant <i32: 16> : tile<i32>
    %y = offset %x, %far : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %tz = make_tensor_view %z, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %pz = make_partition_view %tz : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = addf %a, %a rounding<nearest_even> : tile<64xf32>
    %k1 = store_view_tko weak %b, %py[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %c, %k2 = load_view_tko weak %px[%zero] token = %k1 : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %d = addf %c, %a rounding<nearest_even> : tile<64xf32>
    %k3 = store_view_tko weak %d, %pz[%zero] token = %k2 : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // Copies 128 elements of 16 bits.
  entry @copy_halves(%x: tile<ptr<i16>>, %y: tile<ptr<i16>>) {
    %zero = constant <i32: 0> : tile<i32>
    %tx = make_tensor_view %x, shape = [128], strides = [1] : tensor_view<128xi16, strides=[1]>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xi16, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(128), tensor_view<128xi16, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(128), tensor_view<128xi16, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(128), tensor_view<128xi16, strides=[1]>>, tile<i32> -> tile<128xi16>, token
    %k1 = store_view_tko weak %a, %py[%zero] : tile<128xi16>, partition_view<tile=(128), tensor_view<128xi16, strides=[1]>>, tile<i32> -> token
    return
  }
  // y = 2 x, of 64 elements, which no token orders.
  entry @twice(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = addf %a, %a rounding<nearest_even> : tile<64xf32>
    %k1 = store_view_tko weak %b, %py[%zero] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // As that with y one element behind x: the tile is read before any of it is stored.
  entry @twice_behind(%x: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %y = offset %x, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %tx = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %a, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = addf %a, %a rounding<nearest_even> : tile<64xf32>
    %k1 = store_view_tko weak %b, %py[%zero] token = %k0 : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
