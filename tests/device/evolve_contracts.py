"""The contracts that the campaign `evolve` searches under: the corpus's own, with fewer and smaller device cases.

A search judges a hundred programs on each of them, and a confirmation by the host's reference; the corpus's largest cases
take the host ten times as long and say nothing else of a member.
"""
import os
import re
import shutil

# Contract, program, folder, and the device cases that stay: their set, or None as the corpus has it.
FAMILIES = {
    "rmsnorm": ("rmsnorm", "rmsnorm", {"m4096_n4096": "SEARCH", "m1021_n5003": None}),
    "softmax": ("softmax", "softmax", {"m4096_n4096": "SEARCH", "m1021_n5003": None}),
    "router_gemm": ("router_gemm", "router_gemm", {"m16_n256_k7168": None, "m1_n256_k7168": None, "m8_n128_k4096": None,
                                                   "m13_n333_k5000": None}),
    "gemm_bf16": ("gemm_bf16_async", "gemm", {"m2048_n2048_k2048": None, "m1000_n1000_k1040": None}),
    "kmeans_assign": ("kmeans_assign_async", "kmeans", {"n65536_k1024": None, "n100003_k77": None}),
}
CASE = re.compile(r"^cases \{\n.*?^\}\n", re.M | re.S)


def derived(text: str, keep: dict, short: bool) -> str:
    """The contract with these device cases alone; in short form with one small case instead, for a simulated device."""

    def case(match: re.Match) -> str:
        block = match.group(0)
        if "TIER_DEVICE" not in block:
            return block
        name = re.search(r'name: "(\w+)"', block).group(1)
        if name not in keep:
            return ""
        if keep[name]:
            block = re.sub(r"set: WORKLOAD_SET_\w+", f"set: WORKLOAD_SET_{keep[name]} weight: 1", block)
        return re.sub(r"value: \d+", "value: 8", block) if short else block

    out = CASE.sub(case, text)
    missing = [name for name in keep if f'"{name}"' not in out]
    if missing:
        raise ValueError(f"the corpus has no case {', '.join(missing)}")
    return out


def write(corpus: str, to: str, contract: str, short: bool = False) -> tuple[str, str]:
    """A folder that a daemon takes with --workloads; the contract's path and the program's."""
    program, folder, keep = FAMILIES[contract]
    out = os.path.join(to, contract)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(corpus, folder, contract + ".workload.textproto"), encoding="utf-8") as f:
        text = derived(f.read(), keep, short)
    path = os.path.join(out, contract + ".workload.textproto")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    for file in {re.search(r'baseline: "([\w.]+)"', text).group(1), program + ".cake"}:
        shutil.copy(os.path.join(corpus, folder, file), out)
    return path, os.path.join(out, program + ".cake")
