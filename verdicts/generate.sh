#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rebuilds the corpus from its tables with cuTile Python, in the virtual environment of examples/export.sh. Needs Python
# 3.10 to 3.14 and the network for pip, but no GPU.   verdicts/generate.sh [FAMILY...]
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import cuda.tile, numpy' 2>/dev/null; then
    python3 -m venv .venv
    .venv/bin/pip install --quiet cuda-tile==1.7.0 numpy
fi
.venv/bin/python verdicts/generate.py "$@"
