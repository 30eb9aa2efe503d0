#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets in build/fuzz and runs each for SECONDS: fuzz.sh [SECONDS] [TARGET...]
# They start from the corpora of tests/fuzz and from random modules; what they learn stays in build/fuzz/corpus/TARGET. A finding ends its target, lies in build/fuzz/found/TARGET and makes the exit status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift $(($# > 0))
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(bytecode text case); fi

if ! scripts/setup.sh --fuzz || ! command -v clang-22 >/dev/null; then
  echo "fuzz: libFuzzer is missing; it comes with clang-22 and libclang-rt-22-dev" >&2
  exit 1
fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz

build=$PWD/build/fuzz
status=0
mkdir -p "$build/generated" "$build/corpus/bytecode" "$build/corpus/text"
"$build/bin/generate" --seeds=100 --write="$build/generated"
cp "$build"/generated/*.tileirbc "$build/corpus/bytecode"
cp "$build"/generated/*.txt "$build/corpus/text"
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/found/$target"
  words=()
  if [ -s "$build/words_$target.txt" ]; then words=(-dict="$build/words_$target.txt"); fi
  echo "fuzz: $target for $seconds seconds"
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -verbosity=0
           -seed_inputs=@"$build/seeds_$target.txt" -artifact_prefix="$build/found/$target/" "${words[@]}")
  # timeout: a mutator that does not end is not libFuzzer's to notice.
  if ! timeout -k 10 $((seconds + 120)) "$build/bin/fuzz_$target" "${options[@]}" "$build/corpus/$target" >"$build/found/$target.log" 2>&1; then
    status=1
    tail -n 40 "$build/found/$target.log" >&2
    echo "fuzz: $target has a finding, see $build/found/$target and $build/found/$target.log" >&2
  else
    grep -E 'number_of_executed_units|peak_rss_mb' "$build/found/$target.log" || true
  fi
done
exit $status
