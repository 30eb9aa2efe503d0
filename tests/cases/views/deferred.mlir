// SPDX-License-Identifier: Apache-2.0
// Tiles that are read after their memory was overwritten: a load is evaluated late only where nobody can tell.
cuda_tile.module @deferred {
  entry @copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %tx = make_tensor_view %x, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
    %all, %k0 = load_view_tko weak %px[%zero] : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %k1 = store_view_tko weak %all, %py[%zero] : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @in_place(%y: tile<ptr<f32>>) {
    %n0, %by, %bz = get_tile_block_id : tile<i32>
    %n1 = constant <i32: 1> : tile<i32>
    %n2 = constant <i32: 2> : tile<i32>
    %n3 = constant <i32: 3> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<32xf32>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %py = make_partition_view %ty : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>
    // Two quarters change places.
    %a, %k0 = load_view_tko weak %py[%n0] : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %b, %k1 = load_view_tko weak %py[%n1] : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %k2 = store_view_tko weak %b, %py[%n0] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    %k3 = store_view_tko weak %a, %py[%n1] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    // The third one goes to the fourth, after a branch has cleared it.
    %c, %k4 = load_view_tko weak %py[%n2] : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %first = cmpi less_than %n0, %n1, signed : tile<i32> -> tile<i1>
    if %first {
      %k5 = store_view_tko weak %zeros, %py[%n2] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    }
    %k6 = store_view_tko weak %c, %py[%n3] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    // The first half moves on by one element, into its own memory.
    %y1 = offset %y, %n1 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t1 = make_tensor_view %y1, shape = [127], strides = [1] : tensor_view<127xf32, strides=[1]>
    %half = make_partition_view %ty : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>
    %next = make_partition_view %t1 : partition_view<tile=(64), tensor_view<127xf32, strides=[1]>>
    %d, %k7 = load_view_tko weak %half[%n0] token = %k3 : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %k8 = store_view_tko weak %d, %next[%n0] token = %k7 : tile<64xf32>, partition_view<tile=(64), tensor_view<127xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @without_tokens(%y: tile<ptr<f32>>) {
    %n0, %by, %bz = get_tile_block_id : tile<i32>
    %n1 = constant <i32: 1> : tile<i32>
    %n2 = constant <i32: 2> : tile<i32>
    %n3 = constant <i32: 3> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<32xf32>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %py = make_partition_view %ty : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>
    // The same, though nobody says what comes first.
    // Two quarters change places.
    %a, %k0 = load_view_tko weak %py[%n0] : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %b, %k1 = load_view_tko weak %py[%n1] : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %k2 = store_view_tko weak %b, %py[%n0] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    %k3 = store_view_tko weak %a, %py[%n1] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    // The third one goes to the fourth, after a branch has cleared it.
    %c, %k4 = load_view_tko weak %py[%n2] : partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %first = cmpi less_than %n0, %n1, signed : tile<i32> -> tile<i1>
    if %first {
      %k5 = store_view_tko weak %zeros, %py[%n2] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    }
    %k6 = store_view_tko weak %c, %py[%n3] : tile<32xf32>, partition_view<tile=(32), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    // The first half moves on by one element, into its own memory.
    %y1 = offset %y, %n1 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t1 = make_tensor_view %y1, shape = [127], strides = [1] : tensor_view<127xf32, strides=[1]>
    %half = make_partition_view %ty : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>
    %next = make_partition_view %t1 : partition_view<tile=(64), tensor_view<127xf32, strides=[1]>>
    %d, %k7 = load_view_tko weak %half[%n0] : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %k8 = store_view_tko weak %d, %next[%n0] : tile<64xf32>, partition_view<tile=(64), tensor_view<127xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @apart(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %n32 = constant <i32: 32> : tile<128xi32>
    %n33 = constant <i32: 33> : tile<128xi32>
    %n65 = constant <i32: 65> : tile<128xi32>
    %n96 = constant <i32: 96> : tile<128xi32>
    %one = constant <i32: 1> : tile<128xi32>
    %none = constant <i32: 0> : tile<128xi32>
    %zeros = constant <f32: 0.0> : tile<128xf32>
    // Element i comes from: 32 for 0; i + 31 below 33; i - 33 below 65; nowhere below 96; else i - 32.
    %begin = cmpi equal %i, %none, signed : tile<128xi32> -> tile<128xi1>
    %in33 = cmpi less_than %i, %n33, signed : tile<128xi32> -> tile<128xi1>
    %in65 = cmpi less_than %i, %n65, signed : tile<128xi32> -> tile<128xi1>
    %in96 = cmpi less_than %i, %n96, signed : tile<128xi32> -> tile<128xi1>
    %forth = addi %i, %n32 : tile<128xi32>
    %forth1 = subi %forth, %one : tile<128xi32>
    %back = subi %i, %n33 : tile<128xi32>
    %quarter = subi %i, %n32 : tile<128xi32>
    %s0 = select %in65, %back, %quarter : tile<128xi1>, tile<128xi32>
    %s1 = select %in33, %forth1, %s0 : tile<128xi1>, tile<128xi32>
    %s2 = select %begin, %n32, %s1 : tile<128xi1>, tile<128xi32>
    %xs = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xb = broadcast %xs : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %from = offset %xb, %s2 : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %v, %k0 = load_ptr_tko weak %from : tile<128xptr<f32>> -> tile<128xf32>, token
    %shown = select %in65, %v, %zeros : tile<128xi1>, tile<128xf32>
    %w = select %in96, %shown, %v : tile<128xi1>, tile<128xf32>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %py = make_partition_view %ty : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
    %at = constant <i32: 0> : tile<i32>
    %k1 = store_view_tko weak %w, %py[%at] : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  // Behind the loop the second half is ones, whatever it was: a round reads what the round before left in its alloca.
  entry @from_last_round(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %n0 = constant <i32: 0> : tile<i32>
    %n1 = constant <i32: 1> : tile<i32>
    %n2 = constant <i32: 2> : tile<i32>
    %ones = constant <f32: 1.0> : tile<64xf32>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>
    %last = for %i in (%n0 to %n2, step %n1) : tile<i32> iter_values(%p = %x) -> (tile<ptr<f32>>) {
      %tp = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      %pp = make_partition_view %tp : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
      %old, %k0 = load_view_tko weak %pp[%n0] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
      %a = alloca num_elem = 64, alignment = 4 : tile<ptr<f32>>
      %k1 = store_view_tko weak %old, %py[%i] : tile<64xf32>, partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
      %ta = make_tensor_view %a, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      %pa = make_partition_view %ta : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
      %k2 = store_view_tko weak %ones, %pa[%n0] : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
      continue %a : tile<ptr<f32>>
    }
    return
  }
  entry @half_and_ones(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %n0 = constant <i32: 0> : tile<i32>
    %n1 = constant <i32: 1> : tile<i32>
    %ones = constant <f32: 1.0> : tile<64xf32>
    %tx = make_tensor_view %x, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %ty = make_tensor_view %y, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %px = make_partition_view %tx : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>
    %py = make_partition_view %ty : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>
    %half, %k0 = load_view_tko weak %px[%n0] : partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %k1 = store_view_tko weak %half, %py[%n0] : tile<64xf32>, partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    %k2 = store_view_tko weak %ones, %py[%n1] : tile<64xf32>, partition_view<tile=(64), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
