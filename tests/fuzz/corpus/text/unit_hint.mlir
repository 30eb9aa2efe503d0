// Producer: made "by" hand	1.0
entry @hidden_entry(%arg0: tile<i32>) {
  %0 = addi %arg0, %arg0 : tile<i32>
  return
} {sym_visibility = "private"}
entry @open_entry(%arg0: tile<i32>) optimization_hints=<sm_90 = {occu1}> {
  %0 = addi %arg0, %arg0 : tile<i32>
  return
}
