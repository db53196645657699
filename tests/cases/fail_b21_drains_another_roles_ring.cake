// A role that never fills the ring executes its tail.
program p target sm_90
in x: f32[4, 32]
out y: f32[4, 32]
kernel k {
  grid (1)
  ring o[2] { v: f32[32] } from fill to store
  role fill: warps 1 {
    for k in 0..4 {
      acquire o@k
      st o.v@k[lane] <- ld x[k, lane]
      commit o@k
    }
  }
  role other: warps 1 {
    acquire o@5
  }
  role store: warps 1 {
    for k in 0..4 {
      wait o@k
      st y[k, lane] <- ld o.v@k[lane]
      release o@k
    }
  }
}
