#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fpdiff --range says of ranges has to be CASE.txt, on any number of threads and however it is compiled; without
# --range it says the lines of CASE.txt that begin with RANGE, and what is below them: run_range.sh FPDIFF CASE.txt
set -u
fpdiff=$1
cd "$(dirname "$2")" || exit 1
expected=$(basename "$2")
case=${expected%.txt}.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for options in "-O 0 --jobs 1" "-O 3 --jobs 3"; do
    "$fpdiff" $options --range "$case" >"$folder/report" || exit 1
    awk '/^  (RANGE|range:)/ { on = 1 } /^  shadow memory/ { on = 0 } on' "$folder/report" >"$folder/said"
    diff "$expected" "$folder/said" || exit 1
done
"$fpdiff" -O 0 "$case" | sed -n '/^  RANGE/p; /^         /p' >"$folder/brief"
sed '/^  range:/,$d' "$expected" | diff - "$folder/brief"
