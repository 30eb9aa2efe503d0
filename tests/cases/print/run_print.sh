#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a case's variant `once` prints has to be the text in CASE.MODE.txt, on any number of threads, on the host and as code
# for GPUs:
# run_print.sh FPDIFF CASE.MODE.txt
set -u
fpdiff=$1
cd "$(dirname "$2")" || exit 1
expected=$(basename "$2")
case=${expected%%.*}
mode=${expected#*.}
mode=${mode%.txt}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
check() { # TARGET PROFILE MODE
    for jobs in 1 3; do
        "$fpdiff" run --target "$1" --profile "$2" --mode "$3" --variant once --jobs $jobs --quiet -o "$folder/buffers" "$case.yaml" >"$folder/out" ||
            exit 1
        echo "$case.yaml: variant once ($3), launch 1 of 1, prints:" | cat - "$expected" >"$folder/expected"
        cmp "$folder/expected" "$folder/out" || exit 1
    done
}
check host triton-3.9 "$mode"
check simt triton-3.9 "$mode"
[ "$mode" = fpsan ] || check host tower fpsan # which prints numbers
