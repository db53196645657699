"""The rows of tune.py: a row of speed.py and the values to try for its parameters."""
from libraries import FLASH3, READ
from speed_rows import HEADS, KMEANS, LONG, SQUARE, assign, dense_attention, experts, few_rows, fp8_blockwise, gemm, lloyd, paged, router, row_operator

PRODUCTS = {"BN": [128, 256], "SUBS": [1, 2], "GROUP": [2, 4], "STAGES": [2, 3, 4], "TURNS": [0, 1]}
ADDED = {"SUBS": [1, 2], "STAGES": [3, 4], "ADDERS": [3, 4, 8], "PER": [2, 4, 8]}
FEW = {"SPLIT": [1, 2, 4], "KS": [1, 2], "STAGES": [4, 5, 6, 8], "WGS": [1, 2]}
THREADS = {"WARPS": [2, 4, 8, 16], "V": [4, 8], "KEEP": [1, 2, 4], "ROWS": [1, 2, 4]}
ROUTER = {"WARPS": [4, 8, 16], "SPLIT": [1, 2, 4, 8], "AHEAD": [1, 2, 4]}
BANDS = {"STAGES": [3, 4], "PANELS": [1, 2], "GROUP": [4, 8, 16]}
GEMM_SHAPES = ((8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (8192, 8192, 1024), (4096, 11008, 4096))

ROWS = [
    *((gemm("gemm/gemm_bf16_wgmma_bands.cake", *shape), BANDS) for shape in GEMM_SHAPES),
    *((few_rows(m, n, k, BT=bt), FEW) for m, n, k, bt in ((1, 4096, 4096, 8), (16, 4096, 4096, 16), (64, 7168, 2048, 64), (128, 4096, 7168, 128))),
    *((router(m, "router_gemm_mma"), ROUTER) for m in (1, 4, 16)),
    *((fp8_blockwise(*shape), {"STAGES": [4, 5], "CL": [2, 4], "GROUP": [4, 8, 16]}) for shape in ((4096, 4096, 4096), (4096, 7168, 2048))),
    *((dense_attention("attention/attention_causal_persistent_wgmma.cake", *shape, baseline=FLASH3, causal=True), {"BN": [96, 128], "GROUP": [4, 8, 16]})
      for shape in HEADS),
    *((assign(*shape), PRODUCTS) for shape in KMEANS),
    *((lloyd(*shape), ADDED) for shape in KMEANS),
    (paged(64, 512, 8, 4, baseline=READ), {"HEADS": [1, 2, 4, 8], "STAGES": [2, 3, 4], "SPLITS": [1, 2, 4, 8]}),
    *((experts(f"grouped_gemm/{name}.cake", t, 8, 14336, 4096), {"BT": [16, 64, 128], "STAGES": [3, 4, 5, 6], "CL": [1, 2]})
      for name in ("grouped_swiglu", "grouped_swiglu_experts") for t in (128, 2048)),
    *((row_operator(name, f"{name}/{name}.cake", *shape), THREADS) for name in ("rmsnorm", "layernorm") for shape in (SQUARE, LONG)),
    *((row_operator("softmax", "softmax/softmax_bf16.cake", *shape), {k: v for k, v in THREADS.items() if k != "ROWS"}) for shape in (SQUARE, LONG)),
]
