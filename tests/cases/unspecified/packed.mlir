// SPDX-License-Identifier: Apache-2.0
// Elements behind the 40th are not loaded; what is packed and unpacked keeps that nothing specifies them.
cuda_tile.module @packed {
entry @floats(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n_y: tile<i32>) {
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_i = iota : tile<64xi32>
  %x_p = offset %x_n, %x_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_i = iota : tile<64xi32>
  %y_p = offset %y_n, %y_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %forty = constant <i32: 40> : tile<64xi32>
  %in = cmpi less_than %x_i, %forty, signed : tile<64xi32> -> tile<64xi1>
  %a, %a_t = load_ptr_tko weak %x_p, %in : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %b = pack %a : tile<64xf32> -> tile<256xi8>
  %c = unpack %b : tile<256xi8> -> tile<128xi16>
  %d = pack %c : tile<128xi16> -> tile<256xi8>
  %e = unpack %d : tile<256xi8> -> tile<64xf32>
  %y_1i = reshape %n_y : tile<i32> -> tile<1xi32>
  %y_ni = broadcast %y_1i : tile<1xi32> -> tile<64xi32>
  %y_in = cmpi less_than %y_i, %y_ni, signed : tile<64xi32> -> tile<64xi1>
  %y_t = store_ptr_tko weak %y_p, %e, %y_in : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  return
}
entry @floats_padded(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n_y: tile<i32>) {
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_i = iota : tile<64xi32>
  %x_p = offset %x_n, %x_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %y_n = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %y_i = iota : tile<64xi32>
  %y_p = offset %y_n, %y_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %forty = constant <i32: 40> : tile<64xi32>
  %in = cmpi less_than %x_i, %forty, signed : tile<64xi32> -> tile<64xi1>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %a, %a_t = load_ptr_tko weak %x_p, %in, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %b = pack %a : tile<64xf32> -> tile<256xi8>
  %c = unpack %b : tile<256xi8> -> tile<128xi16>
  %d = pack %c : tile<128xi16> -> tile<256xi8>
  %e = unpack %d : tile<256xi8> -> tile<64xf32>
  %y_1i = reshape %n_y : tile<i32> -> tile<1xi32>
  %y_ni = broadcast %y_1i : tile<1xi32> -> tile<64xi32>
  %y_in = cmpi less_than %y_i, %y_ni, signed : tile<64xi32> -> tile<64xi1>
  %y_t = store_ptr_tko weak %y_p, %e, %y_in : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  return
}
entry @bits(%x: tile<ptr<f32>>, %y: tile<ptr<i8>>, %z: tile<ptr<i32>>, %n_y: tile<i32>, %n_z: tile<i32>) {
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_i = iota : tile<64xi32>
  %x_p = offset %x_n, %x_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<i8>> -> tile<1xptr<i8>>
  %y_n = broadcast %y_1 : tile<1xptr<i8>> -> tile<8xptr<i8>>
  %y_i = iota : tile<8xi32>
  %y_p = offset %y_n, %y_i : tile<8xptr<i8>>, tile<8xi32> -> tile<8xptr<i8>>
  %z_1 = reshape %z : tile<ptr<i32>> -> tile<1xptr<i32>>
  %z_n = broadcast %z_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
  %z_i = iota : tile<16xi32>
  %z_p = offset %z_n, %z_i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
  %forty = constant <i32: 40> : tile<64xi32>
  %in = cmpi less_than %x_i, %forty, signed : tile<64xi32> -> tile<64xi1>
  %a, %a_t = load_ptr_tko weak %x_p, %in : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %one = constant <f32: 1.0> : tile<64xf32>
  %b = cmpf less_than ordered %a, %one : tile<64xf32> -> tile<64xi1>
  %c = pack %b : tile<64xi1> -> tile<8xi8>
  %y_1i = reshape %n_y : tile<i32> -> tile<1xi32>
  %y_ni = broadcast %y_1i : tile<1xi32> -> tile<8xi32>
  %y_in = cmpi less_than %y_i, %y_ni, signed : tile<8xi32> -> tile<8xi1>
  %y_t = store_ptr_tko weak %y_p, %c, %y_in : tile<8xptr<i8>>, tile<8xi8>, tile<8xi1> -> token
  %d = unpack %c : tile<8xi8> -> tile<16xi4>
  %e = exti %d unsigned : tile<16xi4> -> tile<16xi32>
  %z_1i = reshape %n_z : tile<i32> -> tile<1xi32>
  %z_ni = broadcast %z_1i : tile<1xi32> -> tile<16xi32>
  %z_in = cmpi less_than %z_i, %z_ni, signed : tile<16xi32> -> tile<16xi1>
  %z_t = store_ptr_tko weak %z_p, %e, %z_in : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> token
  return
}
entry @bits_padded(%x: tile<ptr<f32>>, %y: tile<ptr<i8>>, %z: tile<ptr<i32>>, %n_y: tile<i32>, %n_z: tile<i32>) {
  %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x_n = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %x_i = iota : tile<64xi32>
  %x_p = offset %x_n, %x_i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %y_1 = reshape %y : tile<ptr<i8>> -> tile<1xptr<i8>>
  %y_n = broadcast %y_1 : tile<1xptr<i8>> -> tile<8xptr<i8>>
  %y_i = iota : tile<8xi32>
  %y_p = offset %y_n, %y_i : tile<8xptr<i8>>, tile<8xi32> -> tile<8xptr<i8>>
  %z_1 = reshape %z : tile<ptr<i32>> -> tile<1xptr<i32>>
  %z_n = broadcast %z_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
  %z_i = iota : tile<16xi32>
  %z_p = offset %z_n, %z_i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
  %forty = constant <i32: 40> : tile<64xi32>
  %in = cmpi less_than %x_i, %forty, signed : tile<64xi32> -> tile<64xi1>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %a, %a_t = load_ptr_tko weak %x_p, %in, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %one = constant <f32: 1.0> : tile<64xf32>
  %b = cmpf less_than ordered %a, %one : tile<64xf32> -> tile<64xi1>
  %c = pack %b : tile<64xi1> -> tile<8xi8>
  %y_1i = reshape %n_y : tile<i32> -> tile<1xi32>
  %y_ni = broadcast %y_1i : tile<1xi32> -> tile<8xi32>
  %y_in = cmpi less_than %y_i, %y_ni, signed : tile<8xi32> -> tile<8xi1>
  %y_t = store_ptr_tko weak %y_p, %c, %y_in : tile<8xptr<i8>>, tile<8xi8>, tile<8xi1> -> token
  %d = unpack %c : tile<8xi8> -> tile<16xi4>
  %e = exti %d unsigned : tile<16xi4> -> tile<16xi32>
  %z_1i = reshape %n_z : tile<i32> -> tile<1xi32>
  %z_ni = broadcast %z_1i : tile<1xi32> -> tile<16xi32>
  %z_in = cmpi less_than %z_i, %z_ni, signed : tile<16xi32> -> tile<16xi1>
  %z_t = store_ptr_tko weak %z_p, %e, %z_in : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> token
  return
}
}
