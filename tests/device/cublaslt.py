"""cuBLASLt as a baseline: the fastest of the algorithms that its heuristic proposes, called through ctypes.

Needs PyTorch only for memory and streams. Constants and structures are those of cublasLt.h (CUDA 12 and 13).
"""
import ctypes
import re
import statistics

R_16BF, R_16F, R_32F, COMPUTE_32F = 14, 2, 0, 68
OP_T = 1
DESC_TRANSA, PREF_MAX_WORKSPACE = 3, 1
ALGORITHMS, WORKSPACE_BYTES, TRIALS = 32, 64 << 20, 7


class Heuristic(ctypes.Structure):
    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def loaded_library() -> str:
    """The one that PyTorch brought into this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = re.search(r"/\S*libcublasLt\.so\.\d+\S*", maps.read())
    if not found:
        raise RuntimeError("PyTorch has loaded no cuBLASLt")
    return found.group(0)


class Product:
    """out[M, N] = x[M, K] @ w[N, K].T of 16-bit floats with f32 sums; out may be f32; tensors are contiguous."""

    def __init__(self, torch, x, w, out) -> None:
        self.torch, self.path = torch, loaded_library()
        self.library = ctypes.CDLL(self.path)
        self.library.cublasLtGetVersion.restype = ctypes.c_size_t
        self.version = self.library.cublasLtGetVersion()
        (m, k), n = x.shape, w.shape[0]
        kind = R_16BF if x.dtype == torch.bfloat16 else R_16F
        self.pointers = [ctypes.c_void_p(t.data_ptr()) for t in (w, x, out)]
        self.handle, self.product = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cublasLtCreate", ctypes.byref(self.handle))
        self.call("cublasLtMatmulDescCreate", ctypes.byref(self.product), COMPUTE_32F, R_32F)
        transpose = ctypes.c_int(OP_T)
        self.call("cublasLtMatmulDescSetAttribute", self.product, DESC_TRANSA, ctypes.byref(transpose), ctypes.c_size_t(4))
        # Column-major: out.T[N, M] = (w.T[K, N]).T @ x.T[K, M].
        of_out = R_32F if out.dtype == torch.float32 else kind
        self.layouts = [self.layout(kind, k, n), self.layout(kind, k, m), self.layout(of_out, n, m)]
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        self.choices = self.heuristics()
        self.times = [self.time(choice) for choice in self.choices]
        self.best = self.choices[min(range(len(self.times)), key=self.times.__getitem__)]

    def call(self, name: str, *arguments) -> None:
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: status {status}")

    def layout(self, kind: int, rows: int, columns: int) -> ctypes.c_void_p:
        out = ctypes.c_void_p()
        self.call("cublasLtMatrixLayoutCreate", ctypes.byref(out), kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows))
        return out

    def heuristics(self) -> list[Heuristic]:
        preference, found = ctypes.c_void_p(), ctypes.c_int()
        self.call("cublasLtMatmulPreferenceCreate", ctypes.byref(preference))
        limit = ctypes.c_size_t(WORKSPACE_BYTES)
        self.call("cublasLtMatmulPreferenceSetAttribute", preference, PREF_MAX_WORKSPACE, ctypes.byref(limit), ctypes.c_size_t(8))
        results = (Heuristic * ALGORITHMS)()
        w, x, out = self.layouts
        self.call("cublasLtMatmulAlgoGetHeuristic", self.handle, self.product, w, x, out, out, preference, ALGORITHMS, results, ctypes.byref(found))
        chosen = [result for result in results[:found.value] if result.state == 0]
        if not chosen:
            raise RuntimeError("cuBLASLt proposes no algorithm")
        return chosen

    def launch(self, choice: Heuristic) -> None:
        w, x, out = self.layouts
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        self.call("cublasLtMatmul", self.handle, self.product, ctypes.byref(self.one), self.pointers[0], w, self.pointers[1], x,
                  ctypes.byref(self.zero), self.pointers[2], out, self.pointers[2], out, ctypes.byref(choice.algorithm),
                  ctypes.c_void_p(self.workspace.data_ptr()), ctypes.c_size_t(WORKSPACE_BYTES), stream)

    def time(self, choice: Heuristic) -> float:
        """Median milliseconds; only good enough to choose by."""
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(TRIALS + 1)]
        self.launch(choice)
        for i, event in enumerate(events):
            if i:
                self.launch(choice)
            event.record()
        self.torch.cuda.synchronize()
        return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:]))

    def run(self) -> None:
        self.launch(self.best)
