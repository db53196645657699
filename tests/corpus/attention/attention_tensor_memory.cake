// o = softmax(scale q k^T) v with scores, weights and sums in tensor memory: one warp brings tiles,
// one multiplies, and four hold a row a thread, so that maxima and sums of a row take no exchange.
// The scores of the next tile are multiplied while those of the last one become weights.
program attention_tensor_memory target sm_100a
dim B in 1..=64, HQ in 1..=256, HK in 1..=16, SQ in 1..=16384, SK in 1..=16384
const D = 128
const BM = 128
param BN in {64, 128} = 64  // keys a tile
const W = 32  // columns that a thread holds at a time
in q: bf16[B, HQ, SQ, D], k: bf16[B, HK, SK, D], v: bf16[B, HK, SK, D]
out o: bf16[B, HQ, SQ, D]
arg scale: f32
where HQ % HK == 0
kernel forward {
  numerics contract
  grid (ceildiv(SQ, BM), HQ, B)
  let sl = scale*1.4426950408889634
  let tiles = ceildiv(SK, BN)
  let m = cta.x*BM
  smem sq: bf16[BM, D] swizzle 128
  smem sk[2]: bf16[BN, D] swizzle 128
  smem sv[2]: bf16[BN, D] swizzle 128
  tmem scores: f32[BM, 2*BN]
  tmem sums: f32[BM, D]
  tmem weights: bf16[BM, BN]
  event queries[1] count 1
  event keys[2] count 1
  event keys_free[2] count 1
  event values[2] count 1
  event values_free[2] count 1
  event scored[2] count 1
  event weighed[1] count 4
  event summed[1] count 1
  role softmax: warps 4 {
    var s: tmem.32x32b f32[BM, BN]
    var w: tmem.32x32b f32[BM, W]
    var top: f32 = -inf
    var sum: f32 = 0.0
    fn weigh(n: i32, ragged: const bool) {
      tmem.ld s <- scores[:, n % 2 * BN:+BN]
      tmem.wait ld
      var t = top
      for e in 0..s.cols {
        if ragged { if n*BN + e >= SK { s[0, e] = -inf } }
        t = max(t, s[0, e])
      }
      let u = select(t == -inf, 0.0, t*sl)
      let fix = exp2.approx(top*sl - u)
      top = t
      sum = sum*fix
      for e in 0..s.cols {
        s[0, e] = exp2.approx(s[0, e]*sl - u)
        sum += s[0, e]
      }
      wait summed@(n-1)
      if n > 0 {
        for c in 0..D/W {
          tmem.ld w <- sums[:, c*W:+W]
          tmem.wait ld
          for e in 0..w.cols { w[0, e] = w[0, e]*fix }
          tmem.st sums[:, c*W:+W] <- w
        }
      }
      tmem.st weights <- cvt.bf16(s)
      tmem.wait st
      arrive weighed@n
    }
    for n in 0..tiles {
      wait scored@n
      if (n + 1)*BN > SK { weigh(n, true) } else { weigh(n, false) }
    }
    wait summed@(tiles-1)
    let row = m + s.row(0)
    let part = 1.0 / sum
    for c in 0..D/W {
      tmem.ld w <- sums[:, c*W:+W]
      tmem.wait ld
      if row < SQ {
        for e in 0..W step 8 {
          st o[cta.z, cta.y, row, c*W + e:+8] <-
              cvt.bf16([w[0, e]*part, w[0, e + 1]*part, w[0, e + 2]*part, w[0, e + 3]*part,
              w[0, e + 4]*part, w[0, e + 5]*part, w[0, e + 6]*part, w[0, e + 7]*part])
        }
      }
    }
  }
  role load: warps 1 {
    let h = cta.y / (HQ / HK)
    tma.load sq <- q[cta.z, cta.y, m:+BM, :] on queries@0
    expect queries@0
    for n in 0..tiles {
      wait keys_free@(n-2)
      tma.load sk@n <- k[cta.z, h, n*BN:+BN, :] on keys@n
      expect keys@n
      wait values_free@(n-2)
      tma.load sv@n <- v[cta.z, h, n*BN:+BN, :] on values@n
      expect values@n
    }
  }
  role multiply: warps 1 {
    fn score(n: i32) {
      wait keys@n
      umma scores[:, n % 2 * BN:+BN] = sq * sk@n.T
      umma.commit keys_free@n
      umma.commit scored@n
    }
    wait queries@0
    score(0)
    for n in 0..tiles {
      if n + 1 < tiles { score(n + 1) }
      wait values@n
      wait weighed@n
      umma sums += weights * sv@n zero n == 0
      umma.commit values_free@n
      umma.commit summed@n
    }
  }
}
