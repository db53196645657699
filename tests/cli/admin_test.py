#!/usr/bin/env python3
"""Looking after a store: the verbs of `cake admin` beside a daemon and on a folder that none has."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from remote_test import RemoteTest  # noqa: E402
from programs import WRONG  # noqa: E402
from support import BIN, GUARD_SECONDS, Cake, Daemon  # noqa: E402


class Upkeep(RemoteTest):
    WORKER = False

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def log_of(self, home: str, through: int) -> list:
        with sqlite3.connect(f"file:{os.path.join(home, 'cake.db')}?mode=ro", uri=True) as db:
            return db.execute("select seq, kind, subject, body from event where seq <= ? order by seq", (through,)).fetchall()

    def candidates(self, cake: Cake) -> list:
        lines = cake.run("history", "--format", "jsonl").out.splitlines()
        return [(c["id"], c["content_hash"], c["verdict"]) for c in map(json.loads, lines)]

    def test_1_a_backup_under_load_restores_to_an_equal_fold(self) -> None:
        sources = [self.write(f"{i}.cake", wrong.source) for i, wrong in enumerate(WRONG)]
        self.submit(sources[0], code=1)
        stop, handed_in = threading.Event(), []

        def load() -> None:
            while not stop.is_set():
                path = sources[len(handed_in) % len(sources)]
                handed_in.append(self.cake.run("submit", path, "--workload", "vector_add", "--wait", "ack", "--json").json())

        thread = threading.Thread(target=load)
        thread.start()
        self.wait_until(lambda: len(handed_in) >= 3)
        before = len(handed_in)
        backup = self.cake_run("admin", "backup", self.path("backup"), "--reason", "drill", "--json").json()
        self.wait_until(lambda: len(handed_in) > before)
        stop.set()
        thread.join()
        through = int(backup["last_seq"])
        self.assertLess(through, self.last_seq(), "nothing was written beside the copy")

        restored = self.cake_run("admin", "restore", self.path("backup"), "--into", self.path("restored"), "--json").json()
        self.assertTrue(restored["equal"])
        self.assertEqual(int(restored["events"]), through)
        self.assertEqual(self.log_of(self.path("restored"), through), self.log_of(self.home, through))
        # Its daemon knows what was acknowledged before the copy, and goes on from there.
        daemon, cake = Daemon(self.path("restored")), Cake(self.path("restored"))
        daemon.start()
        try:
            known = {c[0]: c for c in self.candidates(cake)}
            for ack in handed_in[:before]:
                self.assertEqual(known[ack["candidate"]][1], ack["content_hash"])
            self.assertEqual(cake.run("submit", sources[0], "--workload", "vector_add").code, 1)
            self.assertEqual(cake.run("admin", "fsck").code, 0)
        finally:
            daemon.stop()

    def test_2_fsck_and_gc_beside_the_daemon(self) -> None:
        self.assertIn("sound", self.cake_run("admin", "fsck").out)
        dry = self.cake_run("admin", "gc", "--unnamed-hours", "0")
        self.assertIn("a dry run", dry.out)
        self.cake_run("admin", "gc", "--apply", code=2)  # without a reason
        seq = self.last_seq()
        self.cake_run("admin", "gc", "--apply", "--unnamed-hours", "0", "--reason", "room")
        events = self.cake_run("history", "events", "--kind", "AdminAction", "--json").json()["events"]
        self.assertEqual(int(events[0]["seq"]), seq + 1)
        self.assertEqual(events[0]["admin_action"]["reason"], "room")
        self.assertTrue(self.cake_run("admin", "fsck", "--json").json()["sound"])
        self.cake_run("history")

    def test_3_doctor(self) -> None:
        reply = self.cake_run("admin", "doctor", "--json").json()
        states = {check["name"]: check["state"] for check in reply["checks"]}
        self.assertTrue(reply["live"])
        for name in ("system", "libraries", "environment", "open files", "folder", "store", "daemon"):
            self.assertEqual(states[name], "CHECK_STATE_OK", reply)
        self.assertLessEqual({"disk", "compiler", "driver", "sandbox"}, set(states))
        os.chmod(self.home, 0o777)
        loose = self.cake_run("admin", "doctor", "--json").json()
        os.chmod(self.home, 0o755)
        folder = next(check for check in loose["checks"] if check["name"] == "folder")
        self.assertEqual((folder["state"], folder["remedy"]), ("CHECK_STATE_WARN", f"chmod o-w {self.home}"))

    def test_4_a_folder_that_a_daemon_has_is_left_alone(self) -> None:
        for verb, request in (("gc", "{}"), ("backup", '{"path": "/nowhere/b"}')):
            done = subprocess.run([os.path.join(BIN, "caked"), "--data-dir", self.home, "--admin", verb, "--request", request],
                                  capture_output=True, text=True, timeout=GUARD_SECONDS)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"in use by process {self.daemon.process.pid}", done.stderr)

    def test_5_without_a_daemon_the_folder_is_looked_after(self) -> None:
        self.daemon.process.kill()  # leaves its address behind
        self.daemon.process.wait()
        self.assertIn("sound", self.cake_run("admin", "fsck").out)
        self.assertFalse(self.cake_run("admin", "doctor", "--json").json()["live"])
        self.cake_run("admin", "backup", self.path("cold"))
        self.cake_run("admin", "gc", "--apply", "--reason", "room")
        self.assertTrue(self.cake_run("admin", "restore", self.path("cold"), "--into", self.path("warm"), "--json").json()["equal"])
        self.cake_run("admin", "restore", self.path("cold"), "--into", self.path("warm"), code=3)  # not empty
        with sqlite3.connect(os.path.join(self.home, "cake.db")) as db:
            db.execute("update candidate set intent = 'other' where id = 1")
        told = self.cake_run("admin", "fsck", code=3)
        self.assertIn("candidate id=1", told.out)
        shutil.rmtree(self.path("warm"))


if __name__ == "__main__":
    unittest.main()
