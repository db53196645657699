// The tile's result is stored from the bytes that the next tile's operand is loaded into.
program p target sm_90
dim T in 1..=16
in x: f32[T, 32, 32]
out y: f32[T, 32, 32]
kernel k {
  grid (1)
  either { smem v: f32[32, 32] } or { smem d: f32[32, 32] }
  event full[1] count 1
  role main: warps 1 {
    for t in 0..T {
      var keep: f32[32]
      tma.load v <- x[t, :, :] on full@t
      expect full@t
      wait full@t
      for r in 0..32 { keep[r] = ld v[r, lane] }
      sync role
      for r in 0..32 { st d[r, lane] <- 2.0 * keep[r] }
      fence async
      sync role
      once { tma.store y[t, :, :] <- d; tma.commit; tma.wait.read 0 }
      sync role
    }
    once { tma.wait.read 0 }
  }
}
