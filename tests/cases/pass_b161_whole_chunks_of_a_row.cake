// Channels in chunks of 128, rounded down: those behind the last whole chunk have no sum.
program p target sm_80
dim C in 1..=4096, M in 1..=64
in dy: f32[M, C]
out dw: f32[C]
kernel k {
  grid (1)
  role main: warps 4 {
    for i in 0..ceildiv(C, 128) {
      let c = i*128 + thread
      var s: f32 = 0.0
      if c < C {
        for m in 0..M { s += ld dy[m, c] }
        st dw[c] <- s
      }
    }
  }
}
