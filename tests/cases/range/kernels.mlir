// SPDX-License-Identifier: Apache-2.0
// Softmax of a vector of up to 256 numbers, with its maximum taken off and without; and its reciprocals.
cuda_tile.module @range {
entry @with_maximum(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %x_tiles = make_partition_view %x_view : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %s, %s_t = load_view_tko weak %x_tiles[%zero] : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %i = iota : tile<256xi32>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_all = broadcast %n_1 : tile<1xi32> -> tile<256xi32>
  %there = cmpi less_than %i, %n_all, signed : tile<256xi32> -> tile<256xi1>
  %low = constant <f32: 0xFF800000> : tile<256xf32>
  %known = select %there, %s, %low : tile<256xi1>, tile<256xf32>
  %m = reduce %known dim=0 identities=[0xFF800000 : f32] : tile<256xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %larger = maxf %a, %b : tile<f32>
    yield %larger : tile<f32>
  }
  %m_1 = reshape %m : tile<f32> -> tile<1xf32>
  %m_all = broadcast %m_1 : tile<1xf32> -> tile<256xf32>
  %d = subf %s, %m_all : tile<256xf32>
  %all = exp %d : tile<256xf32>
  %none = constant <f32: 0.0> : tile<256xf32>
  %e = select %there, %all, %none : tile<256xi1>, tile<256xf32>
  %t = reduce %e dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %sum = addf %a, %b : tile<f32>
    yield %sum : tile<f32>
  }
  %t_1 = reshape %t : tile<f32> -> tile<1xf32>
  %t_all = broadcast %t_1 : tile<1xf32> -> tile<256xf32>
  %r = divf %e, %t_all : tile<256xf32>
  %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %y_tiles = make_partition_view %y_view : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %done = store_view_tko weak %r, %y_tiles[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
entry @bare(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %x_tiles = make_partition_view %x_view : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %s, %s_t = load_view_tko weak %x_tiles[%zero] : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %i = iota : tile<256xi32>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_all = broadcast %n_1 : tile<1xi32> -> tile<256xi32>
  %there = cmpi less_than %i, %n_all, signed : tile<256xi32> -> tile<256xi1>
  %all = exp %s : tile<256xf32>
  %none = constant <f32: 0.0> : tile<256xf32>
  %e = select %there, %all, %none : tile<256xi1>, tile<256xf32>
  %t = reduce %e dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %sum = addf %a, %b : tile<f32>
    yield %sum : tile<f32>
  }
  %t_1 = reshape %t : tile<f32> -> tile<1xf32>
  %t_all = broadcast %t_1 : tile<1xf32> -> tile<256xf32>
  %r = divf %e, %t_all : tile<256xf32>
  %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %y_tiles = make_partition_view %y_view : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %done = store_view_tko weak %r, %y_tiles[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
entry @reciprocal(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %x_tiles = make_partition_view %x_view : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %s, %s_t = load_view_tko weak %x_tiles[%zero] : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %i = iota : tile<256xi32>
  %n_1 = reshape %n : tile<i32> -> tile<1xi32>
  %n_all = broadcast %n_1 : tile<1xi32> -> tile<256xi32>
  %there = cmpi less_than %i, %n_all, signed : tile<256xi32> -> tile<256xi1>
  %one = constant <f32: 1.0> : tile<256xf32>
  %r = divf %one, %s : tile<256xf32>
  %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %y_tiles = make_partition_view %y_view : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %done = store_view_tko weak %r, %y_tiles[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
// 1 / x three times: what the loop carries begins with the array's elements, and its padding is 0.
entry @carried(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %once = constant <i32: 1> : tile<i32>
  %thrice = constant <i32: 3> : tile<i32>
  %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %x_tiles = make_partition_view %x_view : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %s, %s_t = load_view_tko weak %x_tiles[%zero] : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %one = constant <f32: 1.0> : tile<256xf32>
  %r = for %i in (%zero to %thrice, step %once) : tile<i32> iter_values(%v = %s) -> (tile<256xf32>) {
    %turned = divf %one, %v : tile<256xf32>
    continue %turned : tile<256xf32>
  }
  %twice = addf %r, %r : tile<256xf32>
  %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %y_tiles = make_partition_view %y_view : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %done = store_view_tko weak %twice, %y_tiles[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
