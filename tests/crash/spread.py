#!/usr/bin/env python3
"""The full crash campaign on a machine with many cores: independent data folders side by side.

  tests/crash/spread.py --bin build/release/bin --jobs 12 --out report.json [--hits 3] [--random 200] [--seconds 570]

Each failpoint is walked by a crash.py of its own, and the random kills are divided among RANDOM_SLICES of
them; every slice makes all checks of crash.py on its own store. The report has every slice's report. A
slice that has not ended after --seconds is a failure.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
RANDOM_SLICES = 8
IN_STORE_TEST = ("store.object.", "store.checkpoint.", "store.migrate.")  # see crash.py


def slices(arguments: argparse.Namespace) -> list[tuple[str, list[str]]]:
    listed = subprocess.run([os.path.join(arguments.bin, "caked"), "--list-failpoints"],
                            capture_output=True, text=True, check=True).stdout.split()
    # The longest first, so that the end is not a wait for one.
    work = [(f"random-{i}", ["--only", "none", "--random", str(arguments.random // RANDOM_SLICES), "--seed", str(100 + i)])
            for i in range(RANDOM_SLICES if arguments.random else 0)]
    names = sorted((n for n in listed if not n.startswith(IN_STORE_TEST)), key=lambda n: not n.startswith("server.lost."))
    return work + [(n, ["--only", n, "--hits", str(arguments.hits), "--seed", str(i)]) for i, n in enumerate(names)]


def run_slice(arguments: argparse.Namespace, end: float, name: str, options: list[str]) -> dict:
    with tempfile.TemporaryDirectory(prefix="cake-spread-") as folder:
        out = os.path.join(folder, "report.json")
        command = [sys.executable, os.path.join(HERE, "crash.py"), "--bin", arguments.bin, "--out", out, *options]
        started = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=max(1.0, end - started))
        except subprocess.TimeoutExpired:
            return {"slice": name, "failures": ["it had not ended when the time was up"]}
        if not os.path.exists(out):
            return {"slice": name, "failures": [f"no report, exit {done.returncode}: {done.stderr[-400:]}"]}
        with open(out, encoding="utf-8") as f:
            report = json.load(f)
        print(f"{name}: {len(report['failures'])} failures, {time.monotonic() - started:.0f} s", flush=True)
        return {"slice": name, **report}


def merge(reports: list[dict]) -> dict:
    def total(key: str) -> int:
        return sum(r.get(key, 0) for r in reports)

    hits: dict[str, int] = {}
    for report in reports:
        hits.update(report.get("failpoints", {}))
    kills = {kind: sum(r.get("random_kills", {}).get(kind, 0) for r in reports) for kind in ("daemon", "worker", "child")}
    return {"stores": len(reports), "failpoints": dict(sorted(hits.items())), "random_kills": kills,
            **{key: total(key) for key in ("acknowledged", "stored", "lost", "evaluated_twice", "evaluations",
                                           "correct_programs_blamed", "rebuild_check")},
            "failures": [f"{r['slice']}: {f}" for r in reports for f in r["failures"]], "slices": reports}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--hits", type=int, default=3)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    arguments.bin = os.path.abspath(arguments.bin)
    end = time.monotonic() + arguments.seconds
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        reports = list(pool.map(lambda work: run_slice(arguments, end, *work), slices(arguments)))
    report = merge(reports)
    with open(arguments.out, "w", encoding="utf-8") as f:
        f.write(json.dumps(report, indent=1) + "\n")
    print(json.dumps({key: value for key, value in report.items() if key != "slices"}, indent=1))
    return 1 if report["failures"] else 0


sys.exit(main())
