// mode: gates
program p target sm_100a
dim K in 1..=64
in x: e2m3x4[128, 32*K], w: e2m1x2[128, K]
where align(w) % 32 == 0
kernel k {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  smem b: e2m1[128, 128] swizzle 128
  event full[1] count 1
  role main: warps 1 {
    tma.load a <- x[:, 0:+32] on full@0
    tma.load b <- w[:, 0:+64] on full@0
    expect full@0
    wait full@0
  }
}
