#!/usr/bin/env python3
"""How much of a measured gain is noise: programs against themselves, and one that does 2.0% less work.

Every comparison is a whole timing by the worker's own protocol and stop rule. The floor of each kernel is what
every sixth of its comparisons with itself says; whether the others, and the program with less work, would be promoted
is then judged with that floor. Exits 1 if an equal program is promoted or the smaller one too seldom.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402

EQUAL, LESS, LEARNT_EVERY = 240, 50, 6
LEAST_PROMOTED = 0.95

# family, program, contract, dims
KERNELS = [
    ("vector_add", "vector_add", "vector_add", {"N": 1 << 18}),  # under 10 us
    ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 8192, "N": 1024}),
    ("rmsnorm", "rmsnorm", "rmsnorm", {"M": 8192, "N": 8192}),
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 2048, "N8": 256, "K8": 256}),
    ("gemm", "gemm_bf16_wgmma", "gemm_bf16", {"M": 8192, "N8": 1024, "K8": 512}),  # at the card's power limit
]
SMALLER = KERNELS[2]
SHORT = [("rmsnorm", "rmsnorm", "rmsnorm", {"M": 50, "N": 64})]


class Noise(Campaign):
    NAME = "aa"

    def parts(self) -> list:
        return [self.machine, self.equal, self.less]

    def compare(self, kernel: tuple, repeats: int, less: bool) -> dict:
        family, program, contract, dims = kernel
        folder = os.path.join(self.work, "tests/corpus", family)
        with open(os.path.join(folder, program + ".cake"), encoding="utf-8") as file:
            source = file.read()
        with open(os.path.join(folder, contract + ".workload.textproto"), encoding="utf-8") as file:
            text = file.read()
        at = "".join(f' dims {{ key: "{name}" value: {value} }}' for name, value in dims.items())
        text += f'\ncases {{ name: "aa" tier: WORKLOAD_TIER_DEVICE set: WORKLOAD_SET_SEARCH weight: 1{at} }}\n'
        candidate = source
        if less:  # the last fiftieth of the rows is left out
            candidate = source.replace("grid (ceildiv(M, ROWS))", "grid (ceildiv(M - M/50, ROWS))").replace("if row < M {", "if row < M - M/50 {")
            assert candidate.count("M/50") == 2
        words = [program] + [f"{k}={v}" for k, v in dims.items()] + (["less"] if less else [])
        name, out = " ".join(words), os.path.join(self.work, "-".join(words) + ".result.json")
        objects = out + ".objects"
        job = {"schema": 1, "job": "aa", "purpose": "CALIBRATE", "file": program + ".cake", "source": candidate,
               "baseline": {"file": program + ".cake", "source": source}, "contract_text": text, "cases": ["aa"], "repeats": repeats}
        with open(out + ".job", "w", encoding="utf-8") as file:
            json.dump(job, file)
        self.step(name, "cake-worker", *self.worker_options(), "--job", out + ".job", "--out", out, "--objects", objects)
        kept = self.keep_file(name, "result", out)
        if not kept:
            return {}
        result = json.loads(self.evidence.object(kept))
        self.evidence.keep(open(os.path.join(objects, result["hashes"]["samples"]), "rb").read())
        timings = result["timing"]
        mhz = [look["sm_mhz"] for t in timings for look in t["vitals"] if look]
        return {"name": name, "samples": result["hashes"]["samples"], "protocol": result["protocol"],
                "ratios": [t["ratio"] for t in timings], "blocks": [t["stop"]["blocks"] for t in timings],
                "median_ns": sorted(t["candidate"]["cold_ns"]["median"] for t in timings)[len(timings) // 2],
                "throttled": sorted({look["throttle_reasons"] for t in timings for look in t["vitals"] if look}),
                "sm_mhz": [min(mhz, default=0), max(mhz, default=0)]}

    def floor(self, name: str, ratios: list) -> float:
        """By the worker's own formula."""
        path = os.path.join(self.work, "ratios.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([ratio["median"] for ratio in ratios], file)
        return float(self.step(f"floor of {name}", "cake-worker", "--noise-floor-of", path))

    def equal(self) -> None:
        rows = self.manifest["equal"] = []
        for kernel in SHORT if self.short else [k for k in KERNELS if self.wanted(k[1])]:
            row = self.compare(kernel, 2 * LEARNT_EVERY if self.short else EQUAL, less=False)
            if not row:
                continue
            learnt = row["ratios"][::LEARNT_EVERY]
            judged = [r for i, r in enumerate(row["ratios"]) if i % LEARNT_EVERY]
            row["floor"] = self.floor(row["name"], learnt)
            row["promoted"] = sum(r["low"] > 1 + row["floor"] for r in judged)
            row["judged"] = len(judged)
            rows.append(row)
            print(f"  {row['name']}: {row['median_ns']:.0f} ns, floor {row['floor']:.4f}, promoted {row['promoted']} of {row['judged']}, "
                  f"blocks {min(row['blocks'])} to {max(row['blocks'])}", flush=True)
            if row["promoted"]:
                self.failed.append(f"{row['name']}: an equal program was promoted {row['promoted']} times")

    def less(self) -> None:
        row = self.manifest["less"] = self.compare(SHORT[0] if self.short else SMALLER, 5 if self.short else LESS, less=True)
        same = [equal for equal in self.manifest["equal"] if row and row["name"] == equal["name"] + " less"]
        if not same:
            return
        row["floor"], row["judged"] = same[0]["floor"], len(row["ratios"])
        row["promoted"] = sum(r["low"] > 1 + row["floor"] for r in row["ratios"])
        print(f"  {row['name']}: promoted {row['promoted']} of {row['judged']}, blocks {min(row['blocks'])} to {max(row['blocks'])}", flush=True)
        if row["promoted"] < LEAST_PROMOTED * row["judged"]:
            self.failed.append(f"{row['name']}: promoted only {row['promoted']} times of {row['judged']}")


if __name__ == "__main__":
    sys.exit(main(Noise))
