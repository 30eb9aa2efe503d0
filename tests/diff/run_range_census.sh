#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_range_census.sh FPDIFF SOURCES
python=$2/.venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/diff/requirements.txt'"
    exit 77
fi
exec "$python" "$2/tests/diff/range_census.py" "$1" "$2"
