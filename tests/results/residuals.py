#!/usr/bin/env python3
"""What a device's time has beyond the model's, and how much of it relatives share.

  tests/results/residuals.py evidence-evolve-<utc>.tar.zst      writes tests/results/residuals/forms.json

A form is a program with its params bound, as the searches of the evidence ran it. Standard library only; used by render.
"""
import collections
import itertools
import json
import math
import os
import sqlite3
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
FAR = 4  # so many differences, or more

FORMS = """
select w.name, v.params_json, c.struct_hash, v.predicted_ns, avg(e.time_ns)
from evaluation e join variant v on v.id = e.variant_id join candidate c on c.id = v.candidate_id
  join run r on r.id = e.run_id join workload w on w.id = r.workload_id
where e.time_ns > 0 and e.blame = 'NONE' and v.predicted_ns > 0
group by w.name, v.canon_hash order by w.name, v.canon_hash"""


def extract(evidence: str) -> dict:
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "device"))
    from evidence import unpack
    with tempfile.TemporaryDirectory() as work:
        manifest = unpack(evidence, work)
        if manifest["simulated"]:
            raise SystemExit(f"{evidence}: simulated, so nothing in it is a figure")
        with sqlite3.connect(f"file:{os.path.join(work, 'objects', manifest['store'])}?mode=ro", uri=True) as store:
            families: dict[str, list] = {}
            for name, params, structure, predicted, measured in store.execute(FORMS):
                families.setdefault(name, []).append({"params": json.loads(params), "structure": (structure or "")[:12],
                                                      "predicted_ns": round(predicted, 1), "measured_ns": round(measured, 1)})
        return {"git": manifest["git"], "device": manifest["device"].split()[0:2], "store": manifest["store"], "families": families}


def differences(a: dict, b: dict) -> int:
    names = set(a["params"]) | set(b["params"])
    return sum(a["params"].get(name) != b["params"].get(name) for name in names) + (a["structure"] != b["structure"])


def shares(forms: list[dict]) -> tuple[float, float, dict[int, float]]:
    """Deviation of log(measured / predicted), correlation of the logarithms, and by how many things two forms differ in (params,
    structure): half the squared difference of what the model misses, as a part of its variance. 1: they share nothing."""
    missed = [math.log(form["measured_ns"] / form["predicted_ns"]) for form in forms]
    variance = statistics.pvariance(missed)
    by: dict[int, list[float]] = collections.defaultdict(list)
    for (i, a), (j, b) in itertools.combinations(enumerate(forms), 2):
        by[min(FAR, differences(a, b))].append((missed[i] - missed[j]) ** 2 / 2)
    close = statistics.correlation([math.log(form["predicted_ns"]) for form in forms], [math.log(form["measured_ns"]) for form in forms])
    return math.sqrt(variance), close, {n: statistics.mean(values) / variance for n, values in by.items()}


def residual_lines() -> list[str]:
    path = os.path.join(HERE, "residuals", "forms.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        found = json.load(f)
    lines = ["## residuals", "", f"git {found['git']}, {' '.join(found['device'])}, every form that the searches of `evolve` timed", "",
             "What the model misses of a time, and whether relatives share it: half the squared difference of log(measured / predicted) of"
             " two forms, as a part of its variance, by the number of params (and the structure) in which they differ. 1: nothing is shared.", "",
             "| family | forms | deviation of log(measured / predicted) | correlation of the logarithms | one difference | two | three | four or more |",
             "|---|---|---|---|---|---|---|---|"]
    for name, forms in found["families"].items():
        deviation, close, by = shares(forms)
        at = " | ".join(f"{by[n]:.2f}" if n in by else "none" for n in range(1, FAR + 1))
        lines.append(f"| {name} | {len(forms)} | {deviation:.2f} | {close:.2f} | {at} |")
    return [*lines, ""]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(os.path.join(HERE, "residuals"), exist_ok=True)
    with open(os.path.join(HERE, "residuals", "forms.json"), "w", encoding="utf-8") as f:
        found = extract(sys.argv[1])
        rows = ",\n".join(f'  "{name}": [\n   ' + ",\n   ".join(json.dumps(form) for form in forms) + "]" for name, forms in found.pop("families").items())
        f.write(json.dumps(found)[:-1] + ',\n "families": {\n' + rows + "}}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
