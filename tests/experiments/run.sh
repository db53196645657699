#!/usr/bin/env bash
# The long form of the ablations: 100 repeats an arm over three families on the simulated device, the families side by
# side; raw curves go to tests/results/ablation/, which tests/results/render reads. About 40 minutes of CPU in all.
#   REPEATS=20 INHERITED=0.8 FIRST=1001 SHARDS=1 FAMILIES="rmsnorm softmax router_gemm" EVALUATIONS=64 tests/experiments/run.sh
# INHERITED: the share of the device's factor that relatives have in common (landscape.h); its curves belong in
# OUT=tests/results/ablation_inherited. FIRST: the first repeat, whose number is its seed. SHARDS: so many processes a family, each with its part of the repeats (a machine of 16 cores: 5). Ended early it keeps
# the repeats that were done, as many of each arm.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${CAKE_ABLATION:-build/release/bin/ablation}
out=${OUT:-tests/results/ablation}
repeats=${REPEATS:-100}
shards=${SHARDS:-1}
part=$(((repeats + shards - 1) / shards))
work=$(mktemp -d)
mkdir -p "$out/all_broken"

# run NAME FAMILY WORDS..: shards of one experiment, in the background
run() {
  local name=$1 family=$2 first
  shift 2
  for ((first = ${FIRST:-1}; first < ${FIRST:-1} + repeats; first += part)); do
    "$program" --families "$family" --evaluations "${EVALUATIONS:-64}" --inherited "${INHERITED:-0}" --first-repeat "$first" "$@" \
      --out "$work/$name-$first.json" 2>"$work/$name-$first.log" &
  done
}
merge() { # merge OUT FILES..: the rows of all shards in the order of their seeds
  python3 - "$@" <<'PY'
import json, sys
whole = None
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        one = json.load(f)
    if whole is None:
        whole = one
        continue
    whole["repeats"] += one["repeats"]
    for name, family in one["families"].items():
        for arm, rows in family["arms"].items():
            whole["families"][name]["arms"][arm] += rows
for family in whole["families"].values():
    for rows in family["arms"].values():
        rows.sort(key=lambda row: row["seed"])
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write(json.dumps(whole, separators=(",", ":")) + "\n")
PY
}
finish() { # writes what there is, whole or not
  local name
  for name in ${FAMILIES:-rmsnorm softmax router_gemm}; do
    ls "$work/$name"-*.json >/dev/null 2>&1 && merge "$out/$name.json" "$work/$name"-*.json
  done
  ls "$work"/all_broken-*.json >/dev/null 2>&1 && merge "$out/all_broken/softmax.json" "$work"/all_broken-*.json
  tail -qn 1 "$work"/*.log
  rm -rf "$work"
  git rev-parse HEAD >"$out/commit.txt"
  echo "next: tests/results/render"
}
trap 'kill $(jobs -p) 2>/dev/null; wait; finish; exit 130' INT TERM

for family in ${FAMILIES:-rmsnorm softmax router_gemm}; do run "$family" "$family" --repeats "$part"; done
wait
# What repairs are there for: no start that the gates accept.
repeats=20 part=$(((20 + shards - 1) / shards))
run all_broken softmax --repeats "$part" --broken 100 --arms full,no-fixes
wait
finish
