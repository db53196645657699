#!/usr/bin/env bash
# The long form of the ablations: 100 repeats an arm over three families on the simulated device; raw
# curves go to tests/results/ablation/, which tests/results/render reads. Under an hour on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${CAKE_ABLATION:-build/release/bin/ablation}
out=tests/results/ablation
mkdir -p "$out"
for family in ${FAMILIES:-rmsnorm softmax router_gemm}; do
  "$program" --families "$family" --repeats "${REPEATS:-100}" --evaluations "${EVALUATIONS:-64}" --out "$out/$family.json"
done
git rev-parse HEAD > "$out/commit.txt"
echo "next: tests/results/render"
