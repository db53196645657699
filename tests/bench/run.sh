#!/usr/bin/env bash
# Measures the benchmarks of tests/bench on this machine and keeps the raw JSON in tests/results/bench, from which
# tests/results/render makes the table. The machine should do nothing else meanwhile.
#   tests/bench/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=build/release/bin
ninja -C build/release check_bench machine_bench compile_bench cake-worker >/dev/null
out=tests/results/bench
mkdir -p $out
for name in check machine compile; do
  "$bin/${name}_bench" --benchmark_repetitions=5 --benchmark_min_time=0.02 --benchmark_out_format=json \
    --benchmark_out="$out/$name.json" >/dev/null
done
# Names of this machine and its folders say nothing about the results.
python3 - $out/*.json <<'EOF'
import json, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        result = json.load(f)
    for key in ("host_name", "executable"):
        result["context"].pop(key, None)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
EOF
uptime | sed 's/.*load/load/' >$out/load.txt
git rev-parse HEAD >$out/commit.txt
tests/results/render
