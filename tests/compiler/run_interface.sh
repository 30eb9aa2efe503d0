#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_interface.sh CMAKE SOURCE: the number of the backend's interface changes with each file that says what crosses it, and
# with no other.
set -u
cmake=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

number() {
    "$cmake" -D SOURCE="$folder/some source" -D OUT="$folder/out.h" -D DEPENDENCIES="$folder/out.d" \
        -P "$source/cmake/backend_interface.cmake" && grep -o '0x[0-9a-f]*' "$folder/out.h"
}

mkdir "$folder/some source" || exit 1
(cd "$source" && tar -cf - base/*.h base/*.def compiler sanitizer) | tar -xf - -C "$folder/some source" || exit 1
own=$(number)
[ -n "$own" ] || exit 1
for file in compiler/program.h compiler/compiler.h compiler/compile_options.def compiler/math/flags.def compiler/math/math_settings.h \
    compiler/tileir/tir.h compiler/tileir/ops.def compiler/tileir/types.def compiler/tileir/enums.def \
    compiler/ptx/ptx.h compiler/ptx/instructions.def base/base.h base/errors.def base/kernel_info.h base/losses.def base/host_abi.h \
    base/range_census.h sanitizer/fpsan.h sanitizer/tower.h sanitizer/format/formats.def; do
    cp "$source/$file" "$folder/kept"
    echo '// something else' >>"$folder/some source/$file"
    [ "$(number)" != "$own" ] || { echo "$file: the number stays"; failed=1; }
    grep -qF "some\\ source/$file" "$folder/out.d" || { echo "$file: is no dependency"; failed=1; }
    cp "$folder/kept" "$folder/some source/$file"
done
for file in compiler/lower/lower.h compiler/backend.c compiler/options.def base/arena.c; do
    echo '// something else' >>"$folder/some source/$file"
    [ "$(number)" = "$own" ] || { echo "$file: the number changes"; failed=1; }
done
exit $failed
