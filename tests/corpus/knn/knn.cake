// ids = the K points of c nearest to each row of x, the nearest first: the largest x c^T - |c|^2 / 2. The four threads
// that hold a row of a product keep its best in three registers each; a tile is searched only where one of its products
// beats the least of these. PARTS CTAs share the points of c; a second kernel merges what they have found.
program knn target sm_90a
dim Q in 1..=131072, N in 16..=4194304, K in 1..=12
const D = 128
const KEPT = 12
param BN in {128, 256} = 256  // points of c a tile
param PARTS in {1, 2, 4, 8} = 2
param STAGES in {2, 3, 4} = 2
param TURNS in {0, 1} = 0  // 1: the warpgroups begin their products in turn
in x: bf16[Q, D], c: bf16[N, D]
out ids: i32[Q, K]
workspace norm: bf16[ceildiv(N, BN)*BN, 16]
workspace score: f32[PARTS, Q, KEPT]
workspace found: i32[PARTS, Q, KEPT]
kernel norms {
  const LEAST = -3e38  // of rows past the last point: behind every point
  grid (ceildiv(N, BN)*(BN/8))
  role main: warps 8 {
    let k = cta*8 + warp
    var s: f32 = 0.0
    if k < N {
      let v = ld c[k, lane*4:+4]
      for i in 0..4 {
        let f = cvt.f32(v[i])
        s = fma(f, f, s)
      }
    }
    s = select(k < N, -0.5*lanes.sum(s, 32), LEAST)
    let high = cvt.bf16(s)
    let rest = s - cvt.f32(high)
    let middle = cvt.bf16(rest)
    let low = cvt.bf16(rest - cvt.f32(middle))
    let none = cvt.bf16(0.0)
    elect {
      st norm[k, 0:+8] <- [high, middle, low, none, none, none, none, none]
      st norm[k, 8:+8] <- 0.0
    }
  }
}
kernel search pdl {
  const GROUP = 8
  const GROUPS = BN/4/GROUP  // of a thread's products of a row
  grid (PARTS, ceildiv(Q, 256))
  let tiles = ceildiv(N, BN)
  let share = ceildiv(tiles, PARTS)
  ring xs[1] { x: bf16[256, D] swizzle 128 } from load to math
  ring cs[STAGES] { c: bf16[BN, D] swizzle 128; h: bf16[BN, 16] swizzle 32 } from load to math
  if TURNS == 1 { barrier turn[2] threads 256 }
  role load: warps 1 regs 40 {
    let first = cta.x*share
    pdl.wait
    acquire xs@0
    tma.load xs.x@0 <- x[cta.y*256:+256, :]
    commit xs@0
    for n in 0..min(share, max(tiles - first, 0)) {
      acquire cs@n
      tma.load cs.c@n <- c[(first + n)*BN:+BN, :]
      tma.load cs.h@n <- norm[(first + n)*BN:+BN, :]
      commit cs@n
    }
  }
  role math: warps 8 regs 232 {
    let quarter = lane % 4
    var acc: wgmma f32[64, BN]
    var ones: wgmma.a bf16[64, 16]
    var top0: f32[6] = -inf
    var top1: f32[6] = -inf
    var id0: i32[6] = 0
    var id1: i32[6] = 0
    var least0: f32[2] = -inf
    var least1: f32[2] = -inf
    for (r, e) in ones { ones[r, e] = cvt.bf16(select(ones.col(e) < 3, 1.0, 0.0)) }
    fn largest(r: i32, g: i32) -> f32 {
      var v = acc[r, g*GROUP]
      for e in 1..GROUP { v = max(v, acc[r, g*GROUP + e]) }
      return v
    }
    // Takes the best product of a group of each row while it beats the least that the row keeps.
    fn take(base: i32, r: i32, g: i32, top: inout f32[6], id: inout i32[6], least: inout f32[2]) {
      var own = largest(r, g)
      while lanes.any(own > least[r], 32) {
        let (value, who) = lanes.argmax(own, quarter, 4)
        let better = value > least[r]
        var at = 0
        for e in 0..GROUP { at = select(acc[r, g*GROUP + e] == own, e, at) }
        let j = g*GROUP + at
        let col = shfl.idx(base + j / 2 * 8 + j % 2 + quarter*2, who, 4)
        let low = min(top[r*3], min(top[r*3 + 1], top[r*3 + 2]))
        let (last, loser) = lanes.argmin(low, quarter, 4)
        var open = better && loser == quarter
        for s in 0..3 {
          let here = open && top[r*3 + s] == low
          top[r*3 + s] = select(here, value, top[r*3 + s])
          id[r*3 + s] = select(here, col, id[r*3 + s])
          open = open && !here
        }
        least[r] = lanes.min(min(top[r*3], min(top[r*3 + 1], top[r*3 + 2])), 4)
        for e in 0..GROUP {
          let gone = better && who == quarter && e == at
          acc[r, g*GROUP + e] = select(gone, -inf, acc[r, g*GROUP + e])
        }
        own = largest(r, g)
      }
    }
    fn look(n: i32, top: inout f32[6], id: inout i32[6], least: inout f32[2]) {
      var beaten = false
      for r in 0..acc.rows {
        var v = largest(r, 0)
        for g in 1..GROUPS { v = max(v, largest(r, g)) }
        beaten = beaten || v > least[r]
      }
      if lanes.any(beaten, 32) {
        for r in 0..acc.rows {
          for g in 0..GROUPS { take((cta.x*share + n)*BN, r, g, top, id, least) }
        }
      }
    }
    fn meet(m: i32, n: i32) {
      if TURNS == 1 { bar.sync turn[wg] }
      wgmma acc = ones * cs.h@n.T
      wgmma acc += xs.x@0[m + wg*64:+64, :] * cs.c@n.T
      wgmma.commit
      if TURNS == 1 { bar.arrive turn[1-wg] }
      wgmma.wait 0
    }
    fn keep(m: i32, top: f32[6], id: i32[6]) {
      for r in 0..acc.rows {
        let row = cta.y*256 + m + wg*64 + acc.row(r)
        if row < Q {
          for s in 0..3 {
            st score[cta.x, row, quarter*3 + s] <- top[r*3 + s]
            st found[cta.x, row, quarter*3 + s] <- id[r*3 + s]
          }
        }
      }
    }
    wait xs@0
    if TURNS == 1 && wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    for n in 0..min(share, max(tiles - cta.x*share, 0)) {
      wait cs@n
      meet(0, n)
      look(n, top0, id0, least0)
      meet(128, n)
      release cs@n
      look(n, top1, id1, least1)
    }
    release xs@0
    if TURNS == 1 && wg == 0 { bar.sync turn[0] }  // every arrival of a named barrier is consumed
    keep(0, top0, id0)
    keep(128, top1, id1)
  }
}
kernel merge pdl {
  const EACH = ceildiv(PARTS*KEPT, 32)  // of a lane
  grid (ceildiv(Q, 8))
  role main: warps 8 {
    let q = cta*8 + warp
    pdl.wait
    if q < Q {
      var v: f32[EACH] = -inf
      var id: i32[EACH] = 0
      for s in 0..EACH {
        let at = s*32 + lane
        if at < PARTS*KEPT {
          v[s] = ld score[at / KEPT, q, at % KEPT]
          id[s] = ld found[at / KEPT, q, at % KEPT]
        }
      }
      for k in 0..K {
        var own = v[0]
        var mine = id[0]
        for s in 1..EACH {
          mine = select(v[s] > own, id[s], mine)
          own = max(own, v[s])
        }
        let (value, who) = lanes.argmax(own, lane, 32)
        let nearest = shfl.idx(mine, who, 32)
        var open = who == lane
        for s in 0..EACH {
          let here = open && v[s] == own
          v[s] = select(here, -inf, v[s])
          open = open && !here
        }
        elect { st ids[q, k] <- nearest }
      }
    }
  }
}
