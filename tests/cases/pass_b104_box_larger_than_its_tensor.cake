// A box of 64 rows of a tensor of 8: the rows behind it read as zero and are not written.
program p target sm_90
in x: f32[8, 32]
out y: f32[8, 32]
kernel k {
  grid (1)
  smem s: f32[64, 32]
  event full[1] count 1
  role main: warps 1 {
    tma.load s <- x[0:+64, :] on full@0
    expect full@0
    wait full@0
    once { tma.store y[0:+64, :] <- s; tma.commit; tma.wait.read 0 }
  }
}
