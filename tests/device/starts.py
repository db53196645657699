#!/usr/bin/env python3
"""Writes tests/device/evolve.json: for each family of the campaign `evolve`, start programs of its worst quartile by the estimate.

  tests/device/starts.py CAKE      CAKE: the built command
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

import evolve_contracts  # noqa: E402

MEMBERS_MAX, STARTS = 64, 4
PARAM = re.compile(r"^param (\w+) in (?:\{([\d, ]+)\}|(\d+)\.\.=(\d+))", re.M)


def members(program: str) -> list[dict]:
    """Every member by the params' domains as the program writes them, or a sample of so many."""
    every = [{}]
    for name, listed, first, last in PARAM.findall(program):
        values = [int(value) for value in listed.split(",")] if listed else range(int(first), int(last) + 1)
        every = [member | {name: value} for member in every for value in values]
    return every if len(every) <= MEMBERS_MAX else random.Random(1).sample(every, MEMBERS_MAX)


def predicted(cake: str, path: str, contract: str, member: dict) -> float:
    words = [word for name, value in member.items() for word in ("-p", f"{name}={value}")]
    done = subprocess.run([cake, "estimate", path, "--workload", contract, "--json", *words], capture_output=True, text=True, cwd=ROOT, check=False)
    return json.loads(done.stdout)["time_ns"] if done.returncode == 0 else math.inf


def main() -> int:
    out = {}
    with tempfile.TemporaryDirectory() as work:
        for name in evolve_contracts.FAMILIES:
            contract, path = evolve_contracts.write(os.path.join(ROOT, "tests/corpus"), work, name)
            with open(path, encoding="utf-8") as f:
                every = members(f.read())
            timed = [(predicted(sys.argv[1], path, contract, member), json.dumps(member)) for member in every]
            timed = sorted((time, member) for time, member in timed if math.isfinite(time))
            worst = timed[-max(1, len(timed) // 4):]
            out[name] = {"members": len(timed), "best_predicted_ns": timed[0][0], "starts": [json.loads(member) for _, member in worst[:STARTS]],
                         "starts_predicted_ns": [time for time, _ in worst[:STARTS]]}
    with open(os.path.join(HERE, "evolve.json"), "w", encoding="utf-8") as f:
        json.dump(out, f, indent=1)
        f.write("\n")
    return 0


sys.exit(main())
