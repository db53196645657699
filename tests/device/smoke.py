#!/usr/bin/env python3
"""The first campaign on a GPU machine: does the bundle run, are the programs correct, how near to copy speed.

Records what is absent as absent. Exits 1 if a step that this machine can do failed, 4 if time ran out.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402

FAMILIES = ("vector_add", "rmsnorm")


class Smoke(Campaign):
    NAME = "smoke"

    def parts(self) -> list:
        return [self.machine, self.cubins, self.programs, self.evolve]

    def cubins(self) -> None:
        """The cubin built here against the one built without a GPU: equal where the NVRTC versions are."""
        path = os.path.join(self.work, "expected-cubins.json")
        expected = json.load(open(path, encoding="utf-8")) if os.path.exists(path) else {}
        results = self.manifest["cubins"] = {}
        for family in FAMILIES:
            cubin = os.path.join(self.work, family + ".cubin")
            name = f"build {family}"
            build = self.step(name, "cake", "build", f"tests/corpus/{family}/{family}.cake", "--arch", "sm_90a",
                              "--cache", os.path.join(self.work, "cubin-cache"), "-o", cubin, "--json", fatal=not self.fake)
            here = self.keep_file(name, "cubin", cubin, "cubin")
            if not here:
                continue
            there = expected.get(family, {})
            same_compiler = there.get("compiler") == build.get("compiler")
            results[family] = {"here": here, "expected": there.get("sha256"), "compiler_here": build.get("compiler"),
                               "compiler_there": there.get("compiler"),
                               "result": ("equal" if here == there.get("sha256") else "DIFFERENT") if same_compiler else "not comparable"}
            if results[family]["result"] == "DIFFERENT":
                self.failed.append(f"cubin of {family} differs")
        print(json.dumps(results, indent=1), flush=True)

    def job(self, family: str) -> str:
        """One job file: the default member of a family against its contract, all cases."""
        folder = os.path.join(self.work, "tests/corpus", family)
        path = os.path.join(self.work, family + ".job.json")
        with open(os.path.join(folder, family + ".cake"), encoding="utf-8") as program, \
                open(os.path.join(folder, family + ".workload.textproto"), encoding="utf-8") as contract, \
                open(path, "w", encoding="utf-8") as out:
            job = {"schema": 1, "job": family, "source": program.read(), "file": family + ".cake",
                   "contract_text": contract.read(), "rounds": 64}
            if self.short:
                job |= {"rounds": 2, "cases": ["tile", "tile_plus_one"], "timing": False}
            json.dump(job, out)
        return path

    def programs(self) -> None:
        for family in FAMILIES[:1] if self.short else FAMILIES:
            objects = os.path.join(self.work, family + "-objects")
            out = os.path.join(self.work, family + ".result.json")
            name = f"run {family}"
            self.step(name, "cake-worker", *self.worker_options(), "--job", self.job(family), "--out", out, "--objects", objects)
            for file in os.listdir(objects) if os.path.isdir(objects) else []:
                with open(os.path.join(objects, file), "rb") as f:
                    self.evidence.keep(f.read())
            kept = self.keep_file(name, "result", out)
            if not kept:
                continue
            result = json.loads(self.evidence.object(kept))
            self.manifest.setdefault("runs", {})[family] = result
            self.print_result(result)

    @staticmethod
    def print_result(result: dict) -> None:
        print(f"  verdict {result.get('verdict')} {result.get('detail')} sandbox {result.get('sandbox')}", flush=True)
        for case in result.get("cases", []):
            print(f"  {case['name']} {case['tier']}: {case['verdict']} {case['detail']}", flush=True)
        for timing in result.get("timing") or []:
            mine, copy = timing["candidate"], timing["copy"]
            if mine and copy:
                print(f"  {timing['case']}: {timing['protocol']}, clock {timing['clock']}: cold {mine['cold_ns']['median']:.0f} ns,"
                      f" copy of {timing['copy_bytes']:.0f} B {copy['cold_ns']['median']:.0f} ns,"
                      f" ratio to copy {copy['cold_ns']['median'] / mine['cold_ns']['median']:.3f}", flush=True)

    def evolve(self) -> None:
        family = "vector_add" if self.short else "rmsnorm"
        name = f"evolve {family}"

        def search() -> None:
            self.manifest["evolve"] = self.step(
                name, "cake", "evolve", family, "--source", f"tests/corpus/{family}/{family}.cake",
                "--experiment", "device-smoke", "--budget", f"evals={2 if self.short else 8}", "--seed", "1", "--json")
            print(json.dumps(self.manifest["evolve"], indent=1)[:2500], flush=True)

        if self.done_before(name):
            search()
        else:
            self.with_daemon(search)


if __name__ == "__main__":
    sys.exit(main(Smoke))
