// The roles that multiply skip tiles without work; the one that loads does not.
program p target sm_90
dim T in 1..=64
in x: f32[T, 32], n: i32[T]
out y: f32[T, 32]
where n in 0..=1
kernel k {
  grid (1)
  ring tile[2] { v: f32[32] } from load to add
  role load: warps 1 {
    var k = 0
    for t in 0..T {
      if ld n[t] > 0 {
        acquire tile@k
        tma.load tile.v@k <- x[t, :]
        commit tile@k
        if k < T { k += 1 }
      }
    }
  }
  role add: warps 1 {
    var k = 0
    for t in 0..T {
      var s: f32 = 0.0
      if ld n[t] > 0 {
        wait tile@k
        s = ld tile.v@k[lane]
        release tile@k
        if k < T { k += 1 }
      }
      st y[t, lane] <- s
    }
  }
}
