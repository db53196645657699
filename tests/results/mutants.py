"""What broken programs were seen to do on a device, beside right ones: rows of the campaign `mutants`."""
import collections

MISBEHAVES = ("hang", "fault", "varies", "wrong")
OTHERWISE = ("same", "no_run", "no_build", "died")
SEEN = MISBEHAVES + OTHERWISE


def table(title: str, counts: dict) -> list[str]:
    lines = [f"| {title} | " + " | ".join(SEEN) + " |", "|---|" + "---|" * len(SEEN)]
    total: collections.Counter = collections.Counter()
    for name, count in sorted(counts.items()):
        total.update(count)
        lines.append(f"| {name} | " + " | ".join(str(count[seen]) for seen in SEEN) + " |")
    return [*lines, "| all | " + " | ".join(str(total[seen]) for seen in SEEN) + " |", ""]


def counted(rows: list[dict], name) -> dict:
    out: dict = collections.defaultdict(collections.Counter)
    for row in rows:
        out[name(row)][row["device"]] += 1
    return out


def mutant_lines(manifest: dict) -> list[str]:
    rows, right = manifest.get("mutants_of", []), manifest.get("right_of", [])
    if not rows and not right:
        return []
    seen = sum(row["device"] in MISBEHAVES for row in rows)
    bad = sum(row["device"] in MISBEHAVES for row in right)
    longest = max((row.get("longest_ms", 0) for row in right), default=0)
    lines = [f"### Broken programs: {seen} of {len(rows)} seen to misbehave; right ones: {bad} in {sum(row.get('delayed', 0) for row in right)} launches with delays", "",
             f"Builds with delays of several seeds, on {manifest.get('arch')}, {manifest.get('compiler')}. `varies`: wrong, and not the same in all launches; `same`: nothing was seen,"
             " which is no evidence; `no_run`, `no_build`: the guard, the driver, the compiler or its lowering do not take it. The longest launch of a right program"
             f" took {longest:.0f} ms beside the others.", ""]
    if right:
        lines += table("right programs", {f"{len({row['base'] for row in right})} programs": collections.Counter(row["device"] for row in right)})
    lines += table("broken by construction", counted(rows, lambda row: f"{row['family']}: {row['op']}"))
    lines += table("what the gates say of it", counted(rows, lambda row: row.get("outcome", "died")))
    accepted = [f"{row['base']}:{row['line']} {row['op']} {row['values']}: {row['device']}" for row in rows
                if row.get("outcome") == "accepted" and row["device"] in MISBEHAVES]
    return [*lines, "Accepted by the gates and seen to misbehave:", "", *([f"- {one}" for one in sorted(accepted)] or ["none"]), ""]
