#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a report says of a pair of kernels of PTX, of who stored what diverges and of what PTX may have lost, has to be
# the text in CASE.txt, on any number of threads and however it is compiled. The JSON report has as many kinds of
# losses, and for each line that stored what diverges the same op and losses: run_report.sh FPDIFF CASE.txt
. "$(dirname "$0")/../said.sh"
for jobs in 1 2; do
    "$fpdiff" --jobs $jobs --json "$folder/json" "$case" >"$folder/report" || exit 1
    sed -n -E '/ \| .* fpsan /s/ *elements of.*//p; / stored by /p; /^      note: .*, `[a-z0-9]*`: /p' "$folder/report" >"$folder/said"
    diff "$expected" "$folder/said" || exit 1
done
grep '"loss": ' "$folder/json" | sort -u >"$folder/losses"
[ "$(wc -l <"$folder/losses")" -eq "$(grep -c '^      note: ' "$expected")" ]

# "LINE OP LOSS LOSS" of each place that stored an element.
sed -n -E 's/.* stored by [^:]*: [^:]*:([0-9]+) \(([^)]*)\)(, which depends on)?/\1 \2/p' "$folder/said" | tr -d '`,' |
    sort -u >"$folder/stored"
awk '/"mode": / { payloads = /fpsan/ }
    payloads && /"stored": [{]/ { inside = 1; op = line = losses = "" }
    inside && /"op": / { split($0, parts, "\""); op = parts[4] }
    inside && /"line": / { gsub(/[^0-9]/, ""); line = $0 }
    inside && /^ *"[a-z0-9]*",?$/ { split($0, parts, "\""); losses = losses " " parts[2] }
    inside && /}/ { print line " " op losses; inside = 0 }' "$folder/json" | sort -u | diff "$folder/stored" -
