// Reductions and scans of every type of number, in both directions.
cuda_tile.module @folds_13_2 {
  entry @folds_e8m0() {
    %x = constant <f8E8M0FNU: [[1.0, 0xFF], [2.0, 0x00]]> : tile<2x2xf8E8M0FNU>
    %rows = reduce %x dim=1 identities=[0x00 : f8E8M0FNU] : tile<2x2xf8E8M0FNU> -> tile<2xf8E8M0FNU> (%a: tile<f8E8M0FNU>, %b: tile<f8E8M0FNU>) {
      %w = ftof %a : tile<f8E8M0FNU> -> tile<f32>
      %u = ftof %b : tile<f8E8M0FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
      yield %c : tile<f8E8M0FNU>
    }
    %all = reduce %rows dim=0 identities=[0x00 : f8E8M0FNU] : tile<2xf8E8M0FNU> -> tile<f8E8M0FNU> (%a: tile<f8E8M0FNU>, %b: tile<f8E8M0FNU>) {
      %w = ftof %a : tile<f8E8M0FNU> -> tile<f32>
      %u = ftof %b : tile<f8E8M0FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
      yield %c : tile<f8E8M0FNU>
    }
    %forward = scan %x dim=0 reverse=false identities=[0x00 : f8E8M0FNU] : tile<2x2xf8E8M0FNU> -> tile<2x2xf8E8M0FNU> (%a: tile<f8E8M0FNU>, %b: tile<f8E8M0FNU>) {
      %w = ftof %a : tile<f8E8M0FNU> -> tile<f32>
      %u = ftof %b : tile<f8E8M0FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
      yield %c : tile<f8E8M0FNU>
    }
    %backward = scan %x dim=1 reverse=true identities=[0x00 : f8E8M0FNU] : tile<2x2xf8E8M0FNU> -> tile<2x2xf8E8M0FNU> (%a: tile<f8E8M0FNU>, %b: tile<f8E8M0FNU>) {
      %w = ftof %a : tile<f8E8M0FNU> -> tile<f32>
      %u = ftof %b : tile<f8E8M0FNU> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
      yield %c : tile<f8E8M0FNU>
    }
    return
  }
}
