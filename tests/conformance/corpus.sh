# SPDX-License-Identifier: Apache-2.0
# What the corpus program must notice: corpus.sh CORPUS SOURCE_TREE. Each case changes one thing in a small corpus, or in a
# tool that stands for tileirdisasm.
program=$1
from=$(realpath "$2")/tests/corpus
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

fresh() {
    rm -rf "$folder"/*
    mkdir -p "$folder/corpus/text" "$folder/corpus/refused" "$folder/tools/bin" "$folder/tmp"
    cp "$from/text/vector_add.mlir" "$from/text/vector_add.txt" "$folder/corpus/text"
    printf '// refused: has rounding approx\nentry @f(%%x: tile<f32>) {\n  %%y = addf %%x, %%x rounding<approx> : tile<f32>\n}\n' \
        >"$folder/corpus/refused/one.mlir"
}

# A program that stands for tileirdisasm; vector_add is in the bytecode of that kernel alone. It knows no -g.
tool() {
    printf '#!/bin/sh\n%s\n' "$1" >"$folder/tools/bin/tileirdisasm"
    chmod +x "$folder/tools/bin/tileirdisasm"
}

# expect PATTERN OPTION...: the program says so, and fails, since so small a corpus does not cover everything.
expect() {
    pattern=$1
    shift
    TMPDIR=$folder/tmp "$program" --failures --compile=0 "$@" "$folder/corpus" >"$folder/out" 2>&1
    status=$?
    if [ $status -ne 1 ] || ! grep -q -e "$pattern" "$folder/out"; then
        echo "exit status $status, expected 1 and: $pattern"
        grep -v missing "$folder/out"
        failures=$((failures + 1))
    fi
    if [ -n "$(ls "$folder/tmp")" ]; then
        echo "files are left: $(ls "$folder/tmp")"
        failures=$((failures + 1))
    fi
}

fresh
expect '^total  *5  *5/5  *5/5  *5/5  *-  *5/5  *-$'
expect '^coverage: mmaf 13.1: missing$'
expect '^modules to be refused: 1/1, of them 0 by us alone$'
expect 'tileirdisasm and tileiras are not run'
fresh
sed -i 's/addf/subf/' "$folder/corpus/text/vector_add.txt"
expect '^text/vector_add.mlir 13.2: text: line 1[0-9]:$'
fresh
rm "$folder/corpus/text/vector_add.txt"
expect '^text/vector_add.mlir 13.4: text: .*No such file'
fresh
sed -i 's/return/retrun/' "$folder/corpus/text/vector_add.mlir"
expect '^corpus: 0 of 1 files of .*text can be read'
fresh
cp "$from/cutile/printed-13.1.tileirbc" "$folder/corpus/text" # not looked for there
mkdir "$folder/corpus/cutile"
head -c 300 "$from/cutile/printed-13.1.tileirbc" >"$folder/corpus/cutile/cut-13.1.tileirbc"
expect '^cutile/cut-13.1.tileirbc 13.1: verdict: '
fresh
mkdir "$folder/corpus/cutile" # padding of another value is no reason to refuse a file, but it is not written back
LC_ALL=C sed 's/\xcb/\x00/g' "$from/cutile/printed-13.1.tileirbc" >"$folder/corpus/cutile/padded-13.1.tileirbc"
cp "$from/cutile/printed-13.1.txt" "$folder/corpus/cutile/padded-13.1.txt"
expect '^cutile/padded-13.1.tileirbc 13.1: read-write: byte '
expect '^cutile   13.1          1           0/1           1/1           1/1 '
fresh
mkdir "$folder/corpus/cutile" # text has no version: the producer is lost in one that has none
cp "$2/tests/tileir/print/extras-13.1.tileirbc" "$folder/corpus/cutile/producer-13.1.tileirbc"
cp "$2/tests/tileir/print/extras-13.1.txt" "$folder/corpus/cutile/producer-13.1.txt"
expect '^cutile/producer-13.1.tileirbc 13.1: parse-write: line 1:$'
fresh
sed -i 's/rounding approx/rounding full/' "$folder/corpus/refused/one.mlir"
expect 'one.mlir:1: .*expected: has rounding full$'
fresh
sed -i 's/approx>/zero>/' "$folder/corpus/refused/one.mlir"
expect 'one.mlir:1: accepted, expected: '

fresh
tool "grep -q vector_add \"\$1\" && cat '$from/text/vector_add.txt'"
expect '^total  *5  *5/5  *5/5  *5/5  *0/5  *5/5' --tools="$folder/tools"
tool "cat '$from/text/vector_add.txt'"
expect 'one.mlir:1: tileirdisasm takes it$' --tools="$folder/tools"
tool "sed s/addf/mulf/ '$from/text/vector_add.txt'"
expect '^text/vector_add.mlir 13.1: text: line 1[0-9]:$' --tools="$folder/tools"
tool 'echo no good >&2; exit 3'
expect '^text/vector_add.mlir 13.4: verdict: tileirdisasm: refused: no good' --tools="$folder/tools"
expect 'bin/tileirdisasm cannot be run' --tools="$folder/nothing"
if [ $failures -ne 0 ]; then exit 1; fi
