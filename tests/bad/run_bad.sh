#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs bad cases: run_bad.sh FPDIFF FILE.yaml... Each file begins with what has to happen:
#   # exit STATUS: TEXT        the exit status, and a text that the output has to contain
#   # run: fpdiff ARGUMENTS    optional, instead of `fpdiff -O 0 FILE.yaml`; in the folder of the file
# An error is one line on standard error; with exit status 1 (a verdict) nothing may be there.
set -u
fpdiff=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
    echo "$file: $1"
    cat "$folder/out" "$folder/err"
    failed=1
}

run() { # FILE
    file=$(basename "$1")
    { read -r first; read -r second; } <"$1"
    first=${first#"# exit "}
    status=${first%%: *}
    text=${first#*: }
    case $status in
    [0-9]) ;;
    *) echo "$file: the first line is not '# exit STATUS: TEXT'"; failed=1; return ;;
    esac
    command=
    case $second in "# run: fpdiff "*) command=${second#"# run: fpdiff "} ;; esac
    "$fpdiff" ${command:--O 0 "$file"} >"$folder/out" 2>"$folder/err" </dev/null
    found=$?
    lines=$(wc -l <"$folder/err")
    [ "$found" = "$status" ] || fail "exit status $found, expected $status"
    case $(cat "$folder/out" "$folder/err") in
    *"$text"*) ;;
    *) fail "the output lacks: $text" ;;
    esac
    [ "$status" != 1 ] || [ "$lines" = 0 ] || fail "$lines lines on standard error, expected none"
    [ "$status" = 1 ] || [ "$lines" = 1 ] || [ -n "$command" ] || fail "$lines lines on standard error, expected one"
}

cd "$(dirname "$1")" || exit 1
for path in "$@"; do run "$path"; done
exit $failed
