#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes PTX of cutlass_gemm.cu: CUTLASS=INCLUDE_FOLDER make_cutlass.sh OUT (CUDA 13.0, headers of CUTLASS 4.2; no GPU; 77: not here)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd) && cd "$here"
nvcc=$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")
if ! [ -x "$nvcc" ] || ! [ -f "${CUTLASS:-}/cutlass/cutlass.h" ]; then
    echo "SKIPPED: nvcc or the headers of CUTLASS are missing; CUDA_PATH and CUTLASS name their folders"
    exit 77
fi
flags="-std=c++17 -ptx -I$CUTLASS --expt-relaxed-constexpr -DNDEBUG -w"
"$nvcc" $flags -arch=sm_90a -DARCH=Sm90 -DHOPPER cutlass_gemm.cu -o "$out/gemm_silu.sm_90.ptx"
"$nvcc" $flags -arch=sm_90a -DARCH=Sm90 -DHOPPER -DFP8 cutlass_gemm.cu -o "$out/gemm_silu_f8.sm_90.ptx"
"$nvcc" $flags -arch=sm_100a -DARCH=Sm100 cutlass_gemm.cu -o "$out/gemm_silu.sm_100.ptx"
