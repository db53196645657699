#!/usr/bin/env python3
"""Measures how the daemon answers: durable Submits, a full queue, idle watchers and pages.

  tests/bench/serve.py [--bin build/release/bin] [--seconds 10] [--watchers 1000] [--pages 64] [--watch-seconds 600] [--short] [--out FILE]

A daemon of its own in a new folder; the programs go into runs that are not started, so that what is measured is the
acknowledgement and not the gates. --short: seconds instead of minutes, for trying it out.
"""
import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNS = 300  # each takes 512 programs that wait for their gates


def memory_of(pid: int) -> int:
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS"))


def first_in_line() -> None:
    """Before other work of the machine, where that is allowed: a bench measures the daemon and not its neighbours."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        pass


def sync_ms(folder: str, times: int = 100) -> dict[str, float]:
    """What the disk takes for a page that is written and synced: no acknowledgement can be faster."""
    path, waits = os.path.join(folder, "sync"), []
    with open(path, "wb", buffering=0) as f:
        for _ in range(times):
            begin = time.monotonic()
            f.write(bytes(4096))
            os.fdatasync(f.fileno())
            waits.append((time.monotonic() - begin) * 1e3)
    os.unlink(path)
    waits.sort()
    return {"p50_ms": waits[times // 2], "p99_ms": waits[times * 99 // 100]}


class Bench:
    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.bin = os.path.abspath(arguments.bin)
        self.home = tempfile.mkdtemp(prefix="cake-bench-")
        self.env = dict(os.environ, CAKE_HOME=self.home)

    def start(self) -> None:
        with open(os.path.join(self.home, "log"), "wb") as log:
            self.daemon = subprocess.Popen(
                [os.path.join(self.bin, "caked"), "--data-dir", self.home, "--disk-reserve-bytes", "1048576", "--port", "0",
                 "--http-port", "0"] + self.flags(), stdout=log, stderr=log, preexec_fn=first_in_line)
        path = os.path.join(self.home, "address.json")
        end = time.monotonic() + 60
        while not os.path.exists(path):
            if time.monotonic() > end:
                raise SystemExit("caked did not start")
            time.sleep(0.02)
        with open(path, encoding="utf-8") as f:
            self.address = json.load(f)

    def flags(self) -> list[str]:
        return ["--workloads", os.path.join(ROOT, "tests/corpus/vector_add")]

    def stop(self) -> None:
        self.daemon.terminate()
        self.daemon.wait()
        shutil.rmtree(self.home)

    def measure(self, seconds: float, watchers: int) -> subprocess.Popen:
        return subprocess.Popen([os.path.join(self.bin, "serve_bench"), "unix:" + self.address["unix"], str(RUNS), str(seconds),
                                 str(watchers)], stdout=subprocess.PIPE, text=True)

    def watch(self) -> dict:
        a = self.arguments
        before = memory_of(self.daemon.pid)
        watchers = self.measure(a.watch_seconds, a.watchers)
        connected = json.loads(watchers.stdout.readline())["watching"]
        host, port = self.address["http"].rsplit("/", 1)[1].split(":")
        pages = []
        for _ in range(a.pages):
            page = socket.create_connection((host, int(port)), timeout=30)
            page.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            pages.append(page)
        served = sum(page.recv(64).startswith(b"HTTP/1.1 200") for page in pages)
        time.sleep(min(60, a.watch_seconds / 10))  # one warm minute
        start = memory_of(self.daemon.pid)
        most = start
        while watchers.poll() is None:
            most = max(most, memory_of(self.daemon.pid))
            time.sleep(1)
        for page in pages:
            page.close()
        return {"watchers": connected, "pages": served, "seconds": a.watch_seconds, "rss_before_mb": before / 1e6,
                "rss_connected_mb": start / 1e6, "rss_growth_mb": (most - start) / 1e6}

    def run(self) -> dict:
        self.start()
        try:
            sync = sync_ms(self.home)
            submit = self.measure(self.arguments.seconds, 0)
            result = json.loads(submit.communicate()[0])
            result["sync"] = sync
            result["idle"] = self.watch()
            result["load"] = os.getloadavg()
            return result
        finally:
            self.stop()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=64)
    parser.add_argument("--watch-seconds", type=float, default=600)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--out", default="")
    arguments = parser.parse_args()
    if arguments.short:
        arguments.seconds, arguments.watchers, arguments.pages, arguments.watch_seconds = 2, 100, 8, 5
    result = Bench(arguments).run()
    print("| clients | acknowledged/s | p50, ms | p99, ms | refused |\n|---|---|---|---|---|")
    for row in result["submit"]:
        print(f"| {row['clients']} | {row['per_second']:.0f} | {row['p50_ms']:.2f} | {row['p99_ms']:.2f} | {row['refused']} |")
    full, idle = result["full_queue"], result["idle"]
    print(f"a page written and synced: p50 {result['sync']['p50_ms']:.2f} ms, p99 {result['sync']['p99_ms']:.2f} ms")
    print(f"a full queue: {full['reason']}, code {full['code']}, RetryInfo {full['retry_info']} ({full['retry_s']} s)")
    print(f"{idle['watchers']} watchers and {idle['pages']} pages for {idle['seconds']:.0f} s: "
          f"{idle['rss_growth_mb']:.1f} MB of growth at {idle['rss_connected_mb']:.0f} MB")
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as f:
            f.write(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
