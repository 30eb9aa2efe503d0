#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_no_backend.sh FPDIFF BACKEND TEXT CASE...: without the compiler's backend (BACKEND: -), or with that one, each case is an
# error, and standard error says so once: TEXT.
set -u
fpdiff=$1 backend=$2 text=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/lib" && cp "$fpdiff" "$folder/bin/fpdiff" || exit 1
if [ "$backend" != - ]; then cp "$backend" "$folder/lib/libcongruent_backend.so" || exit 1; fi
env -u LD_LIBRARY_PATH "$folder/bin/fpdiff" -O 0 "$@" >"$folder/out" 2>"$folder/err"
status=$?
errors=$(grep -c 'ERROR: it could not be compiled or run' "$folder/out")
said=$(grep -c "error: $text" "$folder/err")
if [ "$status" = 3 ] && [ "$errors" = $# ] && [ "$said" = 1 ] && [ "$(wc -l <"$folder/err")" = 1 ]; then exit 0; fi
echo "exit status $status, $errors cases with an error, which is said $said times"
cat "$folder/out" "$folder/err"
exit 1
