# SPDX-License-Identifier: Apache-2.0
# run_misuse.sh FPDIFF CASE: `fpdiff run` says what is wrong with blocks that have parts, writes the results all the
# same, and ends with status 1.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" run -v copied -m ieee -o "$folder" "$2" >"$folder/out" 2>"$folder/err"
status=$?
[ "$status" = 1 ] && [ -s "$folder/Y.bin" ] && grep -q 'error: variant copied, launch 1' "$folder/err" &&
    grep -q 'note: the other of the two' "$folder/err" && ! grep -q 'such errors at other' "$folder/err" && exit 0
echo "exit status $status"
cat "$folder/out" "$folder/err"
exit 1
