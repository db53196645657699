// The size of shared memory that the launch asks for is the end of the last buffer of the same layout.
program p target sm_80
param BM in {16, 64} = 64
in ids: i32[BM], w: f32[BM]
out y: f32[BM]
kernel k {
  grid (1)
  smem a: i32[BM]
  smem b: i32[BM, 4]
  smem c: f32[BM]
  role main: warps 2 {
    if thread < BM {
      st a[thread] <- ld ids[thread]
      st b[thread, :] <- [0, 1, 2, 3]
      st c[thread] <- ld w[thread]
    }
    sync role
    if thread < BM { st y[thread] <- (ld c[BM - 1 - thread]) + cvt.f32((ld a[thread]) + ld b[thread, 3]) }
  }
}
