#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What Triton's .json beside a .ttir is read for: run_metadata.sh FPDIFF FOLDER
set -u
fpdiff=$1
cd "$2" || exit 1
failed=0
check() { # TEXT in what was printed
    printf '%s' "$text" | grep -qF -- "$1" && return
    echo "expected '$1', found:"
    echo "$text"
    failed=1
}
text=$("$fpdiff" show two.yaml)
check 'kernel count_0d1 of'
check 'made by Triton 3.9.0 for cuda sm_90: 8 warps, 3 stages, clusters of 2 blocks, products and sums fused on the GPU'
check 'n: i32 7'
"$fpdiff" --quiet two.yaml || failed=1
text=$("$fpdiff" show other.yaml 2>&1) && failed=1 # a file of that name that is not Triton's
check 'has 2 entries, expected one, or the key kernel with one of: clear, count_0d1'

# Damaged files: an error with its place. What is not Triton's, or no file: left alone.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp two.ttir "$folder"
sed 's/two\.ttir, grid/two.ttir, kernel: count, grid/' two.yaml >"$folder/two.yaml"
cp two.json "$folder/good.json"
cd "$folder" || exit 1
refused() { # TEXT
    text=$(timeout 60 "$fpdiff" show two.yaml 2>&1) && failed=1
    check "$1"
}
left_alone() {
    text=$(timeout 60 "$fpdiff" show two.yaml 2>&1) || failed=1
    check 'n: i32 7'
    case $text in *"made by"*) failed=1; echo "$1 was taken for Triton's" ;; esac
}
head -c 60 good.json >two.json
refused 'two.json:1:60: error: no valid JSON: premature end of input'
: >two.json
refused 'two.json:1: error: no valid JSON'
sed 's/"num_warps": 8/"num_warps": "8"/' good.json >two.json
refused "two.json: error: 'num_warps' is something else, expected an integer"
sed 's/"name"/"nome"/' good.json >two.json
refused "two.json: error: 'name' is missing, expected a text"
sed 's/{"backend"[^}]*}/"sm_90"/' good.json >two.json
refused "two.json: error: 'target' is something else, expected an object"
echo '[1, 2]' >two.json
left_alone 'a list'
rm two.json
mkfifo two.json
left_alone 'a pipe'
rm two.json
mkdir two.json
left_alone 'a folder'
rmdir two.json
{ cat good.json; head -c 1100000 /dev/zero | tr '\0' ' '; } >two.json
left_alone 'a large file'
exit $failed
