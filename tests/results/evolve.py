"""Tables of searches on a device: from where, to where, by which programs. Standard library only; used by render."""
POINTS = (8, 16, 32, 64)


def words(params: dict) -> str:
    return ", ".join(f"{name} {value}" for name, value in params.items()) or "no params"


def interval(ratio: dict) -> str:
    if not ratio:
        return "not timed"
    return "the same program" if ratio.get("same") else f"{ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"


def steps(lineage: list[dict], arm: str, candidate: str) -> list[str]:
    """From a candidate back to the program that was handed in, by first parents."""
    links: dict[str, dict] = {}
    for row in lineage:
        if row["arm"] == arm:
            links.setdefault(row["child"], row)
    out = [candidate]
    while candidate in links and len(out) <= len(links):
        out[-1] += f" by {links[candidate]['tactic'] or links[candidate]['role']}"
        candidate = links[candidate]["parent"]
        out.append(candidate)
    return out


def evolve_lines(manifest: dict) -> list[str]:
    families = manifest.get("families", {})
    if not families:
        return []
    lines = ["### Searches from the worst quartile of a family", "",
             "A curve is the time of the best known variant, the fastest that any arm or the sweep measured, over that of the arm's best so far."
             " Against: both programs timed in the same blocks.", "",
             "| family | members | best of the start | arm | evaluations | " + " | ".join(f"after {n}" for n in POINTS) +
             " | reached 0.98 after | against the best known, 95% interval | leases lost |", "|---" * (9 + len(POINTS)) + "|"]
    for name, family in families.items():
        for arm, found in family["arms"].items():
            curve = found["curve"]
            at = " | ".join(f"{curve[min(n, len(curve)) - 1]:.3f}" if curve else "" for n in POINTS)
            lost = sum(row["arm"] == arm for row in family["lost"])
            lines.append(f"| {name} ({family['program']}, {family['source']}) | {family['members']} | {family['start']['best']:.3f} | {arm} |"
                         f" {found['charged']} | {at} | {found['reached_bar_after'] or 'not'} | {interval(found.get('against_best_known', {}))} | {lost} |")
    lines.append("")
    for name, family in families.items():
        best = family["best_known"]
        lines.append(f"- {name}: best known {best['time_ns'] / 1e3:.2f} us ({words(best['params'])}), found by {best['found_by']}.")
        for arm, found in family["arms"].items():
            if mine := found.get("best_candidate"):
                lines.append(f"  - {arm}: {words(mine['params'])}; " + " from ".join(steps(family["lineage"], arm, mine["candidate"])))
        for reason in sorted({row["detail"] or row["reason"] for row in family["lost"]}):
            lines.append(f"  - lost: {reason[:200]}")
    return [*lines, ""]
