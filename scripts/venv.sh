#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Python packages in .venv, or $VENV, which is made if missing: venv.sh PACKAGE==VERSION... | -r FILE
# Needs Python 3.10 to 3.14 and the network for pip.
set -eu
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "$@"
