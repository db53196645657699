#!/usr/bin/env python3
"""What programs of the corpus that are broken by construction do on the GPU under delays, beside the right ones.

Exits 1 if a right program misbehaves, 4 if time ran out: the shards that are done are kept. How a broken one was made
and what the gates say of it stands in its row; tests/results/mutants.py makes tables of them.
"""
import collections
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402

# Of other architectures, and texts for the parser without contracts.
LEFT_OUT = ("language",)
SHORT = ("copy_tma", "row_max", "softmax_cluster")
MISBEHAVES = ("wrong", "varies", "fault", "hang")
# A shard is what is lost when time runs out in its middle.
RIGHT_SHARDS, MUTANT_SHARDS = 32, 160
SHORT_SHARDS = 3
RIGHT_SEEDS, MUTANT_SEEDS = 5, 4
LAUNCH_MS, FAKE_LAUNCH_MS = 1500, 300


class Mutants(Campaign):
    NAME = "mutants"

    def parts(self) -> list:
        return [self.machine, self.right, self.broken]

    def programs(self) -> list[str]:
        """Paths from the bundle's folder: they are the names of the rows."""
        found = []
        for family in sorted(os.listdir(os.path.join(self.work, "tests/corpus"))):
            folder = os.path.join("tests/corpus", family)
            if family in LEFT_OUT or not os.path.isdir(os.path.join(self.work, folder)):
                continue
            for file in sorted(os.listdir(os.path.join(self.work, folder))):
                name = file.removesuffix(".cake")
                if file.endswith(".cake") and self.wanted(name) and (not self.short or name in SHORT):
                    found.append(os.path.join(folder, file))
        return found

    def right(self) -> None:
        shards = 1 if self.short else RIGHT_SHARDS
        rows = self.manifest["right_of"] = []
        self.shards("right", shards, list(range(shards)), rows, "--right", "--seeds", str(RIGHT_SEEDS))
        for row in rows:
            if row["device"] in MISBEHAVES + ("died",):
                self.failed.append(f"{row['base']} {row['values']} as it is: {row['device']} {row.get('case', '')} {row.get('detail', '')}")
            elif row["device"] != "same":
                print(f"  {row['base']} {row['values']}: {row['device']}: {row['detail']}", flush=True)
        told = dict(collections.Counter(row["device"] for row in rows))
        print(f"right programs: {told}, {sum(row.get('delayed', 0) for row in rows)} launches with delays", flush=True)

    def broken(self) -> None:
        shards = SHORT_SHARDS if self.short else MUTANT_SHARDS
        rows = self.manifest["mutants_of"] = []
        try:
            self.shards("mutants", shards, list(range(1 if self.short else shards)), rows, "--seeds", "1" if self.short else str(MUTANT_SEEDS))
        finally:
            self.tell(rows)

    def shards(self, what: str, shards: int, asked: list[int], rows: list, *words: str) -> None:
        """Every process waits for the compiler, for a launch that hangs or for its own end much of the time."""
        of: dict[int, list] = {}

        def one(shard: int) -> None:
            of[shard] = self.shard_of(f"{what} {shard} of {shards}", shard, shards, *words)

        try:
            self.side_by_side(one, asked, max(2, os.cpu_count() or 1))
        finally:
            done = [row for shard in asked for row in of.get(shard, [])]
            rows += [row for row in done if row["device"] != "no_member"]
            self.manifest.setdefault("no_members", {})[what] = len(done) - len(rows)

    def shard_of(self, step: str, shard: int, shards: int, *words: str) -> list:
        out = os.path.join(self.work, step.replace(" ", "-") + ".json")
        options = self.worker_options()
        given = dict(zip(options[::2], options[1::2]))
        options = [word for key in ("--work-dir", "--libcuda", "--libnvrtc") if key in given for word in (key, given[key])]
        limit = FAKE_LAUNCH_MS if self.fake else LAUNCH_MS
        self.step(step, "cake-mutants", *self.programs(), *options, "--launch-ms", str(limit), "--shard", str(shard), "--shards", str(shards),
                  "--out", out, *words, seconds=float("inf"))
        kept = self.keep_file(step, "rows", out)
        if not kept:
            return []
        result = json.loads(self.evidence.object(kept))
        if result["device"]:
            self.manifest |= {"arch": result["device"]["device_facts"]["arch"], "compiler": result["device"]["compiler"]}
        return result["rows"]

    def tell(self, rows: list) -> None:
        by_operator: dict = collections.defaultdict(collections.Counter)
        for row in rows:
            by_operator[f"{row['family']}: {row['op']}"][row["device"]] += 1
        for name, count in sorted(by_operator.items()):
            print(f"  {name}: {dict(count)}", flush=True)
        misbehave = sum(row["device"] in MISBEHAVES for row in rows)
        print(f"{misbehave} of {len(rows)} broken programs misbehave: {dict(collections.Counter(row['device'] for row in rows))}", flush=True)


if __name__ == "__main__":
    sys.exit(main(Mutants))
