#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `fpdiff run --payload`: run_payload.sh FPDIFF FOLDER-OF-CASES. The files, their sizes, what does not depend on the variant or the mode.
set -eu
fpdiff=$1 cases=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "$1"
    exit 1
}
size() {
    wc -c <"$folder/$1" | tr -d ' '
}
for variant in constant tensor; do
    printed=$("$fpdiff" run "$cases/scale_literal.yaml" -v $variant -m fpsan -o "$folder/$variant" --payload)
    [ "$printed" = "$folder/$variant/Y.bin
$folder/$variant/Y.payload.bin" ] || fail "printed $printed"
done
[ "$(size constant/Y.bin)" = 800 ] && [ "$(size constant/Y.payload.bin)" = 4800 ] || fail "wrong sizes"
cmp "$folder/constant/Y.payload.bin" "$folder/tensor/Y.payload.bin" # a literal is a constant
"$fpdiff" run "$cases/scale_literal.yaml" -v constant -m ieee -o "$folder/ieee" --quiet
cmp "$folder/constant/Y.bin" "$folder/ieee/Y.bin" # compiled for IEEE arithmetic alone: the same bits
[ ! -e "$folder/ieee/Y.payload.bin" ] || fail "payloads of mode ieee"
"$fpdiff" run "$cases/scale_data.yaml" -v tensor -m fpsan -o "$folder/data" --payload --quiet
cmp "$folder/constant/Y.bin" "$folder/data/Y.bin"
! cmp -s "$folder/constant/Y.payload.bin" "$folder/data/Y.payload.bin" || fail "data is read as a constant"
"$fpdiff" run "$cases/stored_back.yaml" -v once -m fpsan -o "$folder/other" --profile triton-3.9 --quiet
[ ! -e "$folder/other/X.payload.bin" ] || fail "payloads without --payload"
status=0
"$fpdiff" run "$cases/scale_data.yaml" -v tensor -m ieee 2>"$folder/errors" || status=$?
[ $status = 2 ] && grep -q "run needs -o DIR" "$folder/errors" || fail "run without -o: status $status"
