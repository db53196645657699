#!/usr/bin/env python3
"""Corpus programs against other people's: cuBLASLt inside the worker, programs that time themselves on request, and
plain copies of as many bytes.

Each row is a job of the worker: judged, then timed in the blocks of its protocol. A baseline whose package is not
installed is a row that says so. Exits 1 if a candidate is not correct, or cuBLASLt is not found.
"""
import json
import math
import os
import random
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402
from job_files import job_of  # noqa: E402

LIBRARY = {"library": "cublaslt"}
COPY = None  # the worker times a copy beside every program
RESAMPLES = 2000


def command(name: str) -> dict:
    return {"argv": ["python3", "{baselines}/drivers.py", name], "timeout_s": 150}


# family, program, contract, dims, binding, baseline, protocol
ROUTER = [("router_gemm", "router_gemm_mma", "router_gemm", {"M": m, "N": 256, "K8": 896}, {"SPLIT": 8}, LIBRARY, protocol)
          for m in (1, 2, 4, 8, 16) for protocol in ("cold-abba-v1", "rot-graph-v1")]
ROWS = [
    *ROUTER,
    *((name, name, name, {"M": 8192, "N": 8192}, {}, COPY, "cold-abba-v1") for name in ("rmsnorm", "softmax", "layernorm")),
    *(("gemm", f"gemm_bf16_{kind}", "gemm_bf16", {"M": 4096, "N8": 512, "K8": 512}, {}, LIBRARY, "cold-abba-v1") for kind in ("mma", "async")),
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 2048, "N8": 256, "K8": 256}, {}, LIBRARY, "cold-abba-v1"),
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 2048, "N8": 256, "K8": 256}, {}, command("torch_matmul"), "cold-abba-v1"),
    ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 8192, "N": 8192}, {}, command("torch_compile"), "cold-abba-v1"),
    ("attention", "attention_wgmma", "attention", {"B": 2, "HK": 16, "G": 1, "SQ": 2048, "SK": 2048}, {}, command("torch_sdpa_cudnn"),
     "cold-abba-v1"),
    ("attention", "attention_wgmma", "attention", {"B": 2, "HK": 16, "G": 1, "SQ": 2048, "SK": 2048}, {}, command("flash_attention_3"),
     "cold-abba-v1"),
    ("kmeans", "kmeans_assign_wgmma", "kmeans_assign", {"N": 100000, "K": 1024}, {}, command("flashlib"), "cold-abba-v1"),
    ("kmeans", "kmeans_assign_wgmma", "kmeans_assign", {"N": 100000, "K": 1024}, {}, command("flash_kmeans"), "cold-abba-v1"),
]
SHORT = [("gemm", "gemm_bf16", "gemm_bf16", {"M": 24, "N8": 2, "K8": 4}, {}, LIBRARY, "cold-abba-v1"),
         ("gemm", "gemm_bf16", "gemm_bf16", {"M": 24, "N8": 2, "K8": 4}, {}, LIBRARY, "rot-graph-v1"),
         ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 24, "N": 64}, {}, COPY, "cold-abba-v1"),
         ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 24, "N": 64}, {}, command("torch_compile"), "cold-abba-v1")]


def paired(baseline: list, mine: list) -> dict:
    """The worker's own statistic (runner/timing/paired.h), with this language's random numbers."""
    logs = [(math.log(baseline[i]) + math.log(baseline[i + 1]) - math.log(mine[i]) - math.log(mine[i + 1])) / 2
            for i in range(0, min(len(baseline), len(mine)) - 1, 2)]

    def trimmed(values: list) -> float:
        cut = len(values) // 5
        return statistics.fmean(sorted(values)[cut:len(values) - cut])

    draw = random.Random(1)
    means = sorted(trimmed(draw.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]
    return {"median": math.exp(trimmed(logs)), "low": math.exp(low), "high": math.exp(high)}


class Baselines(Campaign):
    NAME = "baselines"

    def parts(self) -> list:
        return [self.machine, self.rows]

    def options(self) -> list:
        options = [*self.worker_options(), "--baselines", os.path.join(self.work, "baselines")]
        return options + (["--libcublaslt", f"{self.fake}/libcublasLt.so.13"] if self.fake else [])

    def row(self, row: tuple) -> dict:
        family, program, contract, dims, binding, baseline, protocol = row
        library = "copy" if baseline is COPY else baseline.get("library") or baseline["argv"][-1]
        name = " ".join([program, *(f"{k}={v}" for k, v in dims.items()), library, protocol])
        if not self.wanted(name):
            return {}
        # The oracle's own device run takes longest at these sizes: the timed outputs are judged all the same.
        job = job_of(self.work, family, program, contract, dims, binding=binding, protocol=protocol)
        job |= {} if baseline is COPY else {"baseline": baseline}
        job |= {"rounds": 2} if self.short else {}
        path = os.path.join(self.work, name.replace(" ", "-"))
        with open(path + ".job", "w", encoding="utf-8") as file:
            json.dump(job, file)
        self.step(name, "cake-worker", *self.options(), "--job", path + ".job", "--out", path + ".result", "--objects", path + ".objects",
                  fatal=False)
        kept = self.keep_file(name, "result", path + ".result")
        if not kept:
            self.failed.append(f"{name}: no result")
            return {}
        result = json.loads(self.evidence.object(kept))
        out = {"name": name, "verdict": result["verdict"], "detail": result["detail"], "protocol": result["protocol"], "baseline": library,
               "ratio": result["ratio"], "library": None, "median_ns": result["time_ns"]}
        if result["timing"]:
            timing = result["timing"][-1]
            samples = os.path.join(path + ".objects", result["hashes"]["samples"])
            out |= {"library": timing["library"], "samples": self.keep_file(name, "samples", samples, "samples"),
                    "baseline_ns": timing["copy" if baseline is COPY else "baseline"]["cold_ns"]["median"], "blocks": timing["stop"]["blocks"]}
            if baseline is COPY:
                with open(samples, encoding="utf-8") as file:
                    at = json.load(file)["cases"][-1]
                out["ratio"] = paired(at["copy"]["cold_ns"], at["candidate"]["cold_ns"])
        return out

    def means(self, rows: list) -> None:
        """Geometric means of a program's rows by protocol, of the ratios and of the lower ends of their intervals."""
        groups: dict = {}
        for row in rows:
            if row["ratio"]:
                groups.setdefault((row["name"].split()[0], row["baseline"], row["protocol"]), []).append(row["ratio"])
        means = self.manifest["geomeans"] = []
        for (program, baseline, protocol), ratios in groups.items():
            if len(ratios) < 2:
                continue
            mean = {end: math.exp(statistics.fmean(math.log(ratio[end]) for ratio in ratios)) for end in ("median", "low")}
            means.append({"program": program, "baseline": baseline, "protocol": protocol, "rows": len(ratios)} | mean)
            print(f"  {program} against {baseline}, {protocol}: geometric mean {mean['median']:.3f}, of lower ends {mean['low']:.3f},"
                  f" {len(ratios)} rows", flush=True)

    def rows(self) -> None:
        rows = self.manifest["baselines"] = []
        for row in SHORT if self.short else ROWS:
            done = self.row(row)
            if not done:
                continue
            rows.append(done)
            missing = done["verdict"] == "INFRA_TOOLCHAIN" and row[5] is not LIBRARY and row[5] is not COPY
            if done["verdict"] != "CORRECT" and not missing:
                self.failed.append(f"{done['name']}: {done['verdict']} {done['detail'][:300]}")
            print(f"  {done['name']}: {done['verdict']} {done['detail'][:200]} {done['protocol']} {done['ratio']} {json.dumps(done['library'])}", flush=True)
        self.means(rows)


if __name__ == "__main__":
    sys.exit(main(Baselines))
