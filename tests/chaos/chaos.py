#!/usr/bin/env python3
"""Breaks everything around the daemon while candidates are judged on the simulated GPU; the verdicts must be those of a quiet run.

  tests/chaos/chaos.py [--bin build/release/bin] [--fake build/release/fakecuda] [--seconds 1200 | --each] [--seed 1] [--out FILE]

Candidates are handed in one after the other, each after the verdict of the one before, so that both runs decide the same. While
one is judged, what `faults.draw` says happens: the device hangs or loses its context at the candidate's first attempt (a fault
that comes every time is a verdict), the daemon, the worker or a child dies, the worker stands still for longer than its lease,
the link between them loses what is on its way, the disk is full, the wall clock jumps by an hour. Then the same candidates go
through a daemon that nothing happens to. Compared are verdict and blame of each candidate and of each evaluation, and what was
charged. With --each, as CI runs it, everything happens once, while a candidate is evaluated; that it did is judged too. A probe
asks the daemon for its overview all the time; what it waits is printed and not judged, for other work of the machine is in it.
"""
import argparse
import http.client
import itertools
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
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "crash")]

from crash import program  # noqa: E402
from faults import DEVICE, HARMLESS, LOSING, Clock, Device, Disk, Link, draw, each, stand  # noqa: E402

LEASE_TTL_MS = 20_000  # a worker drops what it has 8 s before the end of its lease
STAND_SECONDS = LEASE_TTL_MS / 1000 + 2
VERDICT_SECONDS = 300  # of one candidate, with everything that happens to it, on a busy machine


def refused(number: int) -> bool:
    """By the gates: nothing of it reaches a worker."""
    return number % 7 == 3


def candidate(number: int) -> str:
    """Mostly right ones; some that the gates refuse, and some whose values are wrong."""
    text = program(number)
    if refused(number):
        return text.replace("if i < N {", "if i <= N {")
    if number % 7 == 5:
        return text.replace("(ld b[i])", "(ld b[i]) + 1.0")
    return text


class World:
    """A daemon and a worker of the simulated GPU, in a folder of their own; started again when they are gone."""

    def __init__(self, arguments: argparse.Namespace, chaos: bool):
        self.bin, self.fake = os.path.abspath(arguments.bin), os.path.abspath(arguments.fake)
        self.folder = tempfile.mkdtemp(prefix="cake-chaos-")
        # Near the root, for the children of a root worker are somebody else.
        self.data, self.work = os.path.join(self.folder, "data"), tempfile.mkdtemp(prefix="cake-fake-", dir="/tmp")
        os.mkdir(self.data)
        for path in (self.work, os.path.join(self.work, "programs")):
            os.makedirs(path, exist_ok=True)
            os.chmod(path, 0o777)
        self.socket = os.path.join(self.data, "caked.sock")
        self.chaos = chaos
        self.disk = Disk(self.data) if chaos else None
        library = os.path.join(os.path.dirname(self.bin), "chaos", "libjumping_clock.so")
        self.clock = Clock(self.folder, library) if chaos and os.path.exists(library) else None
        self.link = Link(os.path.join(self.folder, "link.sock"), self.socket) if chaos else None
        if self.link:
            self.link.start()
        self.device = Device(self.work)
        self.device.start()
        self.environment = dict(os.environ, CAKE_HOME=self.data)
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.daemon: subprocess.Popen | None = None
        self.worker: subprocess.Popen | None = None
        self.halt, self.away = threading.Event(), threading.Event()
        self.keeper = threading.Thread(target=self.keep, daemon=True)

    def keep(self) -> None:
        while not self.halt.wait(0.1):
            if self.daemon is None or self.daemon.poll() is not None:
                self.start_daemon()
            if self.worker is None or self.worker.poll() is not None:
                self.start_worker()

    def start_daemon(self) -> None:
        address = os.path.join(self.data, "address.json")
        if os.path.exists(address):
            os.unlink(address)
        extra = self.clock.environment() if self.clock else {}
        self.daemon = subprocess.Popen(
            [os.path.join(self.bin, "caked"), "--data-dir", self.data, "--workloads", os.path.join(ROOT, "tests/corpus/vector_add"),
             "--disk-reserve-bytes", "1048576", "--lease-ttl-ms", str(LEASE_TTL_MS), "--port", "0", "--http-port", "0"],
            env=self.environment | extra, stdout=self.log, stderr=self.log, start_new_session=True)
        end = time.monotonic() + 60
        while not os.path.exists(address) and self.daemon.poll() is None and time.monotonic() < end:
            time.sleep(0.02)

    def start_worker(self) -> None:
        extra = self.device.environment() | {"CAKE_FAKE_OBJECTS": os.path.join(self.work, "programs")}
        self.worker = subprocess.Popen(
            [os.path.join(self.bin, "cake-worker"), "--device", "cuda", "--name", "chaos", "--connect",
             "unix:" + (self.link.path if self.link else self.socket), "--work-dir", self.work, "--libcuda", f"{self.fake}/libcuda.so.1",
             "--libnvrtc", f"{self.fake}/libnvrtc.so.13", "--libcupti", f"{self.fake}/libcupti.so.13",
             "--direct-sandbox-min", "L1"],
            env=self.environment | extra, stdout=self.log, stderr=self.log, start_new_session=True)

    def query(self, sql: str) -> list:
        try:
            with sqlite3.connect(f"file:{self.data}/cake.db?mode=ro", uri=True, timeout=30) as db:
                return db.execute(sql).fetchall()
        except sqlite3.Error:
            return []

    def children(self) -> list[int]:
        done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.worker.pid)], capture_output=True, text=True)
        return [int(word) for word in done.stdout.split()]

    def can(self, what: str) -> bool:
        return {"disk is full": self.disk is not None and self.disk.mounted, "clock jumps": self.clock is not None}.get(what, True)

    def happen(self, what: str) -> None:
        if what == "daemon dies" and self.daemon:
            self.daemon.kill()
        elif what == "worker dies" and self.worker:
            self.worker.kill()
        elif what == "child dies" and self.worker:
            for pid in self.children()[:1]:
                stand([pid], 0)  # it is not the kill that is tried if it just ended
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        elif what == "worker stands" and self.worker:
            stand([self.worker.pid] + self.children(), STAND_SECONDS)
        elif what == "replies are lost":
            self.link.cut()
        elif what == "clock jumps":
            self.clock.jump(random.choice([at for at in (-3600, 0, 3600) if at != self.clock.offset]))
        elif what == "disk is full":
            self.away.set()
            self.disk.fill(3)
            self.away.clear()

    def submit(self, number: int) -> str:
        """The same request until it is answered."""
        source = os.path.join(self.folder, "candidate.cake")
        with open(source, "w", encoding="utf-8") as f:
            f.write(candidate(number))
        end = time.monotonic() + VERDICT_SECONDS
        while time.monotonic() < end:
            done = subprocess.run([os.path.join(self.bin, "cake-remote"), "submit", source, "--workload", "vector_add", "--wait", "ack",
                                   "--request-id", f"chaos-{number:06d}", "--json"], env=self.environment, capture_output=True, text=True)
            if done.returncode in (0, 1) and done.stdout:
                return json.loads(done.stdout)["candidate"]
            time.sleep(0.1)
        raise SystemExit(f"candidate {number} was never acknowledged: {done.stderr}")

    def await_verdict(self, name: str) -> list:
        """Verdict and blame of the candidate, then of its evaluations in their order."""
        run, n = name.split("-")[1:]
        where = f"from candidate c where c.run_id = {run} and c.n = {n}"
        end = time.monotonic() + VERDICT_SECONDS
        while time.monotonic() < end:
            got = self.query(f"select c.verdict, c.blame {where} and c.verdict is not null and c.verdict != ''")
            open_jobs = self.query("select count(*) from job where state in ('QUEUED', 'LEASED')")
            waiting = self.query(f"select count(*) from variant v where v.candidate_id in (select id {where}) and v.verdict is null")
            if got and open_jobs == [(0,)] and waiting == [(0,)]:
                rows = self.query("select j.purpose, e.verdict, e.blame from evaluation e join job j on j.id = e.job_id join variant v on"
                                  f" v.id = j.variant_id where v.candidate_id in (select id {where}) order by j.id")
                return [list(got[0])] + [list(row) for row in rows]
            time.sleep(0.05)
        raise SystemExit(f"{name} has no verdict after {VERDICT_SECONDS} s; see {self.folder}/log")

    def charged(self) -> list:
        return self.query("select run_id, max(charged_evaluations) from v_curve group by run_id")

    def stop(self) -> None:
        self.halt.set()
        self.keeper.join()
        for process in (self.worker, self.daemon):
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()

    def rebuild_check(self) -> bool:
        done = subprocess.run([os.path.join(self.bin, "caked"), "--data-dir", self.data, "--rebuild-check"], capture_output=True, text=True)
        return done.returncode == 0

    def remove(self) -> None:
        if self.disk:
            self.disk.release()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.work, ignore_errors=True)


class Probe(threading.Thread):
    """How long the daemon takes to say how things stand, while it is there and its disk has room."""

    def __init__(self, world: World):
        super().__init__(daemon=True)
        self.world, self.waits_ms, self.halt = world, [], threading.Event()

    def run(self) -> None:
        while not self.halt.wait(0.1):
            try:
                with open(os.path.join(self.world.data, "address.json"), encoding="utf-8") as f:
                    host, port = json.load(f)["http"].rsplit("/", 1)[1].split(":")
                begin, alone = time.monotonic(), not self.world.away.is_set()
                connection = http.client.HTTPConnection(host, int(port), timeout=10)
                connection.request("GET", "/api/overview")
                good = connection.getresponse().status == 200
                connection.close()
                if good and alone and not self.world.away.is_set():
                    self.waits_ms.append((time.monotonic() - begin) * 1e3)
            except (OSError, ValueError, http.client.HTTPException):
                pass

    def quantile(self, at: float) -> float:
        return sorted(self.waits_ms)[int(at * (len(self.waits_ms) - 1))] if self.waits_ms else 0


def schedule(arguments: argparse.Namespace, count: int | None):
    """What happens to each candidate: nothing to `count` of them, everything once, or what is drawn for as long as a run takes."""
    if count is not None:
        yield from ([] for _ in range(count))
    elif arguments.each:
        turns = [*each()]
        for number in itertools.count():
            if not turns:
                return
            yield [] if refused(number) else turns.pop(0)
    else:
        dice, begin = random.Random(arguments.seed), time.monotonic()
        while time.monotonic() - begin < arguments.seconds:
            yield draw(dice)


def play(arguments: argparse.Namespace, count: int | None) -> tuple[World, list, dict]:
    """Candidates under chaos as `arguments` say, or `count` of them in peace."""
    world = World(arguments, chaos=count is None)
    world.keeper.start()
    while not world.query("select 1 from worker"):  # a run is measured by what is there when it is made
        time.sleep(0.1)
    probe = Probe(world)
    probe.start()
    dice, happened, verdicts = random.Random(arguments.seed), {}, []
    begin = time.monotonic()
    for number, faults in enumerate(schedule(arguments, count)):
        outside = [what for what in faults if what not in DEVICE and world.can(what)]
        pauses = [dice.uniform(0.05, 1.5) for _ in outside]
        world.device.arm("".join(what for what in faults if what in DEVICE))

        def break_things() -> None:
            for what, pause in zip(outside, pauses):
                if arguments.each:
                    world.device.loaded.wait(VERDICT_SECONDS)  # while it is evaluated, not just after
                else:
                    time.sleep(pause)
                happened[what] = happened.get(what, 0) + 1
                world.happen(what)

        breaking = threading.Thread(target=break_things)
        breaking.start()
        name = world.submit(number)
        verdicts.append(world.await_verdict(name))
        breaking.join()
    probe.halt.set()
    probe.join()
    for what in world.device.fired:
        happened[what] = happened.get(what, 0) + 1
    figures = {"probes": len(probe.waits_ms), "p50_ms": probe.quantile(0.5), "p99_ms": probe.quantile(0.99), "happened": happened,
               "seconds": time.monotonic() - begin, "charged": world.charged()}
    world.stop()
    figures["rebuilds"] = world.rebuild_check()
    return world, verdicts, figures


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--fake", default="")
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="")
    arguments = parser.parse_args()
    arguments.fake = arguments.fake or os.path.join(os.path.dirname(os.path.abspath(arguments.bin)), "fakecuda")
    world, chaotic, figures = play(arguments, None)
    still, quiet, calm = play(arguments, len(chaotic))
    different = [[i, a, b] for i, (a, b) in enumerate(zip(chaotic, quiet)) if a != b]
    report = {"seed": arguments.seed, "candidates": len(chaotic), "evaluations": sum(len(v) - 1 for v in chaotic), "chaos": figures,
              "quiet": calm, "different": different, "load": os.getloadavg(),
              "left_out": [what for what in HARMLESS if not world.can(what)]}
    missed = [what for what in (*DEVICE, *LOSING, *HARMLESS) if arguments.each and world.can(what) and what not in figures["happened"]]
    print(f"{len(chaotic)} candidates, {report['evaluations']} evaluations; {figures['happened']}")
    print(f"left out here: {report['left_out'] or 'nothing'}; overview p50 {figures['p50_ms']:.1f} ms, p99 {figures['p99_ms']:.1f} ms of {figures['probes']}")
    for number, in_chaos, in_peace in different:
        print(f"candidate {number}: {in_chaos} under chaos, {in_peace} in peace")
    if missed:
        print(f"did not happen: {', '.join(missed)}")
    failed = bool(different or missed) or figures["charged"] != calm["charged"] or not (figures["rebuilds"] and calm["rebuilds"]) or not chaotic
    print(f"charged {figures['charged']} and {calm['charged']}; folds equal: {figures['rebuilds']} and {calm['rebuilds']}")
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as f:
            f.write(json.dumps(report, indent=1) + "\n")
    if failed:
        print(f"kept: {world.folder} and {still.folder}")
        return 1
    world.remove()
    still.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
