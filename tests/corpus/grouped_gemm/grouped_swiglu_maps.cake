// y = silu(x g^T) * (x u^T), the rows of x sorted by expert: tiles begin where an expert's rows begin, and TMA stores
// them through a map that is patched to end where they end.
program grouped_swiglu_maps target sm_90a
dim T in 1..=131072, E in 1..=64, F in 8..=32768, K in 8..=16384
param BT in {16, 32, 64, 96, 128, 144, 192} = 64  // tokens a tile
param STAGES in 2..=6 = 4
const BF = 128
const MANY = 1 << 30  // uses of the ring: more than any guard admits
in x: bf16[T, K], w: bf16[E, 2, F, K], off: i32[E+1]
out y: bf16[T, F]
where K % 8 == 0, F % 8 == 0, off in 0..=T, steps(off) in 0..=T, off[0] == 0, off[E] == T
kernel experts {
  grid (SMS)
  let KT = ceildiv(K, 64)
  let FT = ceildiv(F, BF)
  ring ab[STAGES] {
    g: bf16[BF, 64] swizzle 128; u: bf16[BF, 64] swizzle 128; x: bf16[BT, 64] swizzle 128
  } from load to math
  smem out: bf16[BT, BF] swizzle 128
  tensormap y
  // Expert, its first row, how many it has, first row and column of the tile.
  iter work() -> (i32, i32, i32, i32, i32) {
    for e in 0..E {
      let r0 = ld off[e]
      let rows = ld off[e + 1] - r0
      let tiles = ceildiv(rows, BT)
      for t in cta .. tiles*FT step ctas {
        yield e, r0, rows, t / FT * BT, t % FT * BF
      }
    }
  }
  role load: warps 1 regs 40 {
    var it = 0
    for (e, r0, rows, m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.g@it <- w[e, 0, n:+BF, k*64:+64]
        tma.load ab.u@it <- w[e, 1, n:+BF, k*64:+64]
        tma.load ab.x@it <- x[r0 + m:+BT, k*64:+64]
        commit ab@it
        if it < MANY { it += 1 }
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var g: wgmma f32[64, BT]
    var u: wgmma f32[64, BT]
    for (e, r0, rows, m, n) in work() {
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
      once { tma.wait 0 }  // the tile before has been stored
      sync role
      stmatrix out[:, wg*64:+64].T <- cvt.bf16(g)
      fence async
      sync role
      if m < rows && warp == 0 {
        tensormap.set y[r0 + rows, :]
        elect { tma.store y[r0 + m:+BT, n:+BF] <- out; tma.commit }
      }
    }
    once { tma.wait 0 }
  }
}
