#!/usr/bin/env python3
"""What the gates say of changed programs, as a table (README.md says what the columns are).

    report.py SEED MUTANTS.jsonl.. [--ptx OUT.jsonl | --ptx-of programs.json] [--changes CHANGES] > tests/results/mutation/programs.json
    report.py --render tests/results/mutation/programs.json > tests/results/mutation/programs.md

SEED names the seeds of the rows. --ptx-of keeps what an earlier report says of PTX; --changes, what `mutants changes` printed: what is known
of a change is taken from there, for rows of before an operator's condition was mended.
"""
import collections
import json
import re
import sys

# How alike mutants of one program are, assumed; the bound is printed with it.
RHO = 0.05
# The bars of the issue: mutants of an operator, and the largest share of one.
LEAST, LARGEST_PERCENT = 150, 25
OUTCOMES = ("right", "unproven", "otherwise", "accepted")


def rows_of(files: list[str]) -> list[dict]:
    rows, seen = [], set()
    for name in files:
        with open(name) as lines:
            for line in lines:
                row = json.loads(line)
                key = (row["base"], row["change"], tuple(sorted(row["values"].items())))
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


def is_later(row: dict) -> bool:
    """For an architecture of which there is no device here."""
    return int(re.match(r"sm_(\d+)", row["target"]).group(1)) >= 100


def relabel(rows: list[dict], changes: str) -> None:
    known = {}
    with open(changes) as lines:
        for line in lines:
            base, number, word, _ = line.split(" ", 3)
            known[(base, int(number))] = word
    for row in rows:
        row["known"] = known[(row["base"], row["change"])]


def shares(rows: list[dict]) -> dict:
    """How the broken ones spread over operators."""
    count = collections.Counter(f"{row['family']}: {row['op']}" for row in rows)
    most = max(count.values(), default=0)
    return {"operators": len(count), "families": len({row["family"] for row in rows}),
            "largest_percent": round(100 * most / max(1, len(rows)), 1),
            "short": {name: n for name, n in sorted(count.items()) if n < LEAST}}


def statistics(rows: list[dict]) -> dict:
    """Of broken ones: an upper bound of the rate of false accepts if none is seen."""
    per_base = collections.Counter(row["base"] for row in rows)
    n, bases = len(rows), max(1, len(per_base))
    effective = n / (1 + (n / bases - 1) * RHO)
    return {"broken": n, "bases": bases, "rho": RHO, "n_eff": round(effective),
            "bound_percent": round(300 / max(1.0, effective), 2)}


def summary(seed: str, files: list[str], ptx: str, ptx_of: str, changes: str) -> dict:
    all_rows = rows_of(files)
    if changes:
        relabel(all_rows, changes)
    rows = [r for r in all_rows if r["outcome"] != "malformed"]
    on_chip = [r for r in rows if not is_later(r)]
    broken = [r for r in on_chip if r["known"] == "broken"]
    equal = [r for r in rows if r["known"] == "equal"]
    result = {
        "seed": seed,
        "malformed": len(all_rows) - len(rows),
        "statistics": statistics(broken),
        "shares": shares(broken),
        "broken": columns(broken),
        "broken_sm_100a": columns([r for r in rows if is_later(r) and r["known"] == "broken"]),
        "equal": columns(equal),
        "open": columns([r for r in rows if r["known"] == "open"]),
        "accepted": sorted(place(r) for r in rows if r["known"] == "broken" and r["outcome"] == "accepted"),
        "otherwise": sorted(f"{place(r)}: {' '.join(r['codes'][:3])}"
                            for r in rows if r["known"] == "broken" and r["outcome"] in ("otherwise", "died")),
        "refused_equal": sorted(place(r) for r in equal if r["outcome"] != "accepted"),
    }
    if ptx_of:
        with open(ptx_of) as file:
            earlier = json.load(file)
        result |= {key: earlier[key] for key in ("ptx", "ptx_differs") if key in earlier}
        result["ptx_seed"] = earlier.get("ptx_seed", earlier["seed"])
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
             f"Seed {result['seed']}. {s['broken']} broken of {s['bases']} programs (sm_100a and later apart); with rho = {s['rho']} within a "
             f"program they count as {s['n_eff']} independent ones: none accepted would bound the rate at {s['bound_percent']}% (95%). "
             f"{result['malformed']} more were no programs any more.", ""]
    share = result["shares"]
    lines += [f"{share['operators']} operators of {share['families']} families; the largest has {share['largest_percent']}% of the broken ones (at most"
              f" {LARGEST_PERCENT}% is asked for); {len(share['short'])} have fewer than {LEAST}"
              + (": " + ", ".join(f"{name} {n}" for name, n in share["short"].items()) if share["short"] else "") + ".", ""]
    lines += table("Broken by construction", result["broken"], OUTCOMES + ("died",))
    lines += table("Broken by construction, sm_100a and later (no hardware evidence)", result["broken_sm_100a"], OUTCOMES + ("died",))
    lines += table("Equal by construction", result["equal"], ("accepted", "right", "unproven", "otherwise", "died"))
    lines += table("Open: nothing is known from how they are made", result["open"], OUTCOMES + ("died",))
    if "ptx" in result:
        of = f", seed {result['ptx_seed']}" if "ptx_seed" in result else ""
        lines += table(f"Executed as PTX{of}", result["ptx"], ("hang", "fault", "varies", "wrong", "same", "unknown"))
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
    given = {"--ptx": "", "--ptx-of": "", "--changes": ""}
    for option in given:
        if option in words:
            at = words.index(option)
            given[option] = words[at + 1]
            del words[at:at + 2]
    if len(words) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps(summary(words[0], words[1:], given["--ptx"], given["--ptx-of"], given["--changes"]), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
