// Memory of a block's own, from 13.3: a row is turned around in it.
cuda_tile.module @scratch {
  entry @reverse(%p: tile<ptr<i32>>) {
    %room = alloca num_elem = 32, alignment = 128 global : tile<ptr<i32>>
    %lane = iota : tile<32xi32>
    %last = constant <i32: 31> : tile<32xi32>
    %turned = subi %last, %lane : tile<32xi32>
    %p_cell = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_cells = broadcast %p_cell : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %room_cell = reshape %room : tile<ptr<i32>> -> tile<1xptr<i32>>
    %room_cells = broadcast %room_cell : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %from = offset %p_cells, %lane : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %there = offset %room_cells, %turned : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %back = offset %room_cells, %lane : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %x, %read = load_ptr_tko weak %from : tile<32xptr<i32>> -> tile<32xi32>, token
    %kept = store_ptr_tko weak %there, %x token=%read : tile<32xptr<i32>>, tile<32xi32> -> token
    %y, %read_y = load_ptr_tko weak %back token=%kept : tile<32xptr<i32>> -> tile<32xi32>, token
    %done = store_ptr_tko weak %from, %y token=%read_y : tile<32xptr<i32>>, tile<32xi32> -> token
    return
  }
  entry @every_type() {
    %i1 = alloca num_elem = 64, alignment = 16 : tile<ptr<i1>>
    %i8 = alloca num_elem = 64, alignment = 16 : tile<ptr<i8>>
    %i16 = alloca num_elem = 64, alignment = 16 : tile<ptr<i16>>
    %i32 = alloca num_elem = 64, alignment = 16 : tile<ptr<i32>>
    %i64 = alloca num_elem = 64, alignment = 16 : tile<ptr<i64>>
    %f16 = alloca num_elem = 64, alignment = 16 : tile<ptr<f16>>
    %bf16 = alloca num_elem = 64, alignment = 16 : tile<ptr<bf16>>
    %f32 = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %tf32 = alloca num_elem = 64, alignment = 16 : tile<ptr<tf32>>
    %f64 = alloca num_elem = 64, alignment = 16 : tile<ptr<f64>>
    %f8E4M3FN = alloca num_elem = 64, alignment = 16 : tile<ptr<f8E4M3FN>>
    %f8E5M2 = alloca num_elem = 64, alignment = 16 : tile<ptr<f8E5M2>>
    %f8E8M0FNU = alloca num_elem = 64, alignment = 16 : tile<ptr<f8E8M0FNU>>
    %f4E2M1FN = alloca num_elem = 64, alignment = 16 : tile<ptr<f4E2M1FN>>
    return
  }
}
