#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_docs.sh PROGRAM.py FPDIFF SOURCES [PAGE.md...]
program=$1
shift
python=$2/.venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -c 'from importlib.util import find_spec as f; assert f("cuda.tile") and all(map(f, "markdown_it numpy pytest triton yaml".split()))' 2>/dev/null; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/docs/requirements.txt'"
    exit 77
fi
exec "$python" "$2/tests/docs/$program" "$@"
