#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The JSON report of several cases is written when their programs are closed; places of constants in it are still those
# of the source: run_places.sh FPDIFF FOLDER
set -u
"$1" -O 0 --json - "$2/means_needed.yaml" "$2/means.yaml" |
    awk '/"constants"/ { within = 1 } within && /"file"/ { print; within = 0 }' >"${TMPDIR:-/tmp}/places.$$"
grep -q '"file": "/src/tests/cases/tower/tower.py"' "${TMPDIR:-/tmp}/places.$$" && ! grep -v tower.py "${TMPDIR:-/tmp}/places.$$"
status=$?
rm -f "${TMPDIR:-/tmp}/places.$$"
exit $status
