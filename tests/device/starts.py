#!/usr/bin/env python3
"""Writes tests/device/evolve.json: for each family of the campaign `evolve`, start programs of its worst quartile by the estimate.

  tests/device/starts.py CAKE      CAKE: the built command
"""
import json
import math
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MEMBERS_MAX, STARTS = 64, 4
# Contract, program, folder, params with their domains as the program writes them, device case of the contract.
FAMILIES = {
    "rmsnorm": ("rmsnorm", "rmsnorm", {"WARPS": (1, 2, 4, 8, 16), "V": (1, 2, 4, 8), "KEEP": (1, 2, 4), "ROWS": (1, 2, 4), "PARTS": (1, 2)}),
    "softmax": ("softmax", "softmax", {"WARPS": (1, 2, 4, 8, 16), "V": (1, 2, 4), "KEEP": (1, 2, 4)}),
    "router_gemm": ("router_gemm", "router_gemm", {"WARPS": (2, 4, 8), "R": (1, 2, 4)}),
    "gemm_bf16:gemm_bf16_async": ("gemm_bf16", "gemm", {"BM": (64, 128), "BN": (64, 128), "BK": (32, 64), "STAGES": (2, 3, 4)}),
    "kmeans_assign:kmeans_assign_async": ("kmeans_assign", "kmeans", {"WARPS": (2, 4, 8), "BN": (32, 64)}),
}


def members(domains: dict) -> list[dict]:
    every = [{}]
    for name, values in domains.items():
        every = [member | {name: value} for member in every for value in values]
    if len(every) > MEMBERS_MAX:
        every = random.Random(1).sample(every, MEMBERS_MAX)
    return every


def predicted(cake: str, path: str, contract: str, member: dict) -> float:
    words = [word for name, value in member.items() for word in ("-p", f"{name}={value}")]
    done = subprocess.run([cake, "estimate", path, "--workload", contract, "--json", *words], capture_output=True, text=True, cwd=ROOT, check=False)
    return json.loads(done.stdout)["time_ns"] if done.returncode == 0 else math.inf


def main() -> int:
    out = {}
    for key, (contract, folder, domains) in FAMILIES.items():
        program = key.split(":")[-1]
        path = f"tests/corpus/{folder}/{program}.cake"
        timed = [(predicted(sys.argv[1], path, contract, member), json.dumps(member)) for member in members(domains)]
        timed = sorted((time, member) for time, member in timed if math.isfinite(time))
        worst = [json.loads(member) for _, member in timed[-max(1, len(timed) // 4):]]
        out[key] = {"members": len(timed), "best_predicted_ns": timed[0][0], "starts": worst[:STARTS],
                    "starts_predicted_ns": [time for time, _ in timed[-max(1, len(timed) // 4):]][:STARTS]}
    with open(os.path.join(HERE, "evolve.json"), "w", encoding="utf-8") as f:
        json.dump(out, f, indent=1)
        f.write("\n")
    return 0


sys.exit(main())
