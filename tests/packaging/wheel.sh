#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wheel.sh SOURCE VERSION: builds the wheel, and uses it from a fresh virtual environment.
set -eu
cd "$1"
scripts/wheel.sh
exec python3 tests/packaging/test_wheel.py "$2" "$PWD" build/wheel/*.whl
