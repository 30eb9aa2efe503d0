// Globals that others do not see or that never change, from 13.3.
cuda_tile.module @global_kinds {
  global private @counter <i32: 0> : tile<1xi32>
  global constant @table alignment = 128 <f32: [1.0, 0.5, 0.25, 0.125]> : tile<4xf32>
  global private constant @primes alignment = 64 <i16: [2, 3, 5, 7, 11, 13, 17, 19]> : tile<8xi16>
  global public @open <i8: 1> : tile<2xi8>
  entry @count(%out: tile<ptr<f32>>) {
    %counter = get_global @counter : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %ticket, %taken = atomic_rmw_tko relaxed device %counter, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %three = constant <i32: 3> : tile<i32>
    %slot = andi %ticket, %three : tile<i32>
    %table = get_global @table : tile<ptr<f32>>
    %address = offset %table, %slot : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x, %read = load_ptr_tko weak %address token=%taken : tile<ptr<f32>> -> tile<f32>, token
    %target = offset %out, %ticket : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %done = store_ptr_tko weak %target, %x token=%read : tile<ptr<f32>>, tile<f32> -> token
    %primes = get_global @primes : tile<ptr<i16>>
    return
  }
}
