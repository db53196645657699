// mode: check
program p target sm_100a
in x: e2m3[128, 128]
kernel k {
  grid (1)
  smem a: e3m2x4[128, 32] swizzle 128
  role main: warps 1 { }
}
