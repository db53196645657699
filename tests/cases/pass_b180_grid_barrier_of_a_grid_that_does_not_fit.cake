// The barrier of the grid needs all its blocks at once; any number of them is launched.
program p target sm_80
dim M in 1..=100000
in x: f32[M, 32]
out y: f32[M, 32]
workspace part: f32[M, 32]
kernel k {
  grid (SMS)
  role main: warps 1 {
    for m in cta..M step ctas { st part[m, lane] <- ld x[m, lane] }
    grid.sync
    for m in cta..M step ctas { st y[m, lane] <- ld part[M - 1 - m, lane] }
  }
}
