#!/usr/bin/env python3
"""A replay file from end to end: recorded from a family, served by a worker, searched by the daemon."""
import json
import os
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from support import BIN, CORPUS, Cake, Daemon, Folder  # noqa: E402

VECTOR_ADD = os.path.join(CORPUS, "vector_add", "vector_add.cake")


class ReplayTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = Folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__)
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        self.cake = Cake(self.home)
        self.file = os.path.join(self.folder, "t.replay")

    def record(self, *words: str) -> dict:
        done = self.cake.run("record", VECTOR_ADD, "-o", self.file, "--json", *words)
        self.assertEqual(done.code, 0, done)
        return done.json()

    def serve(self) -> None:
        daemon = Daemon(self.home).start()
        self.addCleanup(daemon.stop)
        with open(os.path.join(self.home, "worker.log"), "ab") as log:
            daemon.worker = subprocess.Popen(
                [os.path.join(BIN, "cake-worker"), "--replay", self.file, "--connect", "unix:" + daemon.address["unix"]],
                stdout=log, stderr=log)
        # An experiment's objective is fixed when it is made: the worker has to be there.
        for _ in range(600):
            with open(os.path.join(self.home, "worker.log"), encoding="utf-8") as log:
                if "registered as" in log.read():
                    return
            time.sleep(0.05)
        self.fail("the worker did not register")

    def evolve(self, *words: str) -> str:
        done = self.cake.run("evolve", "vector_add", "--source", VECTOR_ADD, "--experiment", "e", "--budget", "evals=4",
                             "--seed", "1", *words, seconds=300)
        self.assertIn(done.code, (0, 1), done)
        return done.out

    def test_a_family_is_recorded_once(self) -> None:
        first = self.record()
        self.assertGreater(first["added"], 10)
        self.assertEqual(first["added"] + first["rejected"] + first["left_out"] + first["known"], first["seen"])
        again = self.record()
        self.assertEqual((again["added"], again["known"]), (0, first["added"] + first["known"]))
        with open(self.file, encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        self.assertEqual(lines[0]["times"], "ESTIMATED")
        self.assertEqual(len(lines), 1 + first["added"])
        self.assertEqual(len({line["program"] for line in lines[1:]}), first["added"])

    def test_a_made_up_spread_is_called_synthetic_and_is_the_same_again(self) -> None:
        self.record("--spread", "0.2", "--seed", "5")
        with open(self.file, encoding="utf-8") as f:
            first = f.read()
        self.assertEqual(json.loads(first.splitlines()[0])["times"], "SYNTHETIC")
        os.unlink(self.file)
        self.record("--spread", "0.2", "--seed", "5")
        with open(self.file, encoding="utf-8") as f:
            self.assertEqual(f.read(), first)
        refused = self.cake.run("record", VECTOR_ADD, "-o", self.file)
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("was recorded from", refused.err)

    def test_a_search_on_it_is_called_a_replay(self) -> None:
        self.record("--spread", "0.2")
        self.serve()
        out = self.evolve("--arm", "sweep")  # members of the family, all of which are recorded
        self.assertIn("objective source: REPLAY", out)
        self.assertIn("times SYNTHETIC", out)
        self.assertIn(" 0 not recorded", out)

    def test_what_is_not_recorded_is_counted(self) -> None:
        self.record("--members", "1")
        self.serve()
        out = self.evolve()
        self.assertIn("objective source: REPLAY", out)
        self.assertRegex(out, r"[1-9][0-9]* not recorded")


if __name__ == "__main__":
    unittest.main()
