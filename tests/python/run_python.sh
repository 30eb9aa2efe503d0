#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_python.sh alone|parts|record|cutile|check FPDIFF SOURCES
python=$3/.venv/bin/python
[ -x "$python" ] || python=python3
needs=numpy
[ "$1" = alone ] && needs=sys
[ "$1" = record ] && needs='numpy, triton'
[ "$1" = check ] && needs='numpy, cuda.tile'
[ "$1" = cutile ] && needs='numpy, cuda.tile, pytest'
if ! "$python" -c "import $needs" 2>/dev/null; then
    echo "SKIPPED: needs 'scripts/venv.sh -r tests/python/requirements.txt'"
    exit 77
fi
# A library with sanitizers wants them in the process from its start.
asan=$(ldd "$(dirname "$2")/../lib/libcongruent.so" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p')
[ -z "$asan" ] || export LD_PRELOAD="$asan" ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
PYTHONPATH=$3/python TRITON_DEFAULT_FP_FUSION=0 exec "$python" "$3/tests/python/test_$1.py" "$2" "$3"
