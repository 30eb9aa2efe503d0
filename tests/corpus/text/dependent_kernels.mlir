// Kernels that start before the one before them has ended, and memory seen through two addresses. From 13.4.
cuda_tile.module @dependent_kernels {
  entry @producer(%data: tile<ptr<f32>>, %x: tile<f32>) {
    %started = gdc_launch_dependents_tko -> token
    %written = store_ptr_tko weak %data, %x token=%started : tile<ptr<f32>>, tile<f32> -> token
    %announced = gdc_launch_dependents_tko token = %written -> token
    return
  }
  entry @consumer(%data: tile<ptr<f32>>, %alias: tile<ptr<f32>>, %sum: tile<ptr<f32>>) {
    %ready = gdc_wait_tko -> token
    %again = gdc_wait_tko token = %ready -> token
    %x, %read = load_ptr_tko weak %data token=%again : tile<ptr<f32>> -> tile<f32>, token
    %double = addf %x, %x : tile<f32>
    %stored = store_ptr_tko weak %data, %double token=%read : tile<ptr<f32>>, tile<f32> -> token
    %fenced = memory_fence_alias_tko %stored
    %y, %read_y = load_ptr_tko weak %alias token=%fenced : tile<ptr<f32>> -> tile<f32>, token
    %done = store_ptr_tko weak %sum, %y token=%read_y : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
