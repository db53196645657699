// An atomic of shared memory in one role of two brings no barrier with it.
program p target sm_80
in x: i32[64]
out y: i32[64], z: i32[32]
kernel k {
  grid (1)
  smem cnt: i32[64]
  role count: warps 2 {
    st cnt[thread] <- 0
    sync role
    red.add.relaxed.cta(cnt[(ld x[thread]) & 63], 1)
    sync role
    st y[thread] <- ld cnt[thread]
  }
  role other: warps 1 { st z[lane] <- lane }
}
