#!/usr/bin/env bash
# Builds the libFuzzer targets with clang into build/fuzz, and lays their seeds beside them.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=build/fuzz
mkdir -p "$dir"
[ -f $dir/build.ninja ] || cmake --preset release -B $dir -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang \
  -DCAKE_FUZZ=ON -DCAKE_SANITIZE=address,undefined,fuzzer-no-link >$dir.log 2>&1 || { tail -30 $dir.log; exit 3; }
ninja -C $dir fuzz_text fuzz_check fuzz_machine || exit 3
python3 tests/fuzz/seeds.py $dir/seeds
