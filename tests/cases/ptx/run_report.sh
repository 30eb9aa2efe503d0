#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a report says of a pair of kernels of PTX, of who stored what diverges and of what PTX may have lost, has to be
# the text in CASE.txt, on any number of threads and however it is compiled. The JSON report has as many kinds of
# losses: run_report.sh FPDIFF CASE.txt
set -u
fpdiff=$1
cd "$(dirname "$2")" || exit 1
expected=$(basename "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for jobs in 1 2; do
    "$fpdiff" --jobs $jobs --json "$folder/json" "${expected%.txt}.yaml" >"$folder/report" || exit 1
    sed -n -E '/ \| .* fpsan /s/ *elements of.*//p; / stored by /p; /^      note: .*, `[a-z]*`: /p' "$folder/report" >"$folder/said"
    diff "$expected" "$folder/said" || exit 1
done
grep '"loss": ' "$folder/json" | sort -u >"$folder/losses"
[ "$(wc -l <"$folder/losses")" -eq "$(grep -c '^      note: ' "$expected")" ]
