#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs one bad case: run_bad.sh FPDIFF FILE.yaml. The file begins with what has to happen:
#   # exit STATUS: TEXT        the exit status, and a text that the output has to contain
#   # run: fpdiff ARGUMENTS    optional, instead of `fpdiff FILE.yaml`; in the folder of the file
# An error is one line on standard error; with exit status 1 (a verdict) nothing may be there.
set -u
fpdiff=$1
cd "$(dirname "$2")" || exit 1
file=$(basename "$2")
status=$(sed -n '1s/^# exit \([0-9]\): .*/\1/p' "$file")
text=$(sed -n '1s/^# exit [0-9]: //p' "$file")
command=$(sed -n '2s/^# run: fpdiff //p' "$file")
[ -n "$status" ] && [ -n "$text" ] || { echo "$file: the first line is not '# exit STATUS: TEXT'"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$fpdiff" ${command:-"$file"} >"$folder/out" 2>"$folder/err" </dev/null
found=$?
lines=$(wc -l <"$folder/err")
fail() {
    echo "$file: $1"
    cat "$folder/out" "$folder/err"
    exit 1
}
[ "$found" = "$status" ] || fail "exit status $found, expected $status"
cat "$folder/out" "$folder/err" | grep -qF -- "$text" || fail "the output lacks: $text"
[ "$status" != 1 ] || [ "$lines" = 0 ] || fail "$lines lines on standard error, expected none"
[ "$status" = 1 ] || [ "$lines" = 1 ] || [ -n "$command" ] || fail "$lines lines on standard error, expected one"
