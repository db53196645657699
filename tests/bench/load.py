#!/usr/bin/env python3
"""Measures the daemon under agents that call at times of their own: an open loop over 1,000 connections.

  tests/bench/load.py [--bin build/release/bin] [--agents 1000] [--period 20] [--seconds 600] [--short] [--out FILE]

Three loads, one after the other, against one daemon: the rate of `agents` that call once in `period` seconds over 200
programs; four times that rate over the same programs; four times with programs that nobody sent before, which is more than
the machine can do. Agents are of four callers with a token each; in the last load the programs of the first caller are the
cheapest to check and those of the last one the dearest, and each asks for more than its part. Start it under `nice`; the
daemon is not niced where the rights for that are missing.
"""
import argparse
import json
import os
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serve import ROOT, Bench, memory_of  # noqa: E402

CALLERS = ("ann", "bob", "cyd", "dan")
PROGRAMS = 200
# Of the corpus, by what a check of them costs: what each caller sends when all of them ask for more than there is.
COSTS = {"ann": ("gemm_f16", "gemm_bf16", "gemm_i8"), "bob": ("gemm_f16_async", "gemm_bf16_async", "gemm_i8_async"),
         "cyd": ("row_topk", "attention", "kmeans_assign"), "dan": ("gemm_f16_wgmma", "attention_causal", "gemm_bf16_wgmma")}


def corpus() -> dict[str, tuple[str, str]]:
    """Program -> its file and the workload beside it, where there is one."""
    found = {}
    for folder, _, files in os.walk(os.path.join(ROOT, "tests/corpus")):
        contracts = [f.split(".")[0] for f in files if f.endswith(".workload.textproto")]
        for name in sorted(files):
            if name.endswith(".cake") and contracts:
                stem = name[:-len(".cake")]
                fits = [c for c in contracts if stem == c or stem.startswith(c)] or contracts
                found[stem] = (os.path.join(folder, name), max(fits, key=len))
    return found


class Memory(threading.Thread):
    """The daemon's memory once a second."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self.pid, self.samples, self.ended = pid, [], threading.Event()

    def run(self) -> None:
        while not self.ended.wait(1):
            self.samples.append(memory_of(self.pid))


class Load(Bench):
    seed = 0

    def cake(self, *words: str) -> dict:
        done = subprocess.run([os.path.join(self.bin, "cake"), *words, "--json"], env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"cake {' '.join(words)}: {done.stderr}")
        return json.loads(done.stdout)

    def write_programs(self) -> list[dict]:
        """200 programs of the corpus that differ: each a few times, with a comment of its own."""
        folder = os.path.join(self.home, "programs")
        os.mkdir(folder)
        known, out = sorted(corpus().items()), []
        for i in range(PROGRAMS):
            name, (path, workload) = known[i % len(known)]
            copy = os.path.join(folder, f"{name}-{i}.cake")
            with open(path, encoding="utf-8") as original, open(copy, "w", encoding="utf-8") as file:
                file.write(original.read() + f"\n// the {i}th\n")
            out.append({"path": copy, "workload": workload})
        return out

    def served(self) -> dict[str, int]:
        """CPU nanoseconds of checks by caller, so far."""
        rows = self.cake("sql", "select p.name, sum(json_extract(e.body, '$.cpu_ns')) from v_event e join principal p on p.id = "
                         "json_extract(e.body, '$.principal') where e.kind = 'Checked' group by p.name")["rows"]
        return {row["values"][0]["text"]: int(row["values"][1].get("integer", 0)) for row in rows}

    def load(self, name: str, seconds: float, period: float, fresh: bool, programs: dict[str, list[dict]]) -> dict:
        self.seed += 1  # of the draws and of the request ids: a load that is a repetition of another one costs nothing
        plan = os.path.join(self.home, name + ".json")
        with open(plan, "w", encoding="utf-8") as f:
            json.dump({"address": self.address["grpc"], "period_s": period, "seconds": seconds, "seed": self.seed, "fresh": fresh,
                       "groups": [{"token": self.tokens[c], "agents": self.arguments.agents // len(CALLERS), "programs": programs[c]}
                                  for c in CALLERS]}, f)
        before, memory = self.served(), Memory(self.daemon.pid)
        memory.start()
        done = subprocess.run([os.path.join(self.bin, "load_bench"), plan], capture_output=True, text=True)
        memory.ended.set()
        if done.returncode != 0:
            raise SystemExit(f"load_bench: {done.stderr}")
        result = json.loads(done.stdout)
        after = self.served()
        result["cpu_s"] = {c: (after.get(c, 0) - before.get(c, 0)) / 1e9 for c in CALLERS}
        # Connections and caches are there after a tenth of the time.
        warm = memory.samples[len(memory.samples) // 10:]
        result["rss_mb"] = {"warm": warm[0] / 1e6, "most": max(warm) / 1e6, "end": warm[-1] / 1e6}
        result["candidates"] = int(self.cake("sql", "select count(*) from v_candidate")["rows"][0]["values"][0]["integer"])
        result["period_s"] = period
        return result

    def flags(self) -> list[str]:
        folders = sorted({os.path.dirname(path) for path, _ in corpus().values()})
        return ["--tokens"] + [word for folder in folders for word in ("--workloads", folder)]

    def run(self) -> dict:
        a = self.arguments
        self.start()
        try:
            self.tokens = {c: self.cake("admin", "token", c, "--role", "agent")["token"] for c in CALLERS}
            programs = self.write_programs()
            known = corpus()
            everybody = {c: programs for c in CALLERS}
            dear = {c: [{"path": known[n][0], "workload": known[n][1]} for n in COSTS[c]] for c in CALLERS}
            result = {"rate": self.load("rate", a.seconds, a.period, False, everybody),
                      "four": self.load("four", a.seconds / 4, a.period / 4, False, everybody),
                      "over": self.load("overload", a.seconds / 4, a.period / 4, True, dear)}
            shares = result["over"]["cpu_s"]
            mean = sum(shares.values()) / len(shares)
            result["over"]["shares"] = {c: s / mean for c, s in shares.items()}
            result["load"] = os.getloadavg()
            result["cores"] = os.cpu_count()
            return result
        finally:
            self.stop()


def lines(result: dict) -> list[str]:
    out = ["| load | calls | answered | p50, ms | p99, ms | refused with RetryInfo | anything else | memory, MB |", "|---|---|---|---|---|---|---|---|"]
    for name, words in (("rate", "the rate"), ("four", "four times"), ("over", "four times, new programs")):
        row = result[name]
        kinds = [row[kind] for kind in ("check", "brief", "submit")]
        refused, failed = (sum(sum(k[what].values()) for k in kinds) for what in ("refused", "failed"))
        out.append(f"| {words} | {row['sent']} | {row['all']['count']} | {row['all']['p50_ms']:.1f} | {row['all']['p99_ms']:.0f} | {refused} |"
                   f" {failed + row['unanswered']} | {row['rss_mb']['warm']:.0f} to {row['rss_mb']['most']:.0f} |")
    shares = ", ".join(f"{c} {s:.2f}" for c, s in result["over"]["shares"].items())
    return out + ["", f"CPU time of checks in the last load, over its mean: {shares}."]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--period", type=float, default=20)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--out", default="")
    arguments = parser.parse_args()
    if arguments.short:
        arguments.agents, arguments.seconds = 100, 20
        arguments.period = 2
    result = Load(arguments).run()
    print("\n".join(lines(result)))
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as f:
            f.write(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
