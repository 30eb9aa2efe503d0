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
exit $failed
