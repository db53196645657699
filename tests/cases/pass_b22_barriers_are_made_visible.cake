// Barriers are set up by one thread, with the fence that asynchronous copies need, before any role begins.
program p target sm_90
in x: f32[32]
out y: f32[32]
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  role main: warps 1 {
    tma.load s <- x on full@0
    expect full@0
    wait full@0
    st y[lane] <- ld s[lane]
  }
}
