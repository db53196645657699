#!/usr/bin/env python3
"""Whether the plain forms of references say on a device what the host says: each judges a program of the corpus.

A search's expected values come from the device where the worker's own reference agrees with it at rows of the output;
where it does not, the host's are used and nothing is counted here. Exits 1 if a program is not correct, or a form was not
used.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402
from job_files import job_of  # noqa: E402

# family, program, contract, dims
ROWS = [
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 2048, "N8": 256, "K8": 256}),
    ("gemm_blockwise", "gemm_fp8_blockwise", "gemm_fp8_blockwise", {"M4": 512, "N128": 16, "K128": 16}),
    ("grouped_gemm", "grouped_swiglu", "grouped_swiglu", {"T": 512, "E": 8, "F8": 128, "K8": 128}),
    ("kmeans", "kmeans_assign", "kmeans_assign", {"N": 65536, "K": 1024}),
    ("kmeans", "kmeans_assign_batched", "kmeans_assign_batched", {"B": 4, "N": 16384, "K": 512}),
    ("knn", "knn", "knn", {"Q": 1024, "N": 65536, "K": 10}),
    ("attention", "attention_wgmma", "attention", {"B": 1, "HK": 8, "G": 1, "SQ": 2048, "SK": 2048}),
    ("attention", "attention_causal", "attention_causal", {"B": 1, "HK": 8, "G": 1, "PAST": 64, "SQ": 1024}),
    ("attention", "attention_varlen", "attention_varlen", {"B": 8, "G": 4, "HK": 4, "TQ": 4096, "TK": 4096}),
    ("paged_decode", "paged_decode", "paged_decode", {"B": 16, "HK": 8, "G": 4, "P": 128, "SPARE": 16}),
    ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 2048, "N": 4096}),
    ("layernorm", "layernorm", "layernorm", {"M": 2048, "N": 4096}),
    ("softmax", "softmax", "softmax", {"M": 2048, "N": 4096}),
]
SHORT = [("rmsnorm", "rmsnorm", "rmsnorm", {"M": 24, "N": 64})]


class References(Campaign):
    NAME = "references"

    def parts(self) -> list:
        return [self.machine, self.rows]

    def rows(self) -> None:
        rows = self.manifest["references"] = []
        for family, program, contract, dims in SHORT if self.short else ROWS:
            name = " ".join([program, *(f"{k}={v}" for k, v in dims.items())])
            if not self.wanted(name):
                continue
            path = os.path.join(self.work, name.replace(" ", "-"))
            with open(path + ".job", "w", encoding="utf-8") as file:
                json.dump(job_of(self.work, family, program, contract, dims, timing=False), file)
            self.step(name, "cake-worker", *self.worker_options(), "--device-references-from", "1", "--job", path + ".job", "--out",
                      path + ".result", fatal=False)
            kept = self.keep_file(name, "result", path + ".result")
            result = json.loads(self.evidence.object(kept)) if kept else {"verdict": "", "detail": "no result", "spans": {}}
            used = result["spans"].get("judge.on_device", {"ns": 0, "count": 0})
            rows.append({"name": name, "verdict": result["verdict"], "detail": result["detail"], "outputs": used["count"],
                         "ms": used["ns"] / 1e6 / max(1, used["count"])})
            print(f"  {name}: {result['verdict']} {result['detail'][:200]} {used['count']} outputs from the device, "
                  f"{rows[-1]['ms']:.0f} ms each", flush=True)
            if result["verdict"] != "CORRECT" or used["count"] == 0:
                self.failed.append(f"{name}: {result['verdict']} {result['detail'][:300]}, {used['count']} outputs from the device")


if __name__ == "__main__":
    sys.exit(main(References))
