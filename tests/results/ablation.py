"""Tables of the ablations: arms of the search beside the full one. Standard library only; used by render."""
import json
import math
import os
import statistics

PERCENTS = (25, 50, 100)


def rank_sum(first: list[float], second: list[float]) -> tuple[float, float]:
    """Two-sided Mann-Whitney, normal approximation with corrections for ties and continuity: (chance to be above, p)."""
    n, m = len(first), len(second)
    pooled = sorted([(value, True) for value in first] + [(value, False) for value in second])
    ranks, ties, i = 0.0, 0, 0
    while i < n + m:
        j = i
        while j < n + m and pooled[j][0] == pooled[i][0]:
            j += 1
        ranks += (i + j + 1) / 2 * sum(mine for _, mine in pooled[i:j])
        ties += (j - i) ** 3 - (j - i)
        i = j
    u = ranks - n * (n + 1) / 2
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    if variance <= 0:
        return u / (n * m), 1.0
    distance = max(0.0, abs(u - n * m / 2) - 0.5)
    return u / (n * m), min(1.0, math.erfc(distance / math.sqrt(variance) / math.sqrt(2)))


def holm(p: list[float]) -> list[float]:
    out, largest = [0.0] * len(p), 0.0
    for place, index in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        largest = max(largest, p[index] * (len(p) - place))
        out[index] = min(1.0, largest)
    return out


def score(curve: list[float], budget: int, percent: int) -> float:
    return curve[min(max(1, budget * percent // 100), len(curve)) - 1] if curve else 0.0


def p_text(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def family_lines(name: str, family: dict, budget: int) -> tuple[list[str], list[tuple]]:
    arms = family["arms"]
    order = ["full"] + [arm for arm in arms if arm != "full"]
    lines = [f"**{name}**: {family['members']} members that the gates accept; the worst quartile begins at"
             f" {family['worst_quartile_from']:.3f} of the best known member.", "",
             "| arm | runs | at 25% | at 50% | at 100% | runs that reach 0.98 | evaluations to 0.98, median | proposals | replay misses |",
             "|---|---|---|---|---|---|---|---|---|"]
    compared = []
    for arm in order:
        rows = arms[arm]
        at = [statistics.median(score(row["curve"], budget, percent) for row in rows) for percent in PERCENTS]
        reached = [next(i + 1 for i, value in enumerate(row["curve"]) if value >= 0.98) for row in rows if max(row["curve"], default=0) >= 0.98]
        misses = sum(row["misses"] for row in rows)
        void = misses > 0.05 * (misses + sum(len(row["curve"]) for row in rows))
        tries = statistics.median(sum(t[0] for t in row["tactics"].values()) for row in rows)
        lines.append(f"| {arm} | {len(rows)} | {at[0]:.3f} | {at[1]:.3f} | {at[2]:.3f} | {len(reached)} of {len(rows)} |"
                     f" {statistics.median(reached) if reached else 'none'} | {tries:.0f} | {misses}{' (void)' if void else ''} |")
        if arm != "full" and not void:
            for percent in PERCENTS:
                above, p = rank_sum([score(row["curve"], budget, percent) for row in arms["full"]],
                                    [score(row["curve"], budget, percent) for row in rows])
                compared.append((name, arm, percent, above, p))
    return lines, compared


def tactic_lines(families: dict) -> list[str]:
    lines = ["| tactic | tries | gave no program | passed the gates | evaluated | better than its parent |", "|---|---|---|---|---|---|"]
    sums: dict[str, list[int]] = {}
    for family in families.values():
        for row in family["arms"]["full"]:
            for tactic, counts in row["tactics"].items():
                sums[tactic] = [a + b for a, b in zip(sums.get(tactic, [0] * 5), counts)]
    for tactic, counts in sorted(sums.items(), key=lambda item: -item[1][4] / max(1, item[1][0])):
        lines.append(f"| {tactic} | " + " | ".join(str(count) for count in counts) + " |")
    return lines


def rule_lines(families: dict) -> list[str]:
    """How often each rule decided something in a run of the full arm; nothing where the runs did not count it."""
    means: dict[str, dict[str, float]] = {}
    for name, family in families.items():
        rows = family["arms"]["full"]
        for rule in sorted({rule for row in rows for rule in row.get("rules", {})}):
            means.setdefault(rule, {})[name] = statistics.mean(row["rules"].get(rule, 0) for row in rows)
    if not means:
        return []
    lines = ["", "How often a rule decided something in a run of the full arm, mean:", "",
             "| rule | " + " | ".join(families) + " |", "|---" * (1 + len(families)) + "|"]
    return lines + [f"| {rule} | " + " | ".join(f"{at.get(name, 0):.1f}" for name in families) + " |" for rule, at in sorted(means.items())]


def verdict_lines(compared: list[tuple], corrected: list[float]) -> list[str]:
    """Which rules matter on which family: better with p < 0.01 at each of the three points, or at which."""
    lines, arms = [], []
    for row in compared:
        if row[1] not in arms:
            arms.append(row[1])
    for arm in arms:
        families: dict[str, list[bool]] = {}
        for row, p in zip(compared, corrected):
            if row[1] == arm:
                families.setdefault(row[0], []).append(p < 0.01 and row[3] > 0.5)
        at_all = [name for name, better in families.items() if all(better)]
        at_some = [f"{name} (at {', '.join(f'{percent}%' for percent, yes in zip(PERCENTS, better) if yes)})"
                   for name, better in families.items() if any(better) and not all(better)]
        never = [name for name, better in families.items() if not any(better)]
        words = [f"full is better (p < 0.01 at 25, 50 and 100%) on {', '.join(at_all)}" if at_all else "",
                 f"at some points on {', '.join(at_some)}" if at_some else "", f"at none on {', '.join(never)}" if never else ""]
        lines.append(f"- {arm}: {'; '.join(word for word in words if word)}.")
    return lines


def all_broken_lines(folder: str) -> list[str]:
    with open(os.path.join(folder, "softmax.json"), encoding="utf-8") as f:
        raw = json.load(f)
    lines, compared = [], []
    for name, family in raw["families"].items():
        more, rows = family_lines(name, family, raw["evaluations"])
        lines, compared = lines + more, compared + rows
    told = [f"{arm} at {percent}%: chance that full is better {above:.2f}, p {p_text(p)}"
            for (_, arm, percent, above, _), p in zip(compared, holm([row[4] for row in compared]))]
    return ["", f"Start pools without a program that the gates accept ({raw['repeats']} repeats):", "", *lines, "", "; ".join(told) + "."]


def ablation_lines(folder: str) -> list[str]:
    files = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    lines: list[str] = []
    compared, families, first, repeats = [], {}, None, []
    for name in files:
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            raw = json.load(f)
        first = first or raw
        repeats.append(raw["repeats"])
        for family, body in raw["families"].items():
            families[family] = body
            more, rows = family_lines(family, body, raw["evaluations"])
            lines += more + [""]
            compared += rows
    if first is None:
        return lines
    head = [f"Objective source: {first['device']} (deviation of its logarithm {first['spread']}, of whose square relatives share {first.get('inherited', 0):.0%})."
            f" {' to '.join(str(n) for n in sorted({min(repeats), max(repeats)}))} repeats an arm,"
            f" {first['evaluations']} evaluations a run, start pools of {first['pool']} members of the worst quartile,"
            f" {first['broken_percent']}% of them with a slip that the gates refuse. A score is the time of the best known member of the family"
            " over that of the best program so far; programs outside the family may exceed 1.", ""]
    lines += ["Full against each other arm, two-sided Mann-Whitney, Holm over all comparisons of this section:", "",
              "| family | against | at | chance that full is better | p by Holm |", "|---|---|---|---|---|"]
    corrected = holm([row[4] for row in compared])
    for (name, arm, percent, above, _), p in zip(compared, corrected):
        lines.append(f"| {name} | {arm} | {percent}% | {above:.2f} | {p_text(p)} |")
    lines += ["", *verdict_lines(compared, corrected)]
    broken = os.path.join(folder, "all_broken")
    if os.path.isdir(broken):
        lines += all_broken_lines(broken)
    lines += rule_lines(families)
    return head + lines + ["", "What each tactic of the full arm came to:", ""] + tactic_lines(families)
