#!/usr/bin/env python3
"""What the gates say of changed programs, as a table (README.md says what the columns are).

    report.py SEED MUTANTS.jsonl.. [--ptx OUT.jsonl] > tests/results/mutation/programs.json
    report.py --render tests/results/mutation/programs.json > tests/results/mutation/programs.md
"""
import collections
import json
import sys

# How alike mutants of one program are, assumed; the bound is printed with it.
RHO = 0.05
OUTCOMES = ("right", "unproven", "otherwise", "accepted")


def rows_of(files: list[str]) -> list[dict]:
    rows, seen = [], set()
    for name in files:
        with open(name) as lines:
            for line in lines:
                row = json.loads(line)
                key = (row["base"], row["change"], row["member"])
                if key not in seen:
                    seen.add(key)
                    rows.append(row)
    return rows


def place(row: dict) -> str:
    values = ",".join(f"{name}={value}" for name, value in row["values"].items())
    return f"{row['base']}:{row['line']} {row['op']} [{values}]"


def columns(rows: list[dict]) -> dict:
    out: dict = collections.defaultdict(collections.Counter)
    for row in rows:
        out[(row["family"], row["op"])][row["outcome"]] += 1
    return {f"{family}: {op}": dict(sorted(count.items())) for (family, op), count in sorted(out.items())}


def statistics(rows: list[dict]) -> dict:
    """Of broken ones: an upper bound of the rate of false accepts if none is seen."""
    per_base = collections.Counter(row["base"] for row in rows)
    n, bases = len(rows), max(1, len(per_base))
    effective = n / (1 + (n / bases - 1) * RHO)
    return {"broken": n, "bases": bases, "rho": RHO, "n_eff": round(effective),
            "bound_percent": round(300 / max(1.0, effective), 2)}


def summary(seed: str, files: list[str], ptx: str) -> dict:
    rows = [r for r in rows_of(files) if r["outcome"] != "malformed"]
    on_chip = [r for r in rows if r["target"] != "sm_100a"]
    broken = [r for r in on_chip if r["known"] == "broken"]
    equal = [r for r in rows if r["known"] == "equal"]
    result = {
        "seed": seed,
        "malformed": len(rows_of(files)) - len(rows),
        "statistics": statistics(broken),
        "broken": columns(broken),
        "broken_sm_100a": columns([r for r in rows if r["target"] == "sm_100a" and r["known"] == "broken"]),
        "equal": columns(equal),
        "open": columns([r for r in rows if r["known"] == "open"]),
        "accepted": sorted(place(r) for r in rows if r["known"] == "broken" and r["outcome"] == "accepted"),
        "otherwise": sorted(f"{place(r)}: {' '.join(r['codes'][:3])}"
                            for r in rows if r["known"] == "broken" and r["outcome"] in ("otherwise", "died")),
        "refused_equal": sorted(place(r) for r in equal if r["outcome"] != "accepted"),
    }
    if ptx:
        judged: dict = collections.defaultdict(collections.Counter)
        differ = []
        for row in rows_of([ptx]):
            judged[f"{row['known']}, gates: {row['outcome']}"][row["ptx"]] += 1
            misbehaves = row["ptx"] in ("hang", "fault", "varies", "wrong")
            if (misbehaves and row["outcome"] == "accepted") or (row["known"] == "broken" and row["ptx"] == "same"):
                differ.append(f"{place(row)}: gates {row['outcome']}, ptx {row['ptx']}")
        result["ptx"] = {name: dict(sorted(count.items())) for name, count in sorted(judged.items())}
        result["ptx_differs"] = sorted(differ)
    return result


def table(title: str, counts: dict, heads: tuple[str, ...]) -> list[str]:
    lines = [f"## {title}", "", "| what | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    total: collections.Counter = collections.Counter()
    for name, count in counts.items():
        total.update(count)
        lines.append(f"| {name} | " + " | ".join(str(count.get(h, 0)) for h in heads) + " |")
    lines.append("| all | " + " | ".join(str(total[h]) for h in heads) + " |")
    return lines + [""]


def render(result: dict) -> str:
    s = result["statistics"]
    lines = ["# Changed programs and the gates", "", "Made by `tests/mutation/report.py`; not edited by hand.", "",
             f"Seed {result['seed']}. {s['broken']} broken of {s['bases']} programs (sm_100a apart); with rho = {s['rho']} within a "
             f"program they count as {s['n_eff']} independent ones: none accepted would bound the rate at {s['bound_percent']}% (95%). "
             f"{result['malformed']} more were no programs any more.", ""]
    lines += table("Broken by construction", result["broken"], OUTCOMES + ("died",))
    lines += table("Broken by construction, sm_100a (no hardware evidence)", result["broken_sm_100a"], OUTCOMES + ("died",))
    lines += table("Equal by construction", result["equal"], ("accepted", "right", "unproven", "otherwise", "died"))
    lines += table("Open: nothing is known from how they are made", result["open"], OUTCOMES + ("died",))
    if "ptx" in result:
        lines += table("Executed as PTX", result["ptx"], ("hang", "fault", "varies", "wrong", "same", "unknown"))
    for title, key in (("Broken and accepted", "accepted"), ("Broken and refused for something else", "otherwise"),
                       ("Equal and refused", "refused_equal"), ("Where the PTX says something else", "ptx_differs")):
        if key in result:
            lines += [f"## {title}", ""] + ([f"- {one}" for one in result[key]] or ["none"]) + [""]
    return "\n".join(lines)


def main(words: list[str]) -> int:
    if len(words) == 2 and words[0] == "--render":
        with open(words[1]) as file:
            print(render(json.load(file)))
        return 0
    ptx = ""
    if "--ptx" in words:
        at = words.index("--ptx")
        ptx = words[at + 1]
        words = words[:at]
    if len(words) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps(summary(words[0], words[1:], ptx), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
