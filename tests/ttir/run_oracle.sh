#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs kernels of Triton: run_oracle.sh FPDIFF FOLDER PART PARTS    (FOLDER is unpacked oracle.tar.zst)
# Of every PARTS-th line of list.txt, from number PART on: the numbers are numpy's within the tolerance, the payloads are
# the bits of the real FpSan with both casts, and the kernel runs in the tower. What is in refused.txt beside this file
# is refused instead, with that text.
set -u
fpdiff=$1
folder=$2
part=$3
parts=$4
refused=$(cd "$(dirname "$0")" && pwd)/refused.txt
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
number=0
checked=0

fail() {
    echo "$name: $1"
    failed=1
}

# fpdiff run NAME.yaml, the outputs into $out/WHAT
run() { # WHAT OPTIONS...
    what=$1
    shift
    "$fpdiff" run "$name.yaml" -v triton -O 0 --jobs 1 --quiet "$@" -o "$out/$what" >"$out/text" 2>&1 && return 0
    fail "$what: $(head -c 500 "$out/text")"
    return 1
}

check() {
    if [ -e "$name.ieee.yaml" ] && ! "$fpdiff" -O 0 --jobs 1 --quiet "$name.ieee.yaml" >"$out/text" 2>&1; then
        fail "ieee: $(head -c 2000 "$out/text")"
    fi
    run tower -m fpsan --profile tower
    run ieee -m ieee
    for casts in mix hom; do
        long=mix
        [ $casts = mix ] || long=homomorphic
        [ -n "$outputs" ] || continue
        run $casts -m fpsan --profile triton-3.9 --casts $long || continue
        for buffer in $outputs; do
            cmp "$out/$casts/$buffer.bin" "${name%@*}/$buffer.$casts.bin" >"$out/text" 2>&1 || fail "$casts: $(cat "$out/text")"
        done
    done
    rm -rf "$out"/mix "$out"/hom "$out"/tower "$out"/ieee
}

cd "$folder" || exit 1
while read -r name outputs; do
    number=$((number + 1))
    [ $((number % parts)) = "$part" ] || continue
    checked=$((checked + 1))
    text=$(sed -n "s/^$name //p" "$refused")
    if [ -z "$text" ]; then
        check
    elif "$fpdiff" run "$name.yaml" -v triton -m ieee --quiet -o "$out/refused" >"$out/text" 2>&1; then
        fail "it runs, but refused.txt says: $text"
    elif ! grep -qF "$text" "$out/text"; then
        fail "refused with $(cat "$out/text"), expected: $text"
    fi
done <list.txt
echo "$checked kernels"
[ $checked -gt 0 ] || failed=1
exit $failed
