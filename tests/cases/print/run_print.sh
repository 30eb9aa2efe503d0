#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a case's variant `once` prints has to be the text in CASE.MODE.txt, on any number of threads:
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
check() { # PROFILE MODE NAME-OF-MODE
    for jobs in 1 3; do
        "$fpdiff" run --profile "$1" --mode "$2" --variant once --jobs $jobs --quiet -o "$folder/buffers" "$case.yaml" >"$folder/out" ||
            exit 1
        echo "$case.yaml: variant once ($2), launch 1 of 1, prints:" | cat - "$expected" >"$folder/expected"
        cmp "$folder/expected" "$folder/out" || exit 1
    done
}
check triton-3.9 "$mode"
[ "$mode" = fpsan ] || check tower fpsan # which prints numbers
