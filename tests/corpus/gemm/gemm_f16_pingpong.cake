// y = x w^T by two warpgroups that have a tile each and take turns at the tensor cores: one stores while the other
// multiplies. Each skips the slots of the other.
program gemm_f16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
const BM = 64
const BN = 256
param STAGES in 3..=5 = 4
in x: f16[M, K], w: f16[N, K]
out y: f16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  grid (SMS)
  let KT = ceildiv(K, 64)
  let MT = ceildiv(M, BM)
  let NT = ceildiv(N, BN)
  ring ab[STAGES] {
    a: f16[BM, 64] swizzle 128; b: f16[BN, 64] swizzle 128
  } from load to math empty 8
  barrier turn[2] threads 256
  role load: warps 1 regs 40 {
    var it = 0
    for t in cta..MT*NT step ctas {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- x[t % MT * BM:+BM, k*64:+64]
        tma.load ab.b@it <- w[t / MT * BN:+BN, k*64:+64]
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var n = 0
    var acc: wgmma f32[64, BN]
    if wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    for t in cta..MT*NT step ctas {
      if n % 2 == wg {
        bar.sync turn[wg]
        for k in 0..KT {
          wait ab@it
          wgmma acc += ab.a@it * ab.b@it.T zero k == 0
          wgmma.commit
          wgmma.wait 1
          if k > 0 { release ab@(it-1) }
          it += 1
        }
        bar.arrive turn[1-wg]
        wgmma.wait 0
        release ab@(it-1)
        for r in 0..acc.rows {
          for e in 0..acc.cols step 2 {
            let row = t % MT * BM + acc.row(r)
            let col = t / MT * BN + acc.col(e)
            if row < M && col < N { st y[row, col:+2] <- cvt.f16([acc[r, e], acc[r, e + 1]]) }
          }
        }
      } else {
        for k in 0..KT {
          wait ab@it
          release ab@it
          it += 1
        }
      }
      n += 1
    }
    if n % 2 == wg { bar.sync turn[wg] }  // every arrival of a named barrier is consumed
  }
}
