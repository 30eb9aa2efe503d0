// Philox 4x32-10: ten rounds of multiplications with both halves of the product, then floats in [0, 1).
cuda_tile.module @random_numbers {
  entry @philox(%out: tile<ptr<f32>>, %seed_low: tile<i32>, %seed_high: tile<i32>, %counter: tile<i32>) {
    %lane = iota : tile<64xi32>
    %c_ = reshape %counter : tile<i32> -> tile<1xi32>
    %cs = broadcast %c_ : tile<1xi32> -> tile<64xi32>
    %c0 = addi %lane, %cs : tile<64xi32>
    %none = constant <i32: 0> : tile<64xi32>
    %k0_ = reshape %seed_low : tile<i32> -> tile<1xi32>
    %k0 = broadcast %k0_ : tile<1xi32> -> tile<64xi32>
    %k1_ = reshape %seed_high : tile<i32> -> tile<1xi32>
    %k1 = broadcast %k1_ : tile<1xi32> -> tile<64xi32>
    %m0 = constant <i32: 0xD2511F53> : tile<64xi32>
    %m1 = constant <i32: 0xCD9E8D57> : tile<64xi32>
    %w0 = constant <i32: 0x9E3779B9> : tile<64xi32>
    %w1 = constant <i32: 0xBB67AE85> : tile<64xi32>
    %first = constant <i16: 0> : tile<i16>
    %step = constant <i16: 1> : tile<i16>
    %rounds = constant <i16: 10> : tile<i16>
    %r:6 = for %i in (%first to %rounds, step %step) : tile<i16> iter_values(%a = %c0, %b = %none, %c = %none, %d = %none, %x = %k0, %y = %k1) -> (tile<64xi32>, tile<64xi32>, tile<64xi32>, tile<64xi32>, tile<64xi32>, tile<64xi32>) {
      %high0 = mulhii %a, %m0 : tile<64xi32>
      %low0 = muli %a, %m0 : tile<64xi32>
      %high1 = mulhii %c, %m1 : tile<64xi32>
      %low1 = muli %c, %m1 : tile<64xi32>
      %t0 = xori %high1, %b : tile<64xi32>
      %na = xori %t0, %x : tile<64xi32>
      %t1 = xori %high0, %d : tile<64xi32>
      %nc = xori %t1, %y : tile<64xi32>
      %nx = addi %x, %w0 : tile<64xi32>
      %ny = addi %y, %w1 : tile<64xi32>
      continue %na, %low1, %nc, %low0, %nx, %ny : tile<64xi32>, tile<64xi32>, tile<64xi32>, tile<64xi32>, tile<64xi32>, tile<64xi32>
    }
    %low = cat %r#0, %r#1 dim = 0 : tile<64xi32>, tile<64xi32> -> tile<128xi32>
    %high = cat %r#2, %r#3 dim = 0 : tile<64xi32>, tile<64xi32> -> tile<128xi32>
    %bits = cat %low, %high dim = 0 : tile<128xi32>, tile<128xi32> -> tile<256xi32>
    %eight = constant <i32: 8> : tile<256xi32>
    %small = shri %bits, %eight unsigned : tile<256xi32>
    %float = itof %small unsigned : tile<256xi32> -> tile<256xf32>
    %scale = constant <f32: 0x33800000> : tile<256xf32>
    %unit = mulf %float, %scale : tile<256xf32>
    %tensor = make_tensor_view %out, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %view = make_partition_view %tensor : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %done = store_view_tko weak %unit, %view[%zero] : tile<256xf32>, partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
