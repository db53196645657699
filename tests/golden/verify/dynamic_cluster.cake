// mode: gates
program p target sm_100a
dim N in 0..=64
in x: f32[2*N, 128]
out y: f32[2*N, 128]
kernel k {
  cluster 2
  grid (2*N)
  dynamic iter work() -> (i32) { for t in cta..2*N step ctas { yield t } }
  role main: warps 4 {
    for t in work() { st y[t, thread] <- 2.0 * (ld x[t, thread]) }
  }
}
