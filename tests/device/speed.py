#!/usr/bin/env python3
"""Speed figures: corpus programs and a library's kernel in turn, in one process, on the same tensors.

Needs PyTorch. Each row: the cubin is built by `cake build` on this machine, its result is compared with the
library's, then both are timed in the order A B B A with equal gaps: before each call the L2 cache is overwritten
and a spin hides the launch. CUDA events, 100 samples each. Rows whose library is missing are left out by name.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from campaign import Campaign, main  # noqa: E402
from libraries import FLASH3, LIBRARIES, READ  # noqa: E402
from speed_rows import ROWS  # noqa: E402

PROTOCOL = "cold-abba-v1-events"
SAMPLES = 100
FLUSH_BYTES = 512 << 20
LARGEST_ERROR = 0.02
SPIN_CYCLES = 1_500_000  # longer than the launches of a call take to reach the device


def name_of(row: dict) -> str:
    words = [f"{k}={v}" for k, v in {**row["dims"], **row["params"]}.items()]
    file, _, program = os.path.basename(row["program"]).partition(":")
    against = f" against {row['baseline']}" if row["baseline"] in (FLASH3, READ) else ""
    return f"{program or file.removesuffix('.cake')} {' '.join(words)}{against}"


class Speed(Campaign):
    NAME = "speed"

    def parts(self) -> list:
        return [self.machine, self.rows]

    def rows(self) -> None:
        rows = self.manifest["rows"] = []
        for row in ROWS[:1] if self.short else ROWS:
            name = name_of(row)
            if not self.wanted(name):
                continue
            out = os.path.join(self.work, "row.json")
            if os.path.exists(out):
                os.remove(out)  # a row that fails leaves no result of the row before
            self.step(name, sys.executable, os.path.abspath(__file__), "--row", json.dumps(row), "--out", out)
            kept = self.keep_file(name, "rows", out)
            if kept:
                result = json.loads(self.evidence.object(kept))
                rows.append(result)
                print(f"  {name}: {result['summary']}", flush=True)


class Row:
    """One row, in a process of its own."""

    def __init__(self, row: dict) -> None:
        import torch
        self.torch, self.row = torch, row
        self.library: dict = {}  # what is to be known of the baseline's library
        torch.manual_seed(1)
        types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i32": torch.int32,
                 "e4m3": torch.float8_e4m3fn}
        self.tensors = {}
        for name, (dtype, *dims) in row["tensors"].items():
            known = {**row["dims"], **row.get("extents", {})}
            shape = [known.get(d, d) for d in dims]
            self.tensors[name] = torch.randn(shape, device="cuda", dtype=torch.float32).to(types[dtype])
            if name in ("cuq", "cuk", "off"):
                self.tensors[name] = torch.arange(shape[0], device="cuda", dtype=torch.int32) * row["bounds"]
            if name in row.get("scale", {}):
                self.tensors[name].mul_(row["scale"][name])
            fill = row.get("fill", {}).get(name)
            if fill == "permutation":
                self.tensors[name] = torch.randperm(math.prod(shape), device="cuda").to(torch.int32).reshape(shape)
            elif fill == "scales":
                self.tensors[name] = torch.rand(shape, device="cuda") + 0.5
            elif fill is not None:
                self.tensors[name].fill_(fill)
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")

    def build(self, params: dict) -> tuple[dict, bytes, str]:
        """What the compiler tells, the cubin and the plan of a member; throws if there is none."""
        corpus = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpus")
        with tempfile.TemporaryDirectory() as folder:
            cubin, plan = os.path.join(folder, "k.cubin"), os.path.join(folder, "plan.json")
            words = [w for k, v in params.items() for w in ("--param", f"{k}={v}")]
            words += [w for k, v in {**self.row["dims"], **self.row.get("args", {})}.items() for w in ("--dim", f"{k}={v}")]
            built = subprocess.run(["cake", "build", os.path.join(corpus, self.row["program"]), "--arch", "sm_90a", "-o", cubin,
                                    "--plan", plan, "--json", *words], capture_output=True, text=True, check=False)
            if built.returncode != 0:
                raise RuntimeError(built.stdout[-2000:] + built.stderr[-2000:])
            with open(cubin, "rb") as c, open(plan, encoding="utf-8") as p:
                return json.loads(built.stdout), c.read(), p.read()

    def native(self, cubin: bytes, plan: str):
        """The call that queues our launches; workspaces are made, and the result is filled with what is never right."""
        from native import Native
        for tensor in json.loads(plan)["tensors"]:
            held = self.tensors.get(tensor["name"])
            if held is None or (tensor["name"] not in self.row["tensors"] and held.numel() < tensor["bytes"]):  # a workspace
                self.tensors[tensor["name"]] = self.torch.zeros(max(1, tensor["bytes"]), dtype=self.torch.uint8, device="cuda")
        native, stream = Native(cubin, plan, self.tensors), self.torch.cuda.current_stream().cuda_stream
        result = self.result()
        result.fill_(-1 if result.dtype == self.torch.int32 else float("nan"))
        return lambda: native.launch(stream)

    def result(self):
        return self.tensors["nc" if self.row.get("compare") == "lloyd" else list(self.row["tensors"])[-1]]

    def time(self, call) -> float:
        """Nanoseconds of one call behind a flush of L2."""
        start, end = self.torch.cuda.Event(enable_timing=True), self.torch.cuda.Event(enable_timing=True)
        self.flush.zero_()
        self.torch.cuda._sleep(SPIN_CYCLES)
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e6

    def error(self, expected) -> float:
        """The largest difference, over the largest value; of indices the regret of ours against the library's."""
        torch, t = self.torch, self.tensors
        if self.row.get("compare") == "lloyd":
            return max(self.regret(t["ids"], expected["ids"]), self.apart(t["nc"], self.means()))
        if self.row.get("compare") == "nearest":
            return self.regret(self.result(), expected)
        return self.apart(self.result(), expected)

    @staticmethod
    def apart(result, expected) -> float:
        return ((result.float() - expected.float()).abs().max() / expected.float().abs().max()).item()

    def regret(self, result, expected) -> float:
        torch, t = self.torch, self.tensors
        if result.min() < 0:
            return float("inf")

        def distance(ids):
            if t["x"].ndim == 2:  # several of one set for each point
                return torch.stack([((t["x"].float() - t["c"][i.long()].float()) ** 2).sum(-1) for i in ids.T])
            return torch.stack([((x.float() - c[i.long()].float()) ** 2).sum(-1) for x, c, i in zip(t["x"], t["c"], ids)])
        return ((distance(result) - distance(expected)).max() / distance(expected).max()).item()

    def means(self):
        """Of the points that our own launches gave to each centroid: among equally near ones either is right."""
        torch, t = self.torch, self.tensors
        means = t["c"].float()
        for b, (x, ids) in enumerate(zip(t["x"], t["ids"].long())):
            sums = torch.zeros(means.shape[1:], device="cuda", dtype=torch.float64).index_add_(0, ids, x.double())
            counts = torch.bincount(ids, minlength=means.shape[1])
            means[b] = torch.where(counts[:, None] > 0, sums / counts[:, None].clamp(min=1), means[b].double()).float()
        return means

    def compare(self, mine, library, expected) -> float:
        mine()
        library()
        self.torch.cuda.synchronize()
        error = self.error(expected)
        if not error < LARGEST_ERROR:
            raise RuntimeError(f"the results differ by {error:.3g} of the largest value")
        return error

    def sample(self, mine, library, count: int) -> dict:
        samples: dict = {"cake": [], "library": []}
        for _ in range(3):
            self.time(mine), self.time(library)
        for i in range(count):
            order = [("cake", mine), ("library", library)]
            for which, call in order if i % 2 == 0 else reversed(order):
                samples[which].append(self.time(call))
        return samples

    def run(self) -> dict:
        built, cubin, plan = self.build(self.row["params"])
        expected, library = LIBRARIES[self.row["baseline"]](self.torch, self.row, self.tensors, self.library)
        mine = self.native(cubin, plan)
        error = self.compare(mine, library, expected)
        samples = self.sample(mine, library, SAMPLES)
        return {"name": name_of(self.row), "row": self.row, "protocol": PROTOCOL, "build": built, "torch": self.torch.__version__,
                "library": self.library, "largest_error": error, "samples_ns": samples,
                "summary": f"{self.summary(samples)}, largest error {error:.2g} of the largest value"}

    def summary(self, samples: dict) -> str:
        median = {k: sorted(v)[len(v) // 2] for k, v in samples.items()}
        rate = f"{self.row['flops'] / median['cake'] / 1e3:.0f} TFLOP/s"
        if "bytes" in self.row:
            rate += f", {self.row['bytes'] / median['cake'] / 1e3:.2f} TB/s"
        return (f"{median['cake'] / 1e3:.1f} us, {rate}, {median['library'] / median['cake']:.3f} of {self.row['baseline']}"
                f" ({median['library'] / 1e3:.1f} us)")


def one_row(arguments: list[str]) -> int:
    made = Row(json.loads(arguments[arguments.index("--row") + 1])).run()
    with open(arguments[arguments.index("--out") + 1], "w", encoding="utf-8") as f:
        json.dump(made, f)
    print(made["summary"])
    return 0


if __name__ == "__main__":
    sys.exit(one_row(sys.argv) if "--row" in sys.argv else main(Speed))
