// One iteration of Lloyd: ids = the nearest centroid of each point of each batch, the largest x c^T - |c|^2 / 2; nc = the
// mean of the points of each centroid, or the old one where it has none; moved = how far it went. The points of a tile stay in
// registers while the centroids pass through a ring; their norms are three more columns of the product, in bf16 pieces.
program kmeans_lloyd target sm_90a
dim B in 1..=128, N in 0..=4194304, K in 1..=32768
param D in {64, 128} = 128
const BN = 128  // centroids a tile
param SUBS in {1, 2} = 1  // times 64 points of a warpgroup that meet a tile of centroids
param GROUP in {1, 2, 4} = 4  // products whose largest one is looked at
param STAGES in {2, 3, 4} = 3
param TURNS in {0, 1} = 0  // 1: the warpgroups begin their products in turn
param PER in {1, 2, 4, 8} = 4  // points under way a warp that adds them up
param ADDERS in {3, 4, 8} = 4  // such warps: the more, the fewer registers for the products
in x: bf16[B, N, D], c: bf16[B, K, D]
out ids: i32[B, N], nc: bf16[B, K, D], moved: f32[B, K]
workspace sum: f32[B, K, D] zero
workspace members: i32[B, K] zero
workspace norm: bf16[B, ceildiv(K, BN)*BN, 16]
kernel norms {
  const LANE = D/32  // elements a lane
  const LEAST = -3e38  // of rows past the last centroid: never the largest
  grid (ceildiv(K, BN)*(BN/8), B)
  role main: warps 8 {
    let k = cta.x*8 + warp
    var s: f32 = 0.0
    if k < K {
      let v = ld c[cta.y, k, lane*LANE:+LANE]
      for i in 0..LANE {
        let f = cvt.f32(v[i])
        s = fma(f, f, s)
      }
    }
    s = select(k < K, -0.5*lanes.sum(s, 32), LEAST)
    let high = cvt.bf16(s)
    let rest = s - cvt.f32(high)
    let middle = cvt.bf16(rest)
    let low = cvt.bf16(rest - cvt.f32(middle))
    let none = cvt.bf16(0.0)
    elect {
      st norm[cta.y, k, 0:+8] <- [high, middle, low, none, none, none, none, none]
      st norm[cta.y, k, 8:+8] <- 0.0
    }
  }
}
kernel assign pdl when N > 0 {
  const BM = 128*SUBS; const LANE = D/32
  let KT = ceildiv(K, BN)
  let MT = ceildiv(N, BM)
  grid (SMS)
  ring xs[2] { x: bf16[128, D] swizzle 128 } from load to math
  ring cs[STAGES] { c: bf16[BN, D] swizzle 128; h: bf16[BN, 16] swizzle 32 } from load to math
  ring found[2] { id: i32[BM] } from math to add
  if TURNS == 1 { barrier turn[2] threads 256 }
  iter work() -> (i32, i32) { for t in cta..MT*B step ctas { yield t / MT, t % MT * BM } }
  role load: warps 1 regs 40 - 16*(ADDERS/4) + 16*(ADDERS/8) {
    var i = 0
    var j = 0
    pdl.wait
    for (b, m) in work() {
      for s in 0..SUBS {
        acquire xs@i
        tma.load xs.x@i <- x[b, m + s*128:+128, :]
        commit xs@i
        i += 1
      }
      for n in 0..KT {
        acquire cs@j
        tma.load cs.c@j <- c[b, n*BN:+BN, :]
        tma.load cs.h@j <- norm[b, n*BN:+BN, :]
        commit cs@j
        j += 1
      }
    }
  }
  // While the next tile multiplies, the points of this one, still in L2, are added to the sums of their centroids.
  role add: warps ADDERS regs 40 + 8*(ADDERS/4) - 8*(ADDERS/8) {
    var t = 0
    for (b, m) in work() {
      wait found@t
      for first in warp*PER .. BM step ADDERS*PER {
        var v: bf16[LANE*PER] = 0.0
        for p in 0..PER {
          if first + p < BM && m + first + p < N {
            let own = ld x[b, m + first + p, lane*LANE:+LANE]
            for e in 0..LANE { v[p*LANE + e] = own[e] }
          }
        }
        for p in 0..PER {
          if first + p < BM && m + first + p < N {
            let id = ld found.id@t[first + p]
            var f: f32[LANE] = 0.0
            for e in 0..LANE { f[e] = cvt.f32(v[p*LANE + e]) }
            if id >= 0 && id < K {
              red.add.relaxed.gpu(sum[b, id, lane*LANE:+LANE], f)
              elect { red.add.relaxed.gpu(members[b, id], 1) }
            }
          }
        }
      }
      release found@t
      t += 1
    }
  }
  role math: warps 8 regs 232 - 16*(ADDERS/4) - 24*(ADDERS/8) {
    var t = 0
    var i = 0
    var j = 0
    var acc: wgmma f32[64, BN]
    var x0: wgmma.a bf16[64, D]
    var x1: wgmma.a bf16[64, D]
    var ones: wgmma.a bf16[64, 16]
    for (r, e) in ones { ones[r, e] = cvt.bf16(select(ones.col(e) < 3, 1.0, 0.0)) }
    fn largest(r: i32, e: i32) -> f32 {
      var v = acc[r, e]
      for g in 1..GROUP { v = max(v, acc[r, e + g]) }
      return v
    }
    // The best group so far is kept with all but the last of its products, which tell who was it.
    fn look(n: i32, best: inout f32[2], id: inout i32[2]) {
      for r in 0..acc.rows {
        var at = -1
        var kept: f32[GROUP] = 0.0
        for e in 0..acc.cols step GROUP {
          let v = largest(r, e)
          let better = v > best[r]
          at = select(better, e, at)
          for g in 0..GROUP - 1 { kept[g] = select(better, acc[r, e + g], kept[g]) }
          best[r] = max(best[r], v)
        }
        var g = GROUP - 1
        for u in 1..GROUP { g = select(kept[GROUP - 1 - u] == best[r], GROUP - 1 - u, g) }
        let e = at + g
        id[r] = select(at >= 0, n*BN + e / 2 * 8 + e % 2, id[r])
      }
    }
    fn meet(a: frag, n: i32, last: const bool, best: inout f32[2], id: inout i32[2]) {
      if TURNS == 1 { bar.sync turn[wg] }
      wgmma acc = ones * cs.h@j.T
      wgmma acc += a * cs.c@j.T
      wgmma.commit
      if TURNS == 1 { bar.arrive turn[1-wg] }
      wgmma.wait 0
      if last { release cs@j }
      look(n, best, id)
    }
    fn store(b: i32, m: i32, sub: const i32, best: f32[2], id: i32[2]) {
      for r in 0..acc.rows {
        let (value, nearest) = lanes.argmax(best[r], id[r] + lane % 4 * 2, 4)
        let row = sub*128 + wg*64 + acc.row(r)
        if lane % 4 == 0 {
          st found.id@t[row] <- nearest
          if m + row < N { st ids[b, m + row] <- nearest }
        }
      }
    }
    if TURNS == 1 && wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    for (b, m) in work() {
      var best0: f32[2] = -inf
      var best1: f32[2] = -inf
      var id0: i32[2] = 0
      var id1: i32[2] = 0
      wait xs@i
      ldmatrix x0 <- xs.x@i[wg*64:+64, :]
      release xs@i
      i += 1
      if SUBS == 2 {
        wait xs@i
        ldmatrix x1 <- xs.x@i[wg*64:+64, :]
        release xs@i
        i += 1
      }
      for n in 0..KT {
        wait cs@j
        meet(x0, n, SUBS == 1, best0, id0)
        if SUBS == 2 { meet(x1, n, true, best1, id1) }
        j += 1
      }
      acquire found@t
      store(b, m, 0, best0, id0)
      if SUBS == 2 { store(b, m, 1, best1, id1) }
      commit found@t
      t += 1
    }
    if TURNS == 1 && wg == 0 { bar.sync turn[0] }  // every arrival of a named barrier is consumed
  }
}
kernel divide pdl {
  const LANE = D/32
  grid (ceildiv(K, 8), B)
  role main: warps 8 {
    let k = cta.x*8 + warp
    pdl.wait
    if k < K {
      let n = ld members[cta.y, k]
      let v = ld c[cta.y, k, lane*LANE:+LANE]
      let s = ld sum[cta.y, k, lane*LANE:+LANE]
      var w: bf16[LANE] = v
      var far: f32 = 0.0
      if n > 0 {
        for e in 0..LANE {
          let mean = s[e] / cvt.f32(n)
          let d = mean - cvt.f32(v[e])
          far = fma(d, d, far)
          w[e] = cvt.bf16(mean)
        }
      }
      st nc[cta.y, k, lane*LANE:+LANE] <- w
      let whole = lanes.sum(far, 32)
      elect { st moved[cta.y, k] <- sqrt(whole) }
    }
  }
}
