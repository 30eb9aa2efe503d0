#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An edit of a kernel with own ops is found and proven: run_explain.sh FPDIFF FOLDER
cd "$2" || exit 1
text=$("$1" explain counted.yaml) || exit 1
printf '%s' "$text" | grep -q '1\. counted_bug2.py:15: the constant 0.25 should be 0.5' && exit 0
echo "$text"
exit 1
