// y[i] = a[i] * y[i - 1] + b[i] as a scan of pairs, forward, and the same from the end.
cuda_tile.module @linear_recurrence {
  entry @recurrence(%pa: tile<ptr<f32>>, %pb: tile<ptr<f32>>, %py: tile<ptr<f32>>) {
    %lane = iota : tile<64xi32>
    %a1 = reshape %pa : tile<ptr<f32>> -> tile<1xptr<f32>>
    %a64 = broadcast %a1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %aa = offset %a64, %lane : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %b1 = reshape %pb : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b64 = broadcast %b1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %ba = offset %b64, %lane : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %a, %read_a = load_ptr_tko weak %aa : tile<64xptr<f32>> -> tile<64xf32>, token
    %b, %read_b = load_ptr_tko weak %ba : tile<64xptr<f32>> -> tile<64xf32>, token
    %slopes, %values = scan %a, %b dim=0 reverse=false identities=[1.0 : f32, -0.0 : f32] : tile<64xf32>, tile<64xf32> -> tile<64xf32>, tile<64xf32>
    (%a_here: tile<f32>, %a_before: tile<f32>, %b_here: tile<f32>, %b_before: tile<f32>) {
      %slope = mulf %a_here, %a_before : tile<f32>
      %value = fma %a_here, %b_before, %b_here : tile<f32>
      yield %slope, %value : tile<f32>, tile<f32>
    }
    %back_slopes, %back_values = scan %slopes, %values dim=0 reverse=true identities=[1.0 : f32, 0.0 : f32] : tile<64xf32>, tile<64xf32> -> tile<64xf32>, tile<64xf32>
    (%a_here: tile<f32>, %a_before: tile<f32>, %b_here: tile<f32>, %b_before: tile<f32>) {
      %slope = mulf %a_here, %a_before : tile<f32>
      %value = fma %a_here, %b_before, %b_here : tile<f32>
      yield %slope, %value : tile<f32>, tile<f32>
    }
    %y1 = reshape %py : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y64 = broadcast %y1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %ya = offset %y64, %lane : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %done = store_ptr_tko weak %ya, %back_values : tile<64xptr<f32>>, tile<64xf32> -> token
    return
  }
}
