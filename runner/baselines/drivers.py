#!/usr/bin/env python3
"""Drivers of README.md: what one call of an installed package is, for the contracts that it computes.

usage: drivers.py NAME, with the socket of the protocol at descriptor 3
"""
import importlib
import importlib.metadata
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from timed import Missing, serve  # noqa: E402

LN2 = 0.6931471805599453
CHUNK = 32  # tokens over which the gates of kda_chunk add up


class Driver:
    NAME = ""
    PACKAGES: tuple = ()  # distributions whose versions are recorded
    COMPARABLE = True  # whether it computes just what the contract says

    def load(self) -> None:
        """Raises Missing with the reason."""

    def versions(self) -> dict:
        out = {}
        for name in self.PACKAGES:
            try:
                out[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                out[name] = "not a distribution"
        return out

    def prepare(self, torch, t: dict, request: dict):
        """The call on one image's tensors. What it returns is the first output, unless it wrote it in place."""
        raise NotImplementedError


def module(name: str, what: str):
    try:
        return importlib.import_module(name)
    except Exception as absent:  # a package that does not import is as good as none
        raise Missing(f"{what} is not installed: {type(absent).__name__}: {absent}") from absent


class Matmul(Driver):
    NAME = "torch_matmul"

    def prepare(self, torch, t, request):
        if t["x"].dtype != t["y"].dtype:
            out = t["y"].dtype
            return lambda: torch.mm(t["x"], t["w"].T, out_dtype=out)
        if t["x"].dtype == torch.float32:
            torch.backends.cuda.matmul.allow_tf32 = True
        return lambda: torch.mm(t["x"], t["w"].T, out=t["y"])


class Sdpa(Driver):
    NAME = "torch_sdpa"
    BACKEND = ""

    def prepare(self, torch, t, request):
        attend = torch.nn.functional.scaled_dot_product_attention
        causal = causal_of(t, request)
        if causal and t["q"].shape[2] != t["k"].shape[2]:
            raise Missing("this attention aligns its mask at the first key where there are more keys than queries")
        grouped = t["q"].shape[1] != t["k"].shape[1]

        def call():
            return attend(t["q"], t["k"], t["v"], is_causal=causal, scale=t["scale"], enable_gqa=grouped)
        if not self.BACKEND:
            return call
        backend = getattr(torch.nn.attention.SDPBackend, self.BACKEND)

        def chosen():
            with torch.nn.attention.sdpa_kernel(backend):
                return call()
        return chosen


class SdpaCudnn(Sdpa):
    NAME = "torch_sdpa_cudnn"
    BACKEND = "CUDNN_ATTENTION"


def causal_of(t: dict, request: dict) -> bool:
    """Contracts of causal attention have the dim PAST."""
    return "PAST" in request["dims"]


class Compiled(Driver):
    NAME = "torch_compile"
    PACKAGES = ("triton",)

    def prepare(self, torch, t, request):
        functional = torch.nn.functional
        width = (t["x"].shape[-1],)
        if "b" in t:
            def row(x, w, b):
                return functional.layer_norm(x, width, w, b, t["eps"])
            inputs = (t["x"], t["w"], t["b"])
        elif "w" in t:
            def row(x, w):
                return functional.rms_norm(x, width, w, t["eps"])
            inputs = (t["x"], t["w"])
        else:
            def row(x):
                return functional.softmax(x, -1)
            inputs = (t["x"],)
        compiled = torch.compile(row, mode="max-autotune-no-cudagraphs")
        return lambda: compiled(*inputs)


class Flashlib(Driver):
    NAME = "flashlib"
    PACKAGES = ("flashlib", "triton")

    def load(self) -> None:
        module("flashlib", "flashlib")

    def prepare(self, torch, t, request):
        if t["ids"].ndim == 1:
            assign = module("flashlib.primitives.kmeans.triton.assign", "flashlib's k-means").euclid_assign_triton
            x, c, ids = t["x"][None], t["c"][None], t["ids"][None]
            squares = (c.float() ** 2).sum(-1)
            return lambda: assign(x, c, out=ids, c_sq=squares).reshape(-1)
        search = module("flashlib.primitives.knn.triton", "flashlib's search").flash_knn_triton
        ranks = t["ids"].shape[1]
        return lambda: search(t["x"][None], t["c"][None], ranks)[0].reshape(t["ids"].shape).to(torch.int32)


class FlashKmeans(Driver):
    NAME = "flash_kmeans"
    PACKAGES = ("flash-kmeans", "triton")

    def load(self) -> None:
        module("flash_kmeans", "flash-kmeans")

    def prepare(self, torch, t, request):
        assign = module("flash_kmeans.assign_euclid_triton", "flash-kmeans").euclid_assign_triton
        x, c, ids = t["x"][None], t["c"][None], t["ids"][None]
        squares = (x.float() ** 2).sum(-1)  # its callers keep them over the iterations
        return lambda: assign(x, c, squares, out=ids).reshape(-1)


class FlashAttention(Driver):
    NAME = "flash_attention_3"
    PACKAGES = ("flash_attn_3", "flash-attn")

    def load(self) -> None:
        module("flash_attn_interface", "FlashAttention-3")

    def prepare(self, torch, t, request):
        attend = module("flash_attn_interface", "FlashAttention-3").flash_attn_func
        q, k, v = (t[name].transpose(1, 2).contiguous() for name in "qkv")
        causal = causal_of(t, request)

        def call():
            out = attend(q, k, v, softmax_scale=t["scale"], causal=causal)
            return (out[0] if isinstance(out, tuple) else out).transpose(1, 2)
        return call


def kda_tensors(torch, t: dict):
    """One head a sequence, as both packages have them; the gates as natural logarithms of one step each."""
    q, k, v = (t[name].unsqueeze(2) for name in "qkv")
    total = t["gc"].unflatten(1, (-1, CHUNK))
    steps = torch.diff(total, dim=2, prepend=torch.zeros_like(total[:, :, :1])).flatten(1, 2) * LN2
    return q, k, v, steps.unsqueeze(2)


class Fla(Driver):
    NAME = "fla"
    PACKAGES = ("flash-linear-attention", "triton")

    def load(self) -> None:
        os.environ["FLA_FLASH_KDA"] = "0"  # its own kernels, not another package's
        module("fla.ops.kda", "flash-linear-attention")

    def prepare(self, torch, t, request):
        chunk = module("fla.ops.kda", "flash-linear-attention").chunk_kda
        q, k, v, g = kda_tensors(torch, t)
        beta = torch.ones(q.shape[:3], dtype=q.dtype, device=q.device)

        def call():
            with torch.inference_mode():
                return chunk(q=q, k=k, v=v, g=g, beta=beta, scale=1.0)[0].squeeze(2)
        return call


class FlashKda(Driver):
    NAME = "flash_kda"
    PACKAGES = ("flash-kda", "flash_kda")
    COMPARABLE = False  # it activates gates and normalises queries and keys itself
    LOWEST_GATE = -5.0

    def load(self) -> None:
        module("flash_kda", "FlashKDA")

    def prepare(self, torch, t, request):
        forward = module("flash_kda", "FlashKDA").fwd
        q, k, v, g = kda_tensors(torch, t)
        share = (g / self.LOWEST_GATE).clamp(1e-4, 1 - 1e-4)
        gates = torch.log(share / (1 - share)).to(torch.bfloat16)
        beta = torch.full(q.shape[:3], 20.0, dtype=torch.bfloat16, device=q.device)
        heads = q.shape[2]
        out, bias = torch.empty_like(v), torch.zeros(heads, q.shape[3], device=q.device)
        log = torch.zeros(heads, device=q.device)
        return lambda: forward(q, k, v, gates, beta, 1.0, out, log, bias, self.LOWEST_GATE)


DRIVERS = {driver.NAME: driver for driver in (Matmul, Sdpa, SdpaCudnn, Compiled, Flashlib, FlashKmeans, FlashAttention, Fla, FlashKda)}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in DRIVERS:
        print(f"usage: drivers.py {'|'.join(DRIVERS)}", file=sys.stderr)
        return 2
    serve(DRIVERS[sys.argv[1]]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
