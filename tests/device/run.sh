#!/usr/bin/env bash
# Runs a named campaign on a GPU machine from a bundle (tests/device/bundle.sh) and writes one evidence file.
#   tests/device/run.sh CAMPAIGN BUNDLE OUT_DIR [EARLIER] [OPTION...]
# Campaigns: smoke, ops, tune, speed, events, mutants, aa, tools, evolve, throughput, baselines, references; at most 8 minutes each. EARLIER is an evidence file of the same campaign that ran out of
# time: its finished steps are not run again, and runs go on where they were. Options go to the campaign: --short, --fake FOLDER, --only TEXT, --parts NAMES.
# BUNDLE may be - for this checkout's own build. Exit codes: 0 all done, 1 a step failed, 4 steps are left
# (run it again with the file that was written). Needs a driver, python3 and tar; the rest is in the bundle.
set -euo pipefail
usage="usage: tests/device/run.sh CAMPAIGN BUNDLE OUT_DIR [EARLIER] [OPTION...]"
campaign=${1:?$usage}
bundle=${2:?$usage}
out=$(realpath "${3:?$usage}")
shift 3
earlier=()
if [ $# -gt 0 ] && [[ $1 != --* ]]; then
  earlier=(--earlier "$(realpath "$1")")
  shift
fi
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/$campaign.py" ] || { echo "no campaign $campaign" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"  # children of a root worker are another user
if [ "$bundle" = - ]; then
  root=$(realpath "$here/../..")
  mkdir -p "$work/tests"
  ln -s "$(realpath "${CAKE_BIN:-$root/build/release/bin}")" "$work/bin"
  ln -s "$root/tests/corpus" "$root/tests/device" "$work/tests/"
  ln -s "$root/runner/baselines" "$work/baselines"
  printf 'git %s\nscript %s\n' "$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)" \
    "$(cat "$here"/*.sh "$here"/*.py | sha256sum | cut -d' ' -f1)" >"$work/MANIFEST"
else
  # zstd travels beside the bundle: a bare machine may lack it.
  bundle=$(realpath "$bundle")
  cat >"$work/zstd" <<END
#!/bin/sh
LD_LIBRARY_PATH="$(dirname "$bundle")" exec "$(dirname "$bundle")/zstd" "\$@"
END
  chmod +x "$work/zstd"
  export CAKE_ZSTD="$work/zstd"
  CAKE_BUNDLE_HASH=$(sha256sum <"$bundle" | cut -d' ' -f1)
  export CAKE_BUNDLE_HASH
  "$CAKE_ZSTD" -q -d -c "$bundle" | tar -C "$work" -xf -
  (cd "$work" && sed -n '/^[0-9a-f]\{64\} /p' MANIFEST | sha256sum -c --quiet) || { echo "the bundle is damaged" >&2; exit 3; }
  export LD_LIBRARY_PATH="$work/lib"
fi
cd "$work"
export PATH="$work/bin:$PATH" CAKE_HOME="$work/home"
name="evidence-$campaign-$(date -u +%Y%m%dT%H%M%SZ).tar.zst"
status=0
# What failed is evidence too; the campaign ends by itself and writes it, the timeout is for what hangs.
timeout -k 30 480 python3 "$work/tests/device/$campaign.py" --work "$work" --evidence "$work/evidence" --pack "$out/$name" \
  ${earlier[@]+"${earlier[@]}"} "$@" || status=$?
if [ -f "$out/$name" ]; then echo "evidence: $out/$name"; fi
exit "$status"
