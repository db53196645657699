"""Inputs that nobody means well with; each must end in exit 1 with a diagnostic, or 2 or 3 with a reason."""
import random

from programs import HEAD, ONE_WARP

ACCEPTED = ONE_WARP % "if i < N { st y[i] <- ld x[i] }"


def doubling(levels: int) -> str:
    """Each function calls the one before it twice."""
    functions = "".join(f"    fn f{i}(a: f32) -> f32 {{ return f{i - 1}(a) + f{i - 1}(a) }}\n" for i in range(1, levels))
    return "fn f0(a: f32) -> f32 { return a }\n" + functions + f"    if i < N {{ st y[i] <- f{levels - 1}(1.0) }}"


def family(params: int, values: int) -> str:
    declared = "".join(f"param P{i} in 0..{values} = 0\n" for i in range(params))
    return "program p target sm_80\n" + declared + "kernel k {\n  grid (1)\n  role main: warps 1 { let a = P0 }\n}\n"


def noise(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def damaged(seed: int) -> bytes:
    """An accepted program with a few bytes changed."""
    text, chance = bytearray(ACCEPTED.encode()), random.Random(seed)
    for _ in range(8):
        text[chance.randrange(len(text))] = chance.randrange(256)
    return bytes(text)


# name: (bytes, the code that must be among the diagnostics, or "")
REJECTED: dict[str, tuple[bytes, str]] = {name: (source.encode() if isinstance(source, str) else source, code)
                                          for name, (source, code) in {
    "empty": ("", "CK0006"),
    "blank": ("\n \n", "CK0006"),
    "line_of_1_MiB": ("a" * (1 << 20), "CK6001"),
    "comment_of_1_MiB": ("program p target sm_80 //" + "x" * (1 << 20), "CK6001"),
    "file_of_300_KiB": (ACCEPTED + "// pad\n" * 45_000, "CK6001"),
    "line_of_200_KiB": (ONE_WARP % ("if i < N { st y[i] <- " + "1.0 + " * 33_000 + "1.0 }"), "CK6002"),
    "10000_parentheses": (ONE_WARP % ("let z = " + "(" * 10_000 + "1" + ")" * 10_000), "CK6002"),
    "10000_open_parentheses": (ONE_WARP % ("let z = " + "(" * 10_000), "CK6002"),
    "10000_blocks": (ONE_WARP % ("if true { " * 10_000), ""),
    "100000_signs": (ONE_WARP % ("let z = " + "-" * 100_000 + "1"), "CK6002"),
    "domain_of_1e9": ("program p target sm_80\nparam A in 0..1000000000 = 1\nkernel k {\n  grid (1)\n  role main: warps 1 { let a = A }\n}\n", "CK6101"),
    "many_domains": (family(2_000, 4_096), "CK6106"),
    "invalid_utf8": (ACCEPTED.encode() + b"\xff\xfe\x80 // \xc3", "CK0001"),
    "zero_bytes": (b"\0" * 1_000, ""),
    "doubling_calls": (ONE_WARP % doubling(40), "CK6102"),
    "long_loop": (ONE_WARP % "var s: f32 = 0.0; for a in 0..1000000000 { for b in 0..1000000000 { s += 1.0 } }; if i < N { st y[i] <- s }", "CK6201"),
    "unrolled_loop": (ONE_WARP % "var s: f32[4] = 0.0; for a in 0..1000000000 unroll 1000000000 { s[a % 4] += 1.0 }; if i < N { st y[i] <- s[0] }", "CK6105"),
    "shared_memory_of_4_EB": (HEAD + "kernel k {\n  grid (1)\n  smem t: f32[1000000000, 1000000000]\n  role main: warps 1 { sync warp }\n}\n", "CK3102"),
    "stages_1e9": (HEAD + "kernel k {\n  grid (1)\n  smem t[1000000000]: f32[32]\n  role main: warps 1 { sync warp }\n}\n", "CK3102"),
    "array_of_1e9": (ONE_WARP % "var s: f32[1000000000] = 0.0; if i < N { st y[i] <- s[0] }", "CK6107"),
    "warps_1e9": (ONE_WARP.replace("warps 1", "warps 1000000000") % "sync warp", "CK3101"),
    "roles_5000": (HEAD + "kernel k {\n  grid (1)\n" + "".join(f"  role r{i}: warps 1 {{ sync warp }}\n" for i in range(5_000)) + "}\n", "CK3101"),
    "grid_1e27": (ONE_WARP.replace("ceildiv(N, 32)", "1000000000, 1000000000, 1000000000") % "sync warp", "CK3202"),
    "constants_overflow": (HEAD + "\n".join(f"const v{i} = " + ("3" if i == 0 else f"v{i - 1} * v{i - 1}") for i in range(3_000)) + "\nkernel k {\n  grid (1)\n  role main: warps 1 { sync warp }\n}\n", "CK1018"),
    "programs_3000": ("program p target sm_80\nkernel k {\n  grid (1)\n  role main: warps 1 { sync warp }\n}\n" * 3_000, "CK9002"),
    **{f"noise_{seed}": (noise(seed, 50_000), "") for seed in range(8)},
}.items()}
