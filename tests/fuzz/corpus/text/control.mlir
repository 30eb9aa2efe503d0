entry @"a b"(%n: tile<i32>, %c: tile<i1>, %x: tile<f32>) optimization_hints=<sm_100 = {occupancy = 2, num_cta_in_cga = 1}, default = {}> {
  %r = for unsigned %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x) -> (tile<f32>) {
    if %c { continue %a : tile<f32> }
    %b = mulf %a, %a rounding<zero> : tile<f32>
    continue %b : tile<f32>
  }
  %l:2 = loop iter_values(%a = %r) : tile<f32> -> tile<f32>, tile<i32> {
    if %c { break %a, %n : tile<f32>, tile<i32> } else { return }
    continue %a : tile<f32>
  }
  %k = constant <f32: [1.0, 2.0, 0x7FC00000, -0.0]> : tile<4xf32>
  %s = reduce %k dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
  (%e: tile<f32>, %acc: tile<f32>) {
    %t = addf %e, %acc : tile<f32>
    yield %t : tile<f32>
  }
  %q = scan %k dim=0 reverse=true identities=[1.0 : f32] : tile<4xf32> -> tile<4xf32>
  (%e: tile<f32>, %acc: tile<f32>) {
    %t = maxf %e, %acc propagate_nan : tile<f32>
    yield %t : tile<f32>
  }
}
