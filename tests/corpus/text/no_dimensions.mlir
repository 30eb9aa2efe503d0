// What has no dimensions, and what has many.
cuda_tile.module @no_dimensions {
  entry @scalars(%p: tile<ptr<f32>>) {
    %tensor = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
    %marked = assume div_by<4>, %tensor : tensor_view<f32>
    %x, %read = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %y = extract %x[] : tile<f32> -> tile<f32>
    %z = broadcast %y : tile<f32> -> tile<f32>
    %done = store_ptr_tko weak %p, %z token=%read : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @ranks(%x: tile<i16>) {
    %r4 = reshape %x : tile<i16> -> tile<1x1x1x1xi16>
    %b4 = broadcast %r4 : tile<1x1x1x1xi16> -> tile<2x4x2x4xi16>
    %r8 = reshape %b4 : tile<2x4x2x4xi16> -> tile<2x2x2x1x1x2x2x2xi16>
    %p8 = permute %r8 [7, 6, 5, 4, 3, 2, 1, 0] : tile<2x2x2x1x1x2x2x2xi16> -> tile<2x2x2x1x1x2x2x2xi16>
    %c8 = cat %p8, %r8 dim = 4 : tile<2x2x2x1x1x2x2x2xi16>, tile<2x2x2x1x1x2x2x2xi16> -> tile<2x2x2x1x2x2x2x2xi16>
    %r3 = reshape %c8 : tile<2x2x2x1x2x2x2x2xi16> -> tile<4x8x4xi16>
    %s = reduce %r3 dim=1 identities=[0 : i16] : tile<4x8x4xi16> -> tile<4x4xi16> (%a: tile<i16>, %b: tile<i16>) {
      %m = maxi %a, %b unsigned : tile<i16>
      yield %m : tile<i16>
    }
    return
  }
}
