#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cases compared with several seeds by one process, which compiles once, are reported as by a process for each:
# run_seeds.sh FPDIFF PROFILE CASE...
set -u
fpdiff=$1 profile=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$fpdiff" -O 0 --profile "$profile" --seed 5..7 "$@" >"$folder/together"
together=$?
worst=0
for case; do
    for seed in 5 6 7; do
        "$fpdiff" -O 0 --profile "$profile" --seed $seed "$case" >"$folder/one"
        status=$?
        [ $status -gt $worst ] && worst=$status
        [ -s "$folder/alone" ] && echo >>"$folder/alone"
        sed "1s/$(basename "$case")/&, seed $seed/" "$folder/one" >>"$folder/alone"
    done
done
diff "$folder/alone" "$folder/together" || exit 1
[ $together -eq $worst ] || { echo "exit status $together, expected $worst"; exit 1; }
"$fpdiff" -O 0 --profile "$profile" --seed 5..7 --json - "$@" >"$folder/json"
[ "$(grep -c '"seed": "[567]"' "$folder/json")" -eq $((3 * $#)) ] || { echo "the JSON lacks seeds"; exit 1; }
