// nv_tileaa.cast to and from the preview type fnv8E5M3FNU, which nothing compiles yet.
cuda_tile.module @casts_preview {
  entry @from_f16() {
    %x = constant <f16: 1.0> : tile<8x2xf16>
    %to_fnv8E5M3FNU = nv_tileaa.cast %x {rounding = #rna, satf = false} : tile<8 x 2 x f16> to tile<8 x 2 x fnv8E5M3FNU>
    return
  }
  entry @from_fnv8E5M3FNU() {
    %x = constant <fnv8E5M3FNU: 1.0> : tile<8x2xfnv8E5M3FNU>
    %to_f16 = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x fnv8E5M3FNU> to tile<8 x 2 x f16>
    %to_bf16 = nv_tileaa.fp_to_fp %x : tile<8x2xfnv8E5M3FNU> to tile<8x2xbf16> {rounding = #rp, satf = true}
    %to_f32 = nv_tileaa.cast %x : tile<8x2 x fnv8E5M3FNU> to tile<8 x 2xf32> {rounding = #rne, satf = false}
    %to_tf32 = nv_tileaa.cast %x {rounding = #rna, satf = false} : tile<8 x 2 x fnv8E5M3FNU> to tile<8 x 2 x tf32>
    %to_f64 = nv_tileaa.fp_to_fp %x : tile<8x2xfnv8E5M3FNU> to tile<8x2xf64> {rounding = #rz, satf = false}
    %to_f8E4M3FN = nv_tileaa.cast %x : tile<8x2 x fnv8E5M3FNU> to tile<8 x 2xf8E4M3FN> {rounding = #rp, satf = false}
    %to_f8E5M2 = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x fnv8E5M3FNU> to tile<8 x 2 x f8E5M2>
    %to_f8E8M0FNU = nv_tileaa.fp_to_fp %x : tile<8x2xfnv8E5M3FNU> to tile<8x2xf8E8M0FNU> {rounding = #rp, satf = true}
    %to_f4E2M1FN = nv_tileaa.cast %x : tile<8x2 x fnv8E5M3FNU> to tile<8 x 2xf4E2M1FN> {rounding = #rz, satf = true}
    %to_fnv8E5M3FNU = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x fnv8E5M3FNU> to tile<8 x 2 x fnv8E5M3FNU>
    %to_f8E4M3FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xfnv8E5M3FNU> to tile<8x2xf8E4M3FNUZ> {rounding = #rne, satf = false}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x : tile<8x2 x fnv8E5M3FNU> to tile<8 x 2xf8E5M2FNUZ> {rounding = #rna, satf = false}
    %to_f6E2M3FN = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x fnv8E5M3FNU> to tile<8 x 2 x f6E2M3FN>
    %to_f6E3M2FN = nv_tileaa.fp_to_fp %x : tile<8x2xfnv8E5M3FNU> to tile<8x2xf6E3M2FN> {rounding = #rp, satf = true}
    return
  }
}
