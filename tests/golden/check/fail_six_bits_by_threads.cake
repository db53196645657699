// mode: check
program p target sm_100a
in x: e2m3x4[128, 32]
kernel k {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  role main: warps 1 {
    let u = ld x[lane, 0]
    st a[lane, 0] <- 0
  }
}
