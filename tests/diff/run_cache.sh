#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Code on disk: what it is kept for, what is made anew, and that reports are the same: run_cache.sh FPDIFF FOLDER
set -u
fpdiff=$1
cases="$2/tower/relu_ties.yaml $2/atomics/waits.yaml $2/ptx/arguments.yaml $2/ptx/atomics.yaml"
folder=$(mktemp -d "${TMPDIR:-/tmp}/cache.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
export CONGRUENT_CACHE="$folder/cache"

count() {
    find "$folder/cache" -name '*.cached' | wc -l
}
fail() {
    echo "$1"
    exit 1
}
# report NAME OPTIONS...: what is said of the cases, without times.
report() {
    name=$1
    shift
    "$fpdiff" "$@" $cases >"$folder/$name" 2>&1
    echo "status $?" >>"$folder/$name"
}

report none --no-cache
CONGRUENT_CACHE=off report off
[ -e "$folder/cache" ] && fail "something is kept without a cache"
cmp "$folder/none" "$folder/off" || exit 1
report first
kept=$(count)
[ "$kept" -gt 4 ] || fail "$kept files are kept"
# What is looked up is newer then; all of it is.
find "$folder/cache" -name '*.cached' -exec touch -d '2001-01-01' {} +
report second
[ "$(count)" = "$kept" ] || fail "$(count) files after the second run, $kept after the first"
[ -z "$(find "$folder/cache" -name '*.cached' ! -newermt '2002-01-01')" ] || fail "code that is there was made anew"
for file in "$folder"/cache/*.cached; do echo damaged >"$file"; done
report damaged
[ -z "$(find "$folder/cache" -name '*.cached' -size -2)" ] || fail "damaged code was left"
for name in first second damaged; do cmp "$folder/none" "$folder/$name" || exit 1; done
# Other options are other code.
report other -O 1
[ "$(count)" -gt "$kept" ] || fail "level 1 found the code of level 2"
# Two processes at a time, from nothing.
rm -r "$folder/cache"
report left &
report right
wait
cmp "$folder/none" "$folder/left" && cmp "$folder/none" "$folder/right" || exit 1
# Mutants are compiled once; they are not kept.
rm -r "$folder/cache"
"$fpdiff" mutate "$2/tower/relu_ties.yaml" >"$folder/mutants" 2>&1 || cat "$folder/mutants"
[ -e "$folder/cache" ] && fail "mutants are kept"
exit 0
