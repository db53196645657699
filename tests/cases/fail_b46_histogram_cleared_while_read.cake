// A round reads the counts, the next one clears them: nothing lies between.
program p target sm_80
dim R in 1..=16
in x: i32[R, 64]
out y: i32[R, 64]
kernel k {
  grid (1)
  smem hist: i32[64]
  role main: warps 2 {
    for r in 0..R {
      st hist[thread] <- 0
      sync role
      red.add.relaxed.cta(hist[((ld x[r, thread]) & 63)], 1)
      sync role
      st y[r, thread] <- ld hist[63 - thread]
    }
  }
}
