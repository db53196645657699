// Expects the bytes of the rows that there are; the hardware delivers those of the whole box.
program p target sm_90
dim M in 1..=64
in x: bf16[M, 64]
out y: bf16[16, 64]
kernel k {
  grid (1)
  smem s: bf16[16, 64]
  event full[1] count 1
  role main: warps 1 {
    tma.load s <- x[0:+16, :] on full@0
    expect full@0
    wait full@0
    for r in 0..16 { st y[r, lane*2:+2] <- ld s[r, lane*2:+2] }
  }
}
