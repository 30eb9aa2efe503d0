#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rebuilds verdicts/triton from its tables with Triton, in the virtual environment of scripts/venv.sh. Needs Python 3.10 to
# 3.14 and the network for pip, but no GPU.   verdicts/generate_triton.sh [--truth]
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import triton' 2>/dev/null; then
    scripts/venv.sh triton==3.9.0
fi
TRITON_DEFAULT_FP_FUSION=0 .venv/bin/python verdicts/generate_triton.py "$@"
