#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_docs.sh FPDIFF SOURCES PAGE.md...
python=$2/.venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -c "import cuda.tile, numpy, pytest, yaml" 2>/dev/null; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/docs/requirements.txt'"
    exit 77
fi
exec "$python" "$2/tests/docs/run_docs.py" "$@"
