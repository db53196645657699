// Without a query row the sum is never begun, and stored all the same.
program p target sm_80
dim Q in 0..=64
in x: f32[Q, 32]
out y: f32[32]
kernel k {
  grid (1)
  role main: warps 1 {
    var s: f32 = 0.0
    for q in 0..Q { s += ld x[q, lane] }
    st y[lane] <- s
  }
}
