"""Operators on rows as one writes them in Triton, a program a row, the whole row in registers; and a kernel that reads."""
import triton
import triton.language as tl


@triton.jit
def softmax(x, w, b, y, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def rmsnorm(x, w, b, y, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 0) / n + eps)
    tl.store(y + row * n + i, v * scale * tl.load(w + i, mask=i < n, other=0).to(tl.float32), mask=i < n)


@triton.jit
def layernorm(x, w, b, y, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0).to(tl.float32)
    d = tl.where(i < n, v - tl.sum(v, 0) / n, 0)
    scale = tl.rsqrt(tl.sum(d * d, 0) / n + eps)
    weight = tl.load(w + i, mask=i < n, other=0).to(tl.float32)
    bias = tl.load(b + i, mask=i < n, other=0).to(tl.float32)
    tl.store(y + row * n + i, d * scale * weight + bias, mask=i < n)


def run(operator: str, given: list, out, eps: float, warps: int) -> None:
    x, w, b = given
    rows, n = out.shape
    {"softmax": softmax, "rmsnorm": rmsnorm, "layernorm": layernorm}[operator][(rows,)](
        x, x if w is None else w, x if b is None else b, out, n, eps, BLOCK=triton.next_power_of_2(n), num_warps=warps)


@triton.jit
def read_pieces(x, sums, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    tl.store(sums + i, tl.sum(tl.load(x + i * BLOCK + tl.arange(0, BLOCK)), 0))


def pieces(tensors: list, block: int) -> int:
    return max(tensor.numel() // block for tensor in tensors)


def read(tensors: list, sums, block: int, warps: int) -> None:
    """One launch a tensor; their lengths are multiples of the block."""
    for tensor in tensors:
        read_pieces[(tensor.numel() // block,)](tensor, sums, BLOCK=block, num_warps=warps)
