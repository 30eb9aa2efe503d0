#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Edits of kernels are found and proven: run_explain.sh FPDIFF FOLDER
cd "$2" || exit 1
fpdiff=$1
failed=0
check() { # CASE TEXT
    text=$("$fpdiff" explain "$1") || failed=1
    printf '%s' "$text" | grep -qF "$2" && return
    echo "$text"
    failed=1
}
check counted.yaml '1. counted_bug2.py:15: the constant 0.25 should be 0.5' # ops that only text has
check scaled.yaml '1. scaled_bug.py:9: the constant 0.25 should be 0.5'
exit $failed
