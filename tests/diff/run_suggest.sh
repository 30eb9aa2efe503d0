#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `fpdiff suggest`: run_suggest.sh FPDIFF TESTS. For each case, which the first line of suggest/NAME.txt names, it prints
# that text. Sizes of parameters that the case has are such that all kernels take them. What is wrong with one case is
# an error, and no obstacle for the next.
set -u
fpdiff=$1
cd "$2" || exit 1
said=$(mktemp)
trap 'rm -f "$said"' EXIT
fail() {
    echo "$1"
    exit 1
}
for expected in diff/suggest/*.txt; do
    case=$(sed -n '1s/^# \([^:]*\): .*/\1/p' "$expected")
    "$fpdiff" suggest "$case" >"$said" || fail "suggest $case: exit status $?"
    diff "$expected" "$said" || fail "suggest $case"
    grep -q '^parameters:' "$case" || continue
    # "NAME=SIZE" of each size; the case has some of the names.
    awk '/^  [A-Za-z]/ { sub(/:/, ""); name = $1 } /^    - / { print name "=" $2 }' "$said" >"$said.sizes"
    known=$(sed -n 's/^parameters: {\([A-Za-z]*\):.*/\1/p' "$case")
    checked=0
    for size in $(grep "^$known=" "$said.sizes"); do
        "$fpdiff" show --set "$size" "$case" >/dev/null || fail "$case does not take $size"
        checked=$((checked + 1))
    done
    rm -f "$said.sizes"
    [ $checked -gt 0 ] || fail "$case: no size of $known"
done
# The check above can fail: a size that nobody suggests.
"$fpdiff" show --set N=63 bad/parameters_fixed_size.yaml >/dev/null 2>&1 && fail "a kernel for size 64 takes 63"
"$fpdiff" suggest bad/parameters_zero.yaml cases/pointers/even.yaml >"$said" 2>/dev/null
[ $? -eq 2 ] || fail "a wrong case does not exit with 2"
diff diff/suggest/even.txt "$said"
