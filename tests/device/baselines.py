#!/usr/bin/env python3
"""Corpus programs against other people's: cuBLASLt inside the worker, and programs that time themselves on request.

Each row is a job of the worker: judged, then timed in the blocks of its protocol. A baseline whose package is not
installed is a row that says so. Exits 1 if a candidate is not correct, or cuBLASLt is not found.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402
from job_files import job_of  # noqa: E402

LIBRARY = {"library": "cublaslt"}


def command(name: str) -> dict:
    return {"argv": ["python3", "{baselines}/drivers.py", name], "timeout_s": 150}


# family, program, contract, dims, binding, baseline, protocol
ROUTER = [("router_gemm", "router_gemm", "router_gemm", {"M": m, "N": 256, "K8": 896}, {}, LIBRARY, protocol)
          for m in (1, 2, 4, 8, 16) for protocol in ("cold-abba-v1", "rot-graph-v1")]
ROWS = [
    *ROUTER,
    ("gemm", "gemm_bf16_async", "gemm_bf16", {"M": 4096, "N8": 512, "K8": 512}, {}, LIBRARY, "cold-abba-v1"),
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 2048, "N8": 256, "K8": 256}, {}, LIBRARY, "cold-abba-v1"),
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 2048, "N8": 256, "K8": 256}, {}, command("torch_matmul"), "cold-abba-v1"),
    ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 8192, "N": 8192}, {}, command("torch_compile"), "cold-abba-v1"),
    ("attention", "attention_wgmma", "attention", {"B": 2, "HK": 16, "G": 1, "SQ": 2048, "SK": 2048}, {}, command("torch_sdpa_cudnn"),
     "cold-abba-v1"),
    ("attention", "attention_wgmma", "attention", {"B": 2, "HK": 16, "G": 1, "SQ": 2048, "SK": 2048}, {}, command("flash_attention_3"),
     "cold-abba-v1"),
    ("kmeans", "kmeans_assign_wgmma", "kmeans_assign", {"N": 100000, "K": 1024}, {}, command("flashlib"), "cold-abba-v1"),
    ("kmeans", "kmeans_assign_wgmma", "kmeans_assign", {"N": 100000, "K": 1024}, {}, command("flash_kmeans"), "cold-abba-v1"),
    ("kda", "kda_chunk", "kda_chunk", {"BH": 16, "T": 64}, {}, command("fla"), "cold-abba-v1"),
    ("kda", "kda_chunk", "kda_chunk", {"BH": 16, "T": 64}, {}, command("flash_kda"), "cold-abba-v1"),
]
SHORT = [("gemm", "gemm_bf16", "gemm_bf16", {"M": 24, "N8": 2, "K8": 4}, {}, LIBRARY, "cold-abba-v1"),
         ("gemm", "gemm_bf16", "gemm_bf16", {"M": 24, "N8": 2, "K8": 4}, {}, LIBRARY, "rot-graph-v1"),
         ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 24, "N": 64}, {}, command("torch_compile"), "cold-abba-v1")]


class Baselines(Campaign):
    NAME = "baselines"

    def parts(self) -> list:
        return [self.machine, self.rows]

    def options(self) -> list:
        options = [*self.worker_options(), "--baselines", os.path.join(self.work, "baselines")]
        return options + (["--libcublaslt", f"{self.fake}/libcublasLt.so.13"] if self.fake else [])

    def row(self, row: tuple) -> dict:
        family, program, contract, dims, binding, baseline, protocol = row
        library = baseline.get("library") or baseline["argv"][-1]
        name = " ".join([program, *(f"{k}={v}" for k, v in dims.items()), library, protocol])
        if not self.wanted(name):
            return {}
        # The oracle's own device run takes longest at these sizes: the timed outputs are judged all the same.
        job = job_of(self.work, family, program, contract, dims, binding=binding, baseline=baseline, protocol=protocol)
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
                    "baseline_ns": timing["baseline"]["cold_ns"]["median"], "blocks": timing["stop"]["blocks"]}
        return out

    def rows(self) -> None:
        rows = self.manifest["baselines"] = []
        for row in SHORT if self.short else ROWS:
            done = self.row(row)
            if not done:
                continue
            rows.append(done)
            missing = done["verdict"] == "INFRA_TOOLCHAIN" and row[5] is not LIBRARY
            if done["verdict"] != "CORRECT" and not missing:
                self.failed.append(f"{done['name']}: {done['verdict']} {done['detail'][:300]}")
            print(f"  {done['name']}: {done['verdict']} {done['detail'][:200]} {done['protocol']} {done['ratio']} {json.dumps(done['library'])}", flush=True)


if __name__ == "__main__":
    sys.exit(main(Baselines))
