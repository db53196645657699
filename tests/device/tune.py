#!/usr/bin/env python3
"""Members of a family against each other and the library, a few samples each: which parameters a row of speed.py should have.

Each row of tune_rows.py has values to try for some of its parameters. All combinations are built at once, those that the
checks refuse are left out; then they take turns with the library's call on the same tensors. Nothing here is a figure
to report: the row goes into speed_rows.py with the best parameters and is measured there.
"""
import itertools
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402
from libraries import LIBRARIES  # noqa: E402
from speed import Row, name_of  # noqa: E402
from tune_rows import ROWS  # noqa: E402

SAMPLES = 11
BUILDERS = os.cpu_count() or 2
TOLD = 6


class Tune(Campaign):
    NAME = "tune"

    def parts(self) -> list:
        return [self.machine, self.rows]

    def rows(self) -> None:
        self.manifest["rows"] = {}
        for row, grid in ROWS[:1] if self.short else ROWS:
            name = name_of(row)
            if self.wanted(name):
                made = self.step(name, sys.executable, os.path.abspath(__file__), "--row", json.dumps(row), "--grid", json.dumps(grid))
                self.manifest["rows"][name] = made
                for line in made.get("best", [])[:TOLD]:
                    print(f"  {name}: {line}", flush=True)
                print(f"  {name}: {made.get('refused', '?')} of {made.get('members', '?')} refused or wrong: {made.get('why', '')}", flush=True)


def tune(row: dict, grid: dict) -> dict:
    members = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    rows = Row(row)
    expected, library = LIBRARIES[row["baseline"]](rows.torch, row, rows.tensors, rows.library)
    refused: list[str] = []

    def build(member: dict):
        try:
            return rows.build({**row["params"], **member})
        except RuntimeError as error:
            refused.append(f"{member}: {error}")
            return None

    with ThreadPoolExecutor(BUILDERS) as pool:
        built = list(pool.map(build, members))
    told = []
    for member, made in zip(members, built):
        if made is None:
            continue
        try:
            mine = rows.native(made[1], made[2])
            rows.compare(mine, library, expected)
            samples = rows.sample(mine, library, SAMPLES)
        except RuntimeError as error:
            refused.append(f"{member}: {error}")
            continue
        told.append((sorted(samples["cake"])[SAMPLES // 2], f"{member}: {rows.summary(samples)}"))
    return {"members": len(members), "refused": len(refused), "why": refused[0][:300] if refused else "", "library": rows.library,
            "best": [line for _, line in sorted(told)]}


if __name__ == "__main__":
    if "--row" in sys.argv:
        print(json.dumps(tune(*(json.loads(sys.argv[sys.argv.index(word) + 1]) for word in ("--row", "--grid")))))
        sys.exit(0)
    sys.exit(main(Tune))
