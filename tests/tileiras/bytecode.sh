# SPDX-License-Identifier: Apache-2.0
# tileiras --emit=bytecode: a file comes back byte for byte, and in another version as the same text or as an error. Where NVIDIA's
# tileirdisasm is on the PATH it reads what is written, and must print for it what it prints for the file.
. "$(dirname "$0")/checks.sh"
corpus=$source_tree/tests/tileir/print
kernel=$source_tree/tests/tileir/data/read_attention_131.tileirbc

# ---- files ---------------------------------------------------------------------------------------------------------------------------
expect 0 '' --emit=bytecode "$kernel" -o same
check 'byte for byte' cmp -s same "$kernel"
expect 0 'TileIR' --emit=bytecode "$kernel"
check 'the same on standard output' cmp -s out "$kernel"
expect 0 '' --emit=bytecode --bytecode-version=13.1 -o same --gpu-name=sm_120 "$kernel"
check 'its own version by name, for any target' cmp -s same "$kernel"
expect 0 '' --emit=bytecode --bytecode-version=13.4 "$kernel" -o newer
check 'a newer file differs' sh -c '! cmp -s newer "$1"' - "$kernel"
check 'and says so' test "$(od -An -tu1 -j8 -N2 newer | tr -s ' ')" = ' 13 4'
expect 0 '' --emit=tileir --lineinfo newer -o newer.txt
expect 0 '' --emit=tileir --lineinfo "$kernel" -o same.txt
check 'the text is the same' cmp -s newer.txt same.txt

# ---- what an older version cannot say ----------------------------------------------------------------------------------------------------
refused() { # VERSION TEXT FILE
    expect 3 "$2, the bytecode to be written is $1 \[E202\]$" --emit=bytecode --bytecode-version="$1" -o refused "$3"
    check "no file after an error" test ! -e refused
}
refused 13.1 "offset 0x.*: error: atan2: the op needs version 13.2" "$corpus/float_math-13.2.tileirbc"
refused 13.2 "exp: attribute 'rounding' needs version 13.3" "$corpus/float_math-13.3.tileirbc"
refused 13.1 "negi: attribute 'overflow' needs version 13.2" "$corpus/integer_arithmetic-13.2.tileirbc"
refused 13.2 "constant: type 'f4E2M1FN' needs version 13.3" "$corpus/constants-13.3.tileirbc"
refused 13.2 "mmaf: attribute 'fast_acc' needs version 13.3" "$corpus/matrices-13.3.tileirbc"
refused 13.2 "global @fixed: attribute 'constant' needs version 13.3" "$corpus/miscellany-13.3.tileirbc"
refused 13.3 "entry @pointers: the attribute of type 'ptr' needs version 13.4" "$corpus/since_13_4-13.4.tileirbc"
refused 13.3 "load_view_tko: attribute 'inbounds' needs version 13.4" "$corpus/views-13.4.tileirbc"
refused 13.2 "ftof: rounding 'nearest_away' needs version 13.4" "$corpus/roundings-13.4.tileirbc"

# ---- NVIDIA's disassembler -----------------------------------------------------------------------------------------------------------------
disassembler=$(command -v tileirdisasm) || disassembler=
if [ -z "$disassembler" ]; then
    echo 'SKIPPED: no tileirdisasm on the PATH'
    finish
fi
written=0
for file in "$corpus"/*.tileirbc; do
    "$disassembler" -g "$file" >expected.txt
    check "$(basename "$file"): the disassembler reads it" test $? = 0
    for version in 13.1 13.2 13.3 13.4 13.5; do
        "$program" --emit=bytecode --bytecode-version=$version "$file" -o converted 2>err || continue
        written=$((written + 1))
        "$disassembler" -g converted >text 2>err
        # The producer is not written before 13.3.
        grep -v '^// Producer' expected.txt >expected
        grep -v '^// Producer' text >found
        check "$(basename "$file") as $version: the disassembler prints the same" cmp found expected
    done
done
# Text that the disassembler printed is compiled to bytecode that it prints the same.
for file in "$corpus"/*.tileirbc; do
    text=${file%.tileirbc}.txt
    [ -e "$text" ] || continue
    cp "$text" text.mlir
    run --emit=bytecode text.mlir -o compiled
    check "$(basename "$text") compiles" test "$status" = 0
    "$disassembler" compiled >found 2>err
    check "$(basename "$text"): the disassembler prints the same" cmp found "$text"
done
check 'files were written' test $written -gt 100
finish
