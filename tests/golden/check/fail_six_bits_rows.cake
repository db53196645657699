// mode: check
program p target sm_100a
in x: e2m3x4[128, 32]
kernel k {
  grid (1)
  smem a: e2m3[128, 128]
  event full[1] count 1
  role main: warps 1 {
    tma.load a <- x on full@0
    expect full@0
    wait full@0
  }
}
