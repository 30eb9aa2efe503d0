#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fpdiff --target cuda with the fake driver: run_cuda.sh FPDIFF FAKE KERNELS CASE_GPU TIME_CASES NATIVE_PTX. FAKE is the folder of the driver,
# KERNELS the library of what it runs; then the programs of `make test-gpu`. Exit status 77 where there is no ptxas.
set -u
fpdiff=$1
fake=$2
export FAKE_CUDA_KERNELS=$3
case_ways=$4
time_cases=$5
native_ptx=$6
cd "$(dirname "$0")" || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONGRUENT_CACHE="$folder/cache"

# expect STATUS TEXT COMMAND...: its exit status, and a text that its output has to contain
expect() {
    status=$1 text=$2
    shift 2
    "$@" >"$folder/out" 2>&1 </dev/null
    found=$?
    if [ "$found" != "$status" ] || ! grep -qF -- "$text" "$folder/out"; then
        echo "$*: exit status $found, expected $status and: $text"
        cat "$folder/out"
        exit 1
    fi
}
run() {
    LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$fpdiff" --target cuda "$@"
}

# Without a driver: one line for all cases.
mkdir "$folder/none"
: >"$folder/none/libcuda.so.1"
expect 3 'error: no CUDA driver: libcuda.so.1, ' env LD_LIBRARY_PATH="$folder/none" "$fpdiff" --target cuda equal.yaml fault.yaml
[ "$(wc -l <"$folder/out")" = 1 ] || { cat "$folder/out"; exit 1; }
expect 77 'SKIPPED: no CUDA driver: libcuda.so.1, ' env LD_LIBRARY_PATH="$folder/none" "$case_ways" cuda equal.yaml
expect 77 'SKIPPED: no CUDA driver: libcuda.so.1, ' env LD_LIBRARY_PATH="$folder/none" "$time_cases" cuda equal.yaml
expect 77 'SKIPPED: no CUDA driver: libcuda.so.1, ' env LD_LIBRARY_PATH="$folder/none" "$native_ptx" native.yaml
expect 2 'tower.yaml: error: this case is for profile tower, which runs on --target host only; --profile triton-3.9 runs it on cuda' run tower.yaml
expect 3 'there is no GPU 5: the CUDA driver finds 1, from 0 on' run --device 5 equal.yaml
expect 0 'kernel look_up of kernels.mlir' "$fpdiff" show --target cuda equal.yaml

run equal.yaml >"$folder/out" 2>&1
if grep -q 'E303' "$folder/out"; then
    echo "SKIPPED: $(grep E303 "$folder/out" | head -1)"
    exit 77
fi
count() { find "$folder/cache" -name '*.cached' | wc -l; }
[ "$(count)" = 2 ] || { echo "$(count) cubins are kept, expected one for each mode"; exit 1; }
expect 0 'on cuda: Fake GPU 0 (sm_90, driver for CUDA 13.0)' run equal.yaml
expect 0 'OK' run equal.yaml
grep -q VACUOUS "$folder/out" && { cat "$folder/out"; exit 1; }
[ "$(count)" = 2 ] || { echo "the cache was not used"; exit 1; }
expect 0 '"device": "Fake GPU 0 (sm_90, driver for CUDA 13.0)"' run --json - equal.yaml
grep -qF '"gpu": "sm_90"' "$folder/out" && grep -qF '"target": "cuda"' "$folder/out" || { cat "$folder/out"; exit 1; }

# The same text as on the host.
expect 3 'kernels.mlir:9:12: error: fault.yaml: variant copy (fpsan), launch 1 of 1: kernel copy: block (3, 0, 0): load_ptr_tko (load through a pointer): an access at byte 12 of buffer X (argument 0, 12 bytes) [E501]' run fault.yaml
grep error "$folder/out" >"$folder/gpu"
CONGRUENT_CACHE=off "$fpdiff" fault.yaml 2>&1 | grep error >"$folder/host"
cmp "$folder/gpu" "$folder/host" || exit 1

# So is what kernels print.
for mode in ieee fpsan; do
    for variant in once twice; do
        run run prints.yaml -v $variant -m $mode --quiet -o "$folder/run" >"$folder/gpu" || exit 1
        CONGRUENT_CACHE=off "$fpdiff" run prints.yaml -v $variant -m $mode --quiet -o "$folder/run" >"$folder/host" || exit 1
        grep -q 'done' "$folder/gpu" && cmp "$folder/gpu" "$folder/host" || exit 1
    done
done

# Damaged files are made anew; other options are other files; without a cache there are none.
for file in "$folder"/cache/*.cached; do echo damaged >"$file"; done
expect 0 'OK' run equal.yaml
[ "$(find "$folder/cache" -name '*.cached' -size +1k | wc -l)" = 2 ] || { echo "damaged cubins were left"; exit 1; }
expect 0 'OK' run --rounds 1000 equal.yaml
# Two of a comparison, two of `run`, in which unspecified values are others, and two with --rounds.
[ "$(count)" = 6 ] || { echo "$(count) cubins are kept, expected 6"; exit 1; }
rm -r "$folder/cache"
expect 0 'OK' run --no-cache equal.yaml
CONGRUENT_CACHE=off expect 0 'OK' run equal.yaml
[ ! -e "$folder/cache" ] || { echo "something is kept with --no-cache"; exit 1; }

# What make test-gpu runs.
faked() {
    LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}
expect 0 '1 cases are the same in 4 ways, 0 are not' faked "$case_ways" cuda equal.yaml
expect 0 'look_up: fpsan' faked "$time_cases" cuda --runs=2 equal.yaml

# PTX beside the emulator: every outcome, once with the emulator's results that were kept, and a kernel that hangs.
expect 1 '1 of them NaNs' faked "$native_ptx" --jobs 2 --seconds 2 --emulated "$folder" --dump "$folder" native.yaml equal.yaml
expect 1 'native.yaml, variant 6: did not end in time' faked "$native_ptx" --seconds 1 --emulated "$folder" native.yaml
for text in ', nans: have the bits of the emulator but for the bits of NaNs: Z[5]: GPU 0x7fc00003, emulator 0x7fc00000; of 64 elements 1 ' \
    ', near: are within the tolerance: Z[5]: ' ', differs: differ: Z[5]: ' ', failed: fail on the GPU: native_failed: CUDA_ERROR_LAUNCH_FAILED' \
    ', refused: the driver refuses: line 1; refused: ' ' 4 have the bits' ' 1 are within' ' 1 differ' ' 1 are for another GPU' ' 1 did not end' \
    'of 448 elements 3 have other bits, 1 of them NaNs'; do
    grep -qF -- "$text" "$folder/out" || { echo "not said: $text"; cat "$folder/out"; exit 1; }
done

# One variant alone.
expect 0 "$folder/run/Y.bin" run run equal.yaml -v look_up -m ieee -o "$folder/run"
printf '\000\000\000\000\000\000\200\077\000\000\000\100\000\000\100\100' | cmp - "$folder/run/Y.bin"

# Values that nobody specified are found by a second run, as on the host.
expect 0 'OK, diverges as expected' run unspecified.yaml
for text in 'unspecified in copy: 4 of 4 elements of Y are others with other values where nothing is specified, the first at [0]' \
    'unspecified in partly: 4 of 4 elements of Y are others with other values where nothing is specified, the first at [0]' \
    'note: X is read in launch 1 of copy (copy) without having been filled or written before, it is unspecified'; do
    grep -qF -- "$text" "$folder/out" || { echo "not said: $text"; cat "$folder/out"; exit 1; }
done
