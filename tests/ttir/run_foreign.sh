#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that are no kernel say what they are: run_foreign.sh FPDIFF
set -u
fpdiff=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
cat >case.yaml <<END
buffers:
  X: {type: f32, shape: [16]}
variants:
  one: [{module: kernel.ttir, grid: [1], args: [X]}]
compare: [X]
END
check() { # BYTES TEXT
    printf "$1" >kernel.ttir
    text=$("$fpdiff" case.yaml 2>&1)
    status=$?
    case $text in *"kernel.ttir: error: $2"*) [ $status != 3 ] || return ;; esac
    echo "$1: expected status 3 and '$2', found $status and:"
    echo "$text"
    failed=1
}
give='kernels are read from PTX, and from bytecode and text of Tile IR, and from Triton IR (export that: the file .ttir'
check '' "the file is empty; $give"
check ' \n\t\n' "the file is empty; $give"
check "; ModuleID = 'LLVMDialectModule'\n" "this is text of LLVM IR; $give"
check '\nsource_filename = "x"\n' "this is text of LLVM IR; $give"
check 'BC\300\336' "this is bitcode of LLVM; $give"
check '\177ELF\2' "this is an ELF file, such as a cubin; $give"
check 'Function:softmax\n' "this is SASS; $give"
check '{"hash": "9d"}\n' "this is JSON; $give"
check 'import triton\n' "this is Python; $give"
check '@triton.jit\n' "this is Python; $give"
check '\037\213\10\10' 'this is a file packed by gzip; unpack it'
check '\50\265\57\375' 'this is a file packed by zstd; unpack it'
check '\357\273\277module {' 'this is text that begins with a byte order mark; save it as UTF-8 without one'
check '\377\376m\0' 'this is text in UTF-16; save it as UTF-8'
check '\376\377\0m' 'this is text in UTF-16; save it as UTF-8'
exit $failed
