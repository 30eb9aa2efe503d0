#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_formats.sh FPDIFF SOURCES
python=$2/.venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -c 'import junitparser, sarif' 2>/dev/null; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/report/requirements.txt'"
    exit 77
fi
exec "$python" "$2/tests/report/test_formats.py" "$1" "$2"
