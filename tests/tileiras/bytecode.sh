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

# ---- what cuTile asks ------------------------------------------------------------------------------------------------------------------------
# cuTile gives a file without functions, of the newest version first, to the compiler: the first that is taken is what it writes from then on.
probe() { # MINOR
    printf "\\177TileIR\\0\\015\\00$1\\0\\0"
    printf '\202\001\010\313\0\204\010\010\313\313\313\313\0\313\313\313\313\313\313\313\203\021\010'
    printf '\313\313\313\313\313\0\313\313\313\0\313\313\313\001\313\313\313\0\0\0\0\0\205\016\004\002\313\313\313\0\0\0\0\001\0\0\0\0\003'
    printf '\201\004\004\313\313\313\0\313\313\313\0'
}
for minor in 1 2 3 4 5; do
    probe $minor >probe
    expect 0 '' --gpu-name sm_120 --emit=ptx -o probe.ptx probe
    expect 0 '' --emit=bytecode probe -o again
    check "the probe of 13.$minor is written back" cmp probe again
done
probe 6 >probe
expect 3 'bytecode version 13.6 is not supported, expected 13.1 to 13.5' --gpu-name sm_120 --emit=ptx -o probe.ptx probe
refused 13.4 "entry @attributes: attributes of arguments needs version 13.5" "$source_tree/tests/corpus/text/arguments_13_5.mlir"
refused 13.4 "the module: flags of a subprogram needs version 13.5" "$source_tree/tests/corpus/text/located_declaration.mlir"
refused 13.4 "entry @multimem: the attribute of type 'ptr' needs version 13.5" "$corpus/since_13_5-13.5.tileirbc"
refused 13.4 "atomic_red_view_tko: attribute 'inbounds' needs version 13.5" "$source_tree/tests/corpus/text/view_reductions_13_5.mlir"

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
