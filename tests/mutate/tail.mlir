// 2 x of n elements, at most 64: as a sum, as a product.
entry @sum(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %i = iota : tile<64xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ends = broadcast %n1 : tile<1xi32> -> tile<64xi32>
  %in = cmpi less_than %i, %ends, signed : tile<64xi32> -> tile<64xi1>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %from = offset %xs, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %to = offset %ys, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %value, %after = load_ptr_tko weak %from, %in, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %result = addf %value, %value : tile<64xf32>
  %stored = store_ptr_tko weak %to, %result, %in : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  return
}
entry @product(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %i = iota : tile<64xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ends = broadcast %n1 : tile<1xi32> -> tile<64xi32>
  %in = cmpi less_than %i, %ends, signed : tile<64xi32> -> tile<64xi1>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %from = offset %xs, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %to = offset %ys, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %two = constant <f32: 2.0> : tile<64xf32>
  %value, %after = load_ptr_tko weak %from, %in, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %result = mulf %value, %two : tile<64xf32>
  %stored = store_ptr_tko weak %to, %result, %in : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  return
}
