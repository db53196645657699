"""Programs that are wrong in one way each, with what must be said of them."""
from dataclasses import dataclass

HEAD = """program p target sm_80
dim N in 1..=1024
in x: f32[N]
out y: f32[N]
"""
ONE_WARP = HEAD + """kernel k {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    %s
  }
}
"""


@dataclass(frozen=True)
class Wrong:
    name: str
    source: str
    verdict: str
    code: str
    line: int
    fix: str  # "machine", "maybe", or "" for none


WRONG = [
    Wrong("syntax", ONE_WARP % "if i < N { y[i] <- 2.0 * ld x[i] }", "REJECTED_SYNTAX", "CK0032", 9, "maybe"),
    Wrong("syntax_use", HEAD + """kernel k {
  grid (ceildiv(N, 32))
  smem part[2]: f32[32]
  role main: warps 1 {
    let k = 1
    st part@k-1[lane] <- 1.0
  }
}
""", "REJECTED_SYNTAX", "CK0031", 10, "machine"),
    Wrong("type", ONE_WARP % "if i < N { st y[i] <- 2 * ld x[i] }", "REJECTED_TYPE", "CK1014", 9, "machine"),
    Wrong("type_memory", ONE_WARP % "if i < N { st y[i] <- 2.0 * x[i] }", "REJECTED_TYPE", "CK1006", 9, "machine"),
    Wrong("level", HEAD + """kernel k {
  grid (1)
  role main: warps 4 {
    if lane < 8 { sync cta }
    if thread < N { st y[thread] <- ld x[thread] }
  }
}
""", "REJECTED_TYPE", "CK1110", 8, ""),
    Wrong("ragged_tail", ONE_WARP % "st y[i] <- 2.0", "REJECTED_SAFETY", "CK2001", 9, "machine"),
    Wrong("uninitialised", HEAD + """kernel k {
  grid (ceildiv(N, 32))
  smem part: f32[32]
  role main: warps 1 {
    let i = cta*32 + lane
    if lane < 16 { st part[lane] <- ld x[0] }
    sync warp
    if i < N { st y[i] <- ld part[lane] }
  }
}
""", "REJECTED_SAFETY", "CK2010", 12, ""),
    Wrong("missing_sync", """program p target sm_80
dim M in 1..=64
in x: f32[M, 128]
out y: f32[M]
kernel k {
  grid (M)
  smem part: f32[4]
  role main: warps 4 {
    let s = lanes.sum(ld x[cta, thread], 32)
    elect { st part[warp] <- s }
    once { st y[cta] <- (ld part[0]) + (ld part[1]) + ((ld part[2]) + (ld part[3])) }
  }
}
""", "REJECTED_SAFETY", "CK2020", 11, "maybe"),
    Wrong("deadlock", """program p target sm_80
dim N in 1..=64
out y: f32[N]
kernel k {
  grid (1)
  smem t: f32[32]
  barrier full threads 64
  barrier empty threads 64
  role load: warps 1 {
    bar.sync empty
    st t[lane] <- 1.0
    bar.arrive full
  }
  role math: warps 1 {
    bar.sync full
    if lane < N { st y[lane] <- ld t[lane] }
    bar.arrive empty
  }
}
""", "REJECTED_SAFETY", "CK2040", 10, ""),
    Wrong("endless", ONE_WARP % "var s = 0; while s < 1 { s *= 1 }; if i < N { st y[i] <- 1.0 }", "REJECTED_LIMIT", "CK6201", 9, ""),
    Wrong("hardware", ONE_WARP.replace("warps 1", "warps 64") % "if i < N { st y[i] <- 1.0 }", "REJECTED_HARDWARE", "CK3101", 5, ""),
    Wrong("outside_build", ONE_WARP % "if align(y) == 0 { st y[i] <- 1.0 }", "REJECTED_TYPE", "CK1031", 9, ""),
]

# Sums instead of adding the second operand once: right for none of the cases with elements.
WRONG_RESULT = """program vector_add target sm_80
dim N in 0..=1073741824
in a: f32[N], b: f32[N]
out c: f32[N]
kernel add {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st c[i] <- (ld a[i]) + 2.0 * (ld b[i]) }
  }
}
"""
