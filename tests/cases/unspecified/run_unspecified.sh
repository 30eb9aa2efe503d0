#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fpdiff says about unspecified values in a case, and where they come from, has to be the text in CASE.txt (of code
# for GPUs, run by the host, CASE.simt.txt), and with `all` its whole report the same, on any number of threads and however
# it is compiled; the JSON report names as many origins of what ops depended on: run_unspecified.sh FPDIFF CASE.txt [all]
set -u
fpdiff=$1
cd "$(dirname "$2")" || exit 1
expected=$(basename "$2")
case=${expected%.txt}.yaml
options=
case $expected in
*.simt.txt)
    case=${expected%.simt.txt}.yaml
    options='--target simt --profile triton-3.9'
    ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for jobs in 5 ${3:+1 2}; do
    level=0
    [ $jobs != 2 ] || level=2
    "$fpdiff" $options --optimize $level --jobs $jobs --json "$folder/json" "$case" >"$folder/report$jobs" || exit 1
    grep -E '^      unspecified in |^          origin: |^      note: .* without having been filled ' "$folder/report$jobs" >"$folder/said"
    diff "$expected" "$folder/said" || exit 1
    diff "$folder/report5" "$folder/report$jobs" || exit 1
done
[ "$(grep -c '"origin": {' "$folder/json")" -eq "$(grep -c '^          origin: ' "$expected")" ] || exit 1
