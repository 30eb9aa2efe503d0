// Steps until a point of the plane leaves the circle of radius 2, at most 100; a whole tile goes on until all have left.
cuda_tile.module @mandelbrot {
  entry @mandelbrot(%out: tile<ptr<i16>>, %left: tile<f32>, %top: tile<f32>, %step: tile<f32>) {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %lane = iota : tile<16xi32>
    %sixteen = constant <i32: 16> : tile<i32>
    %x0 = muli %bx, %sixteen : tile<i32>
    %y0 = muli %by, %sixteen : tile<i32>
    %row = reshape %lane : tile<16xi32> -> tile<1x16xi32>
    %column = reshape %lane : tile<16xi32> -> tile<16x1xi32>
    %rows = broadcast %row : tile<1x16xi32> -> tile<16x16xi32>
    %columns = broadcast %column : tile<16x1xi32> -> tile<16x16xi32>
    %x0_ = reshape %x0 : tile<i32> -> tile<1x1xi32>
    %x0s = broadcast %x0_ : tile<1x1xi32> -> tile<16x16xi32>
    %y0_ = reshape %y0 : tile<i32> -> tile<1x1xi32>
    %y0s = broadcast %y0_ : tile<1x1xi32> -> tile<16x16xi32>
    %xi = addi %rows, %x0s : tile<16x16xi32>
    %yi = addi %columns, %y0s : tile<16x16xi32>
    %xf = itof %xi signed : tile<16x16xi32> -> tile<16x16xf32>
    %yf = itof %yi signed : tile<16x16xi32> -> tile<16x16xf32>
    %step_ = reshape %step : tile<f32> -> tile<1x1xf32>
    %steps = broadcast %step_ : tile<1x1xf32> -> tile<16x16xf32>
    %left_ = reshape %left : tile<f32> -> tile<1x1xf32>
    %lefts = broadcast %left_ : tile<1x1xf32> -> tile<16x16xf32>
    %top_ = reshape %top : tile<f32> -> tile<1x1xf32>
    %tops = broadcast %top_ : tile<1x1xf32> -> tile<16x16xf32>
    %cr = fma %xf, %steps, %lefts : tile<16x16xf32>
    %ci = fma %yf, %steps, %tops : tile<16x16xf32>
    %zero = constant <f32: 0.0> : tile<16x16xf32>
    %none = constant <i16: 0> : tile<16x16xi16>
    %limit = constant <f32: 0x40800000> : tile<16x16xf32>
    %start = constant <i32: 0> : tile<i32>
    %counts = loop iter_values(%re = %zero, %im = %zero, %count = %none, %k = %start) : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xi16>, tile<i32> -> tile<16x16xi16> {
      %re2 = mulf %re, %re : tile<16x16xf32>
      %im2 = mulf %im, %im : tile<16x16xf32>
      %size = addf %re2, %im2 : tile<16x16xf32>
      %inside = cmpf less_than_or_equal ordered %size, %limit : tile<16x16xf32> -> tile<16x16xi1>
      %any = reduce %inside dim=0 identities=[false] : tile<16x16xi1> -> tile<16xi1> (%a: tile<i1>, %b: tile<i1>) {
        %o = ori %a, %b : tile<i1>
        yield %o : tile<i1>
      }
      %one_left = reduce %any dim=0 identities=[false] : tile<16xi1> -> tile<i1> (%a: tile<i1>, %b: tile<i1>) {
        %o = ori %a, %b : tile<i1>
        yield %o : tile<i1>
      }
      %hundred = constant <i32: 100> : tile<i32>
      %more = cmpi less_than %k, %hundred, signed : tile<i32> -> tile<i1>
      %go_on = andi %one_left, %more : tile<i1>
      if %go_on {
      } else {
        break %count : tile<16x16xi16>
      }
      %difference = subf %re2, %im2 : tile<16x16xf32>
      %next_re = addf %difference, %cr : tile<16x16xf32>
      %twice = addf %re, %re : tile<16x16xf32>
      %next_im = fma %twice, %im, %ci : tile<16x16xf32>
      %seen = exti %inside unsigned : tile<16x16xi1> -> tile<16x16xi16>
      %next_count = addi %count, %seen overflow<no_wrap> : tile<16x16xi16>
      %one = constant <i32: 1> : tile<i32>
      %next_k = addi %k, %one : tile<i32>
      continue %next_re, %next_im, %next_count, %next_k : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xi16>, tile<i32>
    }
    %picture = make_tensor_view %out, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xi16, strides=[1024,1]>
    %tiles = make_partition_view %picture : partition_view<tile=(16x16), tensor_view<1024x1024xi16, strides=[1024,1]>>
    %done = store_view_tko weak %counts, %tiles[%by, %bx] : tile<16x16xi16>, partition_view<tile=(16x16), tensor_view<1024x1024xi16, strides=[1024,1]>>, tile<i32> -> token
    return
  }
}
