#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh SOURCE BUILD CC: installs the build, compiles programs in C with what is installed there, by pkg-config and by CMake, moves it,
# and does so again.
set -eu
source=$1 build=$2 CC=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONGRUENT_CACHE=off
case_file=$source/examples/attention/attention.yaml

cat >"$folder/payload.c" <<'EOF'
#include <sanitizer/fpsan.h>
#include <sanitizer/tower.h>
#include <stdio.h>

int main(void) {
    tower_prepare();
    puts(fpsan_profile_by_name("triton-3.9")->name);
}
EOF
cat >"$folder/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.22)
project(use C)
find_package(congruent 0.2 REQUIRED)
add_executable(check $source/examples/api/check.c)
target_link_libraries(check congruent::congruent)
add_executable(scale $source/examples/api/scale.c)
target_link_libraries(scale congruent::tileir)
add_executable(payload payload.c)
target_link_libraries(payload congruent::fpsan_tower)
EOF
cat >"$folder/print.c" <<'EOF'
#include <base/gpu_abi.h>
#include <base/host_print.c>

int main(void) {
    static const char format[] = "one %d\n";
    const int64_t two[] = {1, 2}, count = 2;
    const HostPrintValue value = {HOST_PRINT_INTEGER, 64, 1, &count, two};
    host_print(stdout, &(HostPrint){format, sizeof format - 1, &value, 1});
}
EOF

use() { # FOLDER: what the programs there print
    "$1/check" "$source/examples/gelu/gelu.yaml" | diff "$source/examples/api/check.txt" -
    "$1/scale" | diff "$source/examples/api/scale.txt" -
    [ "$("$1/payload")" = triton-3.9 ]
}

compile() { # SOURCE PACKAGE
    # shellcheck disable=SC2046  (flags are words)
    $CC -std=gnu17 -Wall -o "$folder/plain/$(basename "$1" .c)" "$1" $(pkg-config --cflags --libs "$2")
}

check() { # PREFIX: all of it works from there
    prefix=$1
    "$prefix/bin/fpdiff" --quiet "$case_file"
    "$prefix/bin/tileiras" --version | grep -q '^congruent '
    "$prefix/bin/tileiras" -o "$folder/kernel.o" "$source/examples/gelu/matmul.tileirbc"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name congruent.pc)")
    export PKG_CONFIG_PATH
    mkdir -p "$folder/plain"
    compile "$source/examples/api/check.c" congruent
    compile "$source/examples/api/scale.c" congruent-tileir
    compile "$folder/payload.c" congruent-fpsan
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir congruent) use "$folder/plain"
    # What needs headers only: the example of host-abi.md, as installed, and the text of prints.
    example=$prefix/share/doc/congruent/docs/host_abi_example
    "$prefix/bin/tileiras" -o "$folder/scale.o" "$example/scale.tileirbc"
    $CC -std=gnu17 -Wall -I"$prefix/include/congruent" -o "$folder/run_scale" "$example/run_scale.c" "$folder/scale.o" -lmvec -lm
    "$folder/run_scale" | diff "$example/expected.txt" -
    $CC -std=gnu17 -Wall -I"$prefix/include/congruent" -o "$folder/print" "$folder/print.c"
    [ "$("$folder/print")" = 'one [1, 2]' ]
    rm -rf "$folder/made"
    CC=$CC cmake -S "$folder" -B "$folder/made" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$folder/made" >/dev/null
    use "$folder/made"
}

cmake --install "$build" --prefix "$folder/first" >/dev/null
for file in share/man/man1/fpdiff.1 share/man/man1/tileiras.1 share/bash-completion/completions/fpdiff \
    share/zsh/site-functions/_fpdiff share/fish/vendor_completions.d/fpdiff.fish share/doc/congruent/docs/fpdiff.md \
    share/doc/congruent/examples/attention/attention.yaml share/doc/congruent/CHANGELOG.md; do
    [ -s "$folder/first/$file" ] || { echo "$file is not installed" >&2; exit 1; }
done
check "$folder/first"
# Nothing names the place where it was made.
if grep -rlF -e "$folder" -e "$build" "$folder/first/lib" "$folder/first/include"; then exit 1; fi
mv "$folder/first" "$folder/second"
check "$folder/second"
echo '1 passed, 0 failed'
