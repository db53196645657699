// y = silu(x g^T) * (x u^T), the rows of x sorted by expert, each expert with weights g and u of its own. Rows of the
// weights are the rows of the products, so that a tile may be as narrow as there are tokens. With CL = 2 two CTAs have
// neighbouring columns of y, and each loads half of the tokens for both.
program grouped_swiglu target sm_90a
dim T in 1..=131072, E in 1..=64, F in 8..=32768, K in 8..=16384
param BT in {16, 32, 64, 96, 128, 144, 192} = 64  // tokens a tile
param CL in {1, 2} = 1
param STAGES in 2..=6 = 4
const BF = 128
const MANY = 1 << 30  // uses of the ring: more than any guard admits
in x: bf16[T, K], w: bf16[E, 2, F, K], off: i32[E+1]
out y: bf16[T, F]
where K % 8 == 0, F % 8 == 0, off in 0..=T, steps(off) in 0..=T, off[0] == 0, off[E] == T
kernel experts {
  cluster CL
  grid (SMS)
  let KT = ceildiv(K, 64)
  let MT = ceildiv(T, BT)
  let FT = ceildiv(F, BF*CL)
  ring ab[STAGES] {
    g: bf16[BF, 64] swizzle 128; u: bf16[BF, 64] swizzle 128; x: bf16[BT, 64] swizzle 128
  } from load to math cluster
  smem out: bf16[BT, BF] padded 8
  // Expert, its first row and the one behind its last, first row and column of the tile: a tile that several experts
  // meet is multiplied for each, and each writes its own rows. Tiles of the same weights follow each other.
  iter work() -> (i32, i32, i32, i32, i32) {
    for t in cluster.id..MT*FT step clusters {
      for e in 0..E {
        let low = ld off[e]
        let high = ld off[e + 1]
        let m = t % MT * BT
        if max(low, m) < min(high, m + BT) {
          yield e, low, high, m, (t / MT * CL + cluster.rank)*BF
        }
      }
    }
  }
  role load: warps 1 regs 40 {
    var it = 0
    for (e, low, high, m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.g@it <- w[e, 0, n:+BF, k*64:+64]
        tma.load ab.u@it <- w[e, 1, n:+BF, k*64:+64]
        if CL == 1 {
          tma.load ab.x@it <- x[m:+BT, k*64:+64]
        } else {
          let h = cluster.rank*(BT/2)
          tma.load ab.x@it[h:+BT/2, :] <- x[m + h:+BT/2, k*64:+64] multicast 3
        }
        commit ab@it
        if it < MANY { it += 1 }
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var g: wgmma f32[64, BT]
    var u: wgmma f32[64, BT]
    for (e, low, high, m, n) in work() {
      for k in 0..KT {
        wait ab@it
        wgmma g += ab.g@it[wg*64:+64, :] * ab.x@it.T zero k == 0
        wgmma u += ab.u@it[wg*64:+64, :] * ab.x@it.T zero k == 0
        wgmma.commit
        wgmma.wait 1
        if k > 0 { release ab@(it-1) }
        if it < MANY { it += 1 }
      }
      wgmma.wait 0
      release ab@(it-1)
      for (r, c) in g {
        g[r, c] = g[r, c]*u[r, c] * rcp.approx(1.0 + exp2.approx(g[r, c] * -1.4426950408889634))
      }
      sync role  // the tile before has been read
      stmatrix out[:, wg*64:+64].T <- cvt.bf16(g)
      sync role
      for i in 0..BT/8 {
        let row = i*8 + warp
        let col = lane*4
        if m + row >= low && m + row < high && n + col < F {
          st y[m + row, n + col:+4] <- ld out[row, col:+4]
        }
      }
    }
  }
}
