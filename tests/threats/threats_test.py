#!/usr/bin/env python3
"""Every row of server/THREATS.md names tests, and every test that it names is there."""
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The design's table: who, and a word of what is tried.
WANTED = (("agent", "flood"), ("agent", "giant"), ("agent", "families"), ("agent", "winners"), ("agent", "steers"), ("agent", "lucky"),
          ("agent", "tokens"), ("IR candidate", "compiler"), ("IR candidate", "machine"), ("direct CUDA", "files"),
          ("direct CUDA", "spins"), ("direct CUDA", "outputs"), ("child", "forges"), ("SQL", "ATTACH"), ("learnt rule", "ATTACH"), ("dashboard", "site"),
          ("dashboard", "markup"), ("worker", "lies"), ("worker", "floods"), ("worker", "replays"), ("operator", "wrong"),
          ("anybody", "port"))


def rows() -> list[list[str]]:
    with open(os.path.join(ROOT, "server/THREATS.md"), encoding="utf-8") as f:
        lines = [line for line in f if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines[1:]]


def tests_there() -> set[str]:
    found = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "tests")):
        for name in files:
            if not name.endswith((".cc", ".py", ".mjs")):
                continue
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
                text = f.read()
            if name.endswith(".cc"):
                found.update(f"{s}.{t}" for s, t in re.findall(r"\bTEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)", text))
            elif name.endswith(".py"):
                found.update(f"{name}:{t}" for t in re.findall(r"def (test_\w+)\(", text))
            else:
                found.update(f"{name}:{t}" for t in re.findall(r'test\("([^"]+)"', text))
    return found


class Threats(unittest.TestCase):
    def test_every_row_names_tests_that_exist(self) -> None:
        there = tests_there()
        self.assertGreater(len(there), 500)
        for who, tries, defence, tests in rows():
            named = re.findall(r"`([^`]+)`", tests)
            self.assertTrue(named, f"{who} {tries}: no test")
            self.assertTrue(defence, f"{who} {tries}: no defence")
            for name in named:
                self.assertTrue(name in there, f"{who} {tries}: no test {name}")

    def test_the_whole_table_is_answered(self) -> None:
        have = [(row[0], row[1]) for row in rows()]
        for who, word in WANTED:
            self.assertTrue(any(w.startswith(who) and word in t for w, t in have), f"{who}: {word}")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
