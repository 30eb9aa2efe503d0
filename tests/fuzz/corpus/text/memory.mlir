// Producer: a maker
global private constant @g alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
entry @f(%p: tile<ptr<f32>>, %q: tile<ptr<f32, <none>>>, %i: tile<i32>, %m: tile<i1>) {
  %t = make_token : token
  %a = assume div_by<16>, %p : tile<ptr<f32>>
  %b = assume bounded<0, ?>, %i : tile<i32>
  %v = make_tensor_view %a, shape = [%b, 16], strides = [%i, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[?,1]>
  %w = make_partition_view %v : partition_view<tile=(4x2), padding_value = neg_inf, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %x, %u = load_view_tko relaxed device %w[%i, %i] token = %t optimization_hints = <sm_100 = {latency = 3, allow_tma = true}> inbounds = [true, false] : partition_view<tile=(4x2), padding_value = neg_inf, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x2xf32>, token
  %g = get_global @g : tile<ptr<f32>>
  %y0 = constant <f32: 0x7F800000> : tile<f32>
  %y, %k = atomic_rmw_tko acq_rel sys %g, addf, %y0 token=%u : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  print_tko "%f\0A\22", %x token=%u : tile<4x2xf32> -> token
  assert %m, "no \E2\82\AC" : tile<i1>
}
