#!/usr/bin/env bash
# The dashboard's tests: tests/page/run.sh web_dist|page_test|page_rows_test. Exit 77: they cannot be run here.
#   web_dist         types, and that clients/web/dist is what clients/web/src builds
#   page_test        pages against a daemon and a worker that live, and die, under them
#   page_rows_test   each page with 0, 1 and 10,000 rows
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
web=$here/../../clients/web

command -v npm >/dev/null || { echo "skipped: no npm here (deploy/install-packages.sh tests/packages-npm.txt)"; exit 77; }

# Installs what the lock file names, once for each state of it. Two tests may start at a time.
install() {
  local want
  want=$(sha256sum <"$1/package-lock.json")
  exec 9>"$1/.install-lock"
  flock 9
  if [ "$(cat "$1/node_modules/.lock-sum" 2>/dev/null)" != "$want" ]; then
    (cd "$1" && npm ci --no-audit --no-fund --loglevel=error) || { echo "npm could not install what $1/package-lock.json names"; exit 3; }
    echo "$want" >"$1/node_modules/.lock-sum"
  fi
  exec 9>&-
}

case "${1:-}" in
  web_dist)
    install "$web"
    cd "$web"
    npx --no-install tsc --noEmit
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
    npx --no-install vite build --logLevel warn --outDir "$out" --emptyOutDir
    diff -r "$out" dist >/dev/null || { echo "clients/web/dist is not what its source builds: npm run build in clients/web"; exit 1; }
    echo "clients/web/dist is what its source builds"
    ;;
  page_test | page_rows_test)
    [ -x "${CAKE_CHROMIUM:-/usr/bin/chromium}" ] || { echo "skipped: no chromium here"; exit 77; }
    install "$here"
    cd "$here"
    exec node --test "${1%_test}.test.mjs"
    ;;
  *)
    echo "usage: tests/page/run.sh web_dist|page_test|page_rows_test" >&2
    exit 2
    ;;
esac
