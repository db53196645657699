#!/usr/bin/env bash
# Packs the libFuzzer targets for a machine without a compiler: programs, the shared libraries that they need beyond
# the C and C++ runtime, seeds, scripts. There: tar --zstd -xf .., then tests/fuzz/run.sh --bin bin OUT.
#   tests/fuzz/pack.sh OUT.tar.zst        at most 40 MB; builds what is missing
set -euo pipefail
out=$(realpath "${1:?usage: tests/fuzz/pack.sh OUT.tar.zst}")
cd "$(dirname "$0")/../.."
limit_bytes=$((40 * 1024 * 1024))
tests/fuzz/build.sh
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage"/{bin,lib,tests/fuzz}
cp build/fuzz/bin/fuzz_{text,check,machine} "$stage/bin/"
strip --strip-debug "$stage"/bin/*
# glibc and libstdc++ come from the machine: it has newer ones, and two of them in a process do not mix.
for f in "$stage"/bin/*; do ldd "$f"; done | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|ld-linux-x86-64)\.so' |
  while read -r library; do cp -L "$library" "$stage/lib/"; done
cp -r build/fuzz/seeds "$stage/seeds"
cp tests/fuzz/{run.sh,campaign.py,cake.dict} "$stage/tests/fuzz/"
echo "git $(git rev-parse HEAD)$(git diff --quiet HEAD || echo ' with uncommitted changes')" >"$stage/MANIFEST"
tar -C "$stage" -cf - . | zstd -q -12 -T0 -f -o "$out"
bytes=$(stat -c %s "$out")
[ "$bytes" -le "$limit_bytes" ] || { echo "the bundle has $bytes bytes; at most $limit_bytes are allowed" >&2; exit 1; }
echo "$out: $bytes bytes, $(ls "$stage/lib" | wc -l) libraries, $(ls "$stage/seeds" | wc -l) seeds"
