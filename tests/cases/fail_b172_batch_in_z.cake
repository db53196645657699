// The batch may have more members than a launch has blocks in z.
program p target sm_80
dim M in 1..=64, H in 1..=16, B in 1..=100000
in x: f32[B, H, M]
out y: f32[B, H, M]
kernel k {
  grid (M, H, B)
  role main: warps 1 {
    once { st y[cta.z, cta.y, cta.x] <- ld x[cta.z, cta.y, cta.x] }
  }
}
