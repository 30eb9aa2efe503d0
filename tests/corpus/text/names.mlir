// Names that need quotes, of entries and globals; tileirdisasm prints them, tileiras compiles none.
cuda_tile.module @names {
  global @"a name with blanks" alignment = 8 <i64: [-1, 1]> : tile<2xi64>
  global @"7up" <f32: 7.0> : tile<1xf32>
  global @"tab\09 and \22quotes\22" <i8: [1, 2]> : tile<2xi8>
  global @plain.with$signs_0 <i16: 3> : tile<2xi16>
  entry @"an entry"(%x: tile<i64>) {
    %first = get_global @"a name with blanks" : tile<ptr<i64>>
    %second = get_global @"7up" : tile<ptr<f32>>
    %third = get_global @"tab\09 and \22quotes\22" : tile<ptr<i8>>
    %fourth = get_global @plain.with$signs_0 : tile<ptr<i16>>
    %done = store_ptr_tko weak %first, %x : tile<ptr<i64>>, tile<i64> -> token
    return
  }
  entry @_0() {
    return
  }
  entry @"0"() {
    return
  }
  entry @entry() {
    %constant = constant <i32: 1> : tile<i32>
    %0 = addi %constant, %constant : tile<i32>
    %odd-one.$_ = negi %0 : tile<i32>
    return
  }
}
