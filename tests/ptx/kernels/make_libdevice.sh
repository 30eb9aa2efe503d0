#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes libdevice whose functions stay calls of __nv_* in PTX: make_libdevice.sh LIBDEVICE.bc OUT.bc (needs llvm-dis and llvm-as 22)
#
# It says `noinline` where NVIDIA's file says `alwaysinline`. Then TRITON_LIBDEVICE_PATH=OUT.bc python ... keeps the calls in all
# that Triton makes, and clang++ -x cuda ... -nocudalib -Xclang -mlink-builtin-bitcode -Xclang OUT.bc in what clang makes.
# nvcc has its libdevice built in: use -Xcicc -O0 or -O1, or keep_calls.h. The file is NVIDIA's and is never kept.
set -eu
PATH=$PATH:/usr/lib/llvm-22/bin
if [ "$2" -nt "$1" ]; then exit 0; fi
dis=$(command -v llvm-dis-22 || command -v llvm-dis) && as=$(command -v llvm-as-22 || command -v llvm-as)
"$dis" "$1" -o - | sed 's/alwaysinline/noinline/' | "$as" -o "$2"
