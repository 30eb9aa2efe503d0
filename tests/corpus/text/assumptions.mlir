// What may be assumed of numbers, pointers and views.
cuda_tile.module @assumptions {
  entry @scalars(%p: tile<ptr<f32>>, %a: tile<i1>, %b: tile<i8>, %c: tile<i16>, %d: tile<i32>, %e: tile<i64>) {
    %a1 = assume div_by<4>, %a : tile<i1>
    %a2 = assume bounded<-1, 0>, %a1 : tile<i1>
    %a3 = assume bounded<?, 0>, %a2 : tile<i1>
    %a4 = assume bounded<-1, ?>, %a3 : tile<i1>
    %a5 = assume bounded<?, ?>, %a4 : tile<i1>
    %b1 = assume div_by<4>, %b : tile<i8>
    %b2 = assume bounded<-128, 127>, %b1 : tile<i8>
    %b3 = assume bounded<?, 127>, %b2 : tile<i8>
    %b4 = assume bounded<-128, ?>, %b3 : tile<i8>
    %b5 = assume bounded<?, ?>, %b4 : tile<i8>
    %c1 = assume div_by<4>, %c : tile<i16>
    %c2 = assume bounded<-32768, 32767>, %c1 : tile<i16>
    %c3 = assume bounded<?, 32767>, %c2 : tile<i16>
    %c4 = assume bounded<-32768, ?>, %c3 : tile<i16>
    %c5 = assume bounded<?, ?>, %c4 : tile<i16>
    %d1 = assume div_by<4>, %d : tile<i32>
    %d2 = assume bounded<-2147483648, 2147483647>, %d1 : tile<i32>
    %d3 = assume bounded<?, 2147483647>, %d2 : tile<i32>
    %d4 = assume bounded<-2147483648, ?>, %d3 : tile<i32>
    %d5 = assume bounded<?, ?>, %d4 : tile<i32>
    %e1 = assume div_by<4>, %e : tile<i64>
    %e2 = assume bounded<-9223372036854775808, 9223372036854775807>, %e1 : tile<i64>
    %e3 = assume bounded<?, 9223372036854775807>, %e2 : tile<i64>
    %e4 = assume bounded<-9223372036854775808, ?>, %e3 : tile<i64>
    %e5 = assume bounded<?, ?>, %e4 : tile<i64>
    %p1 = assume div_by<16>, %p : tile<ptr<f32>>
    %view = make_tensor_view %p1, shape = [%d, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[32,1]>
    %view1 = assume div_by<8>, %view : tensor_view<?x32xf32, strides=[32,1]>
    %large = assume div_by<4611686018427387904>, %e5 : tile<i64>
    return
  }
  entry @tiles(%p: tile<ptr<f32>>) {
    %x_i1 = constant <i1: true> : tile<4x8xi1>
    %same_i1 = assume same_elements<[2, 8]>, %x_i1 : tile<4x8xi1>
    %steps_i1 = assume div_by<2, every 4 along 1>, %same_i1 : tile<4x8xi1>
    %range_i1 = assume bounded<?, 0>, %steps_i1 : tile<4x8xi1>
    %x_i8 = constant <i8: 4> : tile<4x8xi8>
    %same_i8 = assume same_elements<[2, 8]>, %x_i8 : tile<4x8xi8>
    %steps_i8 = assume div_by<2, every 4 along 1>, %same_i8 : tile<4x8xi8>
    %range_i8 = assume bounded<?, 0>, %steps_i8 : tile<4x8xi8>
    %x_i16 = constant <i16: 4> : tile<4x8xi16>
    %same_i16 = assume same_elements<[2, 8]>, %x_i16 : tile<4x8xi16>
    %steps_i16 = assume div_by<2, every 4 along 1>, %same_i16 : tile<4x8xi16>
    %range_i16 = assume bounded<?, 0>, %steps_i16 : tile<4x8xi16>
    %x_i32 = constant <i32: 4> : tile<4x8xi32>
    %same_i32 = assume same_elements<[2, 8]>, %x_i32 : tile<4x8xi32>
    %steps_i32 = assume div_by<2, every 4 along 1>, %same_i32 : tile<4x8xi32>
    %range_i32 = assume bounded<?, 0>, %steps_i32 : tile<4x8xi32>
    %x_i64 = constant <i64: 4> : tile<4x8xi64>
    %same_i64 = assume same_elements<[2, 8]>, %x_i64 : tile<4x8xi64>
    %steps_i64 = assume div_by<2, every 4 along 1>, %same_i64 : tile<4x8xi64>
    %range_i64 = assume bounded<?, 0>, %steps_i64 : tile<4x8xi64>
    %many_cell = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %many = broadcast %many_cell : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %same = assume same_elements<[16]>, %many : tile<16xptr<f32>>
    %aligned = assume div_by<16, every 16 along 0>, %same : tile<16xptr<f32>>
    %unknown = assume same_elements<[0]>, %aligned : tile<16xptr<f32>>
    return
  }
}
