#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Mistakes in kernels of the corpus, and what fpdiff says of them: run_misuse.sh FPDIFF ORACLE ROWS
#
# ORACLE is the folder of unpacked cases, ROWS misuse.txt: a line for each mistake with "|" between case (its path from ORACLE), line of the
# PTX, what is there, what is there instead, exit status, and a text that the output has to contain. `misuse.py --rows` prints such lines.
set -u
fpdiff=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$2" || exit 1
failed=0 count=0
while IFS='|' read -r name line old new status text; do
    case $name in '#'* | '') continue ;; esac
    # The variant of cases with numbers of the oracle, and of those with numbers of numpy.
    module=$(sed -n '/^  \(normal\|ptx\):/{n;s/.*module: \([^,}]*\).*/\1/p;}' "$name.yaml")
    OLD=$old NEW=$new awk -v line="$line" '
        /^[ \t]*\.(loc|file)/ { $0 = "" }
        NR == line { gsub(/[ \t]+/, " "); if (!index($0, ENVIRON["OLD"])) exit 9; $0 = ENVIRON["NEW"] }
        { print }' "$module" >"$folder/mistake.ptx" || { echo "$name:$line is not: $old"; failed=1; continue; }
    awk '/^variants:/ { print; print "  mistake:"; skip = 1 } /^compare:/ { skip = 0 } !skip { print }
        launch { sub(/module: [^,}]*/, "module: mistake.ptx"); print } { launch = /^  (normal|ptx):/ }' "$name.yaml" >"$folder/case.yaml"
    "$fpdiff" run "$folder/case.yaml" -v mistake -m fpsan -o "$folder/out" -O 0 --jobs 1 --rounds 1000000 >"$folder/raw" 2>&1
    found=$?
    sed "s,$folder/,,g" "$folder/raw" >"$folder/said"
    count=$((count + 1))
    if [ "$found" != "$status" ] || ! grep -qF -- "$text" "$folder/said"; then
        echo "$name:$line, $new instead of $old: exit status $found, expected $status with: $text"
        cat "$folder/said"
        failed=1
    fi
done <"$3"
[ "$count" -gt 0 ] || failed=1
exit $failed
