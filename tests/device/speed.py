#!/usr/bin/env python3
"""First speed figures: corpus programs and a library's kernel in turn, in one process, on the same tensors.

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

PROTOCOL = "cold-abba-v1-events"
SAMPLES = 100
FLUSH_BYTES = 512 << 20
LARGEST_ERROR = 0.02
SPIN_CYCLES = 400_000  # longer than a launch takes to reach the device

CUBLASLT = "cuBLASLt, best of its heuristics"
CUDNN, FLASH3 = "torch sdpa, cuDNN", "FlashAttention-3"
GEMM = {"x": ("bf16", "M", "K"), "w": ("bf16", "N", "K"), "y": ("bf16", "M", "N")}
POINTS = {"x": ("bf16", "B", "N", 128), "c": ("bf16", "B", "K", 128), "ids": ("i32", "B", "N")}


def gemm(program: str, m: int, n: int, k: int, **params) -> dict:
    return {"program": program, "params": params, "dims": {"M": m, "N": n, "K": k}, "tensors": GEMM, "baseline": CUBLASLT,
            "flops": 2 * m * n * k}


def few_rows(m: int, n: int, k: int, **params) -> dict:
    return {**gemm("gemm/gemm_bf16_decode.cake", m, n, k, **params), "bytes": 2 * (m * k + n * k + m * n)}


def paged(b: int, pages: int, hk: int, group: int, **params) -> dict:
    """Every sequence fills its pages, which lie in the cache in any order; the library reads them in order, without a table."""
    cache, heads = ("bf16", "PAGES", 16, "HK", 128), ("bf16", "B", "HK", "G", 128)
    tensors = {"q": heads, "kc": cache, "vc": cache, "lens": ("i32", "B"), "table": ("i32", "B", "P"), "o": heads}
    return {"program": "paged_decode/paged_decode.cake", "params": params, "tensors": tensors, "args": {"scale": 128 ** -0.5},
            "dims": {"B": b, "HK": hk, "G": group, "P": pages, "PAGES": b * pages}, "fill": {"lens": 16 * pages, "table": "permutation"},
            "baseline": "torch sdpa, dense", "flops": 4 * b * pages * 16 * hk * group * 128, "bytes": 4 * b * pages * 16 * hk * 128}


def experts(program: str, t: int, e: int, f: int, k: int, **params) -> dict:
    """As many tokens for every expert. The library multiplies by gates and ups laid side by side, and gates in a second step."""
    tensors = {"x": ("bf16", "T", "K"), "w": ("bf16", "E", 2, "F", "K"), "off": ("i32", "BOUNDS"), "y": ("bf16", "T", "F")}
    return {"program": program, "params": params, "dims": {"T": t, "E": e, "F": f, "K": k}, "tensors": tensors,
            "extents": {"BOUNDS": e + 1}, "bounds": t // e, "scale": {"w": 0.05}, "baseline": "torch grouped_mm, silu",
            "flops": 4 * t * f * k, "bytes": 4 * e * f * k}


def assign(program: str, b: int, n: int, k: int, **params) -> dict:
    """The norms of the centroids are inside our launches, and outside the library's."""
    return {"program": program, "params": params, "dims": {"B": b, "N": n, "K": k}, "tensors": POINTS, "baseline": "flashlib assign",
            "flops": 2 * b * n * k * 128, "compare": "nearest", "only_here": ["B"]}


def batched_assign(b: int, n: int, k: int, program: str = "kmeans_assign_batched", **params) -> dict:
    return {**assign(f"kmeans/{program}.cake", b, n, k, **params), "only_here": []}


def neighbours(q: int, n: int, k: int, **params) -> dict:
    tensors = {"x": ("bf16", "Q", 128), "c": ("bf16", "N", 128), "ids": ("i32", "Q", "K")}
    return {"program": "knn/knn.cake", "params": params, "dims": {"Q": q, "N": n, "K": k}, "tensors": tensors,
            "baseline": "flashlib knn", "flops": 2 * q * n * 128, "compare": "nearest"}


def dense_attention(program: str, b: int, h: int, s: int, *, baseline: str = CUDNN, causal: bool = False, d: int = 128, **params) -> dict:
    heads = {name: ("bf16", "B", "HK", "SQ", d) for name in "qkvo"}
    return {"program": program, "params": params, "dims": {"B": b, "HQ": h, "HK": h, "SQ": s, "SK": s}, "args": {"scale": d ** -0.5},
            "tensors": heads, "baseline": baseline, "causal": causal, "flops": 4 * b * h * s * s * d // (2 if causal else 1)}


ROWS = [
    gemm("gemm/gemm_bf16_async.cake", 4096, 4096, 4096),
    gemm("gemm/gemm_bf16_mma.cake", 4096, 4096, 4096),
    *(gemm("gemm/gemm_bf16_wgmma_bands.cake", m, n, k) for m, n, k in (
        (8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (8192, 8192, 1024), (4096, 11008, 4096))),
    gemm("gemm/gemm_bf16_wgmma.cake", 8192, 8192, 8192, BN=256, STAGES=4),
    gemm("gemm/gemm_bf16_streamk.cake", 8192, 8192, 8192),
    *(dense_attention(f"attention/attention{'_causal' * causal}_persistent_wgmma.cake", *shape, baseline=baseline, causal=causal)
      for shape in ((2, 16, 8192), (1, 32, 4096), (4, 32, 2048)) for causal in (False, True) for baseline in (CUDNN, FLASH3)),
    dense_attention("attention/attention_wgmma.cake", 2, 16, 8192),
    dense_attention("attention/attention_head64_wgmma.cake", 2, 16, 8192, d=64),
    dense_attention("attention/attention_head256_wgmma.cake", 2, 16, 8192, d=256),
    batched_assign(32, 65536, 1024, GROUP=4),
    batched_assign(32, 65536, 1024, "kmeans_assign_batched_ahead", GROUP=2),
    batched_assign(1, 1000000, 1024, GROUP=4),
    neighbours(16384, 1000000, 10),
    few_rows(1, 4096, 4096, BT=8, SPLIT=2, STAGES=8),
    few_rows(16, 4096, 4096, BT=16, SPLIT=2, STAGES=8),
    few_rows(64, 7168, 2048, BT=64, SPLIT=2, KS=1, STAGES=6),
    few_rows(128, 4096, 7168, BT=128, SPLIT=2, KS=1, STAGES=8),
    experts("grouped_gemm/grouped_swiglu.cake", 128, 8, 14336, 4096, BT=64, STAGES=5),
    experts("grouped_gemm/grouped_swiglu_experts.cake", 128, 8, 14336, 4096, BT=16, STAGES=6),
    experts("grouped_gemm/grouped_swiglu.cake", 2048, 8, 14336, 4096, BT=128, STAGES=3, CL=2),
    experts("grouped_gemm/grouped_swiglu_experts.cake", 2048, 8, 14336, 4096, BT=128, STAGES=3, CL=2),
    paged(64, 512, 8, 4, SPLITS=4),
    paged(16, 512, 8, 4, SPLITS=8),
]


def name_of(row: dict) -> str:
    words = [f"{k}={v}" for k, v in {**row["dims"], **row["params"]}.items()]
    file, _, program = os.path.basename(row["program"]).partition(":")
    against = f" against {row['baseline']}" if row["baseline"] == FLASH3 else ""
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
        types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i32": torch.int32}
        self.tensors = {}
        for name, (dtype, *dims) in row["tensors"].items():
            known = {**row["dims"], **row.get("extents", {})}
            shape = [known.get(d, d) for d in dims]
            self.tensors[name] = torch.randn(shape, device="cuda", dtype=torch.float32).to(types[dtype])
            if name in ("cuq", "cuk", "off"):
                self.tensors[name] = torch.arange(shape[0], device="cuda", dtype=torch.int32) * row["bounds"]
            self.tensors[name].mul_(row.get("scale", {}).get(name, 1))
            fill = row.get("fill", {}).get(name)
            if fill == "permutation":
                self.tensors[name] = torch.randperm(math.prod(shape), device="cuda").to(torch.int32).reshape(shape)
            elif fill is not None:
                self.tensors[name].fill_(fill)
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")

    def native(self):
        from native import Native
        corpus = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpus")
        with tempfile.TemporaryDirectory() as folder:
            cubin, plan = os.path.join(folder, "k.cubin"), os.path.join(folder, "plan.json")
            words = [w for k, v in self.row["params"].items() for w in ("--param", f"{k}={v}")]
            numbers = {**self.row["dims"], **self.row.get("args", {})}
            words += [w for k, v in numbers.items() if k not in self.row.get("only_here", ()) for w in ("--dim", f"{k}={v}")]
            built = subprocess.run(["cake", "build", os.path.join(corpus, self.row["program"]), "--arch", "sm_90a", "-o", cubin,
                                    "--plan", plan, "--json", *words], capture_output=True, text=True, check=False)
            if built.returncode != 0:
                raise RuntimeError(built.stdout[-2000:] + built.stderr[-2000:])
            self.built = json.loads(built.stdout)
            with open(cubin, "rb") as c, open(plan, encoding="utf-8") as p:
                text = p.read()
                for tensor in json.loads(text)["tensors"]:
                    if tensor["name"] not in self.tensors:  # a workspace
                        self.tensors[tensor["name"]] = self.torch.zeros(max(1, tensor["bytes"]), dtype=self.torch.uint8, device="cuda")
                return Native(c.read(), text, self.tensors)

    def baseline(self):
        torch, t = self.torch, self.tensors
        functional = torch.nn.functional
        if self.row["baseline"] == CUBLASLT:
            from cublaslt import Product
            out = torch.empty_like(t["y"])
            torch.matmul(t["x"], t["w"].T, out=out)  # loads the library
            product = Product(torch, t["x"], t["w"], out)
            self.library = {"cublaslt": product.version, "algorithms": len(product.choices)}
            return out, product.run
        if self.row["baseline"] == CUDNN:
            q, k, v = (t[name] for name in "qkv")
            kept = {}

            def call() -> None:
                with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
                    kept["o"] = functional.scaled_dot_product_attention(q, k, v, is_causal=self.row["causal"])
            call()
            return kept["o"], call
        if self.row["baseline"] == FLASH3:
            from flash_attn_interface import flash_attn_func
            # Its own layout: rows of all heads side by side.
            query, key, value = (t[name].transpose(1, 2).contiguous() for name in "qkv")
            attended = {}

            def forward() -> None:
                attended["o"] = flash_attn_func(query, key, value, softmax_scale=self.row["args"]["scale"], causal=self.row["causal"])
            forward()
            return attended["o"].transpose(1, 2), forward
        if self.row["baseline"] == "torch sdpa, dense":
            k, v = (t[name][t["table"].long()].flatten(1, 2).transpose(1, 2) for name in ("kc", "vc"))
            q, kept = t["q"].flatten(1, 2).unsqueeze(2), {}

            def decode() -> None:
                kept["o"] = functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
            decode()
            return kept["o"].reshape(t["o"].shape), decode
        if self.row["baseline"] == "torch grouped_mm, silu":
            weights, ends, result = t["w"].flatten(1, 2).transpose(1, 2), t["off"][1:].clone(), torch.empty_like(t["y"])

            def gated() -> None:
                g, u = torch._grouped_mm(t["x"], weights, offs=ends).chunk(2, dim=-1)
                torch.mul(functional.silu(g), u, out=result)
            return result, gated
        if self.row["baseline"] == "flashlib assign":
            from flashlib.primitives.kmeans.triton.assign import euclid_assign_triton
            out, squares = torch.empty_like(t["ids"]), (t["c"].float() ** 2).sum(-1)
            return out, lambda: euclid_assign_triton(t["x"], t["c"], out=out, c_sq=squares)
        if self.row["baseline"] == "flashlib knn":
            from flashlib.primitives.knn.triton import flash_knn_triton
            ranks, nearest = self.row["dims"]["K"], torch.empty_like(t["ids"])

            def search() -> None:
                nearest.copy_(flash_knn_triton(t["x"][None], t["c"][None], ranks)[0])
            return nearest, search
        raise RuntimeError(f"no baseline {self.row['baseline']}")

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

    def error(self, result, expected) -> float:
        """The largest difference, over the largest value; of indices the regret of ours against the library's."""
        torch, t = self.torch, self.tensors
        if self.row.get("compare") != "nearest":
            return ((result.float() - expected.float()).abs().max() / expected.float().abs().max()).item()
        if result.min() < 0:
            return float("inf")

        def distance(ids):
            if t["x"].ndim == 2:  # several of one set for each point
                return torch.stack([((t["x"].float() - t["c"][i.long()].float()) ** 2).sum(-1) for i in ids.T])
            near = torch.stack([c[i.long()] for c, i in zip(t["c"], ids)])
            return ((t["x"].float() - near.float()) ** 2).sum(-1)
        return ((distance(result) - distance(expected)).max() / distance(expected).max()).item()

    def run(self) -> dict:
        torch = self.torch
        native = self.native()
        stream = torch.cuda.current_stream().cuda_stream
        expected, library = self.baseline()
        mine = lambda: native.launch(stream)  # noqa: E731
        result = self.tensors[list(self.row["tensors"])[-1]]
        result.fill_(-1 if result.dtype == torch.int32 else float("nan"))
        mine()
        library()
        torch.cuda.synchronize()
        error = self.error(result, expected)
        if not error < LARGEST_ERROR:
            raise RuntimeError(f"the results differ by {error:.3g} of the largest value")
        samples: dict = {"cake": [], "library": []}
        for _ in range(3):
            self.time(mine), self.time(library)
        for i in range(SAMPLES):
            order = [("cake", mine), ("library", library)]
            for which, call in order if i % 2 == 0 else reversed(order):
                samples[which].append(self.time(call))
        median = {k: sorted(v)[len(v) // 2] for k, v in samples.items()}
        rate = f"{self.row['flops'] / median['cake'] / 1e3:.0f} TFLOP/s"
        if "bytes" in self.row:
            rate += f", {self.row['bytes'] / median['cake'] / 1e3:.2f} TB/s"
        return {"name": name_of(self.row), "row": self.row, "protocol": PROTOCOL, "build": self.built, "torch": torch.__version__,
                "library": self.library,
                "largest_error": error, "samples_ns": samples,
                "summary": f"{median['cake'] / 1e3:.1f} us, {rate}, {median['library'] / median['cake']:.3f} of"
                           f" {self.row['baseline']} ({median['library'] / 1e3:.1f} us), largest error {error:.2g} of the largest value"}


def one_row(arguments: list[str]) -> int:
    made = Row(json.loads(arguments[arguments.index("--row") + 1])).run()
    with open(arguments[arguments.index("--out") + 1], "w", encoding="utf-8") as f:
        json.dump(made, f)
    print(made["summary"])
    return 0


if __name__ == "__main__":
    sys.exit(one_row(sys.argv) if "--row" in sys.argv else main(Speed))
