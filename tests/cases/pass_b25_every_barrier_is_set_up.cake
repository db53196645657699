// A barrier is declared with its count: there is none that nobody has set up.
program p target sm_90
in x: f32[64]
out y: f32[64]
kernel k {
  grid (1)
  smem s: f32[64]
  event full[1] count 1
  role main: warps 1 {
    bulk.load s <- x on full@0
    expect full@0 bytes 256
    wait full@0
    st y[lane*2:+2] <- ld s[lane*2:+2]
  }
}
