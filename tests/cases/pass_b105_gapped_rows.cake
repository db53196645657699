// Rows of 65 elements do not begin at multiples of 16 bytes.
program p target sm_90
in x: f32[64, 64] stride (68, 1)
out y: f32[64, 64]
kernel k {
  grid (1)
  smem s: f32[64, 64]
  event full[1] count 1
  role main: warps 1 {
    tma.load s <- x on full@0
    expect full@0
    wait full@0
    for r in 0..64 { st y[r, lane*2:+2] <- ld s[r, lane*2:+2] }
  }
}
