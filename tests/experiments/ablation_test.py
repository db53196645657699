#!/usr/bin/env python3
"""The short form of the ablations: every arm runs to its end, twice the same, and searches."""
import json
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/bin/ablation"
ARMS = ["full", "random", "no-ranking", "no-archive", "no-fixes"]


def run(*words: str) -> dict:
    result = subprocess.run([PROGRAM, "--families", "vector_add", "--repeats", "2", "--evaluations", "16", "--pool", "5", "--broken", "60",
                             "--arms", ",".join(ARMS), *words], capture_output=True, check=True, timeout=500)
    return json.loads(result.stdout)


class Ablation(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.out = run()

    def test_every_arm_runs_every_repeat(self) -> None:
        arms = self.out["families"]["vector_add"]["arms"]
        self.assertEqual(list(arms), sorted(ARMS))
        for arm, rows in arms.items():
            self.assertEqual(len(rows), 2, arm)
            for row in rows:
                self.assertIn(row["stop"], ("BUDGET(evaluations)", "EXHAUSTED"), arm)
                self.assertTrue(0 < len(row["curve"]) <= 16, arm)
                self.assertEqual(row["curve"], sorted(row["curve"]), arm)
                self.assertEqual(row["misses"], 0, arm)

    def test_it_says_the_same_twice(self) -> None:
        self.assertEqual(run(), self.out)

    def test_arms_differ_where_they_should(self) -> None:
        arms = self.out["families"]["vector_add"]["arms"]
        fixed = {arm: any("fix" in row["tactics"] for row in rows) for arm, rows in arms.items()}
        self.assertTrue(fixed["full"])
        self.assertFalse(fixed["no-fixes"])
        self.assertFalse(fixed["random"])
        self.assertEqual({name for row in arms["random"] for name in row["tactics"]}, {"random"})
        self.assertNotEqual([r["curve"] for r in arms["full"]], [r["curve"] for r in arms["no-ranking"]])

    def test_the_log_says_which_rules_decided(self) -> None:
        arms = self.out["families"]["vector_add"]["arms"]
        parents = {arm: {rule for row in rows for rule in row["rules"] if rule.startswith("parent by")} for arm, rows in arms.items()}
        self.assertIn("parent by ELITE", parents["full"])
        self.assertIn("parent by REPAIR", parents["full"])
        self.assertFalse(parents["no-archive"] & {"parent by ELITE", "parent by RARE_CELL", "parent by OTHER_ISLAND"})
        self.assertEqual(parents["random"], {"parent by SEED"})
        for arm, rows in arms.items():
            for row in rows:
                run = sum(n for rule, n in row["rules"].items() if rule.startswith("evaluation: ") and rule != "evaluation: AUDIT")
                self.assertEqual(run, len(row["curve"]), arm)

    def test_what_relatives_share_is_part_of_the_device(self) -> None:
        shared = run("--inherited", "0.8", "--arms", "full")
        self.assertEqual(shared["inherited"], 0.8)
        self.assertNotEqual([r["curve"] for r in shared["families"]["vector_add"]["arms"]["full"]],
                            [r["curve"] for r in self.out["families"]["vector_add"]["arms"]["full"]])

    def test_other_seeds_are_other_runs(self) -> None:
        other = run("--first-repeat", "11")
        self.assertNotEqual(other["families"], self.out["families"])


if __name__ == "__main__":
    unittest.main()
