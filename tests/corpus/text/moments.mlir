// Count, mean and sum of squared deviations in one pass, merged pairwise as Welford and Chan do.
module @moments {
  cuda_tile.entry @moments(%p: !cuda_tile.tile<ptr<f64>>, %out: !cuda_tile.tile<ptr<f64>>) {
    %lane = cuda_tile.iota : tile<128xi32>
    %p1 = cuda_tile.reshape %p : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p128 = cuda_tile.broadcast %p1 : tile<1xptr<f64>> -> tile<128xptr<f64>>
    %addresses = cuda_tile.offset %p128, %lane : tile<128xptr<f64>>, tile<128xi32> -> tile<128xptr<f64>>
    %x, %read = cuda_tile.load_ptr_tko weak %addresses : tile<128xptr<f64>> -> tile<128xf64>, token
    %ones = cuda_tile.constant <f64: 1.0> : !cuda_tile.tile<128xf64>
    %zeros = cuda_tile.constant <f64: 0.0> : !cuda_tile.tile<128xf64>
    %n, %mean, %square = cuda_tile.reduce %ones, %x, %zeros dim=0 identities=[0.0 : f64, 0.0 : f64, 0.0 : f64]
        : tile<128xf64>, tile<128xf64>, tile<128xf64> -> tile<f64>, tile<f64>, tile<f64>
    (%na: tile<f64>, %nb: tile<f64>, %ma: tile<f64>, %mb: tile<f64>, %sa: tile<f64>, %sb: tile<f64>) {
      %nn = addf %na, %nb : tile<f64>
      %delta = subf %ma, %mb : tile<f64>
      %tiny = constant <f64: 1.0e-300> : tile<f64>
      %safe = maxf %nn, %tiny : tile<f64>
      %share = divf %na, %safe : tile<f64>
      %mm = fma %delta, %share, %mb : tile<f64>
      %d2 = mulf %delta, %delta : tile<f64>
      %w = mulf %share, %nb : tile<f64>
      %s = addf %sa, %sb : tile<f64>
      %ss = fma %d2, %w, %s : tile<f64>
      yield %nn, %mm, %ss : tile<f64>, tile<f64>, tile<f64>
    }
    %variance = cuda_tile.divf %square, %n : tile<f64>
    %deviation = cuda_tile.sqrt %variance : tile<f64>
    %first = cuda_tile.store_ptr_tko weak %out, %mean token=%read : tile<ptr<f64>>, tile<f64> -> token
    %one = cuda_tile.constant <i8: 1> : tile<i8>
    %behind = cuda_tile.offset %out, %one : tile<ptr<f64>>, tile<i8> -> tile<ptr<f64>>
    %second = cuda_tile.store_ptr_tko weak %behind, %deviation token=%first : tile<ptr<f64>>, tile<f64> -> token
    cuda_tile.return
  }
}
