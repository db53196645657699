#!/usr/bin/env python3
"""What a worker says of hangs, and what the toolkit's tools say where a GPU machine has them.

Hangs: programs that wait for what never comes; the words of their second build must name role, event and use. Tools:
a right program and one that writes outside, with the instruction mix, counters and the sanitizer. Absent tools are
recorded as absent. Exits 1 if a hang was not opened, 4 if time ran out.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402

HEAD = "program add target sm_90\ndim N in 0..=1073741824\nin a: f32[N], b: f32[N]\nout c: f32[N]\nkernel add {\n"
# Name, program, what the words must begin with: how many CTAs came so far is the device's matter.
HANGS = (
    ("ring", HEAD + "  grid (1)\n  ring r[2] { v: f32[32] } from fill to drain\n"
     "  role fill: warps 1 {\n    for k in 0..4 {\n      acquire r@k\n      st r.v@k[lane] <- 1.0\n      commit r@k\n    }\n  }\n"
     "  role drain: warps 1 {\n    for k in 0..5 {\n      wait r@k\n      if lane < N { st c[lane] <- ld r.v@k[lane] }\n"
     "      release r@k\n    }\n  }\n}\n",
     "role drain waits at line 17, at `wait` of r for use 4 (stage 0, parity 0): "),
    ("event", HEAD + "  grid (2)\n  event never[3] count 1\n  role main: warps 4 {\n    wait never@1\n"
     "    if thread < N { st c[thread] <- 0.0 }\n  }\n}\n",
     "role main waits at line 9, at `wait` of never for use 1 (stage 1, parity 0): "),
)
RIGHT = HEAD + ("  grid (ceildiv(N, 256))\n  role main: warps 8 {\n    let i = cta*256 + thread\n"
                "    if i < N { st c[i] <- (ld a[i]) + (ld b[i]) }\n  }\n}\n")
OUTSIDE = RIGHT.replace("if i < N ", "if i < N + 1 ")


class Tools(Campaign):
    NAME = "tools"

    def parts(self) -> list:
        return [self.machine, self.hangs, self.tools]

    def job(self, name: str, source: str, **more) -> dict:
        path, out = os.path.join(self.work, name + ".job.json"), os.path.join(self.work, name + ".result.json")
        with open(os.path.join(self.work, "tests/corpus/vector_add/vector_add.workload.textproto"), encoding="utf-8") as contract, \
                open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "job": name, "source": source, "file": name + ".cake", "contract_text": contract.read(),
                       "cases": ["tile_plus_one"], "timing": False, "attempts": 1, "limits": {"launch_ms": 1000}} | more, file)
        self.step(name, "cake-worker", *self.worker_options(), "--job", path, "--out", out, fatal=False)
        kept = self.keep_file(name, "result", out)
        return json.loads(self.evidence.object(kept)) if kept else {}

    @staticmethod
    def check(result: dict, name: str) -> dict:
        return next((c for c in result.get("checks", []) if c["name"] == name), {"outcome": "absent", "detail": ""})

    def hangs(self) -> None:
        rows = self.manifest["hangs"] = {}
        for name, source, want in HANGS:
            result = self.job("hang-" + name, source)
            found = self.check(result, "hang_autopsy")["detail"]
            rows[name] = {"verdict": result.get("verdict"), "found": found, "want": want, "good": found.startswith(want)}
            print(f"  {name}: {found}", flush=True)
            if not rows[name]["good"]:
                self.failed.append(f"hang {name}: {result.get('verdict')} {result.get('detail')}")

    def tools(self) -> None:
        rows = self.manifest["tools"] = {}
        for name, source in (("right", RIGHT), ("outside", OUTSIDE)):
            result = self.job("tools-" + name, source, cases=["tile_plus_one"], evidence=["sass", "profile", "sanitizer"])
            rows[name] = {"verdict": result.get("verdict")}
            for evidence in ("sass", "profile", "sanitizer"):
                rows[name][evidence] = self.check(result, "evidence_" + evidence)
                print(f"  {name} {evidence}: {rows[name][evidence]['outcome']} {rows[name][evidence]['detail'][:300]}", flush=True)


if __name__ == "__main__":
    sys.exit(main(Tools))
