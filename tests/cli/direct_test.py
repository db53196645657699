#!/usr/bin/env python3
"""Direct CUDA through the daemon on the fake driver, and verdicts of the daemon run again here."""
import json
import os
import shutil
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from support import BIN, CORPUS, ROOT, Cake, Daemon, Folder  # noqa: E402

NATIVE = os.path.join(os.path.dirname(BIN), "cheats")
CHEATS = os.path.join(ROOT, "tests", "cheats")
VECTOR_ADD = os.path.join(CORPUS, "vector_add", "vector_add.cake")
PATIENCE_SECONDS = 300


class DirectTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = Folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__)
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        self.cake = Cake(self.home)
        self.daemon = Daemon(self.home).start()
        self.addCleanup(self.daemon.stop)

    def start_fake(self) -> None:
        # The children of a root worker are another user, and only see a folder of their own near the root.
        work = tempfile.mkdtemp(prefix="cake-fake-", dir="/tmp")
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        native = os.path.join(work, "native")
        shutil.copytree(NATIVE, native)
        self.daemon.start_fake(work, CAKE_FAKE_NATIVE=native)

    def submit(self, file: str, *words: str):
        return self.cake.run("submit", file, "--workload", "vector_add", "--wait", "verdict", "--json", *words,
                             seconds=PATIENCE_SECONDS)

    def verdict_of(self, candidate: str) -> dict:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            shown = self.cake.run("history", candidate, "--json").json()
            if shown["progress"].get("terminal"):
                return shown
            time.sleep(0.2)
        self.fail(f"{candidate} has no verdict")

    def test_it_is_stored_judged_and_called_what_it_is(self) -> None:
        refused = self.submit(os.path.join(CHEATS, "honest_add.cu"))
        self.assertNotEqual(refused.code, 0, refused)
        self.assertIn("sandbox has level L3", refused.err)
        self.start_fake()
        good = self.submit(os.path.join(CHEATS, "honest_add.cu"))
        self.assertEqual(good.code, 0, good)
        shown = self.verdict_of(good.json()["candidate"])
        self.assertEqual(shown["verdict"], "VERDICT_CORRECT", shown)
        self.assertEqual(shown["kind"], "direct-cuda")
        self.assertTrue(shown["variants"][0]["evaluations"][0]["receipt"])
        self.assertIn("(direct CUDA)", self.cake.run("history").out)
        bad = self.submit(os.path.join(CHEATS, "writes_zeros.cu"))
        shown = self.verdict_of(bad.json()["candidate"])
        self.assertEqual(shown["verdict"], "VERDICT_WRONG_RESULT", shown)
        self.assertEqual(shown["blame"], "BLAME_CANDIDATE")
        source = self.cake.run("history", bad.json()["candidate"], "--source").out
        with open(os.path.join(CHEATS, "writes_zeros.cu"), encoding="utf-8") as f:
            self.assertIn(f.read().strip(), source)

    def test_a_launch_that_is_none_is_rejected_by_the_gates(self) -> None:
        self.start_fake()
        path = os.path.join(self.folder, "k.cu")
        with open(path, "w", encoding="utf-8") as f:
            f.write("//@ arguments a b c N:i32\n//@ lunch k grid 1 block 1\n")
        done = self.submit(path)
        self.assertEqual(done.code, 1, done)
        self.assertIn("CK9202", done.out)

    def test_a_verdict_of_the_daemon_runs_again_here(self) -> None:
        self.daemon.start_worker()
        self.daemon.wait_for_worker()
        done = self.submit(VECTOR_ADD, "--param", "WARPS=4", "--param", "V=4", "--param", "REPEAT=1")
        self.assertEqual(done.code, 0, done)
        candidate = done.json()["candidate"]
        self.assertEqual(self.verdict_of(candidate)["verdict"], "VERDICT_CORRECT")
        again = self.cake.run("replay", candidate, "--json", seconds=PATIENCE_SECONDS)
        self.assertEqual(again.code, 0, again)
        self.assertEqual(again.json()["outcome"], "same")
        receipt = again.json()["receipt"]
        with open(os.path.join(self.home, "receipts", receipt, "job.json"), encoding="utf-8") as f:
            self.assertEqual(json.load(f)["purpose"], "SEARCH")
        # From now on it is a receipt of this machine.
        self.assertEqual(self.cake.run("replay", receipt[:12], seconds=PATIENCE_SECONDS).code, 0)
        unknown = self.cake.run("replay", "c-9-9")
        self.assertEqual(unknown.code, 2, unknown)


if __name__ == "__main__":
    unittest.main()
