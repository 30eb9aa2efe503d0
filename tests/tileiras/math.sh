# SPDX-License-Identifier: Apache-2.0
# Numeric modes on the command line: what is taken and refused, TILEIRAS_MATH, --emit=tileir-math, --math-report, --drop-math, and the
# square root of docs/numeric-modes.md in PTX for four GPUs, which ptxas assembles where there is one.
. "$(dirname "$0")/checks.sh"
unset TILEIRAS_MATH

# root ROUNDING TYPE: a kernel with one square root.
root() {
    cat >root.mlir <<EOF
entry @k(%p: tile<ptr<$2>>) {
  %a, %t = load_ptr_tko weak %p : tile<ptr<$2>> -> tile<$2>, token
  %b = sqrt %a $1 : tile<$2>
  %u = store_ptr_tko weak %p, %b token=%t : tile<ptr<$2>>, tile<$2> -> token
}
EOF
}
root '' f32
cat >flags.mlir <<'EOF'
entry @k(%p: tile<ptr<f32>>, %a: tile<f32>, %b: tile<f32>) {
  %c = mulf %a, %b fastmath<nsz> : tile<f32>
  %t = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
}
EOF

# ---- what is in force
expect 0 '^math: math=ieee$' --version
expect 0 '^math: math=precise$' --version --math
expect 0 '^math: math=fast denormal-fp-math=ieee$' --version --fast --ftz=false
expect 0 '^math: math=strict max-error=2 math-scope=op=sin:fast$' --version --strict-math --max-error=2 --math-scope=op=sin:fast
export TILEIRAS_MATH='math=fast ftz=false'
expect 0 '^math: math=fast denormal-fp-math=ieee$' --version
expect 0 '^math: math=fast denormal-fp-math=ieee | math=strict$' --version --math=strict
expect 0 'sqrt %[a-z0-9]*  fastmath<fast>' --emit=tileir-math root.mlir
expect 0 'sqrt %[a-z0-9]*  : tile<f32>' --emit=tileir-math --math=strict root.mlir
export TILEIRAS_MATH='math=quick'
expect 1 "^error: TILEIRAS_MATH: 'quick' is no mode; expected ieee, strict, precise or fast" --version
expect 1 "^error: TILEIRAS_MATH: 'quick' is no mode" root.mlir -o root.o
export TILEIRAS_MATH='maths=fast'
expect 1 "^error: TILEIRAS_MATH: 'maths' is no setting; settings are math, " root.mlir -o root.o
unset TILEIRAS_MATH

# ---- wrong words
expect 1 "^error: --math: 'fats' is no mode; expected ieee, strict, precise or fast" --math=fats root.mlir
expect 1 '^error: --fast: strict and fast contradict each other' --strict-math --fast root.mlir
expect 1 "^error: --fast-math-flags: 'quick' is no flag" --fast-math-flags=quick root.mlir
expect 1 '^error: --fast-math-flags: fast-math-flags needs a value' --fast-math-flags root.mlir
expect 1 '^error: --prec-sqrt: __CUDA_PREC_SQRT is 0 and --prec-sqrt is true' --reflect=__CUDA_PREC_SQRT=0 --prec-sqrt=true root.mlir
expect 1 "^error: --reflect: '__CUDA_WHAT' is no key; keys are __CUDA_FTZ, " --reflect=__CUDA_WHAT=1 root.mlir
expect 1 "^error: --max-error: there is no op 'sinus'" --max-error=2:sinus root.mlir
expect 1 "^error: --max-error: 'bitcast' has no error" --max-error=2:bitcast root.mlir
expect 1 'error: --math-scope: .op=sin. matches no op' --math-scope=op=sin:fast --emit=tileir-math root.mlir
expect 1 'error: --math-scope: .op=sin. matches no op' --math-scope=op=sin:fast root.mlir -o root.o
expect 1 'error: --math-scope: .func=k. matches no op: there is no debug information' --math-scope=func=k:fast root.mlir -o root.o
expect 1 'math-report is of what is compiled, not of --emit=tileir' --math-report --emit=tileir root.mlir
expect 1 'drop-math needs --emit=bytecode' --drop-math root.mlir
expect 5 'root.mlir:3:.*function FTZ disagrees with libdevice FTZ: denormal-fp-math is ieee, __CUDA_FTZ is 1, at .sqrt.' \
    --reflect=__CUDA_FTZ=1 root.mlir -o root.o
root 'rounding<zero>' f32
expect 5 'cannot be within 0.5 ulp on processors' --max-error=0.5 root.mlir -o root.o
root '' f32

# ---- bytecode has no place for flags
expect 3 "bytecode has no place for fastmath<nsz> of 'mulf'; --drop-math writes it without" --emit=bytecode flags.mlir
expect 0 '' --emit=bytecode --drop-math flags.mlir -o flags.tileirbc
expect 0 'mulf %[a-z0-9]*, %[a-z0-9]*  : tile<f32>' --emit=tileir flags.tileirbc
expect 0 'mulf %[a-z0-9]*, %[a-z0-9]*  fastmath<nsz> : tile<f32>' --emit=tileir --fast flags.mlir

# ---- what is rewritten reads as what it is
"$program" --emit=tileir-math --fast root.mlir >rewritten.mlir
"$program" --emit=tileir-math rewritten.mlir >again.mlir
check 'what is printed is read as the same' cmp rewritten.mlir again.mlir

# ---- reports
run --math-report --max-error=2 --emit=asm root.mlir
check 'a report names the place, the implementation and the bound' grep -q \
    '^root.mlir:3: sqrt f32: no flags; short root, within 1.5 ulp; wanted 2$' err

# ---- kernels that run while the processor flushes operands
flushing() { # KIND OPTION...: whether code for x86-64-v3 of a sum of two numbers sets that state
    cat >sum.mlir <<EOF2
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<$1>>) {
  %a, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %b = addf %a, %a : tile<f32>
  %u = store_ptr_tko weak %p, %b token=%t : tile<ptr<f32>>, tile<f32> -> token
  %c, %v = load_ptr_tko weak %q : tile<ptr<$1>> -> tile<$1>, token
  %d = addf %c, %c : tile<$1>
  %w = store_ptr_tko weak %q, %d token=%v : tile<ptr<$1>>, tile<$1> -> token
}
EOF2
    shift
    run --emit=asm "$@" sum.mlir -o sum.s && grep -q ldmxcsr sum.s
}
check "a kernel in f32 flushes operands" flushing f32 --ftz --cpu=x86-64-v3
check "one with bf16 does not" eval '! flushing bf16 --ftz --cpu=x86-64-v3'
check "one with f64 does not" eval '! flushing f64 --ftz --cpu=x86-64-v3'
check "nor one that does not flush" eval '! flushing f32 --cpu=x86-64-v3'
check "nor one for processors without fma" eval '! flushing f32 --ftz --cpu=x86-64-v2'
check "nor one for Arm" eval '! flushing f32 --ftz --cpu=neoverse-v1'

# ---- sqrt: written, settings, PTX
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
cell() { # ROUNDING TYPE INSTRUCTION OPTION...
    root "$1" "$2"
    wanted=$3
    written=$1
    shift 3
    for gpu in sm_80 sm_90 sm_100 sm_120; do
        run --gpu-name=$gpu --emit=ptx "$@" root.mlir -o root.ptx
        found=$(grep -o 'sqrt\.[a-z0-9.]*' root.ptx | sort -u | tr '\n' ' ')
        check "sqrt $written with $* is $wanted on $gpu, found $found" [ "$found" = "$wanted " ]
        [ -z "$ptxas" ] || check "ptxas takes it for $gpu" "$ptxas" --gpu-name=$gpu -o root.cubin root.ptx
    done
}
cell '' f32 sqrt.rn.f32 --math=ieee
cell '' f32 sqrt.rn.f32 --math=strict
cell '' f32 sqrt.rn.f32 --math=precise
cell '' f32 sqrt.rn.ftz.f32 --ftz
cell 'flush_to_zero' f32 sqrt.rn.ftz.f32 --math=ieee
cell '' f32 sqrt.approx.f32 --fast-math-flags=afn
cell '' f32 sqrt.approx.f32 --prec-sqrt=false
cell '' f32 sqrt.approx.ftz.f32 --fast
cell '' f32 sqrt.approx.ftz.f32 --use_fast_math
cell '' f32 sqrt.rn.ftz.f32 --use_fast_math --prec-sqrt=true
cell '' f32 sqrt.approx.ftz.f32 --fast-math-flags=afn --ftz
cell '' f32 sqrt.approx.ftz.f32 --prec-sqrt=false --ftz
cell '' f32 sqrt.rn.ftz.f32 --fast --max-error=0.5
cell '' f32 sqrt.rn.f32 --strict-math --max-error=2
cell '' f32 sqrt.approx.f32 --max-error=2
cell 'rounding<approx>' f32 sqrt.rn.f32 --math=ieee
cell 'rounding<approx>' f32 sqrt.rn.f32 --math=strict
cell 'rounding<approx>' f32 sqrt.rn.f32 --math=precise
cell 'rounding<approx>' f32 sqrt.approx.ftz.f32 --fast
cell 'rounding<zero>' f32 sqrt.rz.f32 --fast --ftz=false
cell 'rounding<zero>' f32 sqrt.rz.ftz.f32 --fast
cell '' f64 sqrt.rn.f64 --math=ieee
cell '' f64 sqrt.rn.f64 --fast
[ -n "$ptxas" ] || echo "SKIPPED: assembling, as there is no ptxas"
finish
