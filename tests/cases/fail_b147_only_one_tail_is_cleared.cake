// The tail of v is cleared, that of k is not; scores of both are added before any is masked.
program p target sm_80
dim N in 1..=32
in k: f32[N], v: f32[N]
out s: f32[1]
kernel kk {
  grid (1)
  smem sk: f32[32]
  smem sv: f32[32]
  role main: warps 1 {
    if lane < N { st sk[lane] <- ld k[lane]; st sv[lane] <- ld v[lane] }
    else { st sv[lane] <- 0.0 }
    sync warp
    let p = lanes.sum((ld sk[31 - lane])*(ld sv[31 - lane]), 32)
    once { st s[0] <- p }
  }
}
