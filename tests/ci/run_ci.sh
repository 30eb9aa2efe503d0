#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_ci.sh TEST.py FPDIFF SOURCES
python=$3/.venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -c 'import cuda.tile, yaml' 2>/dev/null; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/ci/requirements.txt'"
    exit 77
fi
exec "$python" "$3/tests/ci/$1" "$2" "$3"
