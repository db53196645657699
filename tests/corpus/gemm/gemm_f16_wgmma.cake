// y = x w^T by a loading warp and two warpgroups that share a tile. Results leave through shared memory, as a box of
// the tensor, while the next tile multiplies.
program gemm_f16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {128, 256} = 256
param STAGES in 2..=4 = 3
const BM = 128
in x: f16[M, K], w: f16[N, K]
out y: f16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  grid (SMS)
  let KT = ceildiv(K, 64)
  let MT = ceildiv(M, BM)
  let NT = ceildiv(N, BN)
  ring ab[STAGES] { a: f16[BM, 64] swizzle 128; b: f16[BN, 64] swizzle 128 } from load to math
  smem tile: f16[BM, BN] swizzle 128
  iter work() -> (i32, i32) { for t in cta..MT*NT step ctas { yield t % MT * BM, t / MT * BN } }
  role load: warps 1 regs 40 {
    var it = 0
    for (m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- x[m:+BM, k*64:+64] cache evict_first
        tma.load ab.b@it <- w[n:+BN, k*64:+64] cache evict_last
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var acc: wgmma f32[64, BN]
    for (m, n) in work() {
      for k in 0..KT {
        wait ab@it
        wgmma acc += ab.a@it[wg*64:+64, :] * ab.b@it.T zero k == 0
        wgmma.commit
        wgmma.wait 1
        if k > 0 { release ab@(it-1) }
        it += 1
      }
      wgmma.wait 0
      release ab@(it-1)
      once { tma.wait.read 0 }
      sync role
      stmatrix tile[wg*64:+64, :] <- cvt.f16(acc)
      fence async; sync role
      once { tma.store y[m:+BM, n:+BN] <- tile; tma.commit }
    }
    once { tma.wait 0 }
  }
}
