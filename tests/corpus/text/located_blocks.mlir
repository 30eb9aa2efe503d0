// Where each op of a kernel stands in its source: a function, blocks in it and blocks in those.
cuda_tile.module @located_blocks {
  entry @clamp(%p: tile<ptr<f32>>, %limit: tile<f32>, %c: tile<i1>) {
    %x, %read = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token loc(#load)
    %y = if %c -> (tile<f32>) {
      %small = minf %x, %limit : tile<f32> loc(#minimum)
      %z = if %c -> (tile<f32>) {
        %none = constant <f32: 0.0> : tile<f32> loc(#zero)
        yield %none : tile<f32> loc(#zero)
      } else {
        yield %small : tile<f32> loc(#minimum)
      } loc(#minimum)
      yield %z : tile<f32> loc(#minimum)
    } else {
      yield %x : tile<f32> loc(#load)
    } loc(#branch)
    %t = store_ptr_tko weak %p, %y token=%read : tile<ptr<f32>>, tile<f32> -> token loc(#store)
    return loc(#store)
  } loc(#head)
}
#file = #cuda_tile.di_file<"clamp.py" in "/src/kernels">
#unit = #cuda_tile.di_compile_unit<file = #file>
#clamp = #cuda_tile.di_subprogram<file = #file, line = 3, name = "clamp", linkageName = "clamp", compileUnit = #unit, scopeLine = 4>
#outer = #cuda_tile.di_lexical_block<scope = #clamp, file = #file, line = 6, column = 4>
#inner = #cuda_tile.di_lexical_block<scope = #outer, file = #file, line = 8, column = 8>
#bare = #cuda_tile.di_lexical_block<scope = #inner, file = #file, line = 9>
#head = #cuda_tile.di_loc<loc("clamp.py":3:0) in #clamp>
#load = #cuda_tile.di_loc<loc("clamp.py":5:8) in #clamp>
#branch = #cuda_tile.di_loc<loc("clamp.py":6:4) in #clamp>
#minimum = #cuda_tile.di_loc<loc("clamp.py":7:12) in #outer>
#zero = #cuda_tile.di_loc<loc("clamp.py":9:16) in #bare>
#store = #cuda_tile.di_loc<loc("clamp.py":11:4) in #clamp>
