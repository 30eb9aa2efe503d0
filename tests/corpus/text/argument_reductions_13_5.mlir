// What is said about arguments in words of multimem, from 13.5. Nothing is computed by it.
cuda_tile.module @argument_reductions_13_5 {
  entry @each(%a: tile<i32> {a.b = #cuda_tile.multimem_reduction_kind<add>, a.c = #cuda_tile.multimem_reduction_kind<min>, a.d = #cuda_tile.multimem_reduction_kind<max>, a.e = #cuda_tile.multimem_reduction_kind<and>}, %b: tile<i32> {a.f = #cuda_tile.multimem_reduction_kind<or>, a.g = #cuda_tile.multimem_reduction_kind<xor>, a.h = #cuda_tile.multimem_reduction_kind<umin>, a.i = #cuda_tile.multimem_reduction_kind<umax>}) {
    return
  }
  entry @inside(%a: tile<i32> {a.list = [#cuda_tile.multimem_reduction_kind<max>, {inner = #cuda_tile.multimem_reduction_kind<xor>}]}) {
    return
  }
}
