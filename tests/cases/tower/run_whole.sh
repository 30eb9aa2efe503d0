#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_whole.sh FPDIFF CASE.txt: all that fpdiff prints of the case.
. "$(dirname "$0")/../said.sh"
"$fpdiff" "$case" 2>&1 | diff "$expected" -
