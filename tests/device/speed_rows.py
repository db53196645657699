"""The rows of speed.py: a program with its parameters, sizes and tensors, and the library that it is compared with."""
from libraries import COMPILED, CUBLASLT, CUDNN, EXPERTS, FLASH3, FP8, READ

GEMM = {"x": ("bf16", "M", "K"), "w": ("bf16", "N", "K"), "y": ("bf16", "M", "N")}


def gemm(program: str, m: int, n: int, k: int, **params) -> dict:
    return {"program": program, "params": params, "dims": {"M": m, "N": n, "K": k}, "tensors": GEMM, "baseline": CUBLASLT,
            "flops": 2 * m * n * k}


def few_rows(m: int, n: int, k: int, **params) -> dict:
    return {**gemm("gemm/gemm_bf16_decode.cake", m, n, k, **params), "bytes": 2 * (m * k + n * k + m * n)}


def paged(b: int, pages: int, hk: int, group: int, *, baseline: str = "torch sdpa, dense", **params) -> dict:
    """Every sequence fills its pages, which lie in the cache in any order; the library reads them in order, without a table."""
    cache, heads = ("bf16", "PAGES", 16, "HK", 128), ("bf16", "B", "HK", "G", 128)
    tensors = {"q": heads, "kc": cache, "vc": cache, "lens": ("i32", "B"), "table": ("i32", "B", "P"), "o": heads}
    return {"program": "paged_decode/paged_decode.cake", "params": params, "tensors": tensors, "args": {"scale": 128 ** -0.5},
            "dims": {"B": b, "HK": hk, "G": group, "P": pages, "PAGES": b * pages}, "fill": {"lens": 16 * pages, "table": "permutation"},
            "baseline": baseline, "flops": 4 * b * pages * 16 * hk * group * 128, "bytes": 4 * b * pages * 16 * hk * 128}


def experts(program: str, t: int, e: int, f: int, k: int, **params) -> dict:
    """As many tokens for every expert. The library multiplies by gates and ups laid side by side, and gates in a second step."""
    tensors = {"x": ("bf16", "T", "K"), "w": ("bf16", "E", 2, "F", "K"), "off": ("i32", "BOUNDS"), "y": ("bf16", "T", "F")}
    return {"program": program, "params": params, "dims": {"T": t, "E": e, "F": f, "K": k}, "tensors": tensors,
            "extents": {"BOUNDS": e + 1}, "bounds": t // e, "scale": {"w": 0.05}, "baseline": EXPERTS,
            "flops": 4 * t * f * k, "bytes": 4 * e * f * k}


def lloyd(b: int, n: int, k: int, d: int = 128, **params) -> dict:
    """Norms, assignment, new centroids and how far they went, as flashlib's iteration; ours zeroes its sums itself."""
    tensors = {"x": ("bf16", "B", "N", d), "c": ("bf16", "B", "K", d), "ids": ("i32", "B", "N"), "nc": ("bf16", "B", "K", d),
               "moved": ("f32", "B", "K")}
    return {"program": "kmeans/kmeans_lloyd.cake", "params": {"D": d, **params}, "dims": {"B": b, "N": n, "K": k}, "tensors": tensors,
            "baseline": "flashlib Lloyd", "flops": 2 * b * n * k * d, "compare": "lloyd"}


def row_operator(operator: str, program: str, m: int, n: int, **params) -> dict:
    tensors = {"x": ("bf16", "M", "N"), "w": ("bf16", "N"), "b": ("bf16", "N"), "y": ("bf16", "M", "N")}
    names = {"softmax": "xy", "rmsnorm": "xwy", "layernorm": "xwby"}[operator]
    return {"program": program, "params": params, "dims": {"M": m, "N": n}, "tensors": {name: tensors[name] for name in names},
            "args": {} if operator == "softmax" else {"eps": 1e-5}, "operator": operator, "baseline": COMPILED, "flops": 0, "bytes": 4 * m * n}


def fp8_blockwise(m: int, n: int, k: int, program: str = "gemm_fp8_blockwise_cluster", **params) -> dict:
    tensors = {"a": ("e4m3", "M", "K"), "sa": ("f32", "KB", "M"), "b": ("e4m3", "N", "K"), "sb": ("f32", "NB", "KB"), "y": ("bf16", "M", "N")}
    return {"program": f"gemm_blockwise/{program}.cake", "params": params, "dims": {"M": m, "N": n, "K": k}, "tensors": tensors,
            "extents": {"KB": k // 128, "NB": n // 128}, "fill": {"sa": "scales", "sb": "scales"}, "baseline": FP8, "flops": 2 * m * n * k}


def router(m: int, program: str = "router_gemm", **params) -> dict:
    n, k = 256, 7168
    return {"program": f"router_gemm/{program}.cake", "params": params, "dims": {"M": m, "N": n, "K": k},
            "tensors": {**GEMM, "y": ("f32", "M", "N")}, "baseline": CUBLASLT, "flops": 2 * m * n * k, "bytes": 2 * n * k}


def assign(b: int, n: int, k: int, d: int = 128, program: str = "kmeans_assign_batched", **params) -> dict:
    """The norms of the centroids are inside our launches, and outside the library's."""
    tensors = {"x": ("bf16", "B", "N", d), "c": ("bf16", "B", "K", d), "ids": ("i32", "B", "N")}
    return {"program": f"kmeans/{program}.cake", "params": {"D": d, **params} if d != 128 else params, "dims": {"B": b, "N": n, "K": k},
            "tensors": tensors, "baseline": "flashlib assign", "flops": 2 * b * n * k * d, "compare": "nearest"}


def neighbours(q: int, n: int, k: int, **params) -> dict:
    tensors = {"x": ("bf16", "Q", 128), "c": ("bf16", "N", 128), "ids": ("i32", "Q", "K")}
    return {"program": "knn/knn.cake", "params": params, "dims": {"Q": q, "N": n, "K": k}, "tensors": tensors,
            "baseline": "flashlib knn", "flops": 2 * q * n * 128, "compare": "nearest"}


def dense_attention(program: str, b: int, h: int, s: int, *, baseline: str = CUDNN, causal: bool = False, d: int = 128, **params) -> dict:
    heads = {name: ("bf16", "B", "HK", "SQ", d) for name in "qkvo"}
    return {"program": program, "params": params, "dims": {"B": b, "HQ": h, "HK": h, "SQ": s, "SK": s}, "args": {"scale": d ** -0.5},
            "tensors": heads, "baseline": baseline, "causal": causal, "flops": 4 * b * h * s * s * d // (2 if causal else 1)}


# Shapes of the public comparisons of k-means: batch, points, centroids, and the depth where it is not 128.
KMEANS = ((1, 1000000, 1024), (32, 75600, 1000), (1, 262144, 4096, 64), (8, 65536, 512), (1, 100000, 100))
HEADS = ((2, 16, 8192), (1, 32, 4096), (4, 32, 2048))
SQUARE, LONG = (8192, 8192), (65536, 1024)


def attentions() -> list[dict]:
    """Causal tiles are drawn in the order of their length, fewer heads together where a head is long."""
    rows = []
    for shape in HEADS:
        for causal in (False, True):
            params = {"GROUP": 8 if shape[2] == 2048 else 4} if causal else {}
            program = f"attention/attention{'_causal' * causal}_persistent_wgmma.cake"
            rows += [dense_attention(program, *shape, baseline=baseline, causal=causal, **params) for baseline in (CUDNN, FLASH3)]
    return rows


ROWS = [
    gemm("gemm/gemm_bf16_async.cake", 4096, 4096, 4096),
    gemm("gemm/gemm_bf16_mma.cake", 4096, 4096, 4096, BM=256, CTAS=1, STAGES=4),
    *(gemm("gemm/gemm_bf16_wgmma_bands.cake", m, n, k) for m, n, k in (
        (8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (8192, 8192, 1024), (4096, 11008, 4096))),
    gemm("gemm/gemm_bf16_wgmma.cake", 8192, 8192, 8192, BN=256, STAGES=4),
    gemm("gemm/gemm_bf16_streamk.cake", 8192, 8192, 8192),
    few_rows(1, 4096, 4096, BT=8, SPLIT=1, STAGES=8),
    few_rows(16, 4096, 4096, BT=16, SPLIT=1, STAGES=8),
    few_rows(64, 7168, 2048, BT=64, SPLIT=1, STAGES=5),
    few_rows(128, 4096, 7168, BT=128, SPLIT=2, STAGES=4),
    *(router(m, "router_gemm_mma", SPLIT=8) for m in (1, 2, 4, 8, 16)),
    *(fp8_blockwise(*shape) for shape in ((4096, 4096, 4096), (4096, 7168, 2048))),
    fp8_blockwise(4096, 4096, 4096, "gemm_fp8_blockwise", STAGES=4),
    *attentions(),
    dense_attention("attention/attention_wgmma.cake", 2, 16, 8192),
    dense_attention("attention/attention_head64_wgmma.cake", 2, 16, 8192, d=64),
    dense_attention("attention/attention_head256_wgmma.cake", 2, 16, 8192, d=256),
    assign(32, 65536, 1024, GROUP=4),
    assign(32, 65536, 1024, program="kmeans_assign_batched_ahead", GROUP=2),
    *(assign(*shape, GROUP=4, **({"STAGES": 3} if len(shape) == 4 else {"BN": 128, "STAGES": 3, "TURNS": 1} if shape[2] == 100 else {}))
      for shape in KMEANS),
    *(lloyd(*shape, SUBS=1 if shape[2] == 100 else 2, ADDERS=8) for shape in KMEANS),
    neighbours(16384, 1000000, 10),
    paged(64, 512, 8, 4, HEADS=8, SPLITS=2),
    paged(64, 512, 8, 4, baseline=READ, HEADS=8, SPLITS=2),
    paged(16, 512, 8, 4, SPLITS=8),
    experts("grouped_gemm/grouped_swiglu.cake", 128, 8, 14336, 4096, BT=16, STAGES=5),
    experts("grouped_gemm/grouped_swiglu.cake", 2048, 8, 14336, 4096, BT=128, STAGES=4),
    experts("grouped_gemm/grouped_swiglu_experts.cake", 2048, 8, 14336, 4096, BT=128, STAGES=4, CL=2),
    row_operator("rmsnorm", "rmsnorm/rmsnorm_exact.cake", *SQUARE, WARPS=16, KEEP=2, PER=4),
    row_operator("rmsnorm", "rmsnorm/rmsnorm_exact.cake", *LONG, WARPS=2, KEEP=2, EARLY=1),
    row_operator("layernorm", "layernorm/layernorm_exact.cake", *SQUARE, PER=4),
    row_operator("layernorm", "layernorm/layernorm_exact.cake", *LONG, WARPS=1, KEEP=4, PER=16),
    row_operator("softmax", "softmax/softmax_bf16.cake", *SQUARE),
    row_operator("softmax", "softmax/softmax_bf16.cake", *LONG, WARPS=2, KEEP=2),
]
