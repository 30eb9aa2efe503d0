// Reductions and scans of every type of number, in both directions.
cuda_tile.module @folds_13_1 {
  entry @folds_i1() {
    %x = constant <i1: [[true, false], [false, true]]> : tile<2x2xi1>
    %rows = reduce %x dim=1 identities=[false] : tile<2x2xi1> -> tile<2xi1> (%a: tile<i1>, %b: tile<i1>) {
      %c = xori %a, %b : tile<i1>
      yield %c : tile<i1>
    }
    %all = reduce %rows dim=0 identities=[false] : tile<2xi1> -> tile<i1> (%a: tile<i1>, %b: tile<i1>) {
      %c = xori %a, %b : tile<i1>
      yield %c : tile<i1>
    }
    %forward = scan %x dim=0 reverse=false identities=[false] : tile<2x2xi1> -> tile<2x2xi1> (%a: tile<i1>, %b: tile<i1>) {
      %c = xori %a, %b : tile<i1>
      yield %c : tile<i1>
    }
    %backward = scan %x dim=1 reverse=true identities=[false] : tile<2x2xi1> -> tile<2x2xi1> (%a: tile<i1>, %b: tile<i1>) {
      %c = xori %a, %b : tile<i1>
      yield %c : tile<i1>
    }
    return
  }
  entry @folds_i8() {
    %x = constant <i8: [[-128, 127], [0, 0xAA]]> : tile<2x2xi8>
    %rows = reduce %x dim=1 identities=[-128 : i8] : tile<2x2xi8> -> tile<2xi8> (%a: tile<i8>, %b: tile<i8>) {
      %c = maxi %a, %b signed : tile<i8>
      yield %c : tile<i8>
    }
    %all = reduce %rows dim=0 identities=[-128 : i8] : tile<2xi8> -> tile<i8> (%a: tile<i8>, %b: tile<i8>) {
      %c = maxi %a, %b signed : tile<i8>
      yield %c : tile<i8>
    }
    %forward = scan %x dim=0 reverse=false identities=[-128 : i8] : tile<2x2xi8> -> tile<2x2xi8> (%a: tile<i8>, %b: tile<i8>) {
      %c = maxi %a, %b signed : tile<i8>
      yield %c : tile<i8>
    }
    %backward = scan %x dim=1 reverse=true identities=[-128 : i8] : tile<2x2xi8> -> tile<2x2xi8> (%a: tile<i8>, %b: tile<i8>) {
      %c = maxi %a, %b signed : tile<i8>
      yield %c : tile<i8>
    }
    return
  }
  entry @folds_i16() {
    %x = constant <i16: [[-32768, 32767], [-1, 65535]]> : tile<2x2xi16>
    %rows = reduce %x dim=1 identities=[-32768 : i16] : tile<2x2xi16> -> tile<2xi16> (%a: tile<i16>, %b: tile<i16>) {
      %c = maxi %a, %b signed : tile<i16>
      yield %c : tile<i16>
    }
    %all = reduce %rows dim=0 identities=[-32768 : i16] : tile<2xi16> -> tile<i16> (%a: tile<i16>, %b: tile<i16>) {
      %c = maxi %a, %b signed : tile<i16>
      yield %c : tile<i16>
    }
    %forward = scan %x dim=0 reverse=false identities=[-32768 : i16] : tile<2x2xi16> -> tile<2x2xi16> (%a: tile<i16>, %b: tile<i16>) {
      %c = maxi %a, %b signed : tile<i16>
      yield %c : tile<i16>
    }
    %backward = scan %x dim=1 reverse=true identities=[-32768 : i16] : tile<2x2xi16> -> tile<2x2xi16> (%a: tile<i16>, %b: tile<i16>) {
      %c = maxi %a, %b signed : tile<i16>
      yield %c : tile<i16>
    }
    return
  }
  entry @folds_i32() {
    %x = constant <i32: [[-2147483648, 2147483647], [4294967295, 0x80000000]]> : tile<2x2xi32>
    %rows = reduce %x dim=1 identities=[-2147483648 : i32] : tile<2x2xi32> -> tile<2xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = maxi %a, %b signed : tile<i32>
      yield %c : tile<i32>
    }
    %all = reduce %rows dim=0 identities=[-2147483648 : i32] : tile<2xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
      %c = maxi %a, %b signed : tile<i32>
      yield %c : tile<i32>
    }
    %forward = scan %x dim=0 reverse=false identities=[-2147483648 : i32] : tile<2x2xi32> -> tile<2x2xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = maxi %a, %b signed : tile<i32>
      yield %c : tile<i32>
    }
    %backward = scan %x dim=1 reverse=true identities=[-2147483648 : i32] : tile<2x2xi32> -> tile<2x2xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = maxi %a, %b signed : tile<i32>
      yield %c : tile<i32>
    }
    return
  }
  entry @folds_i64() {
    %x = constant <i64: [[-9223372036854775808, 9223372036854775807], [0, -1]]> : tile<2x2xi64>
    %rows = reduce %x dim=1 identities=[-9223372036854775808 : i64] : tile<2x2xi64> -> tile<2xi64> (%a: tile<i64>, %b: tile<i64>) {
      %c = maxi %a, %b signed : tile<i64>
      yield %c : tile<i64>
    }
    %all = reduce %rows dim=0 identities=[-9223372036854775808 : i64] : tile<2xi64> -> tile<i64> (%a: tile<i64>, %b: tile<i64>) {
      %c = maxi %a, %b signed : tile<i64>
      yield %c : tile<i64>
    }
    %forward = scan %x dim=0 reverse=false identities=[-9223372036854775808 : i64] : tile<2x2xi64> -> tile<2x2xi64> (%a: tile<i64>, %b: tile<i64>) {
      %c = maxi %a, %b signed : tile<i64>
      yield %c : tile<i64>
    }
    %backward = scan %x dim=1 reverse=true identities=[-9223372036854775808 : i64] : tile<2x2xi64> -> tile<2x2xi64> (%a: tile<i64>, %b: tile<i64>) {
      %c = maxi %a, %b signed : tile<i64>
      yield %c : tile<i64>
    }
    return
  }
  entry @folds_f16() {
    %x = constant <f16: [[1.5, -0.0], [0x7C00, 6.550400e+04]]> : tile<2x2xf16>
    %rows = reduce %x dim=1 identities=[0.0 : f16] : tile<2x2xf16> -> tile<2xf16> (%a: tile<f16>, %b: tile<f16>) {
      %c = addf %a, %b : tile<f16>
      yield %c : tile<f16>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f16] : tile<2xf16> -> tile<f16> (%a: tile<f16>, %b: tile<f16>) {
      %c = addf %a, %b : tile<f16>
      yield %c : tile<f16>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f16] : tile<2x2xf16> -> tile<2x2xf16> (%a: tile<f16>, %b: tile<f16>) {
      %c = addf %a, %b : tile<f16>
      yield %c : tile<f16>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f16] : tile<2x2xf16> -> tile<2x2xf16> (%a: tile<f16>, %b: tile<f16>) {
      %c = addf %a, %b : tile<f16>
      yield %c : tile<f16>
    }
    return
  }
  entry @folds_bf16() {
    %x = constant <bf16: [[0x7F80, 0xFFC0], [3.140625, -1.0e-30]]> : tile<2x2xbf16>
    %rows = reduce %x dim=1 identities=[0.0 : bf16] : tile<2x2xbf16> -> tile<2xbf16> (%a: tile<bf16>, %b: tile<bf16>) {
      %c = addf %a, %b : tile<bf16>
      yield %c : tile<bf16>
    }
    %all = reduce %rows dim=0 identities=[0.0 : bf16] : tile<2xbf16> -> tile<bf16> (%a: tile<bf16>, %b: tile<bf16>) {
      %c = addf %a, %b : tile<bf16>
      yield %c : tile<bf16>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : bf16] : tile<2x2xbf16> -> tile<2x2xbf16> (%a: tile<bf16>, %b: tile<bf16>) {
      %c = addf %a, %b : tile<bf16>
      yield %c : tile<bf16>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : bf16] : tile<2x2xbf16> -> tile<2x2xbf16> (%a: tile<bf16>, %b: tile<bf16>) {
      %c = addf %a, %b : tile<bf16>
      yield %c : tile<bf16>
    }
    return
  }
  entry @folds_f32() {
    %x = constant <f32: [[0.1, 0xFF800000], [0x7FC00001, 1.401298464324817e-45]]> : tile<2x2xf32>
    %rows = reduce %x dim=1 identities=[0.0 : f32] : tile<2x2xf32> -> tile<2xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f32] : tile<2x2xf32> -> tile<2x2xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f32] : tile<2x2xf32> -> tile<2x2xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    return
  }
  entry @folds_f64() {
    %x = constant <f64: [[0.1, 2.2250738585072014e-308], [0x7FF0000000000000, -1.7976931348623157e+308]]> : tile<2x2xf64>
    %rows = reduce %x dim=1 identities=[0.0 : f64] : tile<2x2xf64> -> tile<2xf64> (%a: tile<f64>, %b: tile<f64>) {
      %c = addf %a, %b : tile<f64>
      yield %c : tile<f64>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f64] : tile<2xf64> -> tile<f64> (%a: tile<f64>, %b: tile<f64>) {
      %c = addf %a, %b : tile<f64>
      yield %c : tile<f64>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f64] : tile<2x2xf64> -> tile<2x2xf64> (%a: tile<f64>, %b: tile<f64>) {
      %c = addf %a, %b : tile<f64>
      yield %c : tile<f64>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f64] : tile<2x2xf64> -> tile<2x2xf64> (%a: tile<f64>, %b: tile<f64>) {
      %c = addf %a, %b : tile<f64>
      yield %c : tile<f64>
    }
    return
  }
  entry @folds_tf32() {
    %x = constant <tf32: [[1.0, -2.5], [0x3FC00, 0x00001]]> : tile<2x2xtf32>
    %rows = reduce %x dim=1 identities=[0.0 : tf32] : tile<2x2xtf32> -> tile<2xtf32> (%a: tile<tf32>, %b: tile<tf32>) {
      %w = ftof %a : tile<tf32> -> tile<f32>
      %u = ftof %b : tile<tf32> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<tf32>
      yield %c : tile<tf32>
    }
    %all = reduce %rows dim=0 identities=[0.0 : tf32] : tile<2xtf32> -> tile<tf32> (%a: tile<tf32>, %b: tile<tf32>) {
      %w = ftof %a : tile<tf32> -> tile<f32>
      %u = ftof %b : tile<tf32> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<tf32>
      yield %c : tile<tf32>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : tf32] : tile<2x2xtf32> -> tile<2x2xtf32> (%a: tile<tf32>, %b: tile<tf32>) {
      %w = ftof %a : tile<tf32> -> tile<f32>
      %u = ftof %b : tile<tf32> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<tf32>
      yield %c : tile<tf32>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : tf32] : tile<2x2xtf32> -> tile<2x2xtf32> (%a: tile<tf32>, %b: tile<tf32>) {
      %w = ftof %a : tile<tf32> -> tile<f32>
      %u = ftof %b : tile<tf32> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<tf32>
      yield %c : tile<tf32>
    }
    return
  }
  entry @folds_e4m3() {
    %x = constant <f8E4M3FN: [[448.0, 0x7F], [-0.015625, 0x01]]> : tile<2x2xf8E4M3FN>
    %rows = reduce %x dim=1 identities=[0.0 : f8E4M3FN] : tile<2x2xf8E4M3FN> -> tile<2xf8E4M3FN> (%a: tile<f8E4M3FN>, %b: tile<f8E4M3FN>) {
      %w = ftof %a : tile<f8E4M3FN> -> tile<f32>
      %u = ftof %b : tile<f8E4M3FN> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E4M3FN>
      yield %c : tile<f8E4M3FN>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f8E4M3FN] : tile<2xf8E4M3FN> -> tile<f8E4M3FN> (%a: tile<f8E4M3FN>, %b: tile<f8E4M3FN>) {
      %w = ftof %a : tile<f8E4M3FN> -> tile<f32>
      %u = ftof %b : tile<f8E4M3FN> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E4M3FN>
      yield %c : tile<f8E4M3FN>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f8E4M3FN] : tile<2x2xf8E4M3FN> -> tile<2x2xf8E4M3FN> (%a: tile<f8E4M3FN>, %b: tile<f8E4M3FN>) {
      %w = ftof %a : tile<f8E4M3FN> -> tile<f32>
      %u = ftof %b : tile<f8E4M3FN> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E4M3FN>
      yield %c : tile<f8E4M3FN>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f8E4M3FN] : tile<2x2xf8E4M3FN> -> tile<2x2xf8E4M3FN> (%a: tile<f8E4M3FN>, %b: tile<f8E4M3FN>) {
      %w = ftof %a : tile<f8E4M3FN> -> tile<f32>
      %u = ftof %b : tile<f8E4M3FN> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E4M3FN>
      yield %c : tile<f8E4M3FN>
    }
    return
  }
  entry @folds_e5m2() {
    %x = constant <f8E5M2: [[57344.0, 0x7C], [0xFE, -0.25]]> : tile<2x2xf8E5M2>
    %rows = reduce %x dim=1 identities=[0.0 : f8E5M2] : tile<2x2xf8E5M2> -> tile<2xf8E5M2> (%a: tile<f8E5M2>, %b: tile<f8E5M2>) {
      %w = ftof %a : tile<f8E5M2> -> tile<f32>
      %u = ftof %b : tile<f8E5M2> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E5M2>
      yield %c : tile<f8E5M2>
    }
    %all = reduce %rows dim=0 identities=[0.0 : f8E5M2] : tile<2xf8E5M2> -> tile<f8E5M2> (%a: tile<f8E5M2>, %b: tile<f8E5M2>) {
      %w = ftof %a : tile<f8E5M2> -> tile<f32>
      %u = ftof %b : tile<f8E5M2> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E5M2>
      yield %c : tile<f8E5M2>
    }
    %forward = scan %x dim=0 reverse=false identities=[0.0 : f8E5M2] : tile<2x2xf8E5M2> -> tile<2x2xf8E5M2> (%a: tile<f8E5M2>, %b: tile<f8E5M2>) {
      %w = ftof %a : tile<f8E5M2> -> tile<f32>
      %u = ftof %b : tile<f8E5M2> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E5M2>
      yield %c : tile<f8E5M2>
    }
    %backward = scan %x dim=1 reverse=true identities=[0.0 : f8E5M2] : tile<2x2xf8E5M2> -> tile<2x2xf8E5M2> (%a: tile<f8E5M2>, %b: tile<f8E5M2>) {
      %w = ftof %a : tile<f8E5M2> -> tile<f32>
      %u = ftof %b : tile<f8E5M2> -> tile<f32>
      %s = maxf %w, %u : tile<f32>
      %c = ftof %s : tile<f32> -> tile<f8E5M2>
      yield %c : tile<f8E5M2>
    }
    return
  }
}
