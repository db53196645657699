"""Libraries that rows of speed.py are compared with: of a row and its tensors the library's result and its call.

A library with several ways to do it (algorithms, compilers, loops) is the fastest of them on these tensors.
"""
import contextlib

CUBLASLT = "cuBLASLt, best of its heuristics"
CUDNN, FLASH3 = "torch sdpa, cuDNN", "FlashAttention-3"
COMPILED = "torch.compile and Triton, the better"
EXPERTS = "grouped_mm and a loop over experts, the better"
FP8 = "cuBLASLt, fp8 in blocks of 128"
READ = "a kernel that reads as many bytes"
TRIALS, SPIN_CYCLES = 9, 2_000_000


def milliseconds(torch, call) -> float:
    """The median of a few calls, each behind a spin that hides its launches; only good enough to choose by."""
    call()
    times = []
    for _ in range(TRIALS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(SPIN_CYCLES)
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[TRIALS // 2]


def fastest(torch, ways: dict, known: dict):
    """Of result and call by name, those of the fastest; `known` gets the name. Ways that do not run here are left out."""
    times = {}
    for name, (_, call) in ways.items():
        with contextlib.suppress(Exception):  # whatever a library throws: it does not do this
            times[name] = milliseconds(torch, call)
    if not times:
        raise RuntimeError(f"none of {', '.join(ways)} runs here")
    best = min(times, key=times.__getitem__)
    known |= {"way": best, "ways_ms": times}
    return ways[best]


def product(torch, row: dict, t: dict, known: dict):
    from cublaslt import Product
    out = torch.empty_like(t["y"])
    torch.matmul(t["x"], t["w"].T)  # loads the library
    made = Product(torch, t["x"], t["w"], out)
    known |= {"cublaslt": made.version, "algorithms": len(made.choices)}
    return out, made.run


def fp8_product(torch, row: dict, t: dict, known: dict):
    """Scales of the activations lie side by side for the rows of a block of the depth, as there."""
    scales = t["sb"].contiguous()
    kept = {}

    def call() -> None:
        kept["y"] = torch._scaled_mm(t["a"], t["b"].T, scale_a=t["sa"].T, scale_b=scales.T, out_dtype=torch.bfloat16)
    call()
    return kept["y"], call


def cudnn_attention(torch, row: dict, t: dict, known: dict):
    q, k, v = (t[name] for name in "qkv")
    kept = {}

    def call() -> None:
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
            kept["o"] = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=row["causal"])
    call()
    return kept["o"], call


def flash_attention_3(torch, row: dict, t: dict, known: dict):
    from flash_attn_interface import flash_attn_func
    # Its own layout: rows of all heads side by side.
    query, key, value = (t[name].transpose(1, 2).contiguous() for name in "qkv")
    kept = {}

    def call() -> None:
        kept["o"] = flash_attn_func(query, key, value, softmax_scale=row["args"]["scale"], causal=row["causal"])
    call()
    return kept["o"].transpose(1, 2), call


def dense_decode(torch, row: dict, t: dict, known: dict):
    k, v = (t[name][t["table"].long()].flatten(1, 2).transpose(1, 2) for name in ("kc", "vc"))
    q, kept = t["q"].flatten(1, 2).unsqueeze(2), {}

    def call() -> None:
        kept["o"] = torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    call()
    return kept["o"].reshape(t["o"].shape), call


def read(torch, row: dict, t: dict, known: dict):
    """The rate at which this card reads the caches, and what the library makes of them as the result to compare with."""
    import triton_rows
    expected, _ = dense_decode(torch, row, t, known)
    caches, ways = [t["kc"].view(torch.int32).flatten(), t["vc"].view(torch.int32).flatten()], {}
    for block in (4096, 8192, 16384):
        for warps in (4, 8):
            sums = torch.empty(triton_rows.pieces(caches, block), dtype=torch.int32, device="cuda")
            ways[f"{block} elements, {warps} warps"] = (expected, lambda block=block, warps=warps, sums=sums: triton_rows.read(caches, sums, block, warps))
    return fastest(torch, ways, known)


def experts(torch, row: dict, t: dict, known: dict):
    """Gates and ups laid side by side; the bounds of the experts are known to the host of the loop beforehand."""
    silu = torch.nn.functional.silu
    weights, ends = t["w"].flatten(1, 2).transpose(1, 2), t["off"][1:].clone()
    grouped, looped = torch.empty_like(t["y"]), torch.empty_like(t["y"])
    bounds = t["off"].tolist()

    def gate(both, out) -> None:
        g, u = both.chunk(2, dim=-1)
        torch.mul(silu(g), u, out=out)

    def group() -> None:
        gate(torch._grouped_mm(t["x"], weights, offs=ends), grouped)

    def loop() -> None:
        for e, (first, last) in enumerate(zip(bounds, bounds[1:])):
            gate(t["x"][first:last] @ weights[e], looped[first:last])
    return fastest(torch, {"grouped_mm": (grouped, group), "loop": (looped, loop)}, known)


def flashlib_assign(torch, row: dict, t: dict, known: dict):
    from flashlib.primitives.kmeans.triton.assign import euclid_assign_triton
    out, squares = torch.empty_like(t["ids"]), (t["c"].float() ** 2).sum(-1)
    return out, lambda: euclid_assign_triton(t["x"], t["c"], out=out, c_sq=squares)


def flashlib_lloyd(torch, row: dict, t: dict, known: dict):
    """One iteration as its fused path runs it, with buffers kept between iterations."""
    from flashlib.primitives.kmeans.triton.assign import euclid_assign_triton
    from flashlib.primitives.kmeans.triton.update import triton_lloyd_centroid_step_euclid
    buffers = {"sums_buf": torch.zeros(t["c"].shape, device="cuda"), "cnts_buf": torch.zeros(t["c"].shape[:2], device="cuda", dtype=torch.int32),
               "new_buf": torch.empty_like(t["c"]), "shift_buf": torch.empty(t["c"].shape[:2], device="cuda")}
    ids = torch.empty_like(t["ids"])

    def call() -> None:
        triton_lloyd_centroid_step_euclid(t["x"], euclid_assign_triton(t["x"], t["c"], out=ids), t["c"], **buffers)
    call()
    return {"ids": ids, "nc": buffers["new_buf"]}, call


def flashlib_knn(torch, row: dict, t: dict, known: dict):
    from flashlib.primitives.knn.triton import flash_knn_triton
    ranks, nearest = row["dims"]["K"], torch.empty_like(t["ids"])

    def call() -> None:
        nearest.copy_(flash_knn_triton(t["x"][None], t["c"][None], ranks)[0])
    return nearest, call


def row_operator(torch, row: dict, t: dict, known: dict):
    """One of torch's operators on rows: compiled twice, and a Triton program a row."""
    import triton_rows
    functional, n = torch.nn.functional, t["x"].shape[-1]
    plain = {"rmsnorm": lambda x, w, b: functional.rms_norm(x, (n,), w, row["args"]["eps"]),
             "layernorm": lambda x, w, b: functional.layer_norm(x, (n,), w, b, row["args"]["eps"]),
             "softmax": lambda x, w, b: functional.softmax(x, -1)}[row["operator"]]
    given = [t.get(name) for name in "xwb"]
    ways = {}
    for mode in ("default", "max-autotune-no-cudagraphs"):
        compiled, kept = torch.compile(plain, mode=mode), torch.empty_like(t["y"])
        ways[f"compile {mode}"] = (kept, lambda compiled=compiled, kept=kept: kept.set_(compiled(*given)))
    for warps in (4, 8, 16, 32):
        out = torch.empty_like(t["y"])
        ways[f"triton {warps} warps"] = (out, lambda out=out, warps=warps: triton_rows.run(row["operator"], given, out, row["args"].get("eps", 0), warps))
    return fastest(torch, ways, known)


LIBRARIES = {
    CUBLASLT: product, FP8: fp8_product, CUDNN: cudnn_attention, FLASH3: flash_attention_3, "torch sdpa, dense": dense_decode, READ: read,
    EXPERTS: experts, "flashlib assign": flashlib_assign, "flashlib Lloyd": flashlib_lloyd, "flashlib knn": flashlib_knn,
    COMPILED: row_operator}
