#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fpdiff --range says of ranges has to be CASE.txt, with `all` on any number of threads and however it is compiled;
# without --range it says the lines of CASE.txt that begin with RANGE, and what is below them. The JSON report has as
# many lines: run_range.sh FPDIFF CASE.txt [all]
. "$(dirname "$0")/../said.sh"
set -- "${3:-}" "-O 0 --jobs 3" "-O 3 --jobs 1"
[ "$1" ] || set -- "" "$2"
shift
for options in "$@"; do
    "$fpdiff" $options --range --json "$folder/json" "$case" >"$folder/report" || exit 1
    awk '/^  (RANGE|range:)/ { on = 1 } /^  shadow memory/ { on = 0 } on' "$folder/report" >"$folder/said"
    diff "$expected" "$folder/said" || exit 1
done
[ "$(grep -c ' is the first op that makes ' "$expected")" = "$(grep -c '"first_made": ' "$folder/json")" ] || exit 1
[ "$(grep -cE '^      [^ ]+:[0-9]+ ' "$expected")" = "$(sed '1,/"range": /d' "$folder/json" | sed '/"lines": /,/\]/!d' | grep -c '"op": ')" ] || exit 1
"$fpdiff" -O 0 "$case" | sed -n '/^  RANGE/p; /^         /p' >"$folder/brief"
sed '/^  range:/,$d' "$expected" | diff - "$folder/brief"
