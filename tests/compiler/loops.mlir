// SPDX-License-Identifier: Apache-2.0
// Loops that end with what one thread tells the others: one that waits for a flag, one that takes tasks from a counter,
// one with as many rounds as memory says; and one that knows better.
cuda_tile.module @loops {
entry @waits(%flag: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  loop {
    %value, %read = load_ptr_tko relaxed device %flag : tile<ptr<i32>> -> tile<i32>, token
    %set = cmpi not_equal %value, %zero, signed : tile<i32> -> tile<i1>
    if %set {
      break
    }
    continue
  }
  return
}
entry @takes_tasks(%count: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %all = constant <i32: 8> : tile<i32>
  loop {
    %task, %taken = atomic_rmw_tko relaxed device %count, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %ends = cmpi greater_than_or_equal %task, %all, signed : tile<i32> -> tile<i1>
    if %ends {
      break
    }
    %to = offset %y, %task : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %stored = store_ptr_tko weak %to, %task token=%taken : tile<ptr<i32>>, tile<i32> -> token
    continue
  }
  return
}
entry @counted(%count: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %read, %t = load_ptr_tko relaxed device %count : tile<ptr<i32>> -> tile<i32>, token
  %rounds = addi %read, %one : tile<i32>
  for %i in (%zero to %rounds, step %one) : tile<i32> {
    %old, %added = atomic_rmw_tko relaxed device %y, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %to = offset %y, %old : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %stored = store_ptr_tko weak %to, %old token=%added : tile<ptr<i32>>, tile<i32> -> token
    continue
  }
  return
}
entry @fixed(%count: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %rounds = constant <i32: 1000000000> : tile<i32>
  for %i in (%zero to %rounds, step %one) : tile<i32> {
    %old, %added = atomic_rmw_tko relaxed device %y, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %to = offset %y, %old : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %stored = store_ptr_tko weak %to, %old token=%added : tile<ptr<i32>>, tile<i32> -> token
    continue
  }
  return
}
}
