// Products of bytes, read with and without a sign.
cuda_tile.module @matrix_integers {
  entry @integer_product() {
    %x = constant <i8: -3> : tile<16x32xi8>
    %y = constant <i8: 200> : tile<32x8xi8>
    %acc = constant <i32: 0> : tile<16x8xi32>
    %ss = mmai %x, %y, %acc signed signed : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
    %su = mmai %x, %y, %ss signed unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
    %us = mmai %x, %y, %su unsigned signed : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
    %uu = mmai %x, %y, %us unsigned unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
    %bx = constant <i8: 1> : tile<4x2x2xi8>
    %bacc = constant <i32: -1> : tile<4x2x2xi32>
    %batch = mmai %bx, %bx, %bacc signed unsigned : tile<4x2x2xi8>, tile<4x2x2xi8>, tile<4x2x2xi32>
    return
  }
}
