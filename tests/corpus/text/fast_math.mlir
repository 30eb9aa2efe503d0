// The softmax of a row as fast hardware does it: approximations, subnormal numbers as zero. From 13.3, for exp.
cuda_tile.module @fast_math {
  entry @fast_softmax(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>, %scale: tile<f32>) {
    %row, %y, %z = get_tile_block_id : tile<i32>
    %rows, %ny, %nz = get_num_tile_blocks : tile<i32>
    %tensor = make_tensor_view %in, shape = [%rows, 256], strides = [256, 1] : tile<i32> -> tensor_view<?x256xf32, strides=[256,1]>
    %result = make_tensor_view %out, shape = [%rows, 256], strides = [256, 1] : tile<i32> -> tensor_view<?x256xf32, strides=[256,1]>
    %from = make_partition_view %tensor : partition_view<tile=(1x256), tensor_view<?x256xf32, strides=[256,1]>>
    %to = make_partition_view %result : partition_view<tile=(1x256), tensor_view<?x256xf32, strides=[256,1]>>
    %x, %read = load_view_tko weak %from[%row, %y] : partition_view<tile=(1x256), tensor_view<?x256xf32, strides=[256,1]>>, tile<i32> -> tile<1x256xf32>, token
    %top = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32> (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b flush_to_zero : tile<f32>
      yield %m : tile<f32>
    }
    %top2 = reshape %top : tile<1xf32> -> tile<1x1xf32>
    %tops = broadcast %top2 : tile<1x1xf32> -> tile<1x256xf32>
    %shifted = subf %x, %tops flush_to_zero : tile<1x256xf32>
    %scale2 = reshape %scale : tile<f32> -> tile<1x1xf32>
    %scales = broadcast %scale2 : tile<1x1xf32> -> tile<1x256xf32>
    %scaled = mulf %shifted, %scales flush_to_zero : tile<1x256xf32>
    %raised = exp %scaled rounding<approx> : tile<1x256xf32>
    %total = reduce %raised dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32> (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b flush_to_zero : tile<f32>
      yield %s : tile<f32>
    }
    %total2 = reshape %total : tile<1xf32> -> tile<1x1xf32>
    %totals = broadcast %total2 : tile<1x1xf32> -> tile<1x256xf32>
    %share = divf %raised, %totals rounding<approx> flush_to_zero : tile<1x256xf32>
    %done = store_view_tko weak %share, %to[%row, %y] token = %read : tile<1x256xf32>, partition_view<tile=(1x256), tensor_view<?x256xf32, strides=[256,1]>>, tile<i32> -> token
    return
  }

  // The other functions that have a fast form or flush.
  entry @fast_forms(%x: tile<f32>, %y: tile<f32>, %p: tile<ptr<f32>>) {
    %a = divf %x, %y rounding<full> : tile<f32>
    %b = divf %a, %y rounding<full> flush_to_zero : tile<f32>
    %c = sqrt %b rounding<approx> : tile<f32>
    %d = sqrt %c rounding<approx> flush_to_zero : tile<f32>
    %e = sqrt %d rounding<positive_inf> flush_to_zero : tile<f32>
    %f = tanh %e rounding<approx> : tile<f32>
    %g = rsqrt %f flush_to_zero : tile<f32>
    %h = exp2 %g flush_to_zero : tile<f32>
    %i = fma %h, %x, %y rounding<negative_inf> flush_to_zero : tile<f32>
    %j = addf %i, %x rounding<zero> flush_to_zero : tile<f32>
    %k = minf %j, %y flush_to_zero propagate_nan : tile<f32>
    %l = maxf %k, %x flush_to_zero propagate_nan : tile<f32>
    %m = exp %l rounding<full> : tile<f32>
    %done = store_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
