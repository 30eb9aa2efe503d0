# SPDX-License-Identifier: Apache-2.0
# Kernels that do nothing, for the pieces of cases in docs/fpdiff.md: what they take is what counts.
entry() {
    file=$1 list='' number=0
    shift
    for type; do
        list="$list${list:+, }%a$number: tile<$type>"
        number=$((number + 1))
    done
    printf 'entry @kernel(%s) {\n  return\n}\n' "$list" >"$file"
    case $file in *.tileirbc) mv "$file" "$file.mlir" && tileiras --emit=bytecode "$file.mlir" -o "$file" ;; esac
}
entry tiled.tileirbc 'ptr<f16>' 'ptr<f32>' i32 i64
entry scores.tileirbc 'ptr<f16>' 'ptr<f16>' 'ptr<f32>'
entry norm.tileirbc 'ptr<f32>' 'ptr<f32>'
entry grouped.mlir 'ptr<i64>'
entry softmax.tileirbc 'ptr<f32>' 'ptr<f32>'
cat >softmax.ttir <<'END'
module {
  tt.func public @softmax(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %a: i32, %b: i32, %c: i32) {
    tt.return
  }
}
END
cat >attention.ptx <<'END'
.version 8.6
.target sm_90
.address_size 64
.visible .entry attention(
    .param .align 64 .b8 map[128],
    .param .u64 .ptr .global .align 16 q,
    .param .u64 .ptr .global .align 16 o,
    .param .f32 scale,
    .param .u32 rows,
    .param .align 8 .b8 sizes[16],
    .param .u64 .ptr .global .align 16 scratch
)
{
    ret;
}
END
cat >constants.mlir <<'END'
entry @kernel(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %a = constant <f32: 1.00988653> : tile<f32>
  %b = constant <f32: 0.424264069> : tile<f32>
  %c = constant <f32: 0.27059805> : tile<f32>
  %d = constant <f32: 3.6888795> : tile<f32>
  return
}
END
