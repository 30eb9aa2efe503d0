// A subprogram that is only declared, from 13.5.
#file = #cuda_tile.di_file<"part.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#entry = #cuda_tile.di_subprogram<file = #file, line = 3, name = "entry", linkageName = "entry", compileUnit = #unit, scopeLine = 4>
#inlined = #cuda_tile.di_subprogram<file = #file, line = 9, name = "helper", linkageName = "helper", compileUnit = #unit, scopeLine = 9, flags = declaration>
#head = #cuda_tile.di_loc<loc("part.py":3:0) in #entry>
#line = #cuda_tile.di_loc<loc("part.py":5:2) in #entry>
#inside = #cuda_tile.di_loc<loc("part.py":10:4) in #inlined>
cuda_tile.module @located_declaration {
  entry @entry(%x: tile<i32>) {
    %a = addi %x, %x : tile<i32> loc(callsite(#inside at #line))
    return
  } loc(#head)
}
