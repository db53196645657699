// y = a b^T of 8-bit floats with a scale for each row and for each tile of columns in each block of 128 of the
// depth: the sums of a block are scaled and added while the next block multiplies.
program gemm_fp8_blockwise target sm_90a
dim M in 4..=16384, N in 128..=16384, K in 128..=16384
const BM = 128; const BN = 128; param STAGES in 3..=6 = 5
in a: e4m3[M, K], sa: f32[K/128, M], b: e4m3[N, K], sb: f32[N/128, K/128]; out y: bf16[M, N]
where K % 128 == 0, N % 128 == 0, M % 4 == 0
kernel gemm {
  grid (SMS)
  let KT = K/128; let MT = ceildiv(M, BM)
  ring ab[STAGES] {
    a: e4m3[BM, 128] swizzle 128; b: e4m3[BN, 128] swizzle 128; s: f32[BM]
  } from load to math
  smem out: bf16[BM, BN] swizzle 128
  iter work() -> (i32, i32) { for t in cta .. MT*(N/BN) step ctas { yield t % MT * BM, t / MT } }
  role load: warps 1 regs 40 {
    var it = 0
    for (m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- a[m:+BM, k*128:+128]
        tma.load ab.b@it <- b[n*BN:+BN, k*128:+128]
        tma.load ab.s@it <- sa[k, m:+BM]
        commit ab@it; it += 1
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0; var acc: wgmma f32[64, BN]; var p0: wgmma f32[64, BN]; var p1: wgmma f32[64, BN]
    for (m, n) in work() {
      acc = 0.0
      fn issue(p: inout frag, u: i32) {
        wait ab@u; wgmma p = ab.a@u[wg*64:+64, :] * ab.b@u.T; wgmma.commit
      }
      fn step(cur: inout frag, nxt: inout frag, k: i32) {
        // promote block k while block k+1 multiplies
        if k + 1 < KT { issue(nxt, it + 1) }
        let s = ld sb[n, k]
        for r in 0..cur.rows {
          let f = s * (ld ab.s@it[wg*64 + cur.row(r)])
          for e in 0..cur.cols { acc[r, e] = fma(cur[r, e], f, acc[r, e]) }
        }
        wgmma.wait 0
        release ab@it; it += 1
      }
      issue(p0, it); wgmma.wait 0
      for k in 0..KT step 2 { step(p0, p1, k); if k + 1 < KT { step(p1, p0, k + 1) } }
      once { tma.wait.read 0 }; sync role
      stmatrix out[wg*64:+64, :] <- cvt.bf16(acc)
      fence async; sync role
      once { tma.store y[m:+BM, n*BN:+BN] <- out; tma.commit }
    }
    once { tma.wait 0 }
  }
}
