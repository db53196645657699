// y = a b^T of scaled 4-bit floats by pairs of CTAs: each brings its own 128 rows of a with their
// scales, half of the rows of b and all of their scales; the even one copies the scales to tensor
// memory in both and multiplies for both.
program gemm_nvfp4_2cta target sm_100a
dim M in 128..=16384, N in 128..=16384
dim H in 128..=8192  // bytes of a row
const BM = 128  // rows of a CTA
const BN = 128
const BH = 128  // bytes of a row that are multiplied in one step
const S = BH/8  // scales of a row in one step: one for 16 factors
param STAGES in 2..=6 = 4
in a: e2m1x2[M, H], sa: ue4m3[M/128, H/32, 32, 16]
in b: e2m1x2[N, H], sb: ue4m3[N/128, H/32, 32, 16]
out y: bf16[M, N]
where M % 128 == 0, N % 128 == 0, H % 128 == 0
kernel gemm {
  cluster 2
  const W = 32  // columns that a thread holds at a time
  let rows = ceildiv(M, 2*BM)
  let tiles = rows*(N/BN)
  let trips = H/BH
  grid (2*min(SMS/2, tiles))
  smem ta[STAGES]: e2m1x2[BM, BH] swizzle 128
  smem tb[STAGES]: e2m1x2[BN/2, BH] swizzle 128
  smem ua[STAGES]: ue4m3[S/4, 32, 16]
  smem ub[STAGES]: ue4m3[S/4, 32, 16]
  tmem acc: f32[BM, 2*BN]
  tmem va: ue4m3[BM, 2*S]
  tmem vb: ue4m3[BN, 2*S]
  event full[STAGES] count 1
  event both[STAGES] count 2  // the even CTA: the operands of both CTAs are there
  event empty[STAGES] count 1
  event summed[2] count 1
  event stored[2] count 8  // the even CTA: of both
  iter work() -> (i32, i32) {
    for t in cluster.id..tiles step clusters { yield t % rows * 2 + cluster.rank, t / rows }
  }
  role store: warps 4 {
    var f: tmem.32x32b f32[BM, W]
    var i = 0
    for (m, n) in work() {
      wait summed@i
      let row = m*BM + f.row(0)
      for c in 0..BN/W {
        tmem.ld f <- acc[:, i % 2 * BN + c*W:+W]
        tmem.wait ld
        if row < M {
          for e in 0..W step 8 {
            st y[row, n*BN + c*W + e:+8] <-
                cvt.bf16([f[0, e], f[0, e + 1], f[0, e + 2], f[0, e + 3], f[0, e + 4],
                f[0, e + 5], f[0, e + 6], f[0, e + 7]])
          }
        }
      }
      arrive stored@i at 0
      i += 1
    }
  }
  role load: warps 1 {
    var k = 0
    for (m, n) in work() {
      for t in 0..trips {
        wait empty@(k - STAGES)
        tma.load ta@k <- a[m*BM:+BM, t*BH:+BH] on full@k
        tma.load tb@k <- b[n*BN + cluster.rank*(BN/2):+BN/2, t*BH:+BH] on full@k
        tma.load ua@k <- sa[m, t*(S/4):+S/4, :, :] on full@k
        tma.load ub@k <- sb[n, t*(S/4):+S/4, :, :] on full@k
        expect full@k
        k += 1
      }
    }
  }
  role multiply: warps 1 {
    var k = 0
    var i = 0
    for (m, n) in work() {
      if cluster.rank == 0 { wait.cluster stored@(i - 2) }
      for t in 0..trips {
        wait full@k
        arrive both@k at 0
        if cluster.rank == 0 {
          wait.cluster both@k
          wait empty@(k - 2)  // products read the scales until then
          tmem.cp.2cta va[:, k % 2 * S:+S] <- ua@k
          tmem.cp.2cta vb[:, k % 2 * S:+S] <- ub@k
          umma.2cta acc[:, i % 2 * BN:+BN] += ta@k * tb@k.T scale va[:, k % 2 * S:+S],
              vb[:, k % 2 * S:+S] zero t == 0
          umma.commit.2cta empty@k
        }
        k += 1
      }
      if cluster.rank == 0 { umma.commit.2cta summed@i }
      i += 1
    }
  }
}
