// refused: expected a scalar tile
entry @f(%t: token) {
  return
}
// -----
// refused: expected a scalar tile
entry @f(%v: tensor_view<64xf32, strides=[1]>) {
  return
}
// -----
// refused: expected a scalar tile
entry @f(%x: tile<4xf32>) {
  return
}
// -----
// refused here alone: f4E2M1FN
entry @f(%p: tile<ptr<f4E2M1FN>>) {
  %t = make_tensor_view %p, shape = [3], strides = [1] : tensor_view<3xf4E2M1FN, strides=[1]>
  return
}
