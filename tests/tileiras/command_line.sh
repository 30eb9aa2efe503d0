# SPDX-License-Identifier: Apache-2.0
# The command line of tileiras: spellings, exit statuses, bad input, the environment. Nothing here compiles code.
. "$(dirname "$0")/checks.sh"
good=$source_tree/tests/tileir/data/read_attention_131.tileirbc

# ---- answers -------------------------------------------------------------------------------------------------------------------
expect 0 '^usage: tileiras' --help
expect 0 '^usage: tileiras' -h
expect 0 'TILEIRAS_INSTRUMENTATION' -help
expect 0 '^13.1$' --list-versions
expect 0 '^13.4$' -list-versions
expect 0 '^13.5$' --list-versions
expect 0 '^congruent [0-9.]*$' --version
expect 0 '^instrumentation: none$' --version
expect 0 '^backend: /.*/libcongruent_backend.so, [0-9]* bytes of [0-9.]*$' --version
mkdir -p cuda/bin cuda/nvvm/libdevice
: >cuda/nvvm/libdevice/libdevice.10.bc
printf '#!/bin/sh\ntouch ran\n' >cuda/bin/ptxas
chmod +x cuda/bin/ptxas
CUDA_HOME=$folder/cuda expect 0 "^ptxas: $folder/cuda/bin/ptxas, 20 bytes of" --version
CUDA_HOME=$folder/cuda expect 0 "^libdevice: $folder/cuda/nvvm/libdevice/libdevice.10.bc, 0 bytes of" --version
check 'no program is run' test ! -e ran
expect 0 '^instrumentation: fpsan,casts=mix,profile=triton-3.9$' --version --instrument=fpsan
expect 0 '^instrumentation: fpsan,casts=homomorphic' --instrument fpsan,casts=homomorphic --version
expect 0 '^instrumentation: none$' --version=false --version --instrument=none

# ---- usage -----------------------------------------------------------------------------------------------------------------------
expect 1 'no input file; see tileiras --help \[E101\]$'
expect 1 'no input file' --gpu-name=host
expect 1 'no input file' ''
expect 1 "unknown option '--frob'" --frob "$good"
expect 1 "unknown option '-ox'" -ox "$good"
expect 1 "unknown option '-V'" -V
expect 1 "unknown option '--=x'" --=x
expect 1 "two input files, '$good' and 'b'" "$good" b
expect 1 "two input files, '$good' and '--frob'" -- "$good" --frob
expect 1 "option '-o' needs an argument FILE" "$good" -o
expect 1 "option '--emit' needs an argument KIND" "$good" --emit
expect 1 "--preview=simt: previews are not supported, only what versions of bytecode have" --preview=simt "$good"
expect 1 "-l some.tileirbc: libraries, which are of a preview, are not supported" -l some.tileirbc "$good"
expect 1 "--apply-controls=some.acf: controls of NVIDIA's compiler, which is not used, are not supported" --apply-controls=some.acf "$good"
expect 1 "option '-O' needs an argument LEVEL" -O 3 "$good"
expect 1 "optimisation level '9'" -O9 "$good"
expect 1 "optimisation level '33'" --opt-level=33 "$good"
expect 1 "--rounds=0: expected a number from 1" --rounds=0 "$good"
expect 1 "--rounds=1x: expected a number from 1" --rounds 1x "$good"
expect 1 "--outside-tiles=zero: expected error or padding" --outside-tiles=zero "$good"
expect 1 "optimisation level ''" --opt-level= "$good"
expect 1 "optimisation level '-1'" --opt-level -1 "$good"
expect 1 "lineinfo=maybe': expected true" --lineinfo=maybe "$good"
expect 1 'needs optimisation level 0, found 3' -g "$good"
expect 1 'emit=elf: expected object, asm, cubin, ptx, llvm, tileir, tileir-math or bytecode' --emit=elf "$good"
expect 1 'emit=cubin is for GPUs, not for host' --emit=cubin "$good"
expect 1 'emit=ptx is for GPUs, not for host' --emit=ptx --gpu-name=host "$good"
expect 1 'emit=asm is for host, not for sm_90' --emit=asm --gpu-name=sm_90 "$good"
expect 1 'emit=object is for host, not for sm_90' --gpu-name=sm_90 --emit=object "$good"
expect 1 'cpu is for host, not for sm_90' --gpu-name=sm_90 --cpu=haswell "$good"
expect 1 'save-temps needs --emit=cubin' --save-temps "$good"
expect 1 'resources needs --emit=cubin' --resources --gpu-name=sm_90 --emit=ptx "$good"
expect 1 'save-temps needs an output file' --save-temps --gpu-name=sm_90 -o - "$good"
expect 1 'remark-format=xml: expected command-line or yaml' --remark-format=xml "$good"
expect 1 'remarks-failed=some: expected none, all, memory or tensorcore' --remarks-failed some "$good"
expect 1 'sanitize=racecheck: expected memcheck' --sanitize=racecheck "$good"
expect 1 'host-arch=riscv: expected x86_64 or aarch64' --host-arch=riscv "$good"
expect 1 'host-os=mac: expected linux or windows' --host-os mac "$good"
expect 1 'remarks=some: expected none, all, memory or tensorcore' --remarks some "$good"
expect 1 'bytecode-version=13.9: expected 13.1 to 13.5' --emit=bytecode --bytecode-version=13.9 "$good"
expect 1 'bytecode-version=13: expected 13.1 to 13.5' --emit=bytecode --bytecode-version 13 "$good"
expect 1 'bytecode-version=: expected' --emit=bytecode --bytecode-version= "$good"
expect 1 'bytecode-version needs --emit=bytecode' --bytecode-version=13.2 "$good"
expect 1 'output file is empty' --emit=tileir --output-file= "$good"

# ---- targets -----------------------------------------------------------------------------------------------------------------------
expect 1 "unknown target 'sm_70'; known targets: host, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121 \[E103\]" --gpu-name=sm_70 "$good"
expect 1 "unknown target ''" --gpu-name= "$good"
expect 1 "cannot compile for target 'sm_107'; known targets: host, sm_80" --gpu-name sm_107 "$good" -o x.cubin
expect 1 "unknown target 'gfx90a'" -arch gfx90a --emit=tileir "$good"

# ---- instrumentation -----------------------------------------------------------------------------------------------------------------
expect 1 '^error: --instrument: ' --instrument=frob "$good"
expect 1 '^error: --instrument: ' --instrument=fpsan,casts=wrong --version
expect 1 '^error: --instrument: ' --instrument=fpsan,profile=none "$good"
expect 1 '^error: --instrument: ' --instrument=fpsan, "$good"
expect 1 '^error: --instrument: ' --instrument=FPSAN "$good"
export TILEIRAS_INSTRUMENTATION=
expect 0 '^instrumentation: none$' --version
TILEIRAS_INSTRUMENTATION=none
expect 0 '^instrumentation: none$' --version
TILEIRAS_INSTRUMENTATION=fpsan
expect 0 '^instrumentation: fpsan,casts=mix' --version
expect 0 '^instrumentation: none$' --version --instrument=none
expect 0 '^instrumentation: none$' --version --instrument=
TILEIRAS_INSTRUMENTATION=fpsan,casts=homomorphic
expect 0 '^instrumentation: fpsan,casts=homomorphic,' --version
expect 0 '^instrumentation: fpsan,casts=mix,' --version --instrument=fpsan
TILEIRAS_INSTRUMENTATION=1
expect 1 '^error: TILEIRAS_INSTRUMENTATION: ' --version
expect 1 '^error: TILEIRAS_INSTRUMENTATION: ' "$good"
expect 0 '^instrumentation: none$' --version --instrument=none # what is overridden is not looked at
expect 0 '^usage: ' --help
unset TILEIRAS_INSTRUMENTATION

# ---- input files ---------------------------------------------------------------------------------------------------------------------
: >empty
head -c 3 "$good" >magic
head -c 100 "$good" >short
printf 'not bytecode at all, just text\n' >text
expect 1 '^nofile: error: cannot open: No such file' nofile
expect 1 '^-: error: cannot open' - # as NVIDIA's tool: not standard input
expect 1 '/: error: is a folder' ./
expect 3 '^empty:.*error:' empty
expect 3 '^magic:.*error:' magic
expect 3 '^short:.*offset' short
expect 3 '^text:.*error:' text
printf '\177TileIR\0\015\006\0\0\0' >new
expect 3 '13\.6' new
if [ "$(id -u)" != 0 ]; then
    : >secret
    chmod 0 secret
    expect 1 'Permission denied' secret
fi

# ---- output files and text -------------------------------------------------------------------------------------------------------------
expect 0 'entry @' --emit=tileir "$good"
cp out first
expect 0 'entry @' --emit tileir --gpu-name=sm_100 -O0 "$good"
check 'the same text for any target' cmp -s out first
expect 0 '' -emit=tileir -o second -- "$good"
check 'the same text in a file' cmp -s second first
expect 0 '' --emit=tileir --output-file third -o=fourth "$good"
check 'the last -o counts' test -f fourth -a ! -e third
expect 0 'entry @' --emit=tileir -o - "$good"
expect 0 'entry @' -lineinfo --emit=tileir "$good"
check 'debug information is printed with --lineinfo' grep -q loc out
cp out located
expect 0 'entry @' -g --emit=tileir "$good"
check 'and with -g, which needs no -O0 where nothing is compiled' cmp -s out located
expect 0 'entry @' -lineinfo=false --emit=tileir "$good"
check 'and not without' cmp -s out first
expect 1 'nodir/x: error: cannot write: No such file' --emit=tileir -o nodir/x "$good"
mkdir dir
expect 1 'dir: error: cannot write' --emit=tileir -o dir "$good"
if [ -c /dev/full ]; then
    "$program" --emit=tileir "$good" >/dev/full 2>err
    status=$?
    check 'a full standard output is status 1' test "$status" = 1
    check 'a full standard output is an error' grep -q 'cannot write to standard output' err
fi

# ---- text ----------------------------------------------------------------------------------------------------------------------------------
expect 0 'entry @' --emit=tileir "$good"
cp out printed.mlir
expect 0 'entry @' --emit=tileir printed.mlir
check 'text that was printed is read back the same' cmp -s out printed.mlir
expect 0 'entry @' --lineinfo --emit=tileir "$good"
cp out located.mlir
expect 0 'entry @' --lineinfo --emit=tileir located.mlir
check 'with debug information, too' cmp -s out located.mlir
expect 0 'entry @' -g --emit=tileir located.mlir
check '-g prints it, too' cmp -s out located.mlir
expect 1 'device-debug needs optimisation level 0' -g --emit=asm located.mlir
printf 'entry @f() {\n  %%0 = addi %%x, %%x : tile<i32>\n}\n' >bad.mlir
expect 3 '^bad.mlir:2:13: error: %x is not defined here' --emit=tileir bad.mlir
printf 'testing$func @f() { }\n' >testing.mlir
expect 3 '^testing.mlir:1:1: error: the module holds more than entries' --emit=tileir testing.mlir

# ---- the backend: looked for beside the program, and a refused file does not need it -------------------------------------------------------
mkdir -p alone/bin
cp "$program" alone/bin/tileiras
installed=$program
program=$folder/alone/bin/tileiras
expect 5 "cannot open the compiler backend; looked at $folder/alone/bin/../lib/libcongruent_backend.so, " "$good"
check 'no object after a failure' test ! -e elf.o
expect 3 '^text:.*error:' text
expect 0 'entry @' --emit=tileir "$good"
mkdir alone/lib
printf 'not a library\n' >alone/lib/libcongruent_backend.so
expect 5 'cannot open the compiler backend' "$good"
program=$installed
finish
