#!/usr/bin/env python3
"""Kills the daemon, the worker and their children with SIGKILL and checks that nothing acknowledged is lost.

  tests/crash/crash.py --bin build/release/bin [--hits 1] [--random 0] [--seed 1] [--only NAME] [--out report.json]

An outside witness hands programs in and fsyncs each acknowledgement that it receives before it goes on.
Every failpoint of `caked --list-failpoints` is armed in daemon and worker, `--hits` times each; then
`--random` processes are killed at random times. Afterwards the witness must be a subset of the store,
each (variant, contract, protocol, purpose, round) must have one final verdict, SQLite's integrity check
must pass and `caked --rebuild-check` must find every projection equal to the fold of the event log.
Most of a round is waiting: `--side-by-side` campaigns share the failpoints, each with a daemon and a store of its own.

CI runs each failpoint once; the full run is --hits 3 --random 200.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "device"))

from evidence import Evidence  # noqa: E402

READY_SECONDS = 60      # start of a daemon on a busy machine
ROUND_SECONDS = 90      # until an armed failpoint must have been hit
SETTLE_SECONDS = 900    # until everything acknowledged has its verdict
LEASE_SECONDS = 45      # lease TTL and a margin, after a worker was killed

LEASE_TTL_MS = 12_000   # short, so that leases of killed workers come back within a round

# Points that steady traffic does not reach: objects above 64 KiB, a write-ahead log above 16 MiB, a
# migration. tests/unit/store/crash_test.cc kills a process at each of them.
IN_STORE_TEST = ("store.object.", "store.checkpoint.", "store.migrate.")
# Points that only an evaluation with a cubin reaches.
BEHIND_A_COMPILER = ("worker.put_object.",)
# Points behind the loss of a lease: the worker is killed while it holds one.
AFTER_LOSS = ("server.lost.",)

PROGRAM = """program vector_add target sm_80
dim N in 0..=1073741824
param WARPS in {{4}} = 4
in a: f32[N], b: f32[N]
out c: f32[N]
kernel add {{
  grid (ceildiv(N, 32*WARPS))
  role main: warps WARPS {{
    let i = cta*32*WARPS + thread
    if i < N {{ st c[i] <- (ld a[i]) + (ld b[i]){zeros} }}
  }}
}}
"""


def program(number: int) -> str:
    """A correct vector add with a canonical form of its own for each number below 4,096: steps that leave even -0 as it is."""
    return PROGRAM.format(zeros="".join(" - 0.0" if number >> bit & 1 else " + (-0.0)" for bit in range(12)))


class Processes:
    """The daemon and the worker of one data folder."""

    def __init__(self, binaries: str, folder: str):
        self.binaries, self.folder = binaries, folder
        self.daemon: subprocess.Popen | None = None
        self.worker: subprocess.Popen | None = None
        self.killed: subprocess.Popen | None = None  # by us, not by its failpoint
        self.log = open(os.path.join(folder, "processes.log"), "ab")

    def start_daemon(self, failpoints: str = "") -> None:
        env = dict(os.environ, CAKE_FAILPOINTS=failpoints) if failpoints else dict(os.environ)
        data = os.path.join(self.folder, "data")
        address = os.path.join(data, "address.json")
        if os.path.exists(address):
            os.remove(address)
        self.daemon = subprocess.Popen(
            [os.path.join(self.binaries, "caked"), "--data-dir", data, "--workloads", os.path.join(ROOT, "tests/corpus"),
             "--disk-reserve-bytes", "1048576", "--lease-ttl-ms", str(LEASE_TTL_MS), "--port", "0", "--http-port", "0"],
            env=env, stdout=self.log, stderr=self.log, start_new_session=True)
        end = time.monotonic() + READY_SECONDS
        while not os.path.exists(address) and self.daemon.poll() is None and time.monotonic() < end:
            time.sleep(0.02)

    def start_worker(self, failpoints: str = "") -> None:
        env = dict(os.environ, CAKE_FAILPOINTS=failpoints) if failpoints else dict(os.environ)
        self.worker = subprocess.Popen(
            [os.path.join(self.binaries, "cake-worker"), "--device", "cpu", "--name", "crash-worker",
             "--connect", "unix:" + os.path.join(self.folder, "data", "caked.sock"),
             "--work-dir", os.path.join(self.folder, "worker")],
            env=env, stdout=self.log, stderr=self.log, start_new_session=True)

    def daemon_alive(self) -> bool:
        return self.daemon is not None and self.daemon.poll() is None

    def worker_alive(self) -> bool:
        return self.worker is not None and self.worker.poll() is None

    def children(self, pid: int) -> list[int]:
        """Every descendant of a process."""
        parents: dict[int, list[int]] = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                        parents.setdefault(int(f.read().rsplit(") ", 1)[1].split()[1]), []).append(int(entry))
                except OSError:
                    pass
        found, todo = [], [pid]
        while todo:
            for child in parents.get(todo.pop(), []):
                found.append(child)
                todo.append(child)
        return found

    def stop(self) -> None:
        for process in (self.worker, self.daemon):
            if process is not None and process.poll() is None:
                process.terminate()
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


class Witness(threading.Thread):
    """Hands programs in one after another; an acknowledgement counts once it is on disk here."""

    def __init__(self, binaries: str, folder: str):
        super().__init__(daemon=True)
        self.binaries, self.folder = binaries, folder
        self.path = os.path.join(folder, "witness.jsonl")
        self.halt = threading.Event()
        self.acknowledged = 0

    def run(self) -> None:
        number = 0
        env = dict(os.environ, CAKE_HOME=os.path.join(self.folder, "data"))
        source = os.path.join(self.folder, "candidate.cake")
        with open(self.path, "ab") as out:
            while not self.halt.is_set():
                with open(source, "w", encoding="utf-8") as f:
                    f.write(program(number))
                request = f"witness-{number:06d}"
                reply = subprocess.run(
                    [os.path.join(self.binaries, "cake-remote"), "submit", source, "--workload", "vector_add", "--wait", "ack",
                     "--json", "--request-id", request], env=env, capture_output=True, text=True, check=False)
                if reply.returncode != 0:
                    self.halt.wait(0.1)   # the same request again: it may have been acknowledged unseen
                    continue
                ack = json.loads(reply.stdout)
                line = json.dumps({"request_id": request, "candidate": ack["candidate"], "content_hash": ack["content_hash"]})
                out.write((line + "\n").encode())
                out.flush()
                os.fsync(out.fileno())
                self.acknowledged += 1
                number += 1
                self.halt.wait(1.0)


class Campaign:
    def __init__(self, arguments: argparse.Namespace, part: int):
        self.arguments, self.part = arguments, part
        self.folder = tempfile.mkdtemp(prefix="cake-crash-")
        self.binaries = os.path.abspath(arguments.bin)
        self.random = random.Random(arguments.seed * arguments.side_by_side + part)
        self.processes = Processes(self.binaries, self.folder)
        self.witness = Witness(self.binaries, self.folder)
        self.report: dict = {"seed": arguments.seed, "failpoints": {}, "random_kills": {}}
        self.failures: list[str] = []
        self.imported = 0

    def keep_alive(self, daemon_failpoints: str = "", worker_failpoints: str = "") -> None:
        if not self.processes.daemon_alive():
            self.processes.start_daemon(daemon_failpoints)
        if not self.processes.worker_alive():
            self.processes.start_worker(worker_failpoints)

    def hit(self, name: str, nth: int) -> bool:
        """Restarts both processes with one failpoint armed and waits until it killed one of them."""
        self.processes.stop()
        arm = f"{name}=kill@{nth}"
        self.keep_alive(arm, arm)
        end = time.monotonic() + ROUND_SECONDS
        next_loss = time.monotonic() + 3
        while time.monotonic() < end:
            if name.startswith("server.import."):
                self.import_evidence()
            if name.startswith(AFTER_LOSS) and time.monotonic() > next_loss and self.holds_lease():
                self.processes.killed = self.processes.worker
                self.processes.worker.kill()
                self.processes.worker.wait()
                next_loss = time.monotonic() + 2 * LEASE_TTL_MS / 1000
                # A new incarnation would fence the lease at once: the loss must come from its expiry.
                if self.await_death(LEASE_TTL_MS / 1000 * 1.5):
                    return True
            if self.await_death(0.02):
                return True
            self.keep_alive(arm, arm)
        return False

    def import_evidence(self) -> None:
        """A file that was never seen before, as another machine would send it."""
        self.imported += 1
        evidence = Evidence(os.path.join(self.folder, f"evidence-{self.imported}"), "crash")
        evidence.keep(f"object {self.imported} of seed {self.arguments.seed}".encode())
        evidence.write()
        path = os.path.join(self.folder, f"evidence-{self.imported}.tar.zst")
        evidence.pack(path)
        subprocess.run([os.path.join(self.binaries, "cake-remote"), "import", path], capture_output=True, check=False,
                       env=dict(os.environ, CAKE_HOME=os.path.join(self.folder, "data")))

    def await_evaluation(self) -> None:
        """Jobs lost in a row put their device into quarantine: between the kills one has to end well."""
        self.processes.stop()
        self.keep_alive()
        before, end = self.evaluations(), time.monotonic() + ROUND_SECONDS
        while self.evaluations() == before and time.monotonic() < end:
            self.keep_alive()
            time.sleep(0.2)

    def close_to_quarantine(self) -> bool:
        """Whether the last two leases were lost, by whatever failpoints: one more and the device gets no work."""
        with self.database() as db:
            return [state for (state,) in db.execute("select state from lease order by fencing_token desc limit 2")] == ["LOST", "LOST"]

    def evaluations(self) -> int:
        with self.database() as db:
            return db.execute("select count(*) from evaluation").fetchone()[0]

    def await_death(self, seconds: float) -> bool:
        """Whether a process killed itself at its failpoint within that time."""
        end = time.monotonic() + seconds
        while True:
            daemon, worker = self.processes.daemon, self.processes.worker
            for process in (daemon, worker):
                if process is not None and process.poll() == -signal.SIGKILL and process is not self.processes.killed:
                    return True
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)

    def holds_lease(self) -> bool:
        with self.database() as db:
            return db.execute("select count(*) from job where state = 'LEASED'").fetchone()[0] > 0

    def compiles(self) -> bool:
        source = os.path.join(self.folder, "compiles.cake")
        with open(source, "w", encoding="utf-8") as f:
            f.write(program(0))
        return subprocess.run([os.path.join(self.binaries, "cake"), "build", source, "--cache", os.path.join(self.folder, "cache")],
                              capture_output=True, check=False).returncode == 0

    def walk_failpoints(self) -> None:
        listed = subprocess.run([os.path.join(self.binaries, "caked"), "--list-failpoints"], capture_output=True, text=True, check=True)
        names = [n for n in listed.stdout.split() if not n.startswith(IN_STORE_TEST)]
        if not self.compiles():
            self.report["without_a_compiler"] = [n for n in names if n.startswith(BEHIND_A_COMPILER)]
            names = [n for n in names if not n.startswith(BEHIND_A_COMPILER)]
            print(f"no NVRTC here, so never passed: {' '.join(self.report['without_a_compiler'])}", flush=True)
        for name in names[self.part::self.arguments.side_by_side]:
            if self.arguments.only and name != self.arguments.only:
                continue
            hits = 0
            for nth in range(self.arguments.hits):
                if nth > 0 or self.close_to_quarantine():
                    self.await_evaluation()
                # A worker process registers once, so only its first registration can be hit.
                later = 1 if name.startswith("worker.register.") else self.random.randint(1, 3)
                # A slow round may pass the point too seldom for the later time: then the first one does.
                hits += self.hit(name, later) or self.hit(name, 1)
                self.keep_alive()
            self.report["failpoints"][name] = hits
            print(f"{name}: hit {hits} of {self.arguments.hits}", flush=True)
            if hits < self.arguments.hits:
                self.failures.append(f"failpoint {name} was hit {hits} of {self.arguments.hits} times")

    def kill_randomly(self) -> None:
        counts = {"daemon": 0, "worker": 0, "child": 0}
        while sum(counts.values()) * self.arguments.side_by_side < self.arguments.random:
            self.keep_alive()
            time.sleep(self.random.uniform(0.05, 1.0))
            kind = self.random.choice(["daemon", "worker", "child", "child"])
            pids = {"daemon": [self.processes.daemon.pid], "worker": [self.processes.worker.pid]}.get(kind)
            if pids is None:
                pids = self.processes.children(self.processes.worker.pid) + self.processes.children(self.processes.daemon.pid)
            if not pids:
                continue
            try:
                os.kill(self.random.choice(pids), signal.SIGKILL)
                counts[kind] += 1
            except ProcessLookupError:
                pass
            for process in (self.processes.daemon, self.processes.worker):
                if process is not None and kind != "child":
                    process.poll()
        self.report["random_kills"] = counts
        print(f"random kills: {counts}", flush=True)

    def database(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{os.path.join(self.folder, 'data', 'cake.db')}?mode=ro", uri=True, timeout=30)

    def settle(self) -> None:
        """No more traffic: waits until every candidate has its gates and every job its end."""
        end = time.monotonic() + SETTLE_SECONDS + LEASE_SECONDS
        open_work = -1
        while time.monotonic() < end:
            self.keep_alive()
            with self.database() as db:
                open_work = db.execute(
                    "select (select count(*) from candidate where verdict = '' or verdict is null)"
                    " + (select count(*) from job where state in ('QUEUED', 'LEASED'))").fetchone()[0]
            if open_work == 0:
                return
            time.sleep(0.5)
        self.failures.append(f"{open_work} candidates or jobs had no end after {SETTLE_SECONDS} s")

    def check(self) -> None:
        with self.database() as db:
            stored = {row[0]: row[1] for row in db.execute(
                "select 'c-' || run_id || '-' || n, source_hash from candidate")}
            lost = 0
            with open(self.witness.path, encoding="utf-8") as f:
                acks = [json.loads(line) for line in f]
            for ack in acks:
                if stored.get(ack["candidate"]) != ack["content_hash"]:
                    lost += 1
            if len({ack["candidate"] for ack in acks}) != len(acks):
                self.failures.append("two acknowledgements name one candidate")
            twice = db.execute(
                "select count(*) from (select 1 from evaluation e join job j on j.id = e.job_id"
                " group by j.variant_id, e.contract_hash, j.protocol_id, j.purpose, j.round having count(*) > 1)").fetchone()[0]
            integrity = db.execute("pragma integrity_check").fetchone()[0]
            evaluations = db.execute("select count(*) from evaluation").fetchone()[0]
            blamed = db.execute("select count(*) from evaluation where verdict not in ('CORRECT', 'IMPROVED', 'CONFIRMED')"
                                " and blame = 'CANDIDATE'").fetchone()[0]
        rebuild = subprocess.run([os.path.join(self.binaries, "caked"), "--rebuild-check", "--data-dir",
                                  os.path.join(self.folder, "data")], capture_output=True, text=True, check=False)
        self.report.update(acknowledged=len(acks), stored=len(stored), lost=lost, evaluated_twice=twice,
                           integrity=integrity, evaluations=evaluations, correct_programs_blamed=blamed,
                           rebuild_check=rebuild.returncode)
        for name, bad in (("acknowledged candidates are lost", lost), ("variants have two final verdicts", twice),
                          ("correct programs were blamed", blamed)):
            if bad:
                self.failures.append(f"{bad} {name}")
        if integrity != "ok":
            self.failures.append(f"integrity_check: {integrity}")
        if rebuild.returncode != 0:
            self.failures.append(f"rebuild-check: {rebuild.stdout}{rebuild.stderr}")
        if not acks:
            self.failures.append("the witness got no acknowledgement")

    def run(self) -> None:
        try:
            self.keep_alive()
            self.witness.start()
            self.walk_failpoints()
            self.kill_randomly()
            self.witness.halt.set()
            self.witness.join(120)
            self.settle()
            self.processes.stop()
            self.check()
        finally:
            self.witness.halt.set()
            self.processes.stop()
        if not self.failures:
            shutil.rmtree(self.folder)
        else:
            print(f"kept: {self.folder}", file=sys.stderr)


def merged(campaigns: list[Campaign]) -> dict:
    """One report of all: counts add up, of the rest the worst stands."""
    report = dict(campaigns[0].report)
    for campaign in campaigns[1:]:
        for key, value in campaign.report.items():
            if key == "failpoints":
                report[key] = report[key] | value
            elif key == "random_kills":
                report[key] = {kind: report[key][kind] + count for kind, count in value.items()}
            elif key == "integrity":
                report[key] = value if report.get(key, "ok") == "ok" else report[key]
            elif isinstance(value, int) and key != "seed":
                report[key] = report.get(key, 0) + value
    return report | {"failures": [failure for campaign in campaigns for failure in campaign.failures]}


def run(arguments: argparse.Namespace) -> int:
    campaigns = [Campaign(arguments, part) for part in range(arguments.side_by_side)]
    with concurrent.futures.ThreadPoolExecutor(len(campaigns)) as pool:
        for done in [pool.submit(campaign.run) for campaign in campaigns]:
            done.result()
    report = merged(campaigns)
    text = json.dumps(report, indent=1)
    print(text)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as f:
            f.write(text + "\n")
    return 1 if report["failures"] else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--hits", type=int, default=1)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--side-by-side", type=int, default=1)
    parser.add_argument("--out", default="")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
