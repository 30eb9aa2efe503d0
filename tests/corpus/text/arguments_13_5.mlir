// What is said about the arguments of an entry, from 13.5. Nothing is computed by it.
cuda_tile.module @arguments_13_5 {
  entry @attributes(%a: tile<i32> {cuda_tile.div_by = #cuda_tile.div_by<16>, other.number = 5 : i64}, %b: tile<f32>, %c: tile<ptr<f32>> {other.flag = true, other.list = [1.5 : f32, [2 : i8, "two"], {inner = i32}]}) {
    %sum = addi %a, %a : tile<i32>
    return
  }
  entry @more(%a: tile<i32> {nvvm.grid_constant = false, "odd.na me" = "text"}) optimization_hints=<sm_100 = {num_worker_warps_per_cta = 2}> {
    return
  }
  "cuda_tile.entry"() <{arg_attrs = [{a.b = 1 : i32}, {}], function_type = (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (), sym_name = "generic"}> ({
  ^bb0(%x: !cuda_tile.tile<i32>, %y: !cuda_tile.tile<i32>):
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}
