#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a case's variant `once` prints and stores, and how it fails, has to be the same on the host and as code for GPUs:
# run_same.sh FPDIFF EXIT-STATUS CASE.yaml
set -u
fpdiff=$1
status=$2
cd "$(dirname "$3")" || exit 1
case=$(basename "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { # TARGET MODE JOBS
    mkdir -p "$folder/$1"
    "$fpdiff" run --target "$1" --profile triton-3.9 --mode "$2" --variant once --jobs "$3" --quiet -o "$folder/$1/buffers" "$case" \
        >"$folder/$1/out" 2>"$folder/$1/err"
    found=$?
    [ "$found" = "$status" ] || { echo "$1 ($2): exit status $found, expected $status"; cat "$folder/$1/err"; exit 1; }
}
for mode in ieee fpsan; do
    run host "$mode" 2
    [ -s "$folder/host/out" ] || { echo "$mode: nothing is printed"; exit 1; }
    for jobs in 1 3; do
        run simt "$mode" $jobs
        diff -r "$folder/host" "$folder/simt" || exit 1
    done
done
