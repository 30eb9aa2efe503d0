# SPDX-License-Identifier: Apache-2.0
# What tileiras compiles: text and objects, and an object linked into a C program (docs/host-abi.md) and run.
# Further arguments: the C compiler, what the build is sanitized with, [all].
. "$(dirname "$0")/checks.sh"
compiler=$3
sanitizers=${4:+-fsanitize=$4}
share=${5:-some}
attention=$source_tree/examples/attention/flash.tileirbc
copy=$source_tree/tests/cases/copy/copy_f32.tileirbc

# ---- text --------------------------------------------------------------------------------------------------------------------------
expect 0 '^define .*i32 @' --emit=llvm "$attention"
cp out plain.ll
check 'IEEE code has float arithmetic' grep -q 'fadd\|fmul\|llvm.fma' plain.ll
expect 0 '^define .*i32 @' --emit=llvm --instrument=fpsan "$attention"
check 'payload code has no float arithmetic' sh -c '! grep -q "fadd\|fmul\|llvm.fma" out'
cp out payload.ll
export TILEIRAS_INSTRUMENTATION=fpsan
expect 0 '^define' --emit=llvm "$attention"
check 'the environment does what the option does' cmp -s out payload.ll
expect 0 '^define' --emit=llvm "$attention" --instrument=none
check 'the option beats the environment' cmp -s out plain.ll
unset TILEIRAS_INSTRUMENTATION
expect 0 'load atomic i32, .* acquire' --emit=llvm "$source_tree/tests/cases/views/order.mlir"
check 'what is stored through views is released' grep -q 'store atomic i32 .* release' out
expect 0 '_scratch_bytes' --emit=asm "$attention"
expect 0 'alloca\|define' --emit=llvm -O0 "$attention"
check 'levels differ' sh -c '! cmp -s out plain.ll'

# ---- times ------------------------------------------------------------------------------------------------------------------------------
run --times --emit=asm "$attention"
check 'each step has a time' grep -q '^read [0-9.]* ms, verify [0-9.]*, start of LLVM [0-9.]*, lowering [0-9.]*, passes [0-9.]*, code generation [0-9.]*$' err
check 'what is compiled is the same' grep -q '_scratch_bytes' out

# ---- constants in the body of a scan -----------------------------------------------------------------------------------------------------
cat >scan.mlir <<'END'
entry @f() {
  %c = constant <f64: 1.0> : tile<2xf64>
  %r = scan %c dim=0 reverse=false identities=[0.0 : f64] : tile<2xf64> -> tile<2xf64>
  (%a: tile<f64>, %b: tile<f64>) {
    %y = constant <f64: [0.5, 1.0]> : tile<2xf64>
    yield %a : tile<f64>
  }
}
END
expect 0 '^define' --emit=llvm scan.mlir

# ---- what is checked ------------------------------------------------------------------------------------------------------------------
expect 0 'assume.*div_by<16>' --emit=asm --check-assume "$copy"
expect 0 'rounds.*for' --emit=asm --rounds=1000 "$attention"
expect 0 '' --emit=asm "$attention"
check 'rounds are not counted unless asked for' sh -c '! grep -q "rounds.tfor" out'
expect 0 'load_view_tko.*index 0' --emit=asm "$copy"
check 'what is assumed is not checked unless asked for' sh -c '! grep -q "div_by<16>" out'
expect 0 '' --emit=asm --outside-tiles=padding "$copy"
check 'no index is checked where tiles outside are padding' sh -c '! grep -q "load_view_tko.*index 0" out'

# ---- what is compiled once ---------------------------------------------------------------------------------------------------------------
cat >dots.mlir <<'END'
entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <f32: 0.0> : tile<16x16xf32>
  %v = make_tensor_view %p, shape = [%n, %n], strides = [16, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[16,1]>
  %w = make_tensor_view %p, shape = [16, %n], strides = [16, 1] : tile<i32> -> tensor_view<16x?xf32, strides=[16,1]>
  %i = constant <i32: 0> : tile<i32>
  %pv = make_partition_view %v : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[16,1]>>
  %pw = make_partition_view %w : partition_view<tile=(16x16), tensor_view<16x?xf32, strides=[16,1]>>
  %a, %s = load_view_tko weak %pv[%i, %i] : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[16,1]>>, tile<i32> -> tile<16x16xf32>, token
  %b, %t = load_view_tko weak %pw[%i, %i] : partition_view<tile=(16x16), tensor_view<16x?xf32, strides=[16,1]>>, tile<i32> -> tile<16x16xf32>, token
  %c = mmaf %a, %b, %zero : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %d = mmaf %b, %c, %zero : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %e = mmaf %c, %d, %d : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
  %u = store_view_tko weak %e, %pv[%i, %i] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
END
for instrument in none fpsan; do
    expect 0 '' --emit=llvm --instrument=$instrument dots.mlir
    check 'dots that begin with a number share a function, one that begins with a tile has its own' \
        sh -c '[ $(grep -c "^define .*@congruent.product" out) = 2 ] && [ $(grep -c "call .*@congruent.product" out) = 3 ]'
    check 'views share their check' \
        sh -c '[ $(grep -c "^define .*@congruent.view" out) = 1 ] && [ $(grep -c "call .*@congruent.view" out) = 2 ]'
done

# ---- source lines ----------------------------------------------------------------------------------------------------------------------
expect 0 '[.]loc' --emit=asm --lineinfo "$attention"
check 'lines of the kernel, in its file' grep -q '[.]file.*attention[.]py' out
expect 0 '' --emit=asm "$attention"
check 'no lines unless asked for' sh -c '! grep -q "[.]loc" out'
expect 0 '!DILocation' --emit=llvm -g -O0 "$attention"
cat >lines.mlir <<'END'
cuda_tile.module @lines {
entry @add(%to: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %old, %added = atomic_rmw_tko relaxed device %to, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
}
END
for target in host sm_90; do
    expect 0 '' --gpu-name=$target --emit=llvm --lineinfo lines.mlir
    check "the line of what an op takes memory for, for $target" \
        sh -c 'at=$(sed -n "s/.*atomicrmw.*!dbg \(![0-9]*\).*/\1/p" out) && grep -q "^$at = !DILocation(line: 4, " out'
done

# ---- processors ----------------------------------------------------------------------------------------------------------------------
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 'ymm' --emit=asm --cpu=haswell "$attention"
    check 'no 512-bit registers on haswell' sh -c '! grep -q zmm out'
    expect 0 'zmm' --emit=asm --cpu skylake-avx512 "$attention"
    expect 0 'xmm' --emit=asm --cpu=x86-64 --instrument=fpsan "$attention"
fi
# Objects for another kind of machine: of every fifth example, or all.
number=0
for module in "$source_tree"/examples/*/*.tileirbc; do
    number=$((number + 1))
    [ "$share" = all ] || [ $((number % 5)) = 1 ] || continue
    for arithmetic in none fpsan; do
        expect 0 '' --cpu=neoverse-v1 -O1 --instrument=$arithmetic "$module" -o arm.o
        check "$module for aarch64" sh -c 'od -An -tx1 -j18 -N2 arm.o | grep -q "b7 00"'
    done
done
expect 1 "unknown processor 'i8086'; this machine is '.*known are: .*x86-64" --cpu=i8086 "$copy"

# ---- objects ---------------------------------------------------------------------------------------------------------------------------
expect 0 '' "$copy"
check 'the default output is elf.o' test -s elf.o
expect 0 '' "$copy" -O2 --gpu-name host -o named.o
check 'an object' sh -c 'head -c 4 named.o | grep -q ELF'
expect 0 'ELF' --emit=object -o - "$copy"
for level in 0 1 2 3; do
    expect 0 '' "$source_tree/docs/host_abi_example/scale.tileirbc" -O$level -o scale.o
    # shellcheck disable=SC2086
    check "linking at -O$level" "$compiler" $sanitizers -I"$source_tree" "$source_tree/docs/host_abi_example/run_scale.c" scale.o -lmvec -lm -o run_scale
    ./run_scale >printed
    status=$?
    check "running at -O$level" test "$status" = 0
    check "what the example prints at -O$level" cmp printed "$source_tree/docs/host_abi_example/expected.txt"
done

# ---- what kernels print, and globals ---------------------------------------------------------------------------------------------------
here=$source_tree/tests/tileiras
for instrument in none fpsan; do
    expect 0 '' "$here/talk.mlir" --instrument=$instrument -o talk.o
    # shellcheck disable=SC2086
    check 'linking a kernel that prints' "$compiler" $sanitizers -I"$source_tree" "$here/run_talk.c" "$source_tree/base/host_print.c" talk.o -lmvec -lm -o run_talk
    ./run_talk >printed
    status=$?
    check 'running it' test "$status" = 0
    [ $instrument = none ] && check 'what it prints' cmp printed "$here/talk.txt"
    [ $instrument = none ] || check 'payloads are in hexadecimal' grep -q 'block 0, call 0: 0x35606380$' printed
done
expect 5 "global 'memcpy' has the name of a function of the C library" "$here/clash.mlir"
finish
