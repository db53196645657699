// y = a b^T of 8-bit floats with a scale for each row and for each tile of columns in each block of 128 of the depth: the
// sums of a block are scaled and added while the next block multiplies. The CTAs of a cluster share a tile of columns, each
// brings a part of it to all; bands of GROUP row tiles of clusters stay in L2.
program gemm_fp8_blockwise target sm_90a
dim M in 4..=16384, N in 128..=16384, K in 128..=16384
param STAGES in 3..=6 = 5
param CL in {2, 4} = 2
param GROUP in {4, 8, 16} = 8  // row tiles of clusters in a band
const BM = 128; const BN = 128
in a: e4m3[M, K], sa: f32[K/128, M], b: e4m3[N, K], sb: f32[N/128, K/128]; out y: bf16[M, N]
where K % 128 == 0, N % 128 == 0, M % 4 == 0
kernel gemm {
  cluster CL
  const PART = BN/CL
  grid (SMS)
  let KT = K/128
  let MT = ceildiv(M, BM*CL)
  let NT = N/BN
  ring ab[STAGES] {
    a: e4m3[BM, 128] swizzle 128; b: e4m3[BN, 128] swizzle 128; s: f32[BM]
  } from load to math cluster
  smem out[2]: bf16[64, BN] swizzle 128
  iter work() -> (i32, i32) {
    for t in cluster.id..ceildiv(MT, GROUP)*GROUP*NT step clusters {
      let i = t / GROUP
      let row = i / NT * GROUP + t % GROUP
      if row < MT { yield (row*CL + cluster.rank)*BM, i % NT }
    }
  }
  role load: warps 1 regs 40 {
    let part = cluster.rank*PART
    var it = 0
    for (m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- a[m:+BM, k*128:+128]
        tma.load ab.b@it[part:+PART, :] <- b[n*BN + part:+PART, k*128:+128] multicast (1 << CL) - 1
        tma.load ab.s@it <- sa[k, m:+BM]
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var acc: wgmma f32[64, BN]
    var p0: wgmma f32[64, BN]
    var p1: wgmma f32[64, BN]
    fn issue(p: inout frag, u: i32) {
      wait ab@u
      wgmma p = ab.a@u[wg*64:+64, :] * ab.b@u.T
      wgmma.commit
    }
    fn step(cur: inout frag, nxt: inout frag, n: i32, k: i32) {
      // block k is added while block k + 1 multiplies
      if k + 1 < KT { issue(nxt, it + 1) }
      let s = ld sb[n, k]
      for r in 0..cur.rows {
        let f = s * (ld ab.s@it[wg*64 + cur.row(r)])
        for e in 0..cur.cols { acc[r, e] = fma(cur[r, e], f, acc[r, e]) }
      }
      wgmma.wait 0
      release ab@it
      it += 1
    }
    for (m, n) in work() {
      acc = 0.0
      issue(p0, it)
      wgmma.wait 0
      for k in 0..KT step 2 {
        step(p0, p1, n, k)
        if k + 1 < KT { step(p1, p0, n, k + 1) }
      }
      elect { tma.wait.read 0 }
      sync warp
      stmatrix out@wg <- cvt.bf16(acc)
      fence async; sync warp
      elect {
        tma.store y[m + warp*16:+16, n*BN:+BN] <- out@wg[warp%4*16:+16, :]
        tma.commit
      }
    }
    elect { tma.wait 0 }
  }
}
