#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program `verdicts` fails where a finding is not found, where a pair without one is called less accurate, and where
# findings.json cannot be read: check_findings.sh VERDICTS FPDIFF
set -u
verdicts=$1 fpdiff=$2
cd "$(dirname "$0")" || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/family"
cp accuracy/scan_f16.yaml accuracy/scan_wide.tileirbc accuracy/scan_narrow.tileirbc "$folder/family"

# expect STATUS TEXT: what is said of the pair, with findings.json as it is
expect() {
    "$verdicts" --accuracy --fpdiff "$fpdiff" "$folder/family/scan_f16.yaml" >"$folder/said" 2>&1
    status=$?
    if [ $status -ne "$1" ] || ! grep -q "$2" "$folder/said"; then
        echo "expected status $1 and: $2; it was $status:"
        cat "$folder/said"
        exit 1
    fi
}

expect 1 "scan_f16.yaml: called less accurate"
echo '{"another": {"less_accurate": "f16"}}' >"$folder/family/findings.json"
expect 1 "scan_f16.yaml: called less accurate"
echo '{"scan_f16": {"less_accurate": "f16"}}' >"$folder/family/findings.json"
expect 0 "LESS ACCURATE, with --accuracy  |      1 |        1 |"
sed -i 's/scan_narrow/scan_wide/' "$folder/family/scan_f16.yaml"
expect 1 "scan_f16.yaml: not called less accurate"
echo '[]' >"$folder/family/findings.json"
expect 3 "findings.json is no object of JSON"
