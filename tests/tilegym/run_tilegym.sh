#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_tilegym.sh PART FPDIFF SOURCES: the tests whose names have PART in them
python=$3/.venv/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -c "import cuda.tile, numpy, pytest, tilegym, torch" >/dev/null 2>&1; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/tilegym/requirements.txt' and 'scripts/venv.sh --no-deps tilegym==1.5.1'"
    exit 77
fi
cd "$3" || exit 1
export FPDIFF="$2" PYTHONPATH="$3/python" CONGRUENT=outside_tiles=padding
exec "$python" -m pytest -p congruent_gpu.pytest_plugin -p no:cacheprovider -q -W ignore --tb=short --durations=3 tests/tilegym -k "$1"
