// SPDX-License-Identifier: Apache-2.0
// y from x, both 8 x 8: for tests of fpdiff explain. Each kernel leaves something of its own kind.
cuda_tile.module @kernels {
  // as it is
  entry @same(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %2 = store_view_tko weak %t, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // times 2
  entry @doubled(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %two = constant <f32: 2.0> : tile<8x8xf32>
    %r = mulf %t, %two : tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // the lesser of x and 0
  entry @least(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %none = constant <f32: 0.0> : tile<8x8xf32>
    %r = minf %t, %none : tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // transposed
  entry @turned(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %r = permute %t [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // each row times its second element
  entry @by_row(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %one = constant <i32: 1> : tile<i32>
    %cp = make_partition_view %v : partition_view<tile=(8x1), tensor_view<8x8xf32, strides=[8,1]>>
    %c, %3 = load_view_tko weak %cp[%zero, %one] token = %0 : partition_view<tile=(8x1), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x1xf32>, token
    %b = broadcast %c : tile<8x1xf32> -> tile<8x8xf32>
    %r = mulf %t, %b : tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // each row plus its second element
  entry @plus_row(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %one = constant <i32: 1> : tile<i32>
    %cp = make_partition_view %v : partition_view<tile=(8x1), tensor_view<8x8xf32, strides=[8,1]>>
    %c, %3 = load_view_tko weak %cp[%zero, %one] token = %0 : partition_view<tile=(8x1), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x1xf32>, token
    %b = broadcast %c : tile<8x1xf32> -> tile<8x8xf32>
    %r = addf %t, %b : tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // no relation at all
  entry @squared(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %r = mulf %t, %t : tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // the lower rows are not written
  entry @half(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<4x8xf32>, token
    %2 = store_view_tko weak %t, %q[%zero, %zero] token = %0 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // the sums of the roots of rows
  entry @root(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %n = sqrt %t : tile<8x8xf32>
    %s = reduce %n dim=1 identities=[0.0 : f32] : tile<8x8xf32> -> tile<8xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %s1 = reshape %s : tile<8xf32> -> tile<8x1xf32>
    %r = broadcast %s1 : tile<8x1xf32> -> tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // these times 2
  entry @root_doubled(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %n = sqrt %t : tile<8x8xf32>
    %s = reduce %n dim=1 identities=[0.0 : f32] : tile<8x8xf32> -> tile<8xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %s1 = reshape %s : tile<8xf32> -> tile<8x1xf32>
    %d = broadcast %s1 : tile<8x1xf32> -> tile<8x8xf32>
    %two = constant <f32: 2.0> : tile<8x8xf32>
    %r = mulf %d, %two : tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // the sums of the squares of rows
  entry @squares(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %f = mulf %t, %t : tile<8x8xf32>
    %s = reduce %f dim=1 identities=[0.0 : f32] : tile<8x8xf32> -> tile<8xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %s1 = reshape %s : tile<8xf32> -> tile<8x1xf32>
    %r = broadcast %s1 : tile<8x1xf32> -> tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
  // the same of their first halves
  entry @squares_of_4(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %0 = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %w = make_tensor_view %y, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x4), tensor_view<8x8xf32, strides=[8,1]>>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %t, %1 = load_view_tko weak %p[%zero, %zero] token = %0 : partition_view<tile=(8x4), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x4xf32>, token
    %f = mulf %t, %t : tile<8x4xf32>
    %s = reduce %f dim=1 identities=[0.0 : f32] : tile<8x4xf32> -> tile<8xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %s1 = reshape %s : tile<8xf32> -> tile<8x1xf32>
    %r = broadcast %s1 : tile<8x1xf32> -> tile<8x8xf32>
    %2 = store_view_tko weak %r, %q[%zero, %zero] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
