// A buffer's bytes are given to another one while a copy still reads them.
program p target sm_90
in x: f32[32]
out y: f32[32], z: f32[32]
kernel k {
  grid (1)
  either { smem b: f32[32] } or { smem d: f32[32] }
  role main: warps 1 {
    st b[lane] <- ld x[lane]
    fence async
    sync role
    once { tma.store y <- b; tma.commit; tma.wait.read 0 }
    sync role
    st d[lane] <- 1.0
    sync role
    st z[lane] <- ld d[31 - lane]
    once { tma.wait.read 0 }
  }
}
