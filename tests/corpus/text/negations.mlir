// Negations that promise not to overflow, from 13.2.
cuda_tile.module @negations {
  entry @negations_i1(%x: tile<i1>, %p: tile<ptr<i1>>) {
    %a = negi %x : tile<i1>
    %b = negi %a overflow<no_signed_wrap> : tile<i1>
    %c = negi %b overflow<no_wrap> : tile<i1>
    %d = negi %c overflow<none> : tile<i1>
    %done = store_ptr_tko weak %p, %d : tile<ptr<i1>>, tile<i1> -> token
    return
  }
  entry @negations_i8(%x: tile<i8>, %p: tile<ptr<i8>>) {
    %a = negi %x : tile<i8>
    %b = negi %a overflow<no_signed_wrap> : tile<i8>
    %c = negi %b overflow<no_wrap> : tile<i8>
    %d = negi %c overflow<none> : tile<i8>
    %done = store_ptr_tko weak %p, %d : tile<ptr<i8>>, tile<i8> -> token
    return
  }
  entry @negations_i16(%x: tile<i16>, %p: tile<ptr<i16>>) {
    %a = negi %x : tile<i16>
    %b = negi %a overflow<no_signed_wrap> : tile<i16>
    %c = negi %b overflow<no_wrap> : tile<i16>
    %d = negi %c overflow<none> : tile<i16>
    %done = store_ptr_tko weak %p, %d : tile<ptr<i16>>, tile<i16> -> token
    return
  }
  entry @negations_i32(%x: tile<i32>, %p: tile<ptr<i32>>) {
    %a = negi %x : tile<i32>
    %b = negi %a overflow<no_signed_wrap> : tile<i32>
    %c = negi %b overflow<no_wrap> : tile<i32>
    %d = negi %c overflow<none> : tile<i32>
    %done = store_ptr_tko weak %p, %d : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @negations_i64(%x: tile<i64>, %p: tile<ptr<i64>>) {
    %a = negi %x : tile<i64>
    %b = negi %a overflow<no_signed_wrap> : tile<i64>
    %c = negi %b overflow<no_wrap> : tile<i64>
    %d = negi %c overflow<none> : tile<i64>
    %done = store_ptr_tko weak %p, %d : tile<ptr<i64>>, tile<i64> -> token
    return
  }
}
