// The angle of a point, from 13.2.
cuda_tile.module @angles {
  entry @angle_f16(%y: tile<f16>, %x: tile<f16>, %p: tile<ptr<f16>>) {
    %angle = atan2 %y, %x : tile<f16>
    %scaled = tanh %angle rounding<full> : tile<f16>
    %done = store_ptr_tko weak %p, %scaled : tile<ptr<f16>>, tile<f16> -> token
    return
  }
  entry @angle_bf16(%y: tile<bf16>, %x: tile<bf16>, %p: tile<ptr<bf16>>) {
    %angle = atan2 %y, %x : tile<bf16>
    %scaled = tanh %angle rounding<full> : tile<bf16>
    %done = store_ptr_tko weak %p, %scaled : tile<ptr<bf16>>, tile<bf16> -> token
    return
  }
  entry @angle_f32(%y: tile<f32>, %x: tile<f32>, %p: tile<ptr<f32>>) {
    %angle = atan2 %y, %x : tile<f32>
    %scaled = tanh %angle rounding<full> : tile<f32>
    %done = store_ptr_tko weak %p, %scaled : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @angle_f64(%y: tile<f64>, %x: tile<f64>, %p: tile<ptr<f64>>) {
    %angle = atan2 %y, %x : tile<f64>
    %scaled = tanh %angle rounding<full> : tile<f64>
    %done = store_ptr_tko weak %p, %scaled : tile<ptr<f64>>, tile<f64> -> token
    return
  }
}
