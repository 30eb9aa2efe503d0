// nv_tileaa.cast between each pair of float types, with the roundings and satf in turn; attributes stand
// before or after the types.
cuda_tile.module @casts {
  entry @from_f16() {
    %x = constant <f16: 1.0> : tile<8x2xf16>
    %to_f16 = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x f16> to tile<8 x 2 x f16>
    %to_bf16 = nv_tileaa.fp_to_fp %x : tile<8x2xf16> to tile<8x2xbf16> {rounding = #rna, satf = false}
    %to_f32 = nv_tileaa.cast %x : tile<8x2 x f16> to tile<8 x 2xf32> {rounding = #rz, satf = false}
    %to_tf32 = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f16> to tile<8 x 2 x tf32>
    %to_f64 = nv_tileaa.fp_to_fp %x : tile<8x2xf16> to tile<8x2xf64> {rounding = #rne, satf = true}
    %to_f8E4M3FN = nv_tileaa.cast %x : tile<8x2 x f16> to tile<8 x 2xf8E4M3FN> {rounding = #rna, satf = true}
    %to_f8E5M2 = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f16> to tile<8 x 2 x f8E5M2>
    %to_f8E8M0FNU = nv_tileaa.fp_to_fp %x : tile<8x2xf16> to tile<8x2xf8E8M0FNU> {rounding = #rp, satf = true}
    %to_f4E2M1FN = nv_tileaa.cast %x : tile<8x2 x f16> to tile<8 x 2xf4E2M1FN> {rounding = #rne, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf16> to tile<8x2xf8E4M3FNUZ> {rounding = #rz, satf = false}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x : tile<8x2 x f16> to tile<8 x 2xf8E5M2FNUZ> {rounding = #rp, satf = false}
    %to_f6E2M3FN = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f16> to tile<8 x 2 x f6E2M3FN>
    %to_f6E3M2FN = nv_tileaa.fp_to_fp %x : tile<8x2xf16> to tile<8x2xf6E3M2FN> {rounding = #rna, satf = true}
    return
  }
  entry @from_bf16() {
    %x = constant <bf16: 1.0> : tile<8x2xbf16>
    %to_f16 = nv_tileaa.cast %x : tile<8x2 x bf16> to tile<8 x 2xf16> {rounding = #rz, satf = true}
    %to_bf16 = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x bf16> to tile<8 x 2 x bf16>
    %to_f32 = nv_tileaa.fp_to_fp %x : tile<8x2xbf16> to tile<8x2xf32> {rounding = #rne, satf = false}
    %to_tf32 = nv_tileaa.cast %x : tile<8x2 x bf16> to tile<8 x 2xtf32> {rounding = #rna, satf = false}
    %to_f64 = nv_tileaa.cast %x {rounding = #rz, satf = false} : tile<8 x 2 x bf16> to tile<8 x 2 x f64>
    %to_f8E4M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xbf16> to tile<8x2xf8E4M3FN> {rounding = #rp, satf = false}
    %to_f8E5M2 = nv_tileaa.cast %x : tile<8x2 x bf16> to tile<8 x 2xf8E5M2> {rounding = #rne, satf = true}
    %to_f8E8M0FNU = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x bf16> to tile<8 x 2 x f8E8M0FNU>
    %to_f4E2M1FN = nv_tileaa.fp_to_fp %x : tile<8x2xbf16> to tile<8x2xf4E2M1FN> {rounding = #rz, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x bf16> to tile<8 x 2 x f8E4M3FNUZ>
    %to_f8E5M2FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xbf16> to tile<8x2xf8E5M2FNUZ> {rounding = #rna, satf = false}
    %to_f6E2M3FN = nv_tileaa.cast %x : tile<8x2 x bf16> to tile<8 x 2xf6E2M3FN> {rounding = #rz, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x bf16> to tile<8 x 2 x f6E3M2FN>
    return
  }
  entry @from_f32() {
    %x = constant <f32: 1.0> : tile<8x2xf32>
    %to_f16 = nv_tileaa.fp_to_fp %x : tile<8x2xf32> to tile<8x2xf16> {rounding = #rne, satf = true}
    %to_bf16 = nv_tileaa.cast %x : tile<8x2 x f32> to tile<8 x 2xbf16> {rounding = #rna, satf = true}
    %to_f32 = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f32> to tile<8 x 2 x f32>
    %to_tf32 = nv_tileaa.fp_to_fp %x : tile<8x2xf32> to tile<8x2xtf32> {rounding = #rp, satf = true}
    %to_f64 = nv_tileaa.cast %x : tile<8x2 x f32> to tile<8 x 2xf64> {rounding = #rne, satf = false}
    %to_f8E4M3FN = nv_tileaa.cast %x {rounding = #rna, satf = false} : tile<8 x 2 x f32> to tile<8 x 2 x f8E4M3FN>
    %to_f8E5M2 = nv_tileaa.fp_to_fp %x : tile<8x2xf32> to tile<8x2xf8E5M2> {rounding = #rz, satf = false}
    %to_f8E8M0FNU = nv_tileaa.cast %x : tile<8x2 x f32> to tile<8 x 2xf8E8M0FNU> {rounding = #rp, satf = false}
    %to_f4E2M1FN = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f32> to tile<8 x 2 x f4E2M1FN>
    %to_f8E4M3FNUZ = nv_tileaa.cast %x : tile<8x2 x f32> to tile<8 x 2xf8E4M3FNUZ> {rounding = #rz, satf = true}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f32> to tile<8 x 2 x f8E5M2FNUZ>
    %to_f6E2M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf32> to tile<8x2xf6E2M3FN> {rounding = #rne, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x : tile<8x2 x f32> to tile<8 x 2xf6E3M2FN> {rounding = #rna, satf = true}
    return
  }
  entry @from_tf32() {
    %x = constant <tf32: 1.0> : tile<8x2xtf32>
    %to_f16 = nv_tileaa.cast %x {rounding = #rz, satf = false} : tile<8 x 2 x tf32> to tile<8 x 2 x f16>
    %to_bf16 = nv_tileaa.fp_to_fp %x : tile<8x2xtf32> to tile<8x2xbf16> {rounding = #rp, satf = false}
    %to_f32 = nv_tileaa.cast %x : tile<8x2 x tf32> to tile<8 x 2xf32> {rounding = #rne, satf = true}
    %to_tf32 = nv_tileaa.cast %x {rounding = #rna, satf = true} : tile<8 x 2 x tf32> to tile<8 x 2 x tf32>
    %to_f64 = nv_tileaa.fp_to_fp %x : tile<8x2xtf32> to tile<8x2xf64> {rounding = #rz, satf = true}
    %to_f8E4M3FN = nv_tileaa.cast %x : tile<8x2 x tf32> to tile<8 x 2xf8E4M3FN> {rounding = #rp, satf = true}
    %to_f8E5M2 = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x tf32> to tile<8 x 2 x f8E5M2>
    %to_f8E8M0FNU = nv_tileaa.fp_to_fp %x : tile<8x2xtf32> to tile<8x2xf8E8M0FNU> {rounding = #rp, satf = false}
    %to_f4E2M1FN = nv_tileaa.cast %x : tile<8x2 x tf32> to tile<8 x 2xf4E2M1FN> {rounding = #rz, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xtf32> to tile<8x2xf8E4M3FNUZ> {rounding = #rne, satf = true}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x : tile<8x2 x tf32> to tile<8 x 2xf8E5M2FNUZ> {rounding = #rna, satf = true}
    %to_f6E2M3FN = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x tf32> to tile<8 x 2 x f6E2M3FN>
    %to_f6E3M2FN = nv_tileaa.fp_to_fp %x : tile<8x2xtf32> to tile<8x2xf6E3M2FN> {rounding = #rp, satf = true}
    return
  }
  entry @from_f64() {
    %x = constant <f64: 1.0> : tile<8x2xf64>
    %to_f16 = nv_tileaa.cast %x : tile<8x2 x f64> to tile<8 x 2xf16> {rounding = #rne, satf = false}
    %to_bf16 = nv_tileaa.cast %x {rounding = #rna, satf = false} : tile<8 x 2 x f64> to tile<8 x 2 x bf16>
    %to_f32 = nv_tileaa.fp_to_fp %x : tile<8x2xf64> to tile<8x2xf32> {rounding = #rz, satf = false}
    %to_tf32 = nv_tileaa.cast %x : tile<8x2 x f64> to tile<8 x 2xtf32> {rounding = #rp, satf = false}
    %to_f64 = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f64> to tile<8 x 2 x f64>
    %to_f8E4M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf64> to tile<8x2xf8E4M3FN> {rounding = #rna, satf = true}
    %to_f8E5M2 = nv_tileaa.cast %x : tile<8x2 x f64> to tile<8 x 2xf8E5M2> {rounding = #rz, satf = true}
    %to_f8E8M0FNU = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f64> to tile<8 x 2 x f8E8M0FNU>
    %to_f4E2M1FN = nv_tileaa.fp_to_fp %x : tile<8x2xf64> to tile<8x2xf4E2M1FN> {rounding = #rne, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.cast %x {rounding = #rz, satf = false} : tile<8 x 2 x f64> to tile<8 x 2 x f8E4M3FNUZ>
    %to_f8E5M2FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf64> to tile<8x2xf8E5M2FNUZ> {rounding = #rp, satf = false}
    %to_f6E2M3FN = nv_tileaa.cast %x : tile<8x2 x f64> to tile<8 x 2xf6E2M3FN> {rounding = #rne, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x {rounding = #rna, satf = true} : tile<8 x 2 x f64> to tile<8 x 2 x f6E3M2FN>
    return
  }
  entry @from_f8E4M3FN() {
    %x = constant <f8E4M3FN: 1.0> : tile<8x2xf8E4M3FN>
    %to_f16 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FN> to tile<8x2xf16> {rounding = #rz, satf = true}
    %to_bf16 = nv_tileaa.cast %x : tile<8x2 x f8E4M3FN> to tile<8 x 2xbf16> {rounding = #rp, satf = true}
    %to_f32 = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x f8E4M3FN> to tile<8 x 2 x f32>
    %to_tf32 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FN> to tile<8x2xtf32> {rounding = #rna, satf = false}
    %to_f64 = nv_tileaa.cast %x : tile<8x2 x f8E4M3FN> to tile<8 x 2xf64> {rounding = #rz, satf = false}
    %to_f8E4M3FN = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f8E4M3FN> to tile<8 x 2 x f8E4M3FN>
    %to_f8E5M2 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FN> to tile<8x2xf8E5M2> {rounding = #rne, satf = true}
    %to_f8E8M0FNU = nv_tileaa.cast %x : tile<8x2 x f8E4M3FN> to tile<8 x 2xf8E8M0FNU> {rounding = #rp, satf = true}
    %to_f4E2M1FN = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f8E4M3FN> to tile<8 x 2 x f4E2M1FN>
    %to_f8E4M3FNUZ = nv_tileaa.cast %x : tile<8x2 x f8E4M3FN> to tile<8 x 2xf8E4M3FNUZ> {rounding = #rne, satf = false}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x {rounding = #rna, satf = false} : tile<8 x 2 x f8E4M3FN> to tile<8 x 2 x f8E5M2FNUZ>
    %to_f6E2M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FN> to tile<8x2xf6E2M3FN> {rounding = #rz, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x : tile<8x2 x f8E4M3FN> to tile<8 x 2xf6E3M2FN> {rounding = #rp, satf = true}
    return
  }
  entry @from_f8E5M2() {
    %x = constant <f8E5M2: 1.0> : tile<8x2xf8E5M2>
    %to_f16 = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f8E5M2> to tile<8 x 2 x f16>
    %to_bf16 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2> to tile<8x2xbf16> {rounding = #rna, satf = true}
    %to_f32 = nv_tileaa.cast %x : tile<8x2 x f8E5M2> to tile<8 x 2xf32> {rounding = #rz, satf = true}
    %to_tf32 = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f8E5M2> to tile<8 x 2 x tf32>
    %to_f64 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2> to tile<8x2xf64> {rounding = #rne, satf = false}
    %to_f8E4M3FN = nv_tileaa.cast %x : tile<8x2 x f8E5M2> to tile<8 x 2xf8E4M3FN> {rounding = #rna, satf = false}
    %to_f8E5M2 = nv_tileaa.cast %x {rounding = #rz, satf = false} : tile<8 x 2 x f8E5M2> to tile<8 x 2 x f8E5M2>
    %to_f8E8M0FNU = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2> to tile<8x2xf8E8M0FNU> {rounding = #rp, satf = false}
    %to_f4E2M1FN = nv_tileaa.cast %x : tile<8x2 x f8E5M2> to tile<8 x 2xf4E2M1FN> {rounding = #rne, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2> to tile<8x2xf8E4M3FNUZ> {rounding = #rz, satf = true}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x : tile<8x2 x f8E5M2> to tile<8 x 2xf8E5M2FNUZ> {rounding = #rp, satf = true}
    %to_f6E2M3FN = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f8E5M2> to tile<8 x 2 x f6E2M3FN>
    %to_f6E3M2FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2> to tile<8x2xf6E3M2FN> {rounding = #rna, satf = true}
    return
  }
  entry @from_f8E8M0FNU() {
    %x = constant <f8E8M0FNU: 1.0> : tile<8x2xf8E8M0FNU>
    %to_f16 = nv_tileaa.cast %x : tile<8x2 x f8E8M0FNU> to tile<8 x 2xf16> {rounding = #rz, satf = false}
    %to_bf16 = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f8E8M0FNU> to tile<8 x 2 x bf16>
    %to_f32 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E8M0FNU> to tile<8x2xf32> {rounding = #rne, satf = true}
    %to_tf32 = nv_tileaa.cast %x : tile<8x2 x f8E8M0FNU> to tile<8 x 2xtf32> {rounding = #rna, satf = true}
    %to_f64 = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f8E8M0FNU> to tile<8 x 2 x f64>
    %to_f8E4M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E8M0FNU> to tile<8x2xf8E4M3FN> {rounding = #rp, satf = true}
    %to_f8E5M2 = nv_tileaa.cast %x : tile<8x2 x f8E8M0FNU> to tile<8 x 2xf8E5M2> {rounding = #rne, satf = false}
    %to_f8E8M0FNU = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f8E8M0FNU> to tile<8 x 2 x f8E8M0FNU>
    %to_f4E2M1FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E8M0FNU> to tile<8x2xf4E2M1FN> {rounding = #rz, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f8E8M0FNU> to tile<8 x 2 x f8E4M3FNUZ>
    %to_f8E5M2FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf8E8M0FNU> to tile<8x2xf8E5M2FNUZ> {rounding = #rna, satf = true}
    %to_f6E2M3FN = nv_tileaa.cast %x : tile<8x2 x f8E8M0FNU> to tile<8 x 2xf6E2M3FN> {rounding = #rz, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f8E8M0FNU> to tile<8 x 2 x f6E3M2FN>
    return
  }
  entry @from_f4E2M1FN() {
    %x = constant <f4E2M1FN: 1.0> : tile<8x2xf4E2M1FN>
    %to_f16 = nv_tileaa.fp_to_fp %x : tile<8x2xf4E2M1FN> to tile<8x2xf16> {rounding = #rne, satf = false}
    %to_bf16 = nv_tileaa.cast %x : tile<8x2 x f4E2M1FN> to tile<8 x 2xbf16> {rounding = #rna, satf = false}
    %to_f32 = nv_tileaa.cast %x {rounding = #rz, satf = false} : tile<8 x 2 x f4E2M1FN> to tile<8 x 2 x f32>
    %to_tf32 = nv_tileaa.fp_to_fp %x : tile<8x2xf4E2M1FN> to tile<8x2xtf32> {rounding = #rp, satf = false}
    %to_f64 = nv_tileaa.cast %x : tile<8x2 x f4E2M1FN> to tile<8 x 2xf64> {rounding = #rne, satf = true}
    %to_f8E4M3FN = nv_tileaa.cast %x {rounding = #rna, satf = true} : tile<8 x 2 x f4E2M1FN> to tile<8 x 2 x f8E4M3FN>
    %to_f8E5M2 = nv_tileaa.fp_to_fp %x : tile<8x2xf4E2M1FN> to tile<8x2xf8E5M2> {rounding = #rz, satf = true}
    %to_f8E8M0FNU = nv_tileaa.cast %x : tile<8x2 x f4E2M1FN> to tile<8 x 2xf8E8M0FNU> {rounding = #rp, satf = true}
    %to_f4E2M1FN = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f4E2M1FN> to tile<8 x 2 x f4E2M1FN>
    %to_f8E4M3FNUZ = nv_tileaa.cast %x : tile<8x2 x f4E2M1FN> to tile<8 x 2xf8E4M3FNUZ> {rounding = #rz, satf = false}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f4E2M1FN> to tile<8 x 2 x f8E5M2FNUZ>
    %to_f6E2M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf4E2M1FN> to tile<8x2xf6E2M3FN> {rounding = #rne, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x : tile<8x2 x f4E2M1FN> to tile<8 x 2xf6E3M2FN> {rounding = #rna, satf = true}
    return
  }
  entry @from_f8E4M3FNUZ() {
    %x = constant <f8E4M3FNUZ: 1.0> : tile<8x2xf8E4M3FNUZ>
    %to_f16 = nv_tileaa.cast %x : tile<8x2 x f8E4M3FNUZ> to tile<8 x 2xf16> {rounding = #rne, satf = true}
    %to_bf16 = nv_tileaa.cast %x {rounding = #rna, satf = true} : tile<8 x 2 x f8E4M3FNUZ> to tile<8 x 2 x bf16>
    %to_f32 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FNUZ> to tile<8x2xf32> {rounding = #rz, satf = true}
    %to_tf32 = nv_tileaa.cast %x : tile<8x2 x f8E4M3FNUZ> to tile<8 x 2xtf32> {rounding = #rp, satf = true}
    %to_f64 = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x f8E4M3FNUZ> to tile<8 x 2 x f64>
    %to_f8E4M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FNUZ> to tile<8x2xf8E4M3FN> {rounding = #rna, satf = false}
    %to_f8E5M2 = nv_tileaa.cast %x : tile<8x2 x f8E4M3FNUZ> to tile<8 x 2xf8E5M2> {rounding = #rz, satf = false}
    %to_f8E8M0FNU = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f8E4M3FNUZ> to tile<8 x 2 x f8E8M0FNU>
    %to_f4E2M1FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FNUZ> to tile<8x2xf4E2M1FN> {rounding = #rne, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f8E4M3FNUZ> to tile<8 x 2 x f8E4M3FNUZ>
    %to_f8E5M2FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf8E4M3FNUZ> to tile<8x2xf8E5M2FNUZ> {rounding = #rp, satf = true}
    %to_f6E2M3FN = nv_tileaa.cast %x : tile<8x2 x f8E4M3FNUZ> to tile<8 x 2xf6E2M3FN> {rounding = #rne, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x {rounding = #rna, satf = true} : tile<8 x 2 x f8E4M3FNUZ> to tile<8 x 2 x f6E3M2FN>
    return
  }
  entry @from_f8E5M2FNUZ() {
    %x = constant <f8E5M2FNUZ: 1.0> : tile<8x2xf8E5M2FNUZ>
    %to_f16 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2FNUZ> to tile<8x2xf16> {rounding = #rz, satf = false}
    %to_bf16 = nv_tileaa.cast %x : tile<8x2 x f8E5M2FNUZ> to tile<8 x 2xbf16> {rounding = #rp, satf = false}
    %to_f32 = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f8E5M2FNUZ> to tile<8 x 2 x f32>
    %to_tf32 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2FNUZ> to tile<8x2xtf32> {rounding = #rna, satf = true}
    %to_f64 = nv_tileaa.cast %x : tile<8x2 x f8E5M2FNUZ> to tile<8 x 2xf64> {rounding = #rz, satf = true}
    %to_f8E4M3FN = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f8E5M2FNUZ> to tile<8 x 2 x f8E4M3FN>
    %to_f8E5M2 = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2FNUZ> to tile<8x2xf8E5M2> {rounding = #rne, satf = false}
    %to_f8E8M0FNU = nv_tileaa.cast %x : tile<8x2 x f8E5M2FNUZ> to tile<8 x 2xf8E8M0FNU> {rounding = #rp, satf = false}
    %to_f4E2M1FN = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f8E5M2FNUZ> to tile<8 x 2 x f4E2M1FN>
    %to_f8E4M3FNUZ = nv_tileaa.cast %x : tile<8x2 x f8E5M2FNUZ> to tile<8 x 2xf8E4M3FNUZ> {rounding = #rne, satf = true}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x {rounding = #rna, satf = true} : tile<8 x 2 x f8E5M2FNUZ> to tile<8 x 2 x f8E5M2FNUZ>
    %to_f6E2M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf8E5M2FNUZ> to tile<8x2xf6E2M3FN> {rounding = #rz, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x : tile<8x2 x f8E5M2FNUZ> to tile<8 x 2xf6E3M2FN> {rounding = #rp, satf = true}
    return
  }
  entry @from_f6E2M3FN() {
    %x = constant <f6E2M3FN: 1.0> : tile<8x2xf6E2M3FN>
    %to_f16 = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x f6E2M3FN> to tile<8 x 2 x f16>
    %to_bf16 = nv_tileaa.fp_to_fp %x : tile<8x2xf6E2M3FN> to tile<8x2xbf16> {rounding = #rna, satf = false}
    %to_f32 = nv_tileaa.cast %x : tile<8x2 x f6E2M3FN> to tile<8 x 2xf32> {rounding = #rz, satf = false}
    %to_tf32 = nv_tileaa.cast %x {rounding = #rp, satf = false} : tile<8 x 2 x f6E2M3FN> to tile<8 x 2 x tf32>
    %to_f64 = nv_tileaa.fp_to_fp %x : tile<8x2xf6E2M3FN> to tile<8x2xf64> {rounding = #rne, satf = true}
    %to_f8E4M3FN = nv_tileaa.cast %x : tile<8x2 x f6E2M3FN> to tile<8 x 2xf8E4M3FN> {rounding = #rna, satf = true}
    %to_f8E5M2 = nv_tileaa.cast %x {rounding = #rz, satf = true} : tile<8 x 2 x f6E2M3FN> to tile<8 x 2 x f8E5M2>
    %to_f8E8M0FNU = nv_tileaa.fp_to_fp %x : tile<8x2xf6E2M3FN> to tile<8x2xf8E8M0FNU> {rounding = #rp, satf = true}
    %to_f4E2M1FN = nv_tileaa.cast %x : tile<8x2 x f6E2M3FN> to tile<8 x 2xf4E2M1FN> {rounding = #rne, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf6E2M3FN> to tile<8x2xf8E4M3FNUZ> {rounding = #rz, satf = false}
    %to_f8E5M2FNUZ = nv_tileaa.cast %x : tile<8x2 x f6E2M3FN> to tile<8 x 2xf8E5M2FNUZ> {rounding = #rp, satf = false}
    %to_f6E2M3FN = nv_tileaa.cast %x {rounding = #rne, satf = true} : tile<8 x 2 x f6E2M3FN> to tile<8 x 2 x f6E2M3FN>
    %to_f6E3M2FN = nv_tileaa.fp_to_fp %x : tile<8x2xf6E2M3FN> to tile<8x2xf6E3M2FN> {rounding = #rna, satf = true}
    return
  }
  entry @from_f6E3M2FN() {
    %x = constant <f6E3M2FN: 1.0> : tile<8x2xf6E3M2FN>
    %to_f16 = nv_tileaa.cast %x : tile<8x2 x f6E3M2FN> to tile<8 x 2xf16> {rounding = #rz, satf = true}
    %to_bf16 = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f6E3M2FN> to tile<8 x 2 x bf16>
    %to_f32 = nv_tileaa.fp_to_fp %x : tile<8x2xf6E3M2FN> to tile<8x2xf32> {rounding = #rne, satf = false}
    %to_tf32 = nv_tileaa.cast %x : tile<8x2 x f6E3M2FN> to tile<8 x 2xtf32> {rounding = #rna, satf = false}
    %to_f64 = nv_tileaa.cast %x {rounding = #rz, satf = false} : tile<8 x 2 x f6E3M2FN> to tile<8 x 2 x f64>
    %to_f8E4M3FN = nv_tileaa.fp_to_fp %x : tile<8x2xf6E3M2FN> to tile<8x2xf8E4M3FN> {rounding = #rp, satf = false}
    %to_f8E5M2 = nv_tileaa.cast %x : tile<8x2 x f6E3M2FN> to tile<8 x 2xf8E5M2> {rounding = #rne, satf = true}
    %to_f8E8M0FNU = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f6E3M2FN> to tile<8 x 2 x f8E8M0FNU>
    %to_f4E2M1FN = nv_tileaa.fp_to_fp %x : tile<8x2xf6E3M2FN> to tile<8x2xf4E2M1FN> {rounding = #rz, satf = true}
    %to_f8E4M3FNUZ = nv_tileaa.cast %x {rounding = #rne, satf = false} : tile<8 x 2 x f6E3M2FN> to tile<8 x 2 x f8E4M3FNUZ>
    %to_f8E5M2FNUZ = nv_tileaa.fp_to_fp %x : tile<8x2xf6E3M2FN> to tile<8x2xf8E5M2FNUZ> {rounding = #rna, satf = false}
    %to_f6E2M3FN = nv_tileaa.cast %x : tile<8x2 x f6E3M2FN> to tile<8 x 2xf6E2M3FN> {rounding = #rz, satf = true}
    %to_f6E3M2FN = nv_tileaa.cast %x {rounding = #rp, satf = true} : tile<8 x 2 x f6E3M2FN> to tile<8 x 2 x f6E3M2FN>
    return
  }
}
