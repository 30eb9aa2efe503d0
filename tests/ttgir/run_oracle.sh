#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs TTGIR: run_oracle.sh FPDIFF FOLDER PART PARTS [NAME...]    (FOLDER is unpacked oracle.tar.zst, beside it that of tests/ttir)
# Of every PARTS-th line of list.txt, from number PART on, or of those with one of the names:
# - triton: TTIR and TTGIR of a kernel are equal in IEEE arithmetic, in profile triton-3.9 and in the tower;
# - gluon: the numbers are numpy's within the tolerance, the payloads are the bits with both casts, as far as there are any, and it is
#   equal to the same kernel in @triton.jit in all arithmetics, or runs in the tower; and to its PTX in profile triton-3.9;
# - bug: what is wrong is reported as bugs.txt says.
# All but bugs also with --async early. What refused_cases.txt names is refused instead, with that text.
set -u
fpdiff=$1
folder=$2
part=$3
parts=$4
shift 4
wanted=" $* "
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
number=0
passed=0
checked=0

# What is wrong with a case: the first thing, and how many there are.
fail() {
    [ $wrong -gt 0 ] || echo "$name: $1"
    wrong=$((wrong + 1))
}

# fpdiff on a case file, which has to say that all is equal
compare() { # FILE OPTIONS...
    file=$1
    shift
    "$fpdiff" -O 0 --jobs 1 "$@" "$file" >"$out/text" 2>&1 || fail "$file $*: $(grep -E ': error: | DIVERGED | [A-Z]+$' "$out/text" | head -c 800)"
}

run() { # VARIANT OPTIONS...
    variant=$1
    shift
    rm -rf "$out/run"
    "$fpdiff" run "$name.yaml" -v "$variant" -O 0 --jobs 1 --quiet "$@" -o "$out/run" >"$out/text" 2>&1 && return 0
    fail "$variant $*: $(head -c 500 "$out/text")"
    return 1
}

check_triton() {
    for when in late early; do
        compare "$name.yaml" --profile triton-3.9 --async $when
        compare "$name.yaml" --profile tower --async $when
    done
}

check_gluon() {
    for when in late early; do
        [ ! -e "$name.ieee.yaml" ] || compare "$name.ieee.yaml" --async $when
        if [ -e "$name.plain.ttir" ]; then
            compare "$name.yaml" --profile triton-3.9 --async $when
            compare "$name.yaml" --profile tower --async $when
        fi
        [ ! -e "$name.ptx.yaml" ] || compare "$name.ptx.yaml" --async $when
        for text in "$name".sm_*.ttgir; do
            variant=${text%.ttgir}
            variant=${variant##*.}
            run "$variant" -m ieee --async $when
            run "$variant" -m fpsan --profile tower --async $when
            for casts in mix hom; do
                long=mix
                [ $casts = mix ] || long=homomorphic
                run "$variant" -m fpsan --profile triton-3.9 --casts $long --async $when || continue
                for buffer in $outputs; do
                    cmp "$out/run/$buffer.bin" "$name/$buffer.$casts.bin" >"$out/text" 2>&1 || fail "$variant $casts $when: $(cat "$out/text")"
                done
            done
        done
    done
}

# A row of bugs.txt is NAME|TEXT|LINES: a report has the text, a regular expression, and names a line of the kernel's function in the
# source that LINES matches.
check_bug() {
    row=$(grep "^$name|" "$here/bugs.txt") || { fail "bugs.txt does not have it"; return; }
    said=$(echo "$row" | cut -d'|' -f2)
    lines=$(echo "$row" | cut -d'|' -f3-)
    function=$(sed -n 's/^ *tt.func public @\([A-Za-z_0-9]*\).*/\1/p' "$name".sm_*.ttgir | head -1)
    numbers=$(awk -v name="$function" -v lines="$lines" '
        /^(@gluon.jit)?(def .*)?$/ && inside && FNR > first + 1 { inside = 0 }
        index($0, "def " name "(") == 1 { inside = 1; first = FNR }
        inside && $0 ~ lines { printf "%s%s:%d", n++ ? "|" : "", FILENAME, FNR }' ./*.py | sed 's,\./,,g')
    [ -n "$numbers" ] || { fail "bugs.txt: no line is like $lines"; return; }
    for mode in "-m ieee" "-m fpsan --profile triton-3.9" "-m fpsan --profile tower"; do
        # shellcheck disable=SC2086
        "$fpdiff" run "$name.yaml" -v "$(basename "$name".sm_*.ttgir .ttgir | sed 's/.*\.//')" -O 0 --jobs 1 --quiet $mode -o "$out/run" >"$out/text" 2>&1
        status=$?
        if [ $status = 0 ] || ! grep -E -- ": error: .*$said" "$out/text" | grep -Eq "($numbers)([^0-9]|\$)"; then
            fail "$mode: status $status, expected '$said' and one of $numbers: $(head -c 1000 "$out/text")"
        fi
        rm -rf "$out/run"
    done
}

cd "$folder" || exit 1
while read -r name kind outputs; do
    number=$((number + 1))
    if [ "$wanted" = "  " ]; then
        [ $((number % parts)) = "$part" ] || continue
    else
        case $wanted in *" $name "*) ;; *) continue ;; esac
    fi
    checked=$((checked + 1))
    wrong=0
    text=$(sed -n "s/^$name //p" "$here/refused_cases.txt")
    if [ -z "$text" ]; then
        check_"$kind"
    elif "$fpdiff" -O 0 --jobs 1 --quiet "$name.yaml" >"$out/text" 2>&1; then
        fail "it runs, but refused_cases.txt says: $text"
    elif ! grep -qF "$text" "$out/text"; then
        fail "refused with $(cat "$out/text"), expected: $text"
    fi
    if [ $wrong = 0 ]; then
        passed=$((passed + 1))
    else
        [ $wrong = 1 ] || echo "$name: $wrong failures"
        failed=1
    fi
done <list.txt
echo "$passed of $checked cases pass"
[ $checked -gt 0 ] || failed=1
exit $failed
