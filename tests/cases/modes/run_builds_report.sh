#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fpdiff says of a case with several builds has to be CASE.txt, with `all` on any number of threads, and in the JSON
# report as many builds have each verdict: run_builds_report.sh FPDIFF CASE.txt [all]. The exit status is 1 if CASE.yaml begins with
# "# exit 1", else 0.
. "$(dirname "$0")/../said.sh"
status=0
case $(head -n 1 "$case") in '# exit 1: '*) status=1 ;; esac
for jobs in ${3:+1} 3; do
    "$fpdiff" -O 0 --jobs $jobs --json "$folder/json" "$case" >"$folder/report"
    [ $? = $status ] || { echo "$case: the exit status is not $status"; exit 1; }
    diff "$expected" "$folder/report" || exit 1
done
for verdict in identical numeric decision rewrite; do
    people=$(echo $verdict | tr a-z A-Z)
    said=$(grep -cE " $people  +([0-9]+ of |[0-9]+ ulp|[0-9]+ apart|the same numbers|payloads of )" "$folder/report")
    alone=$(grep '^      nothing changes by one alone of: ' "$folder/report" | tr -cd , | wc -c)
    [ $verdict = identical ] && said=$((said + alone + $(grep -c '^      nothing changes by one alone of: ' "$folder/report")))
    found=$(grep -c "\"verdict\": \"$verdict\"" "$folder/json")
    [ "$said" = "$found" ] || { echo "$case: $said times $people, $found times in the JSON report"; exit 1; }
done
