// Reductions and scans of every type of number, in both directions.
cuda_tile.module @folds_13_4 {
  entry @folds_e5m3() {
    %x = constant <fnv8E5M3FNU: [[1.0, 0xFF], [0.0, 0x70]]> : tile<2x2xfnv8E5M3FNU>
    %rows = reduce %x dim=1 identities=[0.0 : fnv8E5M3FNU] : tile<2x2xfnv8E5M3FNU> -> tile<2xfnv8E5M3FNU> (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>) {
      %w = ftof %a : tile<fnv8E5M3FNU> -> tile<f32>
      %u = ftof %b : tile<fnv8E5M3FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<fnv8E5M3FNU>
      yield %c : tile<fnv8E5M3FNU>
    }
    %all = reduce %rows dim=0 identities=[0.0 : fnv8E5M3FNU] : tile<2xfnv8E5M3FNU> -> tile<fnv8E5M3FNU> (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>) {
      %w = ftof %a : tile<fnv8E5M3FNU> -> tile<f32>
      %u = ftof %b : tile<fnv8E5M3FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<fnv8E5M3FNU>
      yield %c : tile<fnv8E5M3FNU>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : fnv8E5M3FNU] : tile<2x2xfnv8E5M3FNU> -> tile<2x2xfnv8E5M3FNU> (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>) {
      %w = ftof %a : tile<fnv8E5M3FNU> -> tile<f32>
      %u = ftof %b : tile<fnv8E5M3FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<fnv8E5M3FNU>
      yield %c : tile<fnv8E5M3FNU>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : fnv8E5M3FNU] : tile<2x2xfnv8E5M3FNU> -> tile<2x2xfnv8E5M3FNU> (%a: tile<fnv8E5M3FNU>, %b: tile<fnv8E5M3FNU>) {
      %w = ftof %a : tile<fnv8E5M3FNU> -> tile<f32>
      %u = ftof %b : tile<fnv8E5M3FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<fnv8E5M3FNU>
      yield %c : tile<fnv8E5M3FNU>
    }
    return
  }
}
