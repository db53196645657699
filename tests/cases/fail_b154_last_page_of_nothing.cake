// A sequence of length zero has no last page: its number is -1.
program p target sm_80
dim B in 1..=64, W in 1..=32, P in 1..=1000
in table: i32[B, W], len: i32[B], pool: f32[P, 32]
out y: f32[B, 32]
where len in 0..=64*W, table in 0..P
kernel k {
  grid (B)
  role main: warps 1 {
    let blocks = ceildiv(ld len[cta], 64)
    var v: f32 = 0.0
    v = ld pool[ld table[cta, blocks - 1], lane]
    st y[cta, lane] <- v
  }
}
