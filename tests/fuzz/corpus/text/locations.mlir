#file = #cuda_tile.di_file<"a.py" in "/d">
#unit = #cuda_tile.di_compile_unit<file = #file>
#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 2>
#block = #cuda_tile.di_lexical_block<scope = #sub, file = #file, line = 3, column = 4>
#at = loc("a.py":5:6)
entry @f(%a: tile<f32> loc(unknown)) {
  %x = negf %a : tile<f32> loc(callsite(#cuda_tile.di_loc<#at in #block> at #cuda_tile.di_loc<loc("a.py":7:8) in #sub>))
  %y = negf %x : tile<f32> loc("name"(#at))
  return loc(fused[#at, "b.py":1:2])
} loc(#cuda_tile.di_loc<#at in #sub>)
