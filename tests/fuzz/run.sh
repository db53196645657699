#!/usr/bin/env bash
# Builds the libFuzzer targets with clang, AddressSanitizer and UndefinedBehaviorSanitizer, and runs each for a
# while from the corpus and the goldens, with bounded memory and time per input.
#   tests/fuzz/run.sh [SECONDS each, default 1200] [TARGET..]
# Inputs that it finds land in build/fuzz/found; a crash, hang, leak or too much memory ends with exit code 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-1200}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(fuzz_text fuzz_check fuzz_machine)
dir=build/fuzz
[ -f $dir/build.ninja ] || cmake --preset release -B $dir -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang \
  -DCAKE_FUZZ=ON -DCAKE_SANITIZE=address,undefined,fuzzer-no-link >$dir.log 2>&1 || { tail -30 $dir.log; exit 1; }
ninja -C $dir "${targets[@]}"
mkdir -p $dir/seeds $dir/found
find tests/corpus tests/golden -name '*.cake' -size -16k | while read -r path; do
  cp "$path" "$dir/seeds/$(echo "$path" | tr / _)"
done
for target in "${targets[@]}"; do
  mkdir -p "$dir/corpus/$target"
  UBSAN_OPTIONS=halt_on_error=1 "$dir/bin/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -malloc_limit_mb=1024 -max_len=16384 -dict=tests/fuzz/cake.dict -artifact_prefix="$dir/found/$target-" \
    -print_final_stats=1 "$dir/corpus/$target" "$dir/seeds"
done
