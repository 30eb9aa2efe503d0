// refused: has memory ordering release
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = load_ptr_tko release device %p : tile<ptr<f32>> -> tile<f32>, token
  return
}
// -----
// refused: has memory ordering acquire
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = store_ptr_tko acquire device %p, %x : tile<ptr<f32>>, tile<f32> -> token
  return
}
// -----
// refused: is weak and has a memory scope
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = load_ptr_tko weak device %p : tile<ptr<f32>> -> tile<f32>, token
  return
}
// -----
// refused: without a memory scope
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = load_ptr_tko relaxed %p : tile<ptr<f32>> -> tile<f32>, token
  return
}
// -----
// refused: has memory ordering weak
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = atomic_rmw_tko weak device %p, addf, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  return
}
// -----
// refused: has mode add on elements of f32
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  return
}
// -----
// refused: has mode addf on elements of i32
entry @f(%q: tile<ptr<i32>>, %i: tile<i32>) {
  %v, %t = atomic_rmw_tko relaxed device %q, addf, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
// -----
// refused: which is
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<i32>, token
  return
}
// -----
// refused: expected equal types
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %v, %t = atomic_cas_tko relaxed device %p, %i, %i : tile<ptr<f32>>, tile<i32> -> tile<i32>, token
  return
}
// -----
// refused: has num_elem -1
entry @f() {
  %a = alloca num_elem = -1, alignment = 8 : tile<ptr<f32>>
  return
}
// -----
// refused: has alignment 12
entry @f() {
  %a = alloca num_elem = 1, alignment = 12 : tile<ptr<f32>>
  return
}
// -----
// refused: has alignment 2, expected at least 4
entry @f() {
  %a = alloca num_elem = 1, alignment = 2 : tile<ptr<f32>>
  return
}
// -----
// refused: which is no global
entry @f() {
  %a = get_global @nowhere : tile<ptr<f32>>
  return
}
// -----
// refused: has elements of i32
global @g <i32: 0> : tile<1xi32>
entry @f() {
  %a = get_global @g : tile<ptr<f32>>
  return
}
// -----
// refused: expected at least 2
entry @f() {
  %t = make_token : token
  %u = join_tokens %t : token
  return
}
// -----
// refused: arguments for
entry @f(%p: tile<ptr<f32>>, %x: tile<f32>, %i: tile<i32>) {
  %t = print_tko "%d and %d", %i : tile<i32> -> token
  return
}
// -----
// refused: unfinished conversion
entry @f() {
  %t = print_tko "100%" -> token
  return
}
