// The batch may have more members than a launch has blocks in z.
program p target sm_80
dim M in 1..=64, H in 1..=16, B in 1..=100000
in x: f32[B, H, M]
out y: f32[B, H, M]
kernel k {
  grid (B, H, M)
  role main: warps 1 {
    once { st y[cta.x, cta.y, cta.z] <- ld x[cta.x, cta.y, cta.z] }
  }
}
