#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Payloads judge the compiler: no mode and no single flag may change the formula of a case, and in triton-3.9 none may
# change any payload: run_builds.sh FPDIFF PROFILE CASE.yaml...   (PROFILE -: what the case says)
set -u
fpdiff=$1
profile=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
builds=ieee,strict,precise,fast
for flag in reassoc nnan ninf nsz arcp contract afn ftz; do builds=$builds,ieee+$flag; done
[ "$profile" = - ] || set -- --profile "$profile" "$@"
"$fpdiff" -O 0 --math $builds "$@" >"$folder/report" 2>"$folder/errors"
status=$?
# Results of some cases are meant to diverge, and results of some builds do (exit status 1).
grep -E '^([^ ].*:|  [^ ]+ +[^ ]+ +(REWRITE|IDENTICAL|NUMERIC|DECISION|UNKNOWN|DIVERGED|MEASURED|RACE) )' "$folder/report" >"$folder/lines"
if grep -q ' REWRITE ' "$folder/lines"; then
    echo "a build changes the formula of:"
    awk '/^[^ ]/ { name = $0 } / REWRITE / { print name; print }' "$folder/lines"
    exit 1
fi
[ $status -le 1 ] || { cat "$folder/errors"; exit 1; }
[ "$(grep -cE '^  [^ ]+ +(ieee\+)?[a-z]+ +(IDENTICAL|NUMERIC|DECISION|UNKNOWN|DIVERGED|MEASURED|RACE) ' "$folder/lines")" -ge 11 ] ||
    { echo "no builds were compared"; exit 1; }
