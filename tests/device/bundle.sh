#!/usr/bin/env bash
# Packs what a bare GPU machine needs to run Cake: binaries, the shared libraries that they need beyond the
# C and C++ runtime, bubblewrap, the corpus, the campaigns. Never NVRTC or the driver: those are the machine's.
#   tests/device/bundle.sh [OUT_DIR]      default build/bundle; at most 40 MB packed
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/bundle}
bin=${CAKE_BIN:-build/release/bin}
limit_bytes=$((40 * 1024 * 1024))

for b in caked cake-worker cake cake-remote cake-ops cake-events cake-mutants; do
  [ -x "$bin/$b" ] || { echo "missing $bin/$b: run deploy/quickstart.sh --build-only" >&2; exit 3; }
done
rm -rf "$out"
mkdir -p "$out/stage/bin" "$out/stage/lib" "$out/stage/tests"
cp "$bin"/{caked,cake-worker,cake,cake-remote,cake-ops,cake-events,cake-mutants} "$out/stage/bin/"
cp /usr/bin/bwrap "$out/stage/bin/"
strip --strip-unneeded "$out"/stage/bin/*

# glibc and libstdc++ come from the machine: it has newer ones, and two of them in a process do not mix.
for f in "$out"/stage/bin/*; do ldd "$f"; done | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux-x86-64)\.so' |
  while read -r library; do cp -L "$library" "$out/stage/lib/"; done
cp -r tests/corpus tests/device tests/crash "$out/stage/tests/"
cp -r runner/baselines "$out/stage/baselines"
# Cubins made here, for comparison with those the other machine makes.
if "$bin/cake" build tests/corpus/vector_add/vector_add.cake --arch sm_90a --json >/dev/null 2>&1; then
  for family in vector_add rmsnorm; do
    facts=$("$bin/cake" build "tests/corpus/$family/$family.cake" --arch sm_90a -o "$out/$family.cubin" --json)
    printf '"%s": {"compiler": %s, "sha256": "%s"}\n' "$family" \
      "$(python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["compiler"]))' <<<"$facts")" \
      "$(sha256sum <"$out/$family.cubin" | cut -d' ' -f1)"
  done | paste -sd, | sed 's/^/{/; s/$/}/' >"$out/stage/expected-cubins.json"
fi
{
  echo "git $(git rev-parse HEAD)$(git diff --quiet HEAD || echo ' with uncommitted changes')"
  echo "script $(cat tests/device/*.sh tests/device/*.py 2>/dev/null | sha256sum | cut -d' ' -f1)"
  (cd "$out/stage" && find . -type f ! -name MANIFEST -print0 | sort -z | xargs -0 sha256sum)
} >"$out/stage/MANIFEST"
tar -C "$out/stage" -cf - . | zstd -q -19 -T2 -f -o "$out/cake-bundle.tar.zst"
# Beside the bundle, so that the other machine can open it.
cp "$(command -v zstd)" "$out/zstd"
ldd "$out/zstd" | awk '$2 == "=>" && $3 ~ /zstd|lz4|lzma|libz/ {print $3}' | while read -r library; do cp -L "$library" "$out/"; done
bytes=$(stat -c %s "$out/cake-bundle.tar.zst")
[ "$bytes" -le "$limit_bytes" ] || { echo "the bundle has $bytes bytes; at most $limit_bytes are allowed" >&2; exit 1; }
echo "$out/cake-bundle.tar.zst: $bytes bytes, $(ls "$out/stage/lib" | wc -l) libraries"
rm -rf "$out/stage"
