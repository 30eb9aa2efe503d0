#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh SOURCE VERSION CC: builds the packages of Debian, which lintian has nothing to say of, unpacks them and uses what is in them.
set -eu
cd "$1"
version=$2 CC=$3
if ! { command -v dpkg-buildpackage && command -v dh && command -v lintian; } >/dev/null; then
    echo 'SKIPPED: dpkg-buildpackage, dh or lintian is missing (scripts/setup.sh --package)'
    exit 77
fi
scripts/deb.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONGRUENT_CACHE=off
for package in congruent libcongruent1 libcongruent-dev; do
    file=$(ls build/deb/"${package}_${version}"_*.deb)
    dpkg -x "$file" "$folder"
    if dpkg -f "$file" Depends | grep -i llvm; then exit 1; fi # LLVM is inside
done
"$folder/usr/bin/fpdiff" examples/attention/attention.yaml | grep -q '^  OK$'
"$folder/usr/bin/tileiras" --version | grep -q "^congruent $version\$"
"$folder/usr/bin/tileiras" --gpu-name=sm_90 --emit=ptx --instrument=fpsan -o "$folder/kernel.ptx" examples/gelu/matmul.tileirbc
man -l "$folder/usr/share/man/man1/fpdiff.1.gz" | grep -q 'compare GPU kernels'
# Documents are as they link to each other; what parts of LLVM want to be said with them is.
cmp docs/fpdiff.md "$folder/usr/share/doc/congruent/docs/fpdiff.md"
cmp packaging/licenses/llvm.txt "$folder/usr/share/doc/libcongruent1/llvm.txt"
# Kernels in an object file, with the headers.
example=$folder/usr/share/doc/congruent/docs/host_abi_example
"$folder/usr/bin/tileiras" -o "$folder/scale.o" "$example/scale.tileirbc"
$CC -I"$folder/usr/include/congruent" -o "$folder/run_scale" "$example/run_scale.c" "$folder/scale.o" -lmvec -lm
"$folder/run_scale" | diff docs/host_abi_example/expected.txt -
# A program in C, with the library that is unpacked.
PKG_CONFIG_PATH=$(dirname "$(find "$folder" -name congruent.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  (flags are words)
$CC -o "$folder/check" examples/api/check.c $(pkg-config --cflags --libs congruent)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir congruent) "$folder/check" examples/gelu/gelu.yaml | diff examples/api/check.txt -
echo '1 passed, 0 failed'
