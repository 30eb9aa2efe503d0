// max(x, 0), times 3: by a maximum and a product; by a select and a loop of sums.
entry @product(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %zero = constant <f32: 0.0> : tile<f32>
  %three = constant <f32: 3.0> : tile<f32>
  %value, %after = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
  %most = maxf %value, %zero : tile<f32>
  %result = mulf %most, %three : tile<f32>
  %stored = store_ptr_tko weak %y, %result : tile<ptr<f32>>, tile<f32> -> token
  return
}
entry @sums(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %zero = constant <f32: 0.0> : tile<f32>
  %none = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %value, %after = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
  %positive = cmpf greater_than ordered %value, %zero : tile<f32> -> tile<i1>
  %most = select %positive, %value, %zero : tile<i1>, tile<f32>
  %sum, %count = loop iter_values(%before = %zero, %i = %none) : tile<f32>, tile<i32> -> tile<f32>, tile<i32> {
    %done = cmpi equal %i, %three, signed : tile<i32> -> tile<i1>
    if %done {
      break %before, %i : tile<f32>, tile<i32>
    }
    %next = addf %before, %most : tile<f32>
    %more = addi %i, %one : tile<i32>
    continue %next, %more : tile<f32>, tile<i32>
  }
  %stored = store_ptr_tko weak %y, %sum : tile<ptr<f32>>, tile<f32> -> token
  return
}
