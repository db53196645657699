#!/usr/bin/env bash
# From a bare Debian 12 to an evolved kernel: installs, builds, starts the daemon and a local worker,
# evolves RMSNorm, prints the result and the address of the live page. Running it again changes nothing.
#   deploy/quickstart.sh [--build-only]
# Stop everything with: build/release/bin/cake admin stop
set -euo pipefail
cd "$(dirname "$0")/.."

build_only=no
case "${1:-}" in
  '') ;;
  --build-only) build_only=yes ;;
  *)
    echo "usage: deploy/quickstart.sh [--build-only]" >&2
    exit 2
    ;;
esac

deploy/install-packages.sh
mkdir -p .cake
if [ ! -f build/release/build.ninja ]; then
  cmake --preset release -DCAKE_TOGETHER=ON >.cake/configure.log 2>&1 || { tail -20 .cake/configure.log >&2; exit 3; }
fi
ninja -C build/release caked cake-worker cake cake-remote
[ "$build_only" = yes ] && exit 0

export CAKE_HOME=$PWD/.cake
bin=$PWD/build/release/bin

# A pid file holds "PID START_TICKS": a pid that was given to another process does not count as ours.
start_ticks() { awk '{ sub(/^.*\) /, ""); print $20 }' "/proc/$1/stat" 2>/dev/null; }
alive() {
  local pid ticks
  [ -f "$1" ] || return 1
  read -r pid ticks <"$1" 2>/dev/null && [ -n "$ticks" ] && [ "$(start_ticks "$pid")" = "$ticks" ]
}
start() { # start NAME COMMAND...
  local name=$1
  shift
  setsid "$@" >>".cake/$name.log" 2>&1 </dev/null &
  local pid=$!
  echo "$pid $(start_ticks $pid)" >".cake/$name.pid"
}
stop() {
  local pid
  alive ".cake/$1.pid" || return 0
  read -r pid _ <".cake/$1.pid"
  kill "$pid"
  for _ in $(seq 100); do
    alive ".cake/$1.pid" || return 0
    sleep 0.1
  done
  kill -9 "$pid"
}

build_id=$(sha256sum "$bin/caked" "$bin/cake-worker" | sha256sum | cut -c1-16)
if alive .cake/caked.pid && [ "$(cat .cake/build-id 2>/dev/null)" != "$build_id" ]; then
  echo "the binaries changed: restarting daemon and worker after a drain"
  stop worker
  stop caked
fi
if ! alive .cake/caked.pid; then
  rm -f .cake/address.json
  start caked "$bin/caked" --data-dir "$CAKE_HOME" --workloads tests/corpus
  echo "$build_id" >.cake/build-id
fi
for _ in $(seq 300); do
  [ -s .cake/address.json ] && break
  alive .cake/caked.pid || { tail -5 .cake/caked.log >&2; echo "the daemon ended; its log is .cake/caked.log" >&2; exit 3; }
  sleep 0.1
done
if ! alive .cake/worker.pid; then
  device=cpu
  ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1' && [ -e /dev/nvidiactl ] && device=cuda
  start worker "$bin/cake-worker" --device "$device" --connect "unix:$CAKE_HOME/caked.sock" --work-dir "$CAKE_HOME/worker"
fi

"$bin/cake" evolve rmsnorm --experiment quickstart --source tests/corpus/rmsnorm/rmsnorm.cake \
  --seed 1 --budget evals=24
