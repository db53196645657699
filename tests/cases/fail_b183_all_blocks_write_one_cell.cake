// Each of four blocks writes the one cell of the output.
program p target sm_80
in x: f32[4, 32]
out y: f32[1]
kernel k {
  grid (4)
  role main: warps 1 {
    let s = lanes.sum(ld x[cta, lane], 32)
    once { st y[0] <- s }
  }
}
