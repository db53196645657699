// y = x transposed, in tiles of 64 x 64: rows come in and go out as 16-byte accesses; the spare word of
// a padded row of the tile puts the elements of a column into different banks.
program transpose target sm_80
dim M in 0..=32768, N in 0..=32768
param WARPS in {4, 8, 16} = 8
in x: f32[M, N]
out y: f32[N, M]
where M % 4 == 0, N % 4 == 0
kernel tiles {
  const S = 64  // a side of the tile
  const T = 32*WARPS
  grid (ceildiv(N, S), ceildiv(M, S))
  smem tile: f32[S, S] padded 1
  role main: warps WARPS {
    let across = thread % 16 * 4
    for k in 0..S*16/T {
      let down = thread / 16 + k*(T/16)
      let m = cta.y*S + down
      let n = cta.x*S + across
      if m < M && n < N {
        let v = ld x[m, n:+4]
        for e in 0..4 { st tile[down, across + e] <- v[e] }
      }
    }
    sync cta
    for k in 0..S*16/T {
      let down = thread / 16 + k*(T/16)
      let n = cta.x*S + down
      let m = cta.y*S + across
      if n < N && m < M {
        var v: f32[4] = 0.0
        for e in 0..4 { v[e] = ld tile[across + e, down] }
        st y[n, m:+4] <- v
      }
    }
  }
}
