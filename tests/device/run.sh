#!/usr/bin/env bash
# Runs a named campaign on a GPU machine from a bundle (tests/device/bundle.sh) and writes one evidence file.
#   tests/device/run.sh CAMPAIGN BUNDLE OUT_DIR      campaigns: smoke; at most 8 minutes each
# Needs a driver, python3 and tar there; everything else is in the bundle.
set -euo pipefail
campaign=${1:?usage: tests/device/run.sh CAMPAIGN BUNDLE OUT_DIR}
bundle=$(realpath "${2:?usage: tests/device/run.sh CAMPAIGN BUNDLE OUT_DIR}")
out=$(realpath "${3:?usage: tests/device/run.sh CAMPAIGN BUNDLE OUT_DIR}")
here=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# zstd travels beside the bundle: a bare machine may lack it.
LD_LIBRARY_PATH="$(dirname "$bundle")" "$(dirname "$bundle")/zstd" -q -d -c "$bundle" | tar -C "$work" -xf -
cd "$work"
(sed -n '/^[0-9a-f]\{64\} /p' MANIFEST | sha256sum -c --quiet) || { echo "the bundle is damaged" >&2; exit 3; }
export LD_LIBRARY_PATH="$work/lib" PATH="$work/bin:$PATH" CAKE_HOME="$work/home"
status=0
timeout 480 python3 "$here/$campaign.py" --work "$work" --evidence "$work/evidence" || status=$?
# What failed is evidence too.
name="evidence-$campaign-$(date -u +%Y%m%dT%H%M%SZ).tar.zst"
tar -C "$work/evidence" -cf - . | LD_LIBRARY_PATH="$(dirname "$bundle")" "$(dirname "$bundle")/zstd" -q -19 -f -o "$out/$name"
echo "evidence: $out/$name"
exit "$status"
