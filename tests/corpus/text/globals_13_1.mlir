// Tables in memory of the module, and their addresses.
cuda_tile.module @globals_13_1 {
  global @table_i1 alignment = 16 <i1: [true, false, false, true]> : tile<4xi1>
  global @one_i1 <i1: true> : tile<1xi1>
  global @table_i8 <i8: [-128, 127, 0, 0xAA]> : tile<4xi8>
  global @one_i8 <i8: -128> : tile<1xi8>
  global @table_i16 alignment = 16 <i16: [-32768, 32767, -1, 65535]> : tile<4xi16>
  global @one_i16 <i16: -32768> : tile<1xi16>
  global @table_i32 alignment = 16 <i32: [-2147483648, 2147483647, 4294967295, 0x80000000]> : tile<4xi32>
  global @one_i32 <i32: -2147483648> : tile<1xi32>
  global @table_i64 alignment = 16 <i64: [-9223372036854775808, 9223372036854775807, 0, -1]> : tile<4xi64>
  global @one_i64 <i64: -9223372036854775808> : tile<1xi64>
  global @table_f16 alignment = 16 <f16: [1.5, -0.0, 0x7C00, 6.550400e+04]> : tile<4xf16>
  global @one_f16 <f16: 1.5> : tile<1xf16>
  global @table_bf16 alignment = 16 <bf16: [0x7F80, 0xFFC0, 3.140625, -1.0e-30]> : tile<4xbf16>
  global @one_bf16 <bf16: 0x7F80> : tile<1xbf16>
  global @table_f32 <f32: [0.1, 0xFF800000, 0x7FC00001, 1.401298464324817e-45]> : tile<4xf32>
  global @one_f32 <f32: 0.1> : tile<1xf32>
  global @table_f64 alignment = 16 <f64: [0.1, 2.2250738585072014e-308, 0x7FF0000000000000, -1.7976931348623157e+308]> : tile<4xf64>
  global @one_f64 <f64: 0.1> : tile<1xf64>
  global @table_tf32 alignment = 16 <tf32: [1.0, -2.5, 0x3FC00, 0x00001]> : tile<4xtf32>
  global @one_tf32 <tf32: 1.0> : tile<1xtf32>
  global @table_e4m3 alignment = 16 <f8E4M3FN: [448.0, 0x7F, -0.015625, 0x01]> : tile<4xf8E4M3FN>
  global @one_e4m3 <f8E4M3FN: 448.0> : tile<1xf8E4M3FN>
  global @table_e5m2 alignment = 16 <f8E5M2: [57344.0, 0x7C, 0xFE, -0.25]> : tile<4xf8E5M2>
  global @one_e5m2 <f8E5M2: 57344.0> : tile<1xf8E5M2>
  entry @addresses() {
    %i1 = get_global @table_i1 : tile<ptr<i1>>
    %i8 = get_global @table_i8 : tile<ptr<i8>>
    %i16 = get_global @table_i16 : tile<ptr<i16>>
    %i32 = get_global @table_i32 : tile<ptr<i32>>
    %i64 = get_global @table_i64 : tile<ptr<i64>>
    %f16 = get_global @table_f16 : tile<ptr<f16>>
    %bf16 = get_global @table_bf16 : tile<ptr<bf16>>
    %f32 = get_global @table_f32 : tile<ptr<f32>>
    %f64 = get_global @table_f64 : tile<ptr<f64>>
    %tf32 = get_global @table_tf32 : tile<ptr<tf32>>
    %e4m3 = get_global @table_e4m3 : tile<ptr<f8E4M3FN>>
    %e5m2 = get_global @table_e5m2 : tile<ptr<f8E5M2>>
    return
  }
}
