#!/usr/bin/env bash
# Installs what deploy/packages.txt (and any further list given as argument) names and is missing.
# Calls apt only when something is missing. Exit 3 when it may not install.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

missing=()
for list in "$here/packages.txt" "$@"; do
  while read -r name _; do
    case "$name" in '' | '#'*) continue ;; esac
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done <"$list"
done
[ ${#missing[@]} -eq 0 ] && exit 0

command=(apt-get install -y --no-install-recommends "${missing[@]}")
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "missing packages, and neither root nor sudo here. As root, run:" >&2
    echo "  apt-get update && ${command[*]}" >&2
    exit 3
  fi
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
log=$(mktemp)
echo "installing ${#missing[@]} packages: ${missing[*]}"
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${command[@]}"; } >"$log" 2>&1; then
  tail -20 "$log" >&2
  echo "apt could not install the packages above (log: $log)" >&2
  exit 3
fi
rm -f "$log"
