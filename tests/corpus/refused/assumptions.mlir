// refused: has div_by 3
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %y = assume div_by<3>, %i : tile<i32>
  return
}
// -----
// refused: 'every' on a scalar
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %y = assume div_by<4, every 1 along 0>, %i : tile<i32>
  return
}
// -----
// refused: 'every' on a tensor_view
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %y = assume div_by<4, every 4 along 0>, %t : tensor_view<64x64xf32, strides=[64,1]>
  return
}
// -----
// refused: has div_by along 1
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %l = iota : tile<8xi32>
  %y = assume div_by<4, every 4 along 1>, %l : tile<8xi32>
  return
}
// -----
// refused: has same_elements with 2 values
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %l = iota : tile<8xi32>
  %y = assume same_elements<[1, 1]>, %l : tile<8xi32>
  return
}
// -----
// refused: has same_elements of 16
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %l = iota : tile<8xi32>
  %y = assume same_elements<[16]>, %l : tile<8xi32>
  return
}
// -----
// refused: above upper bound
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %y = assume bounded<4, 3>, %i : tile<i32>
  return
}
// -----
// refused: expected -128 to 127
entry @f(%b: tile<i8>) {
  %y = assume bounded<0, 200>, %b : tile<i8>
  return
}
// -----
// refused: expected a tile of integers
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %y = assume bounded<0, 200>, %p : tile<ptr<f32>>
  return
}
// -----
// refused: expected a tile of integers
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %y = assume div_by<4>, %x : tile<f32>
  return
}
