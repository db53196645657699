#!/usr/bin/env python3
"""Every available instruction on the reference machine and on the GPU, over the same operands.

Exits 1 if an entry of the table disagrees, 4 if time ran out: the parts that are done are kept.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402

SHARDS = 24


class Ops(Campaign):
    NAME = "ops"

    def parts(self) -> list:
        return [self.machine, self.table]

    def table(self) -> None:
        rows = self.manifest["rows"] = []
        shards = 1 if self.only else SHARDS
        for shard in range(min(shards, 2) if self.short else shards):
            name = f"ops {shard} of {shards}" + (f", {self.only}" if self.only else "")
            out = os.path.join(self.work, f"ops-{shard}.json")
            options = [word for word in self.worker_options() if word != "--device" and word != "cuda"]
            more = ["--programs", "3"] if self.short else []
            more += ["--only", self.only] if self.only else []
            self.step(name, "cake-ops", *options, "--shard", str(shard), "--shards", str(shards), "--out", out, *more)
            kept = self.keep_file(name, "rows", out)
            if kept:
                result = json.loads(self.evidence.object(kept))
                self.manifest |= {"arch": result["arch"], "compiler": result["compiler"]}
                rows += result["rows"]
        for row in rows:
            if not row["agree"]:
                print(f"  {row['name']}: {json.dumps(row['details'])[:600]}", flush=True)
        print(f"{sum(row['agree'] for row in rows)} of {len(rows)} entries agree", flush=True)


if __name__ == "__main__":
    sys.exit(main(Ops))
