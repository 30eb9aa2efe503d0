// Tables in memory of the module, and their addresses.
cuda_tile.module @globals_13_2 {
  global @table_e8m0 alignment = 16 <f8E8M0FNU: [1.0, 0xFF, 2.0, 0x00]> : tile<4xf8E8M0FNU>
  global @one_e8m0 <f8E8M0FNU: 1.0> : tile<1xf8E8M0FNU>
  entry @addresses() {
    %e8m0 = get_global @table_e8m0 : tile<ptr<f8E8M0FNU>>
    return
  }
}
