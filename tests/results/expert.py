"""The table of expert speed: each workload's shapes against its baseline, and what the cost model says of each. Standard library
only; used by render.

Figures come from the speed campaigns, a shape's from the last one that measured it; predictions/table.json holds the
estimates, as predict.py wrote them.
"""
import json
import math
import os
import random
import re
import statistics

RESAMPLES = 1000
# Later ones measured anew what changed since the ones before.
CAMPAIGNS = ("speed", "speed_added", "speed_ldmatrix", "speed_rest", "speed_rows")
FLASH3, READ = " against FlashAttention-3", " against a kernel that reads as many bytes"
# Workload, the bar of the lower end of the geometric mean's interval, the least ratio of a shape, the aim, the shapes' names. Where
# a shape has several names the baseline is the better library, so the least ratio counts.
WORKLOADS = (
    ("bf16 GEMM, 2048^3 and larger", 1.00, 0.95, 1.05, [[rf"gemm_bf16_wgmma_bands {s}"] for s in (
        "M=8192 N=8192 K=8192", "M=4096 N=4096 K=4096", "M=2048 N=2048 K=2048", "M=8192 N=8192 K=1024", "M=4096 N=11008 K=4096")]),
    ("decode and router GEMM", 1.15, 0, 1.4, [
        *([rf"gemm_bf16_decode {s}.*"] for s in ("M=1 N=4096", "M=16 N=4096", "M=64 N=7168", "M=128 N=4096")),
        *([rf"router_gemm_mma M={m} .*"] for m in (1, 2, 4, 8, 16))]),
    ("fp8 blockwise GEMM", 1.00, 0, 1.05, [[rf"gemm_fp8_blockwise_cluster {s}.*"] for s in ("M=4096 N=4096", "M=4096 N=7168")]),
    ("attention forward, D = 128", 0.97, 0.92, 1.05, [
        [rf"attention{causal}_persistent_wgmma {s}[^a]*", rf"attention{causal}_persistent_wgmma {s}.*{FLASH3}"]
        for s in ("B=2 HQ=16", "B=1 HQ=32", "B=4 HQ=32") for causal in ("", "_causal")]),
    ("Flash-KMeans assign (32, 65536, 1024, 128)", 1.60, 0, 1.9, [[r"kmeans_assign_batched B=32 N=65536 .*"]]),
    ("Flash-KMeans assign, five shapes", 1.4, 0, 1.8, [[rf"kmeans_assign_batched {s} .*"] for s in (
        "B=1 N=1000000", "B=32 N=75600", "B=1 N=262144", "B=8 N=65536", "B=1 N=100000")]),
    ("Lloyd iteration, five shapes", 1.5, 0, 2.1, [[rf"kmeans_lloyd {s} .*"] for s in (
        "B=1 N=1000000", "B=32 N=75600", "B=1 N=262144", "B=8 N=65536", "B=1 N=100000")]),
    ("KNN k = 10 (16384 x 1M x 128)", 2.1, 0, 3.5, [[r"knn .*"]]),
    ("paged decode attention, batch 64, context 8k", 0.85, 0, 0.92, [[rf"paged_decode B=64 .*{READ}"]]),
    ("MoE grouped GEMM with SwiGLU, 64 and 1024 tokens", 1.1, 0, 1.4, [[rf"grouped_swiglu T={t} .*"] for t in (128, 2048)]),
    ("RMSNorm, softmax, LayerNorm", 1.00, 0, 1.02, [[rf"({name}) M={m} .*"] for m in (8192, 65536) for name in (
        "rmsnorm_exact", "softmax_bf16", "layernorm_exact")]),
)


def measured(folder: str) -> dict[str, dict]:
    out = {}
    for campaign in CAMPAIGNS:
        path = os.path.join(folder, campaign, "manifest.json")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as f:
            rows = [row for row in json.load(f)["rows"] if "samples_ns" in row]
        for row in rows:
            # A shape with other params is another member of the same workload: the later one replaces it.
            shape = tuple(row["row"]["dims"].items())
            for name in [n for n, old in out.items() if tuple(old["row"]["dims"].items()) == shape and
                         n.split()[0] == row["name"].split()[0] and old["row"]["baseline"] == row["row"]["baseline"]]:
                del out[name]
            out[row["name"]] = row | {"campaign": campaign}
    return out


def ratio(row: dict, draw: random.Random | None = None) -> float:
    pairs = list(zip(row["samples_ns"]["library"], row["samples_ns"]["cake"]))
    if draw is not None:
        pairs = draw.choices(pairs, k=len(pairs))
    return statistics.median(library for library, _ in pairs) / statistics.median(cake for _, cake in pairs)


def mean_of(shapes: list[dict], draw: random.Random | None = None) -> float:
    return math.exp(statistics.fmean(math.log(ratio(row, draw)) for row in shapes))


def expert_lines(folder: str) -> list[str]:
    rows = measured(folder)
    if not rows:
        return []
    lines = ["## expert", "",
             "The bar is for the lower end of the 95% interval of the geometric mean over a workload's shapes, resampled in pairs. Raw samples: the"
             " speed campaigns below, the last that measured a shape.", "",
             "| workload | baseline | shapes | geometric mean | 95% interval | least shape | bar | aim | |", "|---" * 9 + "|"]
    chosen = []
    for name, bar, floor, aim, patterns in WORKLOADS:
        shapes = []
        for names in patterns:
            found = [row for held, row in rows.items() if any(re.fullmatch(pattern, held) for pattern in names)]
            if found:
                shapes.append(min(found, key=ratio))
        if len(shapes) < len(patterns):
            lines.append(f"| {name} | | {len(shapes)} of {len(patterns)} measured | | | | {bar:.2f} | {aim:.2f} | not measured |")
            continue
        draw = random.Random(1)
        means = sorted(mean_of(shapes, draw) for _ in range(RESAMPLES))
        low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]
        least = min(ratio(row) for row in shapes)
        verdict = "reached" if low >= bar and least >= floor else "tie" if high >= bar and least >= floor else "not reached"
        lines.append(f"| {name} | {' or '.join(sorted({row['row']['baseline'] for row in shapes}))} | {len(shapes)} | {mean_of(shapes):.3f} |"
                     f" {low:.3f} to {high:.3f} | {least:.3f} | {bar:.2f}{f', none below {floor:.2f}' if floor else ''} | {aim:.2f} | {verdict} |")
        chosen += shapes
    return [*lines, "", *predicted_lines(folder, chosen)]


def predicted_lines(folder: str, chosen: list[dict]) -> list[str]:
    path = os.path.join(folder, "predictions", "table.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        table = json.load(f)
    lines = [f"Predicted by the cost model of {table['commit']}, uncalibrated, against measured: which resource it names, and where the time goes.", "",
             "| program | campaign | measured, us | predicted, us | its interval | roofline, us | named | statements |", "|---" * 8 + "|"]
    for row in chosen:
        held = table["rows"].get(row["name"])
        if held is None or "error" in held:
            lines.append(f"| {row['name']} | {row['campaign']} | {statistics.median(row['samples_ns']['cake']) / 1e3:.1f} | {(held or {}).get('error', '')} | | | | |")
            continue
        statements = "; ".join(f"line {at['line']} {at['ns'] / 1e3:.1f} {at['resource']}" for at in held["attribution"][:3])
        lines.append(f"| {row['name']} | {row['campaign']} | {statistics.median(row['samples_ns']['cake']) / 1e3:.1f} | {held['time_ns'] / 1e3:.1f} |"
                     f" {held['low_ns'] / 1e3:.1f} to {held['high_ns'] / 1e3:.1f} | {held['roofline_ns'] / 1e3:.1f} | {held['bottleneck']}, then {held['runner_up']} |"
                     f" {statements} |")
    return [*lines, ""]
