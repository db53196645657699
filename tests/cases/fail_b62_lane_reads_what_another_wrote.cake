// One lane sums up what the others of its warp have written to global memory.
program p target sm_80
in x: f32[32]
out y: f32[1]
workspace part: f32[32]
kernel k {
  grid (1)
  role main: warps 1 {
    st part[lane] <- ld x[lane]
    if lane == 0 {
      var s: f32 = 0.0
      for i in 0..32 { s += ld part[i] }
      st y[0] <- s
    }
  }
}
