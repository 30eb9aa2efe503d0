cuda_tile.module @m {
  testing$func @pick(%c: !cuda_tile.tile<i1>, %a: tile<f32>, %v: tensor_view<?x16xf32, strides=[16,1]>) -> tile<f32> {
    %r = if %c -> (tile<f32>) {
      %s = cuda_tile.addf %a, %a rounding<nearest_even> flush_to_zero : tile<f32>
      yield %s : tile<f32>
    } else { yield %a : tile<f32> }
    %o = "other.op"(%r) : (tile<f32>) -> tile<f32>
    return %r : tile<f32>
  }
}
