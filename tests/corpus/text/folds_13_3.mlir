// Reductions and scans of every type of number, in both directions.
cuda_tile.module @folds_13_3 {
  entry @folds_i4() {
    %bytes = constant <i8: [1, 7, -8, 3]> : tile<4xi8>
    %small = trunci %bytes : tile<4xi8> -> tile<4xi4>
    %x = reshape %small : tile<4xi4> -> tile<2x2xi4>
    %rows = reduce %x dim=1 identities=[0 : i4] : tile<2x2xi4> -> tile<2xi4> (%a: tile<i4>, %b: tile<i4>) {
      %w = exti %a signed : tile<i4> -> tile<i8>
      %u = exti %b signed : tile<i4> -> tile<i8>
      %s = addi %w, %u : tile<i8>
      %c = trunci %s : tile<i8> -> tile<i4>
      yield %c : tile<i4>
    }
    %all = reduce %rows dim=0 identities=[0 : i4] : tile<2xi4> -> tile<i4> (%a: tile<i4>, %b: tile<i4>) {
      %w = exti %a signed : tile<i4> -> tile<i8>
      %u = exti %b signed : tile<i4> -> tile<i8>
      %s = addi %w, %u : tile<i8>
      %c = trunci %s : tile<i8> -> tile<i4>
      yield %c : tile<i4>
    }
    %forward = scan %x dim=0 reverse=false identities=[0 : i4] : tile<2x2xi4> -> tile<2x2xi4> (%a: tile<i4>, %b: tile<i4>) {
      %w = exti %a signed : tile<i4> -> tile<i8>
      %u = exti %b signed : tile<i4> -> tile<i8>
      %s = addi %w, %u : tile<i8>
      %c = trunci %s : tile<i8> -> tile<i4>
      yield %c : tile<i4>
    }
    %backward = scan %x dim=1 reverse=true identities=[0 : i4] : tile<2x2xi4> -> tile<2x2xi4> (%a: tile<i4>, %b: tile<i4>) {
      %w = exti %a signed : tile<i4> -> tile<i8>
      %u = exti %b signed : tile<i4> -> tile<i8>
      %s = addi %w, %u : tile<i8>
      %c = trunci %s : tile<i8> -> tile<i4>
      yield %c : tile<i4>
    }
    return
  }
}
