// The K largest of each row, one warp a row: lane j holds the element of rank j. A group of 32 is
// compared with rank K-1 first; what is larger enters at its rank and moves the ranks below by one lane,
// which happens about K ln(N/K) times where the order of a row is random.
program row_topk target sm_80
dim M in 0..=1048576, N in 32..=65536, K in 1..=32
param WARPS in {1, 2, 4, 8} = 4
param V in {1, 2, 4} = 4  // elements an access
in x: f32[M, N]
out v: f32[M, K], i: i32[M, K]
kernel select {
  grid (ceildiv(M, WARPS))
  role main: warps WARPS {
    let row = cta*WARPS + warp
    if row < M {
      var best: f32 = -inf
      var place = N
      fn offer(value: f32, index: i32) {
        var mine = value
        var at = index
        var low = shfl.idx(best, K - 1, 32)
        var low_place = shfl.idx(place, K - 1, 32)
        while lanes.any(mine > low || mine == low && at < low_place, 32) {
          let (new, new_place) = lanes.argmax(mine, at, 32)
          let stays = best > new || best == new && place < new_place
          let rank = popc(lanes.ballot(stays))
          let above = shfl.up(best, 1, 32)
          let above_place = shfl.up(place, 1, 32)
          if lane == rank {
            best = new; place = new_place
          } else if lane > rank {
            best = above
            place = above_place
          }
          if at == new_place { mine = -inf; at = N }
          low = shfl.idx(best, K - 1, 32)
          low_place = shfl.idx(place, K - 1, 32)
        }
      }
      fn scan(W: const i32) {
        for t in 0..ceildiv(N, 32*W) {
          let at = (t*32 + lane)*W
          var group: f32[W] = -inf
          if at + W <= N { group = ld x[row, at:+W] }
          for e in 0..W { offer(group[e], select(at + W <= N, at + e, N)) }
        }
      }
      if N % V == 0 { scan(V) } else { scan(1) }
      if lane < K {
        st v[row, lane] <- best
        st i[row, lane] <- place
      }
    }
  }
}
