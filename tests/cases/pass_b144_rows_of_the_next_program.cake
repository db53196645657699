// Each CTA owns 16 rows and stores 32.
program p target sm_80
dim M in 1..=100
in x: f32[16*M + 16, 32]
out y: f32[16*M + 16, 32]
kernel k {
  grid (M)
  role main: warps 4 {
    for r in warp..16 step 4 { st y[cta*16 + r, lane] <- ld x[cta*16 + r, lane] }
    if cta == M - 1 { for r in warp..16 step 4 { st y[M*16 + r, lane] <- ld x[M*16 + r, lane] } }
  }
}
