#!/usr/bin/env python3
"""Every program of the corpus: events of its instrumented build on the GPU against the reference machine's, under
delays, and whether its outputs are right; then the ordinary build at the device-tier cases of its contract.

Exits 1 if a log differs or an output is wrong, 4 if time ran out: the programs that are done are kept.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main, text_of  # noqa: E402

SEEDS = 20
THREADS = 4  # of a program, beside others
SUFFIX = ".workload.textproto"
# Texts for the parser, without contracts.
LEFT_OUT = ("language",)
SHORT = ("copy_tma", "row_max", "prefix_sum_lookback")
PROGRAMS = "tests/device/events/programs"


def contract_of(folder: str, program: str) -> str:
    """The contract whose name begins the program's; of several the longest."""
    names = [file.removesuffix(SUFFIX) for file in os.listdir(folder) if file.endswith(SUFFIX)]
    fitting = [name for name in names if program == name or program.startswith(name + "_")]
    return os.path.join(folder, max(fitting, key=len) + SUFFIX)


class Events(Campaign):
    NAME = "events"

    def parts(self) -> list:
        return [self.machine, self.logs, self.outputs]

    def corpus(self) -> list[tuple[str, str, str]]:
        """Name, program and contract, by path."""
        found = []
        root = os.path.join(self.work, "tests/corpus")
        for family in sorted(os.listdir(root)):
            folder = os.path.join(root, family)
            if family in LEFT_OUT or not os.path.isdir(folder):
                continue
            for file in sorted(os.listdir(folder)):
                name = file.removesuffix(".cake")
                wanted = file.endswith(".cake") and self.wanted(name) and (not self.short or name in SHORT)
                if wanted and self.runs_here(os.path.join(folder, file)):
                    found.append((name, os.path.join(folder, file), contract_of(folder, name)))
        return found

    def runs_here(self, program: str) -> bool:
        """Programs for later architectures are left out, and the manifest says so."""
        with open(program, encoding="utf-8") as f:
            target = re.search(r"^program \w+ target sm_(\d+)", f.read(), re.M)
        here = "9.0" if self.fake else text_of("nvidia-smi --query-gpu=compute_cap --format=csv,noheader").splitlines()[0]
        if target is None or int(target.group(1)) <= round(10 * float(here)):
            return True
        left_out = self.manifest.setdefault("left_out", [])
        if os.path.basename(program) not in left_out:
            left_out.append(os.path.basename(program))
        return False

    def own(self) -> list[tuple[str, str, str]]:
        """Programs for this campaign alone: kinds of arrival that no program of the corpus uses."""
        folder = os.path.join(self.work, PROGRAMS)
        contract = os.path.join(self.work, "tests/corpus/transpose/copy" + SUFFIX)
        return [(file.removesuffix(".cake"), os.path.join(folder, file), contract) for file in sorted(os.listdir(folder)) if self.wanted(file)]

    def logs(self) -> None:
        programs = self.corpus() + self.own()
        self.manifest["events_of"] = rows = []
        done: dict[str, list] = {}
        self.threads = max(THREADS, os.cpu_count() // max(1, len(programs)))

        def log(of: tuple[str, str, str]) -> None:
            done[of[0]] = self.log_of(*of)

        try:
            self.side_by_side(log, programs)
        finally:
            for name, _, _ in programs:
                rows += done.get(name, [])
            self.tell(rows)

    def log_of(self, name: str, program: str, contract: str) -> list:
        step = f"events {name}"
        out = os.path.join(self.work, f"events-{name}.json")
        words = self.worker_options()
        given = dict(zip(words[::2], words[1::2]))
        options = [word for key in ("--work-dir", "--libcuda", "--libnvrtc") if key in given for word in (key, given[key])]
        seeds = 1 if self.short else SEEDS
        self.step(step, "cake-events", program, "--workload", contract, *options, "--seeds", str(seeds), "--threads", str(self.threads),
                  "--out", out)
        kept = self.keep_file(step, "rows", out)
        if not kept:
            return []
        result = json.loads(self.evidence.object(kept))
        self.manifest |= {"arch": result["arch"], "compiler": result["compiler"], "seeds": result["seeds"]}
        return [row | {"name": name, "of_corpus": "tests/corpus" in program} for row in result["rows"]]

    @staticmethod
    def tell(rows: list) -> None:
        for row in rows:
            for case in row["cases"]:
                for told in case["told"] + ([case["detail"]] if case["detail"] else []):
                    print(f"  {row['name']} {row['binding']} {case['name']}: {told}", flush=True)
        print(f"{sum(row['good'] for row in rows)} of {len(rows)} members log what the machine logs, and are right", flush=True)

    def outputs(self) -> None:
        """The ordinary build and one with delays, at all cases: the reference of the large ones takes
        long, so this comes last."""
        results = self.manifest["outputs_of"] = {}
        try:
            self.side_by_side(lambda of: self.output_of(results, *of), self.corpus())
        finally:
            self.manifest["outputs_of"] = dict(sorted(results.items()))
            print(json.dumps({name: result["verdict"] for name, result in results.items()}, indent=1), flush=True)

    def output_of(self, results: dict, name: str, program: str, contract: str) -> None:
        step = f"outputs {name}"
        out = os.path.join(self.work, f"outputs-{name}.json")
        if not self.done_before(step):
            options = self.worker_options()
            if not self.fake:  # several at once
                options[options.index("--work-dir") + 1] += "-" + name
            self.step(step, "cake-worker", *options, "--job", self.job(name, program, contract), "--out", out)
        kept = self.keep_file(step, "result", out)
        if kept:
            result = json.loads(self.evidence.object(kept))
            results[name] = {"verdict": result["verdict"], "detail": result["detail"],
                             "cases": {case["name"]: case["verdict"] for case in result["cases"]}}

    def job(self, name: str, program: str, contract: str) -> str:
        path = os.path.join(self.work, f"outputs-{name}.job.json")
        with open(program, encoding="utf-8") as source, open(contract, encoding="utf-8") as text, open(path, "w", encoding="utf-8") as out:
            job = {"schema": 1, "job": name, "source": source.read(), "file": name + ".cake", "contract_text": text.read(), "timing": False, "jitter": True}
            if self.short:
                job["cases"] = ["box" if name == "copy_tma" else "tile" if name == "prefix_sum_lookback" else "two"]
            json.dump(job, out)
        return path


if __name__ == "__main__":
    sys.exit(main(Events))
