"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{function_type = (!cuda_tile.tile<i32>, !cuda_tile.tile<ptr<f32>>) -> (), sym_name = "f"}> ({
    ^bb0(%a: tile<i32>, %p: tile<ptr<f32>>):
      %x = "cuda_tile.addi"(%a, %a) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (tile<i32>, tile<i32>) -> tile<i32>
      %c = "cuda_tile.constant"() <{value = dense<1.5> : !cuda_tile.tile<f32>}> : () -> tile<f32>
      %y = "cuda_tile.addf"(%c, %c) <{rounding_mode = #cuda_tile.rounding<zero>}> : (tile<f32>, tile<f32>) -> tile<f32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
