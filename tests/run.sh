#!/usr/bin/env bash
# The test command: installs what is missing, builds the release preset, runs every test that CI runs.
#   tests/run.sh [ctest arguments]      e.g. tests/run.sh -R store
set -euo pipefail
cd "$(dirname "$0")/.."
lists=(tests/packages.txt)
command -v npm >/dev/null || lists+=(tests/packages-npm.txt)
deploy/install-packages.sh "${lists[@]}"

step() { printf '\n== %s (%ds)\n' "$1" "$SECONDS"; }

step "configure"
cmake --preset release -DCAKE_TOGETHER=ON >build.log 2>&1 || { cat build.log; exit 1; }
rm -f build.log
step "build"
ninja -C build/release
step "test"
# Two at a time: the machine CI runs on has two cores.
set +e
ctest --test-dir build/release --output-on-failure -j 2 --no-tests=error "$@" | tee build/release/ctest.log
status=${PIPESTATUS[0]}
set -e
passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed ' build/release/ctest.log || true)
failed=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*(\*\*\*|Failed)' build/release/ctest.log || true)
step "done"
echo "$passed passed, $failed failed"
exit "$status"
