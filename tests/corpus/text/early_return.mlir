// A return from inside a loop, from 13.4, below ifs only before.
cuda_tile.module @early_return {
  entry @find_first(%p: tile<ptr<i32>>, %count: tile<i32>, %wanted: tile<i32>, %where: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    loop iter_values(%i = %zero) : tile<i32> {
      %over = cmpi greater_than_or_equal %i, %count, signed : tile<i32> -> tile<i1>
      if %over {
        return
      }
      %address = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %x, %read = load_ptr_tko weak %address : tile<ptr<i32>> -> tile<i32>, token
      %found = cmpi equal %x, %wanted, signed : tile<i32> -> tile<i1>
      if %found {
        %t = store_ptr_tko weak %where, %i token=%read : tile<ptr<i32>>, tile<i32> -> token
        return
      }
      %next = addi %i, %one : tile<i32>
      continue %next : tile<i32>
    }
    return
  }
  entry @only_return() {
    loop {
      return
    }
    return
  }
}
