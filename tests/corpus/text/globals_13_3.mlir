// Tables in memory of the module, and their addresses.
cuda_tile.module @globals_13_3 {
  global @table_e2m1 alignment = 16 <f4E2M1FN: [6.0, -0.5, 0.0, -6.0]> : tile<4xf4E2M1FN>
  entry @addresses() {
    %e2m1 = get_global @table_e2m1 : tile<ptr<f4E2M1FN>>
    return
  }
}
