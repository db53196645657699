#!/usr/bin/env bash
# Runs the libFuzzer targets under AddressSanitizer and UndefinedBehaviorSanitizer from the corpus, the goldens and
# the examples of the instructions, with bounded memory and time per input, and writes OUT/summary.json.
#   tests/fuzz/run.sh [--bin DIR] [--seconds S] [--jobs J] [--targets T,T..] [OUT]
# Without --bin it builds them with clang first. --seconds is for each target (default 1200), --jobs the processes of a
# target (default 1); the targets run side by side where the machine has the cores, else one after the other.
# OUT (default build/fuzz/out) gets the inputs at fault and the last lines of their logs. Exit codes: 0 nothing found,
# 1 a crash, hang, leak or too much memory, 2 usage, 3 the world is at fault.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
arguments=("$@")
if [[ " ${arguments[*]-} " != *" --bin "* && " ${arguments[*]-} " != *" --help "* ]]; then
  "$here/build.sh"
  arguments+=(--bin "$here/../../build/fuzz/bin" --corpus "$here/../../build/fuzz/corpus")
fi
exec python3 "$here/campaign.py" "${arguments[@]}"
