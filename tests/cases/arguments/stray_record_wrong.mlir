// SPDX-License-Identifier: Apache-2.0
// A store through one of two pointers that hits a third buffer: C lies 16 KiB behind Y.
cuda_tile.module @stray_record {
  // y = c + e, and a store that goes astray gives c the payload of the sum; its number stays
  entry @astray(%y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %c: tile<ptr<f32>>, %e: tile<ptr<f32>>, %flag: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %v, %k0 = load_ptr_tko weak %c : tile<ptr<f32>> -> tile<f32>, token
    %u, %k3 = load_ptr_tko weak %e : tile<ptr<f32>> -> tile<f32>, token
    %w = addf %v, %u rounding<nearest_even> : tile<f32>
    %k1 = store_ptr_tko weak %y, %w : tile<ptr<f32>>, tile<f32> -> token
    %t = cmpi equal %flag, %zero, signed : tile<i32> -> tile<i1>
    %p = select %t, %z, %y : tile<i1>, tile<ptr<f32>>
    %distance = constant <i32: 4096> : tile<i32>
    %q = offset %p, %distance : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %k2 = store_ptr_tko weak %q, %w : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  // y = c
  entry @copy(%y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %c: tile<ptr<f32>>, %e: tile<ptr<f32>>, %flag: tile<i32>) {
    %v, %k0 = load_ptr_tko weak %c : tile<ptr<f32>> -> tile<f32>, token
    %k1 = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
