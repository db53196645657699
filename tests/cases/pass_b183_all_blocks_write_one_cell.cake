// Each of four blocks writes the one cell of the output.
program p target sm_80
in x: f32[4, 32]
out y: f32[1]
kernel k {
  grid (1)
  role main: warps 1 {
    var s: f32 = 0.0
    for i in 0..4 { s += lanes.sum(ld x[i, lane], 32) }
    once { st y[0] <- s }
  }
}
