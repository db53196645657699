// y = x w^T where each CTA has the same number of products, whatever the tiles: a tile that several share is added
// up by the last of them, in the order of the CTAs.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
const BM = 128
const BN = 256
param STAGES in 3..=4 = 4
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
workspace part: f32[2*SMS, BM, BN]
workspace tick: u32[ceildiv(M, BM)*ceildiv(N, BN)] zero
where K % 8 == 0, N % 8 == 0
kernel gemm {
  let KT = ceildiv(K, 64)
  let MT = ceildiv(M, BM)
  let tiles = MT*ceildiv(N, BN)
  let total = tiles*KT
  grid (min(SMS, total))
  fn first(c: i32) -> i32 {  // CTA c owns products first(c) .. first(c+1)
    return cvt.i32(min(cvt.i64(total)*c/ctas, cvt.i64(total)))
  }
  fn owner(i: i32) -> i32 {
    return cvt.i32(min(((cvt.i64(i) + 1)*ctas - 1)/total, cvt.i64(ctas - 1)))
  }
  ring ab[STAGES] { a: bf16[BM, 64] swizzle 128; b: bf16[BN, 64] swizzle 128 } from load to math
  smem last: i32[1]
  iter work() -> (i32, i32, i32) {  // tile, its first product and the one behind its last
    let begin = first(cta)
    let high = first(cta + 1)
    for t in begin / KT..min(ceildiv(high, KT), tiles) {
      yield t, max(begin - t*KT, 0), min(high - t*KT, KT)
    }
  }
  role load: warps 1 regs 40 {
    let low = first(cta)
    for (t, k0, k1) in work() {
      for k in k0..k1 {
        let it = t*KT + k - low
        acquire ab@it
        tma.load ab.a@it <- x[t % MT * BM:+BM, k*64:+64]
        tma.load ab.b@it <- w[t / MT * BN:+BN, k*64:+64]
        commit ab@it
      }
    }
  }
  role math: warps 8 regs 232 {
    let low = first(cta)
    var acc: wgmma f32[64, BN]
    for (t, k0, k1) in work() {
      for k in k0..k1 {
        let it = t*KT + k - low
        wait ab@it
        wgmma acc += ab.a@it[wg*64:+64, :] * ab.b@it.T zero k == k0
        wgmma.commit
        wgmma.wait 1
        if k > k0 { release ab@(it-1) }
      }
      wgmma.wait 0
      release ab@(t*KT + k1 - 1 - low)
      var done = true
      if k1 - k0 < KT {  // part of a tile: publish it, take a ticket; the last one adds up
        let c0 = owner(t*KT)
        let c1 = owner(t*KT + KT - 1)
        for r in 0..acc.rows {
          for e in 0..acc.cols step 2 {
            let row = wg*64 + acc.row(r)
            st part[2*cta + select(k0 == 0, 1, 0), row, acc.col(e):+2] <- [acc[r, e], acc[r, e + 1]]
          }
        }
        sync role
        once { st last[0] <- cvt.i32(atomic.add.acq_rel.gpu(tick[t], 1)) }
        sync role
        done = ld last[0] == c1 - c0
        if done {
          acc = 0.0
          for c in c0..=c1 {
            let p = part[2*c + select(first(c) <= t*KT, 1, 0), :, :]
            for r in 0..acc.rows {
              for e in 0..acc.cols step 2 {
                let z = ld p[wg*64 + acc.row(r), acc.col(e):+2]
                acc[r, e] += z[0]
                acc[r, e + 1] += z[1]
              }
            }
          }
        }
      }
      if done {
        for r in 0..acc.rows {
          for e in 0..acc.cols step 2 {
            let row = t % MT * BM + wg*64 + acc.row(r)
            let col = t / MT * BN + acc.col(e)
            if row < M && col < N { st y[row, col:+2] <- cvt.bf16([acc[r, e], acc[r, e + 1]]) }
          }
        }
      }
    }
  }
}
