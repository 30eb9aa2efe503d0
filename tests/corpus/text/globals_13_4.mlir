// Tables in memory of the module, and their addresses.
cuda_tile.module @globals_13_4 {
  global @table_e5m3 alignment = 16 <fnv8E5M3FNU: [1.0, 0xFF, 0.0, 0x70]> : tile<4xfnv8E5M3FNU>
  global @one_e5m3 <fnv8E5M3FNU: 1.0> : tile<1xfnv8E5M3FNU>
  entry @addresses() {
    %e5m3 = get_global @table_e5m3 : tile<ptr<fnv8E5M3FNU>>
    return
  }
}
