#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes PTX of kernels.cu and kernels_90.cu with nvcc and clang: make_cuda.sh OUT (no GPU; exit status 77: no CUDA here)
#
# CUDA_PATH: the toolkit, 13.0 or later; default: where nvcc is, or /usr/local/cuda. CLANG: clang++-22. JOBS: processes, 2.
# What nvcc and clang make holds bodies of NVIDIA's library functions, so it is made here and never kept. Files that are newer
# than the sources stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd) && cd "$here"
nvcc=$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")
cuda=${CUDA_PATH:-$(dirname "$(dirname "$nvcc")")}
clang=${CLANG:-clang++-22}
library=$cuda/nvvm/libdevice/libdevice.10.bc
if ! [ -x "$nvcc" ]; then
    echo "SKIPPED: there is no nvcc; CUDA_PATH names the folder of a CUDA toolkit"
    exit 77
fi

# make FILE SOURCE COMMAND...: a line "FILE COMMAND" unless FILE.ptx is there already; xargs runs the lines.
make() {
    file=$out/$1.ptx source=$2 && shift 2
    if [ "$file" -nt "$source" ] && [ "$file" -nt make_cuda.sh ] && [ "$file" -nt keep_calls.h ]; then return; fi
    printf '%s\n' "$* $source -o '$file.new' && mv '$file.new' '$file'"
}
nvcc_to_ptx="$nvcc -std=c++17 -w -ptx"
clang_to_ptx="$clang -x cuda --cuda-path=$cuda --cuda-device-only -std=c++17 -O2 -S -I$cuda/include/cccl -w --cuda-gpu-arch=sm_80"
{
    for gpu in 80 90a 100a; do make "kernels.nvcc.sm_${gpu%a}" kernels.cu "$nvcc_to_ptx" -arch=sm_$gpu; done
    make kernels.fast.sm_90 kernels.cu "$nvcc_to_ptx" -arch=sm_90a -use_fast_math
    make kernels.ftz.sm_90 kernels.cu "$nvcc_to_ptx" -arch=sm_90a -fmad=false -prec-div=false -prec-sqrt=false -ftz=true
    make kernels.calls.sm_90 kernels.cu "$nvcc_to_ptx" -arch=sm_90a -Xcicc -O0 # math functions stay calls
    make kernels.keep.sm_90 kernels.cu "$nvcc_to_ptx" -arch=sm_90a -rdc=true -include keep_calls.h # the same, optimised
    for gpu in 90a 100a; do make "kernels_90.nvcc.sm_${gpu%a}" kernels_90.cu "$nvcc_to_ptx" -arch=sm_$gpu; done
    if command -v "$clang" >/dev/null; then
        make kernels.clang.sm_80 kernels.cu "$clang_to_ptx"
        if [ -f "$library" ] && ./make_libdevice.sh "$library" "$out/libdevice.noinline.bc"; then
            make kernels.clang_noinline.sm_80 kernels.cu "$clang_to_ptx -nocudalib -Xclang -mlink-builtin-bitcode -Xclang '$out/libdevice.noinline.bc'"
        fi
    else
        echo "$clang is missing: PTX of clang is left out" >&2
    fi
} | xargs -r -d '\n' -n 1 -P "${JOBS:-2}" sh -c
