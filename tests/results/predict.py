#!/usr/bin/env python3
"""What the cost model says of every row of the speed campaign: tests/results/predict.py CAKE writes predictions/table.json."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "device"))

from speed import name_of  # noqa: E402
from speed_rows import ROWS  # noqa: E402

KEPT = ("time_ns", "low_ns", "high_ns", "roofline_ns", "bottleneck", "runner_up")
STATEMENTS = 5


def predicted(cake: str, row: dict) -> dict:
    words = [w for k, v in row["params"].items() for w in ("--param", f"{k}={v}")]
    words += [w for k, v in row["dims"].items() for w in ("--dim", f"{k}={v}")]
    file, _, program = row["program"].partition(":")
    target = os.path.join(ROOT, "tests", "corpus", file) + (f":{program}" if program else "")
    run = subprocess.run([cake, "estimate", target, "--arch", "sm_90a", "--json", *words], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return {"error": (run.stderr or run.stdout).strip()[:200]}
    estimate = json.loads(run.stdout)
    return {name: estimate[name] for name in KEPT} | {"attribution": [
        {name: at[name] for name in ("line", "ns", "resource")} for at in estimate["attribution"][:STATEMENTS]]}


def main() -> int:
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    table = {"commit": commit, "rows": {name_of(row): predicted(sys.argv[1], row) for row in ROWS}}
    os.makedirs(os.path.join(HERE, "predictions"), exist_ok=True)
    with open(os.path.join(HERE, "predictions", "table.json"), "w", encoding="utf-8") as f:
        json.dump(table, f, indent=1)
        f.write("\n")
    return 0


sys.exit(main())
