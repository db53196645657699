#!/usr/bin/env python3
"""The search on a GPU machine: from the worst quartile of a family, does it reach the best known within 64 evaluations?

For each family an experiment of two arms, full and random, that begin with the same programs of the family's worst
quartile (evolve.json, by the estimate); and beside it a sweep, which measures what the estimate holds for the best
members. The best known variant is the fastest that any of them measured, and each arm's best is timed against it in
the same blocks. A campaign that ran out of time goes on from its evidence file: runs go on where they were, families
that are done stay done. Exits 1 if a step failed, 4 if time ran out.
"""
import json
import math
import os
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import evolve_contracts  # noqa: E402
from campaign import Campaign, main  # noqa: E402

EVALUATIONS, SWEEP = 64, 16
BAR = 0.98
RIGHT = ("CORRECT", "IMPROVED", "CONFIRMED")
# Every evaluation of an experiment in its order, with the program that it was of.
EVALUATED = """select r.arm, ev.charged_no, ev.candidate, ev.params_json, ev.verdict, ev.purpose, ev.ratio_low, ev.ratio_med, ev.time_ns,
 v.predicted_ns, c.tactic, o.bytes_inline as source, ev.source as score_source
 from v_evaluation ev join run r on r.id = ev.run_id join experiment e on e.id = r.experiment_id
 join candidate c on c.id = ev.candidate_id join variant v on v.id = ev.variant_id join object o on o.hash = c.source_hash
 where e.name = ? order by ev.seq"""
LINEAGE = """select r.arm, l.child, l.parent, l.role, l.tactic, l.child_verdict from v_lineage l join run r on r.id = l.run_id
 join experiment e on e.id = r.experiment_id where e.name = ? order by l.child_id"""
LOST = """select r.arm, ev.body from event ev join run r on r.id = ev.run_id join experiment e on e.id = r.experiment_id
 where e.name = ? and ev.kind = 'LeaseLost' order by ev.seq"""


def time_of(row: dict) -> float:
    """What a program takes; on a device that measures nothing what it is predicted to take. Infinite: it is not right."""
    if row["verdict"] not in RIGHT:
        return math.inf
    return row["time_ns"] or row["predicted_ns"] or math.inf


class Evolve(Campaign):
    NAME = "evolve"

    def __init__(self, arguments) -> None:
        super().__init__(arguments)
        self.workloads = os.path.join(self.work, "evolve")

    def parts(self) -> list:
        families = list(evolve_contracts.FAMILIES)[:1] if self.short else list(evolve_contracts.FAMILIES)
        return [self.machine] + [self.part(contract) for contract in families if self.wanted(contract)]

    def worker_options(self) -> list[str]:
        return [*super().worker_options(), "--no-tools"]

    def part(self, contract: str):
        def search() -> None:
            if contract in self.earlier.get("families", {}):
                self.manifest.setdefault("families", {})[contract] = self.earlier["families"][contract]
                print(f"{contract}: done before", flush=True)
                return
            for every in evolve_contracts.FAMILIES:
                evolve_contracts.write(os.path.join(self.work, "tests/corpus"), self.workloads, every, self.short)
            self.with_daemon(lambda: self.search(contract))
            self.summarise(contract)
        search.__name__ = contract
        return search

    def known(self, contract: str) -> dict:
        with open(os.path.join(self.work, "tests/device/evolve.json"), encoding="utf-8") as f:
            return json.load(f)[contract]

    def experiment(self, name: str, contract: str, arms: list[str], evaluations: int, starts: list[dict]) -> str:
        path = os.path.join(self.work, name + ".toml")
        program = os.path.join(self.workloads, contract, evolve_contracts.FAMILIES[contract][0] + ".cake")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'name = "{name}"\nworkload = "{contract}"\narms = {json.dumps(arms)}\nrepeats = 1\nseed = 1\n'
                    f"evaluations = {evaluations}\n")
            for start in starts:
                params = ", ".join(f"{key} = {value}" for key, value in start.items())
                f.write(f'[[start]]\nfile = "{program}"\nparams = {{ {params} }}\n')
        return path

    def search(self, contract: str) -> None:
        """Both experiments at once: while one decides the worker has the other's programs to run."""
        evaluations, sweep = (4, 2) if self.short else (EVALUATIONS, SWEEP)
        files = {f"sweep {contract}": self.experiment(f"sweep-{contract}", contract, ["sweep"], sweep, [{}]),
                 f"evolve {contract}": self.experiment(f"evolve-{contract}", contract, ["full", "random"], evaluations,
                                                       self.known(contract)["starts"][:2 if self.short else None])}
        self.side_by_side(lambda name: self.step(name, "cake", "experiment", "run", files[name], "--json", seconds=math.inf), list(files))

    def rows(self, query: str, *values: str) -> list[dict]:
        with sqlite3.connect(f"file:{self.env['CAKE_HOME']}/cake.db?mode=ro", uri=True) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(query, values)]

    def summarise(self, contract: str) -> None:
        evaluated = self.rows(EVALUATED, f"evolve-{contract}")
        swept = self.rows(EVALUATED, f"sweep-{contract}")
        best = min(evaluated + swept, key=time_of, default=None)
        if best is None or not math.isfinite(time_of(best)):
            raise RuntimeError("no program was right")
        starts = [row for row in evaluated if row["tactic"] is None]
        out = {"program": evolve_contracts.FAMILIES[contract][0], "members": self.known(contract)["members"],
               "source": best["score_source"] if best["time_ns"] else "ESTIMATED",
               "best_known": {"found_by": best["arm"], "candidate": best["candidate"], "params": json.loads(best["params_json"]),
                              "time_ns": time_of(best), "tactic": best["tactic"]},
               "start": {"evaluated": len(starts), "best": time_of(best) / min(map(time_of, starts), default=math.inf)},
               "sweep": {"evaluated": len(swept), "best": time_of(best) / min(map(time_of, swept), default=math.inf)},
               "arms": {}, "lineage": self.rows(LINEAGE, f"evolve-{contract}"),
               "lost": [{"arm": row["arm"]} | {key: json.loads(row["body"]).get(key) for key in ("reason", "detail")}
                        for row in self.rows(LOST, f"evolve-{contract}")]}
        for arm in ("full", "random"):
            out["arms"][arm] = self.arm(contract, arm, [row for row in evaluated if row["arm"] == arm], best)
        self.manifest.setdefault("families", {})[contract] = out
        brief = {arm: {key: value for key, value in found.items() if key != "evaluations"} for arm, found in out["arms"].items()}
        print(json.dumps({contract: out["best_known"] | {"lost": len(out["lost"])} | brief}, indent=1), flush=True)

    def arm(self, contract: str, arm: str, rows: list[dict], best: dict) -> dict:
        """Curve: time of the best known over that of the arm's best so far, after each charged evaluation."""
        curve, fastest = [], math.inf
        for row in rows:
            fastest = min(fastest, time_of(row))
            if row["charged_no"] is not None:
                curve.append(time_of(best) / fastest)
        reached = next((i + 1 for i, value in enumerate(curve) if value >= BAR), None)
        mine = min(rows, key=time_of, default=None)
        kept = ("charged_no", "candidate", "params_json", "verdict", "purpose", "ratio_low", "ratio_med", "time_ns", "tactic")
        out = {"charged": len(curve), "reached_bar_after": reached, "best": curve[-1] if curve else 0, "curve": curve,
               "evaluations": [{key: row[key] for key in kept} for row in rows]}
        if mine is None or not math.isfinite(time_of(mine)):
            return out
        out["best_candidate"] = {"candidate": mine["candidate"], "params": json.loads(mine["params_json"]), "tactic": mine["tactic"]}
        if not self.fake:
            out["against_best_known"] = self.duel(contract, arm, mine, best)
        return out

    def duel(self, contract: str, arm: str, mine: dict, best: dict) -> dict:
        """Both programs timed in the same blocks: time of the best known over the arm's best."""
        if (mine["candidate"], mine["params_json"]) == (best["candidate"], best["params_json"]):
            return {"median": 1.0, "low": 1.0, "high": 1.0, "same": True}
        name = f"duel {arm} {contract}"
        path = os.path.join(self.work, name.replace(" ", "-"))

        def program(row: dict) -> dict:
            return {"source": row["source"].decode() if isinstance(row["source"], bytes) else row["source"],
                    "file": row["candidate"] + ".cake", "binding": json.loads(row["params_json"])}

        with open(os.path.join(self.workloads, contract, contract + ".workload.textproto"), encoding="utf-8") as f:
            text = f.read()
        scored = [case for case in evolve_contracts.CASE.findall(text) if "TIER_DEVICE" in case and "SET_SEARCH" in case]
        job = {"schema": 1, "job": name, "purpose": "CALIBRATE", "contract_text": text, "baseline": program(best),
               "cases": [case.split('name: "')[1].split('"')[0] for case in scored]} | program(mine)
        with open(path + ".job", "w", encoding="utf-8") as f:
            json.dump(job, f)
        self.step(name, "cake-worker", *self.worker_options(), "--job", path + ".job", "--out", path + ".result")
        kept = self.keep_file(name, "result", path + ".result")
        return (json.loads(self.evidence.object(kept)).get("ratio") if kept else None) or {}


if __name__ == "__main__":
    sys.exit(main(Evolve))
