#!/usr/bin/env python3
"""The search on a GPU machine: from the worst quartile of a family, does it reach the best known within 64 evaluations?

For each family an experiment of two arms, full and random, that begin with the same programs of the family's worst
quartile (evolve.json, by the estimate); and before it a sweep, which measures what the estimate holds for the best
members. The best known variant is the best of all three. A campaign that ran out of time goes on from its evidence
file, families that are done stay done. Exits 1 if a step failed, 4 if time ran out.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402

# Contract, program: the families of the first corpus that have more than a handful of members.
FAMILIES = (("rmsnorm", "rmsnorm"), ("softmax", "softmax"), ("router_gemm", "router_gemm"), ("gemm_bf16", "gemm_bf16_async"),
            ("kmeans_assign", "kmeans_assign_async"))
FOLDERS = {"gemm_bf16": "gemm", "kmeans_assign": "kmeans"}
EVALUATIONS, SWEEP = 64, 24
BAR = 0.98


class Evolve(Campaign):
    NAME = "evolve"

    def parts(self) -> list:
        families = FAMILIES[:1] if self.short else FAMILIES
        return [self.machine] + [self.part(*family) for family in families if self.wanted(family[0])]

    def part(self, contract: str, program: str):
        def search() -> None:
            if self.done_before(f"report {contract}"):
                self.compare(contract, program)
            else:
                self.with_daemon(lambda: self.compare(contract, program))
        search.__name__ = contract
        return search

    def experiment(self, name: str, contract: str, program: str, arms: list[str], evaluations: int, starts: list[dict]) -> str:
        path = os.path.join(self.work, name + ".toml")
        source = os.path.join(self.work, "tests/corpus", FOLDERS.get(contract, contract), program + ".cake")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'name = "{name}"\nworkload = "{contract}"\narms = {json.dumps(arms)}\nrepeats = 1\nseed = 1\n'
                    f"evaluations = {evaluations}\n")
            for start in starts:
                params = ", ".join(f"{key} = {value}" for key, value in start.items())
                f.write(f'[[start]]\nfile = "{source}"\nparams = {{ {params} }}\n')
        return path

    def compare(self, contract: str, program: str) -> None:
        with open(os.path.join(self.work, "tests/device/evolve.json"), encoding="utf-8") as f:
            known = json.load(f)[contract if contract == program else f"{contract}:{program}"]
        evaluations, sweep = (4, 2) if self.short else (EVALUATIONS, SWEEP)
        whole = self.experiment(f"sweep-{contract}", contract, program, ["sweep"], sweep, [{}])
        self.step(f"sweep {contract}", "cake", "experiment", "run", whole, "--json")
        path = self.experiment(f"evolve-{contract}", contract, program, ["full", "random"], evaluations, known["starts"])
        self.step(f"evolve {contract}", "cake", "experiment", "run", path, "--json")
        swept = self.step(f"report sweep {contract}", "cake", "experiment", "report", f"sweep-{contract}", "--json")
        report = self.step(f"report {contract}", "cake", "experiment", "report", f"evolve-{contract}", "--json")
        self.manifest.setdefault("families", {})[contract] = self.summary(contract, program, known, swept, report)
        print(json.dumps(self.manifest["families"][contract], indent=1), flush=True)

    @staticmethod
    def curve(report: dict, arm: str) -> list[float]:
        return next((run.get("score_curve", []) for run in report.get("runs", []) if run.get("arm") == arm), [])

    def summary(self, contract: str, program: str, known: dict, swept: dict, report: dict) -> dict:
        """Scores are lower ends of the ratio to the contract's baseline."""
        curves = {"sweep": self.curve(swept, "sweep"), "full": self.curve(report, "full"), "random": self.curve(report, "random")}
        best = max((max(curve) for curve in curves.values() if curve), default=0)
        out = {"program": program, "members": known["members"], "best_known_ratio": best, "curves": curves,
               "source": report.get("runs", [{}])[0].get("objective_source", "")}
        for arm in ("full", "random"):
            reached = [i + 1 for i, score in enumerate(curves[arm]) if best > 0 and score >= BAR * best]
            out[arm] = {"evaluations": len(curves[arm]), "best": max(curves[arm], default=0), "reached_bar_after": reached[0] if reached else None}
        return out


if __name__ == "__main__":
    sys.exit(main(Evolve))
