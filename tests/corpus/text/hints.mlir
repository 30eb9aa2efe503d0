// Hints for each target: of an entry, of accesses by pointer and of accesses by view.
cuda_tile.module @hints {
  entry @every_target() optimization_hints=<default = {num_cta_in_cga = 2, occupancy = 1}, sm_80 = {num_cta_in_cga = 1, occupancy = 2}, sm_86 = {num_cta_in_cga = 1, occupancy = 3}, sm_87 = {num_cta_in_cga = 1, occupancy = 4}, sm_88 = {num_cta_in_cga = 1, occupancy = 5}, sm_89 = {num_cta_in_cga = 1, occupancy = 6}, sm_90 = {num_cta_in_cga = 2, occupancy = 7}, sm_100 = {num_cta_in_cga = 2, occupancy = 8}, sm_103 = {num_cta_in_cga = 2, occupancy = 9}, sm_110 = {num_cta_in_cga = 2, occupancy = 10}, sm_120 = {num_cta_in_cga = 2, occupancy = 11}, sm_121 = {num_cta_in_cga = 2, occupancy = 12}> {
    return
  }
  entry @warps() optimization_hints=<sm_100 = {num_worker_warps_per_cta = 8}, sm_120 = {num_worker_warps_per_cta = 4, occupancy = 32, num_cta_in_cga = 1}, sm_90 = {}> {
    return
  }
  entry @empty() optimization_hints=<sm_80 = {}> {
    return
  }
  entry @accesses(%p: tile<ptr<bf16>>, %i: tile<i32>) {
    %tensor = make_tensor_view %p, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
    %view = make_partition_view %tensor : partition_view<tile=(64x64), tensor_view<256x256xbf16, strides=[256,1]>>
    %x, %read = load_view_tko weak %view[%i, %i] optimization_hints = <sm_100 = {latency = 10, allow_tma = true}, sm_90 = {allow_tma = false}, default = {latency = 1}> : partition_view<tile=(64x64), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<64x64xbf16>, token
    %w = store_view_tko weak %x, %view[%i, %i] token = %read optimization_hints = <sm_121 = {allow_tma = true}> : tile<64x64xbf16>, partition_view<tile=(64x64), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> token
    %y, %read_y = load_ptr_tko weak %p token=%w optimization_hints = <sm_110 = {latency = 7}> : tile<ptr<bf16>> -> tile<bf16>, token
    %done = store_ptr_tko weak %p, %y token=%read_y optimization_hints = <sm_103 = {latency = 3}> : tile<ptr<bf16>>, tile<bf16> -> token
    return
  }
}
