#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What only a GPU can tell: test_gpu.sh BUILD [PYTHON]. Cases on a GPU against the host, PTX against the emulator, times, and kernels that
# cuTile launches, where PYTHON has cuda-tile and torch. Without a driver or GPU it says so, and that is no failure.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$1
python=${2:-python3}
status=0

# Cases of limits are about verdicts, some of kernels that race; cases that begin with "# exit" have to fail.
mapfile -t cases < <(ls examples/*/*.yaml tests/cases/*/*.yaml | grep -v -e /limits/ -e /races/ -e /ptx/ | xargs grep -L '^# exit ' | LC_ALL=C sort)
"$build/bin/case_ways" cuda "${cases[@]}"
found=$?
if [ $found = 77 ]; then exit 0; fi
if [ $found != 0 ]; then status=1; fi

# Of PTX: kernels, and single instructions. Some of the cases read what nobody has written; the driver's cache of 15 processes is slow.
export CUDA_CACHE_DISABLE=1
mapfile -t cases < <(ls examples/ptx/*.yaml tests/cases/ptx/*.yaml "$build"/tests/ptx/{oracle,ieee}/*.yaml |
  grep -v -e /unwritten_ | xargs grep -L '^# exit ' | LC_ALL=C sort)
"$build/bin/native_ptx" --jobs "$(nproc)" "${cases[@]}" tests/gpu/flush.yaml || status=1
samples=$build/tests/gpu/samples
rm -rf "$samples" && mkdir -p "$samples" && "$build/bin/make_samples" "$samples" || status=1
"$build/bin/native_ptx" --jobs "$(nproc)" "$samples"/*.yaml || status=1
"$build/bin/time_cases" cuda tests/gpu/matmul.yaml tests/gpu/attention.yaml || status=1

if ! "$python" -c 'import cuda.tile, torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  echo "SKIPPED: $python lacks cuda-tile or a PyTorch with CUDA; PYTHON=FILE names another"
else
  LD_PRELOAD=$PWD/$build/lib/libcongruent_cutile.so CUDA_TILE_CACHE_DIR=0 "$python" tests/gpu/cutile.py "$build/bin/tileiras" || status=1
fi
exit $status
