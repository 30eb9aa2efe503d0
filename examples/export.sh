#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rebuilds the bytecode of every example and test kernel with cuTile Python, in a virtual environment of its own. Needs Python 3.10 to
# 3.14 and the network for pip, but no GPU.   examples/export.sh [FOLDER...]
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import cuda.tile' 2>/dev/null; then
    python3 -m venv .venv
    .venv/bin/pip install --quiet cuda-tile==1.7.0
fi
if [ $# -eq 0 ]; then
    for source in examples/*/*.py tests/cases/*/*.py tests/triton/*.py; do
        grep -q '^EXPORTS' "$source" && echo "$(dirname "$source")"
    done | sort -u | xargs .venv/bin/python examples/export.py
else
    .venv/bin/python examples/export.py "$@"
fi
