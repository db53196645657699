#!/usr/bin/env python3
"""A fault that the gates do not foresee, planted in the simulated GPU: through daemon, gate children, worker and its
evaluation children it becomes a finding, and the finding a small program that still fails.

  tests/cli/planted_test.py [-v]      CAKE_PLANTED=all: with larger programs, minutes
"""
import json
import os
import shutil
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from support import CORPUS, Cake, Daemon, Folder  # noqa: E402

PATIENCE_SECONDS = 300
LINES_MAX = 40
VERBOSE = "-v" in sys.argv
INSTRUCTION = "ld.streaming"  # this device cannot stream, and nobody has told the verifier
SHORT = """// Sums, with some beside them that nobody needs.
program sums target sm_80
dim N in 0..=1073741824
param WARPS in {2, 4} = 4
in a: f32[N], b: f32[N]
out c: f32[N]
kernel add {
  const T = 32*WARPS
  grid (ceildiv(N, T))
  role main: warps WARPS {
    let i = cta*T + thread
    if i < N {
      let x = ld.streaming a[i]
      let y = ld b[i]
      st c[i] <- x + y
    }
  }
}
"""
ALL = os.environ.get("CAKE_PLANTED") == "all"


class Planted(unittest.TestCase):
    def plant(self, rule: dict) -> None:
        folder = Folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__)
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        self.cake = Cake(home)
        self.daemon = Daemon(home).start()
        self.addCleanup(self.daemon.stop)
        work = tempfile.mkdtemp(prefix="cake-fake-", dir="/tmp")
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        plan = os.path.join(work, "plan.json")
        with open(plan, "w", encoding="utf-8") as f:
            json.dump({"rules": [dict(rule, text=INSTRUCTION)]}, f)
        os.chmod(plan, 0o644)
        self.daemon.start_fake(work, CAKE_FAKE_PLAN=plan)

    def finding(self, source: str, *words: str) -> dict:
        """Submits a program and waits for the minimised form of what it shows."""
        shown = self.cake.run("submit", source, "--wait", "verdict", *words, seconds=PATIENCE_SECONDS)
        self.assertNotIn("REJECTED", shown.out, "the gates know it")
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            found = self.cake.run("history", "findings", "--json").json().get("findings", [])
            if found and found[0]["state"] == "MINIMISED":
                self.assertEqual(len(found), 1, "attempts to make it smaller are no findings of their own")
                return self.cake.run("history", found[0]["id"], "--json").json()
            time.sleep(0.2)
        self.fail(f"no minimised finding: {self.cake.run('history', 'findings')}\n{self.daemon.log_text()}")

    def expect_small(self, finding: dict, source: str) -> None:
        """It is short, the gates still accept it, it still has what the device cannot do, and little else."""
        small = finding["minimised"]
        with open(source, encoding="utf-8") as f:
            whole = f.read()
        self.assertLessEqual(len(small.splitlines()), LINES_MAX, small)
        self.assertLess(len(small.splitlines()), len(whole.splitlines()))
        self.assertEqual(small.count(INSTRUCTION), 1, "one is what it takes")
        path = os.path.join(self.folder, "small.cake")
        with open(path, "w", encoding="utf-8") as f:
            f.write(small)
        self.assertEqual(self.cake.run("check", path).code, 0, small)
        self.assertEqual([one["candidate"] for one in finding["cases"]], ["c-1-1"])
        if VERBOSE:
            runs = self.cake.run("history", "candidates", "--run", "r-2", "--limit", "500", "--json").json()["candidates"]
            print(f"\n{finding['title']}: {len(whole.splitlines())} lines made {len(small.splitlines())} in {len(runs)} attempts\n{small}")

    def test_wrong_bytes_are_the_lowerings(self) -> None:
        self.plant({"fault": "flip", "byte": 0, "count": 64})
        source = os.path.join(self.folder, "sums.cake")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SHORT)
        words = ["--param", "WARPS=4"]
        if ALL:
            source, words = os.path.join(CORPUS, "vector_add", "vector_add.cake"), ["--param", "WARPS=4", "--param", "V=4", "--param", "REPEAT=2"]
        found = self.finding(source, "--workload", "vector_add", *words)
        self.assertEqual((found["route"], found["title"]), ("lowering", "right on the machine, wrong on the device"))
        self.expect_small(found, source)

    @unittest.skipUnless(ALL, "minutes; CAKE_PLANTED=all runs it")
    def test_a_fault_of_what_was_proved_is_the_verifiers(self) -> None:
        self.plant({"fault": "sticky", "code": 716})
        source = os.path.join(CORPUS, "router_gemm", "router_gemm.cake")
        found = self.finding(source, "--workload", "router_gemm", "--param", "WARPS=8", "--param", "R=2")
        self.assertEqual((found["route"], found["title"]), ("verifier", "a proved property failed: bounds"))
        self.expect_small(found, source)


if __name__ == "__main__":
    unittest.main()
