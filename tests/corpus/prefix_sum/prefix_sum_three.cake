// Running sums in three kernels: the sum of each tile, the sums of the tiles before it, the tile itself.
// Reads x twice and writes y once; prefix_sum_lookback.cake reads it once.
program prefix_sum_three target sm_80
dim N in 0..=67108864
const WARPS = 8
const T = 32*WARPS
param PER in {2, 4, 8} = 8  // elements a thread
const TILE = T*PER
in x: u32[N]
out y: u32[N]
workspace sums: u32[ceildiv(N, TILE)]
kernel reduce {
  grid (ceildiv(N, TILE))
  smem part: u32[WARPS]
  role main: warps WARPS {
    var sum: u32 = 0
    for e in 0..PER {
      let i = cta*TILE + e*T + thread
      if i < N { sum += ld x[i] }
    }
    sum = lanes.sum(sum, 32)
    elect { st part[warp] <- sum }
    sync cta
    once {
      var all: u32 = 0
      for p in 0..WARPS { all += ld part[p] }
      st sums[cta] <- all
    }
  }
}
// One warp turns the sums of the tiles into the sums before them.
kernel scan {
  let tiles = ceildiv(N, TILE)
  grid (1)
  role main: warps 1 {
    var before: u32 = 0
    for t in 0..ceildiv(tiles, 32) {
      let i = t*32 + lane
      var own: u32 = 0
      if i < tiles { own = ld sums[i] }
      var sum = own
      for s in 0..5 {
        let other = shfl.up(sum, 1 << s, 32)
        if lane >= 1 << s { sum += other }
      }
      if i < tiles { st sums[i] <- before + sum - own }
      before += shfl.idx(sum, 31, 32)
    }
  }
}
kernel add {
  grid (ceildiv(N, TILE))
  smem part: u32[WARPS]
  role main: warps WARPS {
    let first = cta*TILE + thread*PER
    var own: u32[PER] = 0
    for e in 0..PER {
      if first + e < N { own[e] = ld x[first + e] }
    }
    for e in 1..PER { own[e] += own[e - 1] }
    var sum = own[PER - 1]
    for s in 0..5 {
      let other = shfl.up(sum, 1 << s, 32)
      if lane >= 1 << s { sum += other }
    }
    if lane == 31 { st part[warp] <- sum }
    sync cta
    var before = (ld sums[cta]) + sum - own[PER - 1]
    for p in 0..WARPS {
      if p < warp { before += ld part[p] }
    }
    for e in 0..PER {
      if first + e < N { st y[first + e] <- before + own[e] }
    }
  }
}
