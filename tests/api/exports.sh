#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh LIBRARY HEADER: the symbols of the library are the functions of the header.
set -eu
exported=$(nm -D --defined-only "$1" | sed 's/.* //' | LC_ALL=C sort)
declared=$(grep -o 'congruent_[a-z_]*(' "$2" | tr -d '(' | LC_ALL=C sort -u)
[ "$exported" = "$declared" ] && exit 0
printf 'exported:\n%s\ndeclared:\n%s\n' "$exported" "$declared"
exit 1
