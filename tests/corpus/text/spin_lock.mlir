// A lock that is taken by compare and swap and given back by an exchange; what it guards is read and written between.
cuda_tile.module @spin_lock {
  entry @guarded(%lock: tile<ptr<i32>>, %guarded: tile<ptr<f32>>, %x: tile<f32>) {
    %free = constant <i32: 0> : tile<i32>
    %taken = constant <i32: 1> : tile<i32>
    %held = loop : token {
      %old, %tried = atomic_cas_tko acquire device %lock, %free, %taken : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %mine = cmpi equal %old, %free, signed : tile<i32> -> tile<i1>
      if %mine {
        break %tried : token
      }
      continue
    }
    %value, %read = load_ptr_tko weak %guarded token=%held : tile<ptr<f32>> -> tile<f32>, token
    %larger = maxf %value, %x propagate_nan : tile<f32>
    %written = store_ptr_tko weak %guarded, %larger token=%read : tile<ptr<f32>>, tile<f32> -> token
    %last, %given = atomic_rmw_tko release device %lock, xchg, %free token=%written : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %was_taken = cmpi equal %last, %taken, signed : tile<i32> -> tile<i1>
    assert %was_taken, "the lock was \"ours\"" : tile<i1>
    return
  }
}
