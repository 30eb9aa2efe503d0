#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_no_backend.sh FPDIFF CASE...: without the compiler's backend each case is an error, and standard error says so once.
set -u
fpdiff=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" && cp "$fpdiff" "$folder/bin/fpdiff" || exit 1
env -u LD_LIBRARY_PATH "$folder/bin/fpdiff" -O 0 "$@" >"$folder/out" 2>"$folder/err"
status=$?
errors=$(grep -c 'ERROR: it could not be compiled or run' "$folder/out")
said=$(grep -c 'error: cannot open the compiler backend' "$folder/err")
if [ "$status" = 3 ] && [ "$errors" = $# ] && [ "$said" = 1 ] && [ "$(wc -l <"$folder/err")" = 1 ]; then exit 0; fi
echo "exit status $status, $errors cases with an error, which is said $said times"
cat "$folder/out" "$folder/err"
exit 1
