// Counters are cleared by some threads and counted up by others at once.
program p target sm_80
in x: i32[64]
out y: i32[64]
kernel k {
  grid (1)
  smem cnt: i32[64]
  role main: warps 2 {
    st cnt[thread] <- 0
    red.add.relaxed.cta(cnt[(ld x[thread]) & 63], 1)
    sync role
    st y[thread] <- ld cnt[thread]
  }
}
