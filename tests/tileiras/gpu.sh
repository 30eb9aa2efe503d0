# SPDX-License-Identifier: Apache-2.0
# What tileiras makes for GPUs: PTX everywhere, cubins where there is a ptxas (else that part is skipped, which is said).
. "$(dirname "$0")/checks.sh"

# The module that cuTile probes compilers with, of a version ($1): sections, no entries.
empty_module() {
    printf "\\177TileIR\\0\\15\\$1\\0\\0"
    printf '\202\1\10\313\0\204\10\10\313\313\313\313\0\313\313\313\313\313\313\313'
    printf '\203\21\10\313\313\313\313\313\0\313\313\313\0\313\313\313\1\313\313\313\0\0\0\0\0'
    printf '\205\16\4\2\313\313\313\0\0\0\0\1\0\0\0\0\3\201\4\4\313\313\313\0\313\313\313\0'
}
empty_module 4 >empty

expect 0 '^.target sm_90$' --gpu-name=sm_90 --emit=ptx empty
expect 0 '^.version 8.7$' --gpu-name sm_120 --emit=ptx empty
expect 0 'nvptx64-nvidia-cuda' --gpu-name sm_120 --emit=llvm empty
expect 0 '^.target sm_80$' --emit=ptx --arch sm_80 --instrument=fpsan -o - empty

# Lines of several kernels that share functions.
expect 0 '[.]loc' --gpu-name=sm_90 --emit=ptx --lineinfo "$source_tree/tests/tileir/print/extras-13.3.tileirbc"
expect 0 'debug$' --gpu-name=sm_90 --emit=ptx -O0 -g "$source_tree/tests/tileir/print/extras-13.3.tileirbc"

# Nowhere but at a place of our own is looked first.
if "$program" --gpu-name=sm_80 empty -o probe.cubin 2>/dev/null; then
    for version in 1 2 3 4; do
        for gpu in sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121; do
            empty_module $version >module
            [ $version = 4 ] || [ $gpu = sm_120 ] || continue
            rm -f remarks.yaml
            # As cuTile calls it.
            expect 0 '' module -o module.cubin --gpu-name $gpu -O3 --lineinfo --remark-format=yaml --remarks=all --remarks-output-file=remarks.yaml
            check "a cubin for $gpu" sh -c 'head -c 4 module.cubin | grep -q ELF'
            check 'a file for remarks' test -f remarks.yaml -a ! -s remarks.yaml
        done
    done
    expect 0 '' module -o module.cubin --gpu-name sm_120 -O0 --device-debug
    rm -f elf.o
    expect 0 '' --gpu-name=sm_90 --sanitize=memcheck --host-arch=x86_64 --host-os=linux --remarks-missed=memory empty
    check 'the default output is elf.o' test -s elf.o
    expect 0 '' --gpu-name=sm_90 --save-temps empty -o kept.cubin
    check 'the PTX is kept' grep -q '^.target sm_90$' kept.ptx
    expect 0 '' --gpu-name=sm_90 --save-temps empty -o other
    check 'under the name of the output' grep -q '^.target sm_90$' other.ptx
    run --gpu-name=sm_90 --times empty
    check 'ptxas has a time' grep -q 'code generation [0-9.]*, ptxas [0-9.]*$' err
    # As ptxas reports it: kernels of 256 threads keep their tiles in registers.
    for file in matmul_f16 peer_softmax; do
        run --gpu-name=sm_90 --instrument=fpsan --resources "$source_tree/bench/$file.tileirbc"
        check "$file does not spill" grep -q ' 0 bytes of spill stores, 0 bytes of spill loads, ' err
    done
else
    echo "SKIPPED: cubins, as there is no ptxas of CUDA 13.0 or newer"
fi

# What goes wrong with ptxas.
mkdir -p toolkit/bin
printf '#!/bin/sh\necho "ptxas fatal   : no luck"\nexit 1\n' >toolkit/bin/ptxas
chmod +x toolkit/bin/ptxas
mkdir temporary
export TMPDIR="$folder/temporary" CUDA_HOME="$folder/toolkit"
expect 5 "^$folder/toolkit/bin/ptxas: error: status 1: no luck" --gpu-name=sm_90 --save-temps empty -o failed.cubin
check 'the PTX is kept' grep -q '^.target sm_90$' failed.ptx
check 'there is no cubin' test ! -e failed.cubin
check 'nothing is left' rmdir temporary
expect 1 'temporary/congruent-.*: error: cannot make this folder' --gpu-name=sm_90 empty -o failed.cubin
finish
