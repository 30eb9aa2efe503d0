// Blocks that have memory of their own and parts.
cuda_tile.module @parts {
  entry @copy(%x: tile<ptr<f32>>, %n: tile<i64>, %memory: tile<ptr<i8>>) memory<4096> optimization_hints = <sm_100 = {occupancy = 2}> {
    %0 = constant <i64: 0> : tile<i64>
    %1 = constant <i64: 1> : tile<i64>
    %many = constant <i64: 512> : tile<i64>
    %narrow = constant <i32: 1> : tile<i32>
    %narrower = constant <i16: 1> : tile<i16>
    %byte = constant <i8: 1> : tile<i8>
    %bit = constant <i1: true> : tile<i1>
    %none, %begun = block_operation "fork" of "ttg.warp_specialize"(%narrow, %x, %n, %byte, %narrower, %bit) : (tile<i32>, tile<ptr<f32>>, tile<i64>, tile<i8>, tile<i16>, tile<i1>) -> tile<i64>, token
    %none2, %ended = block_operation "join" of "ttg.warp_specialize"() token = %begun : () -> tile<i64>, token
    %where, %staged = block_operation "stage" of "ttng.warp_group_dot"(%many) token = %ended : (tile<i64>) -> tile<i64>, token
    %none3, %unstaged = block_operation "unstage" of "ttng.warp_group_dot"(%where) : (tile<i64>) -> tile<i64>, token
    return
  }
  entry @plain(%x: tile<ptr<f32>>) {
    return
  }
  entry @alone(%memory: tile<ptr<i8>>) memory<1> {
    %none, %fenced = block_operation "fence" of "ttng.fence_async_shared"() : () -> tile<i64>, token
    return
  }
  part @partition of @copy(%x: tile<ptr<f32>>, %n: tile<i64>, %byte: tile<i8>, %word: tile<i16>, %bit: tile<i1>, %memory: tile<ptr<i8>>) {
    return
  }
  part @idle of @alone(%memory: tile<ptr<i8>>) {
    return
  }
  part @load of @copy(%memory: tile<ptr<i8>>) {
    return
  }
}
