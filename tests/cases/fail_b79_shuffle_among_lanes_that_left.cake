// Lanes leave the loop at different turns; the exchange in it names all of them.
program p target sm_80
in n: i32[32], x: f32[32]
out y: f32[32]
kernel k {
  grid (1)
  role main: warps 1 {
    var v = ld x[lane]
    let turns = ld n[lane]
    for i in 0..turns { v += shfl.xor(v, 1, 32) }
    st y[lane] <- v
  }
}
