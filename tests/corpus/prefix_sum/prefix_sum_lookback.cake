// Running sums in one pass. A CTA takes its tile by a ticket, so the tiles before it have started; it
// publishes the sum of its tile, then adds up what is before it from the status words of the tiles to
// the left: 32 at a time, back to the nearest that knows its whole prefix.
program prefix_sum_lookback target sm_80
dim N in 0..=67108864
const WARPS = 8
const T = 32*WARPS
param PER in {2, 4, 8} = 8  // elements a thread
const TILE = T*PER
in x: u32[N]
out y: u32[N]
workspace ticket: i32[1] zero
// sum, and in bit 32 a tile's alone, in bit 33 all to here
workspace status: u64[ceildiv(N, TILE)] zero
kernel scan {
  const OWN = 4294967296
  const ALL = 8589934592
  grid (ceildiv(N, TILE))
  smem part: u32[WARPS]
  smem mine: i32[1]
  smem left: u32[1]
  role main: warps WARPS {
    once { st mine[0] <- atomic.add.relaxed.gpu(ticket[0], 1) }
    sync cta
    let tile = ld mine[0]
    if tile >= 0 && tile < ctas {
      let first = tile*TILE + thread*PER
      var own: u32[PER] = 0
      for e in 0..PER {
        if first + e < N { own[e] = ld x[first + e] }
      }
      for e in 1..PER { own[e] += own[e - 1] }
      let sum = lanes.scan_sum(own[PER - 1], 32)
      if lane == 31 { st part[warp] <- sum }
      sync cta
      if warp == 0 {
        var total: u32 = 0
        for p in 0..WARPS { total += ld part[p] }
        var before: u32 = 0
        if tile == 0 {
          elect { st.relaxed.gpu status[0] <- ALL + cvt.u64(total) }
        } else {
          elect { st.relaxed.gpu status[tile] <- OWN + cvt.u64(total) }
          var at = tile - 1
          var found = false
          while !found && at >= 0 {
            let place = at - lane
            var word: u64 = ALL
            if place >= 0 { word = ld.relaxed.gpu status[place] }
            while lanes.any(word == 0, 32) {
              if place >= 0 { word = ld.relaxed.gpu status[place] }
            }
            let ends = lanes.ballot(word >= ALL)
            let last = popc((ends - 1) & ~ends)
            before += lanes.sum(select(lane <= last, cvt.u32(word & 4294967295), cvt.u32(0)), 32)
            found = ends != 0
            at -= 32
          }
          elect { st.relaxed.gpu status[tile] <- ALL + cvt.u64(before + total) }
        }
        elect { st left[0] <- before }
      }
      sync cta
      var before = (ld left[0]) + sum - own[PER - 1]
      for p in 0..WARPS {
        if p < warp { before += ld part[p] }
      }
      for e in 0..PER {
        if first + e < N { st y[first + e] <- before + own[e] }
      }
    }
  }
}
