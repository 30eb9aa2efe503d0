// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks have memory of their own and parts, in the words of Tile IR text: what Triton's kernels with shared
// memory, barriers and asynchronous copies become.
cuda_tile.module @parts {
entry @plain(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i = iota : tile<4xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x4 = broadcast %x1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %xs = offset %x4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y4 = broadcast %y1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ys = offset %y4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token
  %d = addf %l, %l : tile<4xf32>
  %st = store_ptr_tko weak %ys, %d : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
entry @copied(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {
  %0 = constant <i64: 0> : tile<i64>
  %1 = constant <i64: 1> : tile<i64>
  %2 = constant <i64: 2> : tile<i64>
  %16 = constant <i64: 16> : tile<i64>
  %32 = constant <i64: 32> : tile<i64>
  %8 = constant <i64: 8> : tile<i64>
  %r0, %t0 = block_operation "allocate" of "ttg.local_alloc"(%0, %16, %0, %0) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %r1, %t1 = block_operation "allocate" of "ttg.local_alloc"(%32, %8, %0, %0) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %r2, %t2 = block_operation "init" of "ttng.init_barrier"(%32, %1) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r3, %t3 = block_operation "expect" of "ttng.barrier_expect"(%32, %16) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r4, %t4 = block_operation "issue" of "ttng.async_tma_copy_global_to_local"(%0, %32, %16, %1, %1, %2, %0, %1, %16, %16, %x) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<ptr<f32>>) -> tile<i64>, token
  %r5, %t5 = block_operation "wait" of "ttng.wait_barrier"(%32, %0) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r6, %t6 = block_operation "read" of "ttg.local_load"(%0, %1, %16, %16) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %i = iota : tile<4xi32>
  %m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>
  %m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y4 = broadcast %y1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ys = offset %y4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %ms : tile<4xptr<f32>> -> tile<4xf32>, token
  %d = addf %l, %l : tile<4xf32>
  %st = store_ptr_tko weak %ys, %d : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
entry @unawaited(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {
  %0 = constant <i64: 0> : tile<i64>
  %1 = constant <i64: 1> : tile<i64>
  %2 = constant <i64: 2> : tile<i64>
  %16 = constant <i64: 16> : tile<i64>
  %32 = constant <i64: 32> : tile<i64>
  %8 = constant <i64: 8> : tile<i64>
  %r0, %t0 = block_operation "allocate" of "ttg.local_alloc"(%0, %16, %0, %0) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %r1, %t1 = block_operation "allocate" of "ttg.local_alloc"(%32, %8, %0, %0) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %r2, %t2 = block_operation "init" of "ttng.init_barrier"(%32, %1) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r3, %t3 = block_operation "expect" of "ttng.barrier_expect"(%32, %16) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r4, %t4 = block_operation "issue" of "ttng.async_tma_copy_global_to_local"(%0, %32, %16, %1, %1, %2, %0, %1, %16, %16, %x) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<ptr<f32>>) -> tile<i64>, token
  %r6, %t6 = block_operation "read" of "ttg.local_load"(%0, %1, %16, %16) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %i = iota : tile<4xi32>
  %m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>
  %m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y4 = broadcast %y1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ys = offset %y4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %ms : tile<4xptr<f32>> -> tile<4xf32>, token
  %d = addf %l, %l : tile<4xf32>
  %st = store_ptr_tko weak %ys, %d : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
entry @unexpected(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {
  %0 = constant <i64: 0> : tile<i64>
  %1 = constant <i64: 1> : tile<i64>
  %2 = constant <i64: 2> : tile<i64>
  %16 = constant <i64: 16> : tile<i64>
  %32 = constant <i64: 32> : tile<i64>
  %8 = constant <i64: 8> : tile<i64>
  %r0, %t0 = block_operation "allocate" of "ttg.local_alloc"(%0, %16, %0, %0) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %r1, %t1 = block_operation "allocate" of "ttg.local_alloc"(%32, %8, %0, %0) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %r2, %t2 = block_operation "init" of "ttng.init_barrier"(%32, %1) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r4, %t4 = block_operation "issue" of "ttng.async_tma_copy_global_to_local"(%0, %32, %16, %1, %1, %2, %0, %1, %16, %16, %x) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<ptr<f32>>) -> tile<i64>, token
  %r5, %t5 = block_operation "wait" of "ttng.wait_barrier"(%32, %0) : (tile<i64>, tile<i64>) -> tile<i64>, token
  %r6, %t6 = block_operation "read" of "ttg.local_load"(%0, %1, %16, %16) : (tile<i64>, tile<i64>, tile<i64>, tile<i64>) -> tile<i64>, token
  %i = iota : tile<4xi32>
  %m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>
  %m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y4 = broadcast %y1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ys = offset %y4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %ms : tile<4xptr<f32>> -> tile<4xf32>, token
  %d = addf %l, %l : tile<4xf32>
  %st = store_ptr_tko weak %ys, %d : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
part @load of @copied(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) {
  %i = iota : tile<4xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x4 = broadcast %x1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %xs = offset %x4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>
  %m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token
  %st = store_ptr_tko weak %ms, %l : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
part @load_unawaited of @unawaited(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) {
  %i = iota : tile<4xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x4 = broadcast %x1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %xs = offset %x4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>
  %m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token
  %st = store_ptr_tko weak %ms, %l : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
part @load_unexpected of @unexpected(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) {
  %i = iota : tile<4xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x4 = broadcast %x1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %xs = offset %x4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>
  %m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>
  %m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %l, %lt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token
  %st = store_ptr_tko weak %ms, %l : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
}
