#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fpdiff says about races in a case has to be the text in CASE.txt, and its whole report the same, on any number of
# threads; with --no-races it says nothing:
# run_races.sh FPDIFF CASE.txt [PROFILE]
set -u
fpdiff=$1
profile="${3:-tower} -O 0"
cd "$(dirname "$2")" || exit 1
expected=$(basename "$2")
case=${expected%.txt}.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for jobs in 1 2 5; do
    "$fpdiff" --profile $profile --jobs $jobs --json "$folder/json" "$case" >"$folder/report$jobs" || exit 1
    grep -E -A1 '^  (RACE|NOTE)  ' "$folder/report$jobs" | grep -v '^--$' >"$folder/races"
    diff "$expected" "$folder/races" || exit 1
    diff "$folder/report1" "$folder/report$jobs" || exit 1
done
grep -q '"race_check": "complete"' "$folder/json" || exit 1
found=$(grep -c '^  RACE' "$expected") listed=$(grep -c '"harmless": false' "$folder/json")
[ "$found" -eq 0 ] && [ "$listed" -ne 0 ] && exit 1
[ "$listed" -lt "$found" ] && exit 1
"$fpdiff" --profile $profile --no-races "$case" | grep -q RACE && exit 1
exit 0
