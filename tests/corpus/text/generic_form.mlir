// The same as others write it: every op in MLIR's generic form, types by alias, comments between.
!block = !cuda_tile.tile<32xf32>
!view = !cuda_tile.partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
"cuda_tile.module"() <{sym_name = "generic_form"}> ({
  "cuda_tile.entry"() <{function_type = (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> (), sym_name = "scale_rows"}> ({
  ^bb0(%p: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>, %f: !cuda_tile.tile<f32>):
    %id:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
    %t = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>
    %v = "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<?xf32, strides=[1]>) -> !view
    %f1 = "cuda_tile.reshape"(%f) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>
    %fs = "cuda_tile.broadcast"(%f1) : (!cuda_tile.tile<1xf32>) -> !block
    // A sum of two products, rounded once and rounded twice.
    %x:2 = "cuda_tile.load_view_tko"(%v, %id#0) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<weak>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!view, !cuda_tile.tile<i32>) -> (!block, !cuda_tile.token)
    %once = "cuda_tile.fma"(%x#0, %fs, %fs) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!block, !block, !block) -> !block
    %product = "cuda_tile.mulf"(%x#0, %fs) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero}> : (!block, !block) -> !block
    %twice = "cuda_tile.addf"(%product, %fs) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!block, !block) -> !block
    %less = "cuda_tile.cmpf"(%once, %twice) <{comparison_ordering = #cuda_tile.comparison_ordering<ordered>, comparison_predicate = #cuda_tile.comparison_predicate<less_than>}> : (!block, !block) -> !cuda_tile.tile<32xi1>
    %both = "cuda_tile.select"(%less, %once, %twice) : (!cuda_tile.tile<32xi1>, !block, !block) -> !block
    "cuda_tile.store_view_tko"(%both, %v, %id#0, %x#1) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<weak>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!block, !view, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
