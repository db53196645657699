#!/usr/bin/env bash
# The README's two commands on a bare Debian 12, in a root of its own made by debootstrap.
#   tests/bare.sh [--keep] [--no-tests]      needs root, about 3 GB and 40 minutes on 2 cores
# Log and times: build/bare/bare.log, kept as evidence by copying it to tests/results/bare/.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "debootstrap needs root" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "missing: apt-get install debootstrap" >&2; exit 3; }

keep=no
tests=yes
for argument in "$@"; do
  case "$argument" in
    --keep) keep=yes ;;
    --no-tests) tests=no ;;
    *) echo "usage: tests/bare.sh [--keep] [--no-tests]" >&2; exit 2 ;;
  esac
done

out=$PWD/build/bare
root=${CAKE_BARE_ROOT:-/var/tmp/cake-bare}
mkdir -p "$out"
log=$out/bare.log
: >"$log"
say() { printf '%s [%5ds] %s\n' "$(date -u +%FT%TZ)" "$SECONDS" "$1" | tee -a "$log"; }
clean() {
  if [ -d "$root" ]; then
    [ -x "$root/work/cake/build/release/bin/cake" ] && inside 'cd /work/cake && CAKE_HOME=$PWD/.cake build/release/bin/cake admin stop' >>"$log" 2>&1 || true
    for m in dev/pts dev proc sys ""; do mountpoint -q "$root/$m" && umount -l "$root/$m"; done
    [ "$keep" = yes ] || rm -rf "$root"
  fi
}
# The root is a mount point, so that bubblewrap can pivot inside it.
inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb bash -c "$1"; }
trap clean EXIT

# The first address that this machine's own apt uses.
mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
  awk '/^deb / {for (i = 2; i <= NF; i++) if ($i ~ /^http/) {print $i; exit}} /^URIs:/ {print $2; exit}')
say "debootstrap bookworm"
debootstrap --variant=minbase --include=ca-certificates,git bookworm "$root" "$mirror" >"$out/debootstrap.log" 2>&1
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys"
mount --rbind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
# An installed machine has this file; debootstrap leaves it out, and browsers' drivers resolve localhost by it.
echo "127.0.0.1 localhost" >"$root/etc/hosts"
rm -rf "$root"/etc/apt/sources.list.d/* && cp -r /etc/apt/sources.list.d/. "$root/etc/apt/sources.list.d/" 2>/dev/null || true
rm -f "$root/etc/apt/sources.list"
[ -f /etc/apt/sources.list ] && cp /etc/apt/sources.list "$root/etc/apt/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
cp -r /etc/apt/keyrings /etc/apt/trusted.gpg.d "$root/etc/apt/" 2>/dev/null || true

say "clean clone of $(git rev-parse --short HEAD)"
mkdir -p "$root/work"
git clone -q . "$root/work/cake"

say "deploy/quickstart.sh, first run"
inside 'cd /work/cake && time deploy/quickstart.sh' 2>&1 | tee -a "$log"
state() { inside 'cd /work/cake && sqlite3 "file:.cake/cake.db?mode=ro" "select max(seq) from event" && cat .cake/worker.pid && ls .cake | sort'; }
before=$(state)
say "deploy/quickstart.sh, second run"
second_start=$SECONDS
inside 'cd /work/cake && time deploy/quickstart.sh' 2>&1 | tee -a "$log"
second=$((SECONDS - second_start))
after=$(state)
[ "$before" = "$after" ] || { say "FAILED: the second run changed something"; diff <(echo "$before") <(echo "$after") | tee -a "$log"; exit 1; }
[ "$second" -lt 60 ] || { say "FAILED: the second run took $second s"; exit 1; }
say "second run: ${second} s, nothing changed"
page=$(inside 'cd /work/cake && curl -sS "$(python3 -c "import json; print(json.load(open(\".cake/address.json\"))[\"http\"])")/"' | grep -ci '<html' || true)
[ "$page" -ge 1 ] || { say "FAILED: no page"; exit 1; }
say "live page answers"
if [ "$tests" = yes ]; then
  say "tests/run.sh"
  inside 'cd /work/cake && time tests/run.sh' 2>&1 | tee -a "$log"
fi
say "all passed"
