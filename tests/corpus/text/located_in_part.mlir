// One kernel with locations of which some ops have none, one without any, and one whose function alone is known.
#file = #cuda_tile.di_file<"part.py" in ".">
#unit = #cuda_tile.di_compile_unit<file = #file>
#first = #cuda_tile.di_subprogram<file = #file, line = 1, name = "first", linkageName = "first", compileUnit = #unit, scopeLine = 1>
#third = #cuda_tile.di_subprogram<file = #file, line = 9, name = "third", linkageName = "third", compileUnit = #unit, scopeLine = 9>
#first_head = #cuda_tile.di_loc<loc("part.py":1:1) in #first>
#first_line = #cuda_tile.di_loc<loc("part.py":2:1) in #first>
#third_head = #cuda_tile.di_loc<loc("part.py":9:1) in #third>
cuda_tile.module @located_in_part {
  entry @first(%x: tile<i32>) {
    %a = addi %x, %x : tile<i32> loc(#first_line)
    %b = addi %a, %x : tile<i32>
    %c = addi %b, %x : tile<i32> loc(unknown)
    %v = iota : tile<4xi32>
    %s = reduce %v dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%l: tile<i32>, %r: tile<i32>) {
      %m = muli %l, %r : tile<i32> loc(#first_line)
      yield %m : tile<i32>
    } loc(#first_line)
    return
  } loc(#first_head)
  entry @second(%x: tile<i32>) {
    %a = subi %x, %x : tile<i32>
    return
  }
  entry @third(%x: tile<i32>) {
    %a = muli %x, %x : tile<i32>
    return
  } loc(#third_head)
}
