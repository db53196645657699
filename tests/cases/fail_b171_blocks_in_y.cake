// 65,536 blocks in y are one more than a launch has.
program p target sm_80
dim M in 1..=65536
in x: f32[M, 32]
out y: f32[M, 32]
kernel k {
  grid (1, M)
  role main: warps 1 { st y[cta.y, lane] <- ld x[cta.y, lane] }
}
