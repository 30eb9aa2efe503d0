cuda_tile.module @kernels {
  global @scale <f32: [0.1, 0.25, -1.5, 3.0]> : tile<4xf32>
  global private constant @table alignment = 256 <f16: [1.0, 2.0, -0.5, 0.0, 5.0, 6.0, 7.0, 0.333251953125]> : tile<8xf16>
  global @flags <i1: [true, false, true, true]> : tile<4xi1>
  global @count <i32: 7> : tile<1xi32>
  entry @k(%x : tile<ptr<f32>>, %y : tile<ptr<f32>>) {
    %i = iota : tile<4xi32>
    %g = get_global @scale : tile<ptr<f32>>
    %gr = reshape %g : tile<ptr<f32>> -> tile<1xptr<f32>>
    %gb = broadcast %gr : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %gp = offset %gb, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %v, %t = load_ptr_tko weak %gp : tile<4xptr<f32>> -> tile<4xf32>, token
    %w = addf %v, %v : tile<4xf32>
    %t2 = store_ptr_tko weak %gp, %w : tile<4xptr<f32>>, tile<4xf32> -> token
    %f = get_global @flags : tile<ptr<i1>>
    %b, %t3 = load_ptr_tko weak %f : tile<ptr<i1>> -> tile<i1>, token
    %c = get_global @count : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %old, %t4 = atomic_rmw_tko relaxed device %c, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    print_tko "%f %d %d\n", %v, %b, %old : tile<4xf32>, tile<i1>, tile<i32> -> token
    return
  }
}
