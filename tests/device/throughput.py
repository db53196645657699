#!/usr/bin/env python3
"""How many candidates a second one worker judges and times, and where the time goes.

Members of a family one after the other through one evaluator, as while it serves: four machine-tier cases and one timed
case of about 20 us each, against the contract's baseline in the same blocks. Every member is judged once before (builds,
inputs and expected outputs are then known); the second round counts. Once in a shared child and once in a fresh one each.
Exits 1 if the shared child judges fewer than 15 a second in any row, or a candidate is not correct.
"""
import json
import os
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402
from job_files import job_of, program_of  # noqa: E402

LEAST_PER_SECOND = 15.0

# family, program, contract, dims, machine-tier cases, members
ROWS = [
    ("gemm", "gemm_bf16_async", "gemm_bf16", {"M": 1024, "N8": 128, "K8": 128}, ["least", "few", "tile", "ragged"],
     [{"BM": m, "BN": n, "STAGES": s} for m in (64, 128) for n in (64, 128) for s in (2, 3, 4)]),
    ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 4096, "N": 4096}, ["few", "tile_minus_one", "tile", "ragged"],
     [{"WARPS": w, "V": v, "ROWS": r} for w in (4, 8) for v in (4, 8) for r in (1, 2, 4)]),
]
SHORT = [("rmsnorm", "rmsnorm", "rmsnorm", {"M": 24, "N": 64}, ["few", "tile"], [{"WARPS": 4}, {"WARPS": 8}])]
FRESH = 4  # members that also run in children of their own


class Throughput(Campaign):
    NAME = "throughput"

    def parts(self) -> list:
        return [self.machine, self.rows]

    def judge(self, name: str, jobs: list) -> list:
        """All jobs twice, in one evaluator; the results of the second round."""
        path, out = (os.path.join(self.work, f"{name}.{kind}.jsonl") for kind in ("jobs", "results"))
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(job) + "\n" for job in 2 * jobs)
        self.step(name, "cake-worker", *self.worker_options(), "--jobs", path, "--out", out)
        kept = self.keep_file(name, "results", out)
        lines = self.evidence.object(kept).decode().splitlines() if kept else []
        results = [json.loads(line) for line in lines]
        for result in results:
            if result["verdict"] != "CORRECT":
                self.failed.append(f"{name}: {result['verdict']} {result['detail'][:300]}")
        return results[len(jobs):]

    @staticmethod
    def table(results: list) -> dict:
        """Mean milliseconds of each stage and of each part of one, by name."""
        spans: dict = {}
        for result in results:
            for stage in result["stages"]:
                spans.setdefault("stage " + stage["stage"], []).append(stage["wall_ns"])
            for what, total in result["spans"].items():
                spans.setdefault(what, []).append(total["ns"])
        return {what: sum(ns) / len(results) / 1e6 for what, ns in sorted(spans.items())}

    def measure(self, row: tuple, fresh: bool) -> dict:
        family, program, contract, dims, cases, members = row
        jobs = []
        for member in members[:FRESH] if fresh else members:
            job = job_of(self.work, family, program, contract, dims, cases=cases, binding=member, fresh_child=fresh,
                         baseline=program_of(self.work, family, program))
            jobs.append(job | ({"rounds": 2} if self.short else {}))
        words = [program] + [f"{k}={v}" for k, v in dims.items()] + ["fresh" if fresh else "shared"]
        results = self.judge("-".join(words), jobs)
        if not results:
            return {}
        wall = [result["wall_ns"] for result in results]
        timings = [timing for result in results for timing in result["timing"]]
        return {"name": " ".join(words), "child": words[-1], "evaluations": len(results), "wall_ns": wall,
                "per_second": 1e9 * len(wall) / sum(wall), "busy": sum(result["device_busy_ns"] for result in results) / sum(wall),
                "median_ns": statistics.median(t["candidate"]["cold_ns"]["median"] for t in timings),
                "blocks": [t["stop"]["blocks"] for t in timings], "protocol": results[0]["protocol"], "milliseconds": self.table(results)}

    def rows(self) -> None:
        rows = self.manifest["throughput"] = []
        for row in SHORT if self.short else [r for r in ROWS if self.wanted(r[1])]:
            for fresh in (False, True):
                measured = self.measure(row, fresh)
                if not measured:
                    continue
                rows.append(measured)
                print(f"  {measured['name']}: {measured['per_second']:.1f} a second, median {1e-6 * statistics.median(measured['wall_ns']):.1f} ms,"
                      f" kernel {measured['median_ns'] / 1e3:.1f} us, device busy {100 * measured['busy']:.0f}%", flush=True)
                for what, ms in measured["milliseconds"].items():
                    print(f"    {what}: {ms:.2f} ms", flush=True)
        shared = [row["per_second"] for row in rows if row["child"] == "shared"]
        if not self.short and shared and min(shared) < LEAST_PER_SECOND:
            self.failed.append(f"only {min(shared):.1f} evaluations a second in a shared child")


if __name__ == "__main__":
    sys.exit(main(Throughput))
