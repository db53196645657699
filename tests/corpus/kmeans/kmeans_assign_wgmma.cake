// ids = the nearest centroid of each point: the largest x c^T - |c|^2 / 2. A warp loads tiles of centroids into
// a ring; each warpgroup has 64 points and looks through one tile of products while the next one multiplies.
program kmeans_assign target sm_90a
dim N in 0..=4194304, K in 1..=65536
const D = 128
param WGS in {2, 3} = 2
param BN in {64, 128} = 128
param STAGES in 2..=4 = 4
in x: bf16[N, D], c: bf16[K, D]
out ids: i32[N]
workspace half: f32[K]
kernel norms {
  grid (ceildiv(K, 8))
  role main: warps 8 {
    let k = cta*8 + warp
    if k < K {
      let v = ld c[k, lane*4:+4]
      var s: f32 = 0.0
      for i in 0..4 {
        let f = cvt.f32(v[i])
        s = fma(f, f, s)
      }
      s = lanes.sum(s, 32)
      elect { st half[k] <- 0.5*s }
    }
  }
}
kernel assign pdl when N > 0 {
  const BM = 64*WGS
  let KT = ceildiv(K, BN)
  let MT = ceildiv(N, BM)
  grid (SMS)
  ring xs[2] { x: bf16[BM, D] swizzle 128 } from load to math
  ring cs[STAGES] { c: bf16[BN, D] swizzle 128; h: f32[BN] } from load to math
  role load: warps 1 regs 32 {
    var i = 0
    var j = 0
    pdl.wait
    for t in cta..MT step ctas {
      acquire xs@i
      tma.load xs.x@i <- x[t*BM:+BM, :]
      commit xs@i
      i += 1
      for n in 0..KT {
        acquire cs@j
        tma.load cs.c@j <- c[n*BN:+BN, :]
        tma.load cs.h@j <- half[n*BN:+BN]
        commit cs@j
        j += 1
      }
    }
  }
  role math: warps 4*WGS regs select(WGS == 3, 160, 232) {
    var i = 0
    var j = 0
    var a0: wgmma f32[64, BN]
    var a1: wgmma f32[64, BN]
    for t in cta..MT step ctas {
      var best: f32[a0.rows] = -inf
      var id: i32[a0.rows] = 0
      fn issue(acc: inout frag, u: i32) {
        wait cs@u
        wgmma acc = xs.x@i[wg*64:+64, :] * cs.c@u.T
        wgmma.commit
      }
      fn step(cur: inout frag, nxt: inout frag, n: i32) {
        if n + 1 < KT { issue(nxt, j + 1) }
        for e in 0..cur.cols {
          let col = n*BN + cur.col(e)
          let h = ld cs.h@j[cur.col(e)]
          for r in 0..cur.rows {
            if col < K && cur[r, e] - h > best[r] {
              best[r] = cur[r, e] - h
              id[r] = col
            }
          }
        }
        wgmma.wait 0
        release cs@j
        j += 1
      }
      wait xs@i
      issue(a0, j)
      wgmma.wait 0
      for n in 0..KT step 2 {
        step(a0, a1, n)
        if n + 1 < KT { step(a1, a0, n + 1) }
      }
      release xs@i
      i += 1
      for r in 0..a0.rows {
        let (value, nearest) = lanes.argmax(best[r], id[r], 4)
        let row = t*BM + wg*64 + a0.row(r)
        if row < N && lane % 4 == 0 { st ids[row] <- nearest }
      }
    }
  }
}
