#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fpdiff says by itself of numbers that are far apart has to be CASE.txt; with --accuracy it says the same, but for
# that advice, and whether the variant is less accurate. JSON says it too: run_far_apart.sh FPDIFF CASE.txt
. "$(dirname "$0")/../said.sh"
"$fpdiff" -O 0 --json "$folder/json" "$case" >"$folder/report" || exit 1
grep "numbers far apart" "$folder/report" >"$folder/said"
diff "$expected" "$folder/said" || exit 1
"$fpdiff" -O 0 --accuracy "$case" >"$folder/report" || exit 1
grep "numbers far apart" "$folder/report" >"$folder/said"
sed 's/; --accuracy.*//' "$expected" | diff - "$folder/said" || exit 1
if [ -s "$expected" ]; then
    grep -q "EQUAL, LESS ACCURATE" "$folder/report" && grep -q '"far_apart"' "$folder/json"
else
    ! grep -q "LESS ACCURATE" "$folder/report" && ! grep -q '"far_apart"' "$folder/json"
fi
