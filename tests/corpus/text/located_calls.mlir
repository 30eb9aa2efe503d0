// Ops of functions that were inlined: a call, a call in a call, and a loop around them.
#kernel_file = #cuda_tile.di_file<"mean.py" in "/src/kernels">
#library_file = #cuda_tile.di_file<"library.py" in "/src/kernels/lib \22quoted\22">
#kernel_unit = #cuda_tile.di_compile_unit<file = #kernel_file>
#library_unit = #cuda_tile.di_compile_unit<file = #library_file>
#mean = #cuda_tile.di_subprogram<file = #kernel_file, line = 10, name = "mean of rows", linkageName = "mean", compileUnit = #kernel_unit, scopeLine = 10>
#sum = #cuda_tile.di_subprogram<file = #library_file, line = 20, name = "sum", linkageName = "library_sum", compileUnit = #library_unit, scopeLine = 21>
#add = #cuda_tile.di_subprogram<file = #library_file, line = 30, name = "add", linkageName = "library_add", compileUnit = #library_unit, scopeLine = 30>
#body = #cuda_tile.di_lexical_block<scope = #mean, file = #kernel_file, line = 12, column = 2>
#head = #cuda_tile.di_loc<loc("mean.py":10:0) in #mean>
#line_12 = #cuda_tile.di_loc<loc("mean.py":12:6) in #body>
#line_13 = #cuda_tile.di_loc<loc("mean.py":13:6) in #body>
#in_sum = #cuda_tile.di_loc<loc("library.py":22:9) in #sum>
#in_add = #cuda_tile.di_loc<loc("library.py":31:11) in #add>
#sum_called = loc(callsite(#in_sum at #line_12))
#add_called = loc(callsite(#in_add at #sum_called))
#add_alone = loc(callsite(#in_add at #line_13))
cuda_tile.module @located_calls {
  entry @mean(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32> loc(#line_12)
    %one = constant <i32: 1> : tile<i32> loc(#line_12)
    %none = constant <f32: 0.0> : tile<f32> loc(#sum_called)
    %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %none) -> (tile<f32>) {
      %q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>> loc(#sum_called)
      %x, %read = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token loc(#sum_called)
      %b = addf %a, %x : tile<f32> loc(#add_called)
      continue %b : tile<f32> loc(#sum_called)
    } loc(#line_12)
    %count = itof %n signed : tile<i32> -> tile<f32> loc(#line_13)
    %m = divf %s, %count : tile<f32> loc(#add_alone)
    %t = store_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<f32> -> token loc(#line_13)
    return loc(#line_13)
  } loc(#head)
}
