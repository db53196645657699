#!/usr/bin/env python3
"""Kills daemon or worker at a failpoint in the middle of an ordered experiment; its log must be that of an undisturbed one.

  tests/crash/ordered.py --bin build/release/bin [--only NAME,NAME] [--hits 1] [--seed 1] [--out report.json]

Each failpoint of `caked --list-failpoints` gets a store of its own, in which the same ordered experiment runs. The process that
passes the point kills itself there, is started again, and the experiment goes on to its end. Of the two logs the events of the
run are compared after what an attempt is has been dropped: leases and their reservations, fencing tokens, times, sequence
numbers, and receipts, which hold times. Prints a table; CI runs a few points, without --only it is all of them.
"""
import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from crash import LEASE_TTL_MS, ROOT, Evidence, Processes, program  # noqa: E402

END_SECONDS = 300  # of one experiment, restarts included, on a busy machine
AFTER_SECONDS = 10  # for what is done beside an experiment
EVALUATIONS = 6
EXPERIMENT = f"""name = "ordered"
workload = "vector_add"
arms = ["full"]
seed = 11
evaluations = {EVALUATIONS}
ordered = true
slots = 2
[[start]]
file = "start.cake"
"""
# The least that each setting needs beside the experiment itself.
BESIDE_AN_IMPORT = ("server.import.", "store.object.", "store.checkpoint.")
OLD_SCHEMA = ("store.migrate.",)
AFTER_LOSS = ("server.lost.",)
WITHOUT = {"LeaseGranted", "LeaseLost", "BudgetReserved"}
DROPPED = {"inputs_through_seq", "fencing_token", "attempt", "active_ns", "receipt_hash", "wall_ns", "cpu_ns", "limit_ns",
           "not_before_us", "device", "worker", "lease"}


def without(value):
    """A body without the fields that an attempt has."""
    if isinstance(value, dict):
        return {k: without(v) for k, v in value.items() if k not in DROPPED}
    if isinstance(value, list):
        return [without(v) for v in value]
    return value


class Run:
    """One experiment in one store, with at most one kill."""

    def __init__(self, binaries: str, point: str = "", nth: int = 1):
        self.binaries, self.point, self.nth = os.path.abspath(binaries), point, nth
        self.folder = tempfile.mkdtemp(prefix="cake-ordered-")
        self.data = os.path.join(self.folder, "data")
        self.env = dict(os.environ, CAKE_HOME=self.data)
        self.processes = Processes(self.binaries, self.folder)
        self.killed = 0
        self.imported = 0
        self.held_off = 0.0  # no worker before this time
        with open(os.path.join(self.folder, "start.cake"), "w", encoding="utf-8") as f:
            f.write(program(0).replace("{4} = 4", "{2, 4, 8} = 4"))
        with open(os.path.join(self.folder, "ordered.toml"), "w", encoding="utf-8") as f:
            f.write(EXPERIMENT)

    def armed(self) -> str:
        return f"{self.point}=kill@{self.nth}" if self.point and not self.killed else ""

    def needs(self, points: tuple) -> bool:
        return bool(self.point) and self.point.startswith(points)

    def old_schema(self) -> None:
        """The folder as the version before the last migration left it."""
        self.processes.start_daemon()
        self.processes.daemon.terminate()
        self.processes.daemon.wait()
        with sqlite3.connect(os.path.join(self.data, "cake.db")) as db:
            for column in ("weight", "checks_max", "open_max"):
                db.execute(f"alter table principal drop column {column}")
            db.execute("pragma user_version = 4")
        db.close()

    def keep_alive(self) -> None:
        p = self.processes
        for process in (p.daemon, p.worker):
            if process is not None and process.poll() == -signal.SIGKILL and process is not p.killed:
                self.killed += 1
                p.killed = process
        if not p.daemon_alive():
            p.start_daemon(self.armed())
        if not p.worker_alive() and time.monotonic() >= self.held_off:
            p.start_worker(self.armed() if self.point.startswith("worker.") else "")

    def import_evidence(self) -> None:
        """Evidence with an object above 64 KiB, and rows enough for a checkpoint."""
        self.imported += 1
        evidence = Evidence(os.path.join(self.folder, f"evidence-{self.imported}"), "ordered")
        evidence.keep(random.Random(self.imported).randbytes(100_000))
        if self.point.startswith("store.checkpoint."):
            for i in range(300):
                evidence.keep(random.Random(1000 * self.imported + i).randbytes(60_000))
        evidence.write()
        path = os.path.join(self.folder, f"evidence-{self.imported}.tar.zst")
        evidence.pack(path)
        subprocess.run([os.path.join(self.binaries, "cake-remote"), "import", path], capture_output=True, check=False, env=self.env)

    def query(self, sql: str) -> list:
        try:
            with sqlite3.connect(f"file:{os.path.join(self.data, 'cake.db')}?mode=ro", uri=True, timeout=30) as db:
                return db.execute(sql).fetchall()
        except sqlite3.OperationalError:
            return []  # before there is one

    def lose_worker(self) -> None:
        """Killed with a lease in its hands, and back only when the lease has run out."""
        if self.killed or self.held_off or not self.query("select 1 from job where state = 'LEASED'"):
            return
        self.processes.killed = self.processes.worker
        self.processes.worker.kill()
        self.processes.worker.wait()
        self.held_off = time.monotonic() + LEASE_TTL_MS / 1000 + 3

    def step(self, client: subprocess.Popen | None) -> subprocess.Popen:
        self.keep_alive()
        if self.needs(BESIDE_AN_IMPORT) and not self.killed and self.query("select 1 from evaluation"):
            self.import_evidence()
        if self.needs(AFTER_LOSS):
            self.lose_worker()
        if client is not None and client.poll() is None:
            return client
        return subprocess.Popen([os.path.join(self.binaries, "cake-remote"), "experiment", "run",
                                 os.path.join(self.folder, "ordered.toml")], env=self.env, cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def play(self) -> list[str]:
        """The experiment to its end; its log."""
        client = None
        try:
            if self.needs(OLD_SCHEMA):
                self.old_schema()
            end = time.monotonic() + END_SECONDS
            while not self.query("select 1 from run where state = 'STOPPED'"):
                if time.monotonic() > end:
                    raise AssertionError(f"{self.point}: no end within {END_SECONDS} s, see {self.folder}")
                client = self.step(client)
                time.sleep(0.05)
            # A checkpoint is made beside the experiment, and may come when that has ended.
            patience = time.monotonic() + AFTER_SECONDS
            while self.needs(BESIDE_AN_IMPORT) and not self.killed and time.monotonic() < patience:
                self.keep_alive()
                time.sleep(0.05)
            self.keep_alive()  # counts a kill behind the last event
            return self.log()
        finally:
            if client is not None and client.poll() is None:
                client.kill()
                client.wait()
            self.processes.stop()

    def log(self) -> list[str]:
        lines, lost_job = [], None
        for kind, body in self.query("select kind, body from event where run_id is not null order by seq"):
            body = json.loads(body)
            # What a lost lease had reserved is given back with it.
            refund = kind == "BudgetRefunded" and body["job"] == lost_job
            lost_job = body["job"] if kind == "LeaseLost" else None
            if kind not in WITHOUT and not refund:
                lines.append(f"{kind} {json.dumps(without(body), sort_keys=True)}")
        return lines

    def sound(self) -> bool:
        return subprocess.run([os.path.join(self.binaries, "caked"), "--data-dir", self.data, "--admin", "fsck"],
                              capture_output=True, check=False).returncode == 0


def first_difference(expected: list[str], found: list[str]) -> str:
    for i, (a, b) in enumerate(zip(expected, found)):
        if a != b:
            return f"line {i + 1}: {a[:300]} | {b[:300]}"
    return f"{len(expected)} and {len(found)} lines" if len(expected) != len(found) else ""


def points_of(arguments: argparse.Namespace) -> list[str]:
    listed = subprocess.run([os.path.join(arguments.bin, "caked"), "--list-failpoints"], capture_output=True, text=True, check=True)
    names = listed.stdout.split()
    only = arguments.only.split(",") if arguments.only else names
    unknown = set(only) - set(names)
    if unknown:
        raise SystemExit(f"no such failpoint: {' '.join(sorted(unknown))}")
    return only


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--only", default="")
    parser.add_argument("--hits", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="")
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    whole = Run(arguments.bin)
    expected = whole.play()
    shutil.rmtree(whole.folder)
    report = {"evaluations": EVALUATIONS, "events_compared": len(expected), "seed": arguments.seed, "points": {}}
    failures = []
    print(f"undisturbed: {len(expected)} events", flush=True)
    for name in points_of(arguments):
        # Points that are passed once: a start, the program that is handed in, a migration, the loss that is made.
        once = name.startswith(("worker.register.", "server.submit.", *OLD_SCHEMA, *AFTER_LOSS, *BESIDE_AN_IMPORT))
        for _ in range(arguments.hits):
            run = Run(arguments.bin, name, 1 if once else dice.randint(1, 4))
            found = run.play()
            row = {"nth": run.nth, "killed": run.killed, "events": len(found), "equal": found == expected, "sound": run.sound()}
            report["points"].setdefault(name, []).append(row)
            good = row["killed"] == 1 and row["equal"] and row["sound"]
            print(f"{name:34} hit {run.nth}: killed {row['killed']}, {row['events']} events, "
                  f"{'equal' if row['equal'] else 'DIFFERENT'}, store {'sound' if row['sound'] else 'NOT SOUND'}", flush=True)
            if good:
                shutil.rmtree(run.folder)
            else:
                failures.append(f"{name}: {row} {first_difference(expected, found)}; kept {run.folder}")
    report["failures"] = failures
    print("\n".join(failures) or f"{len(report['points'])} points: every log is that of the undisturbed experiment")
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as f:
            f.write(json.dumps(report, indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
