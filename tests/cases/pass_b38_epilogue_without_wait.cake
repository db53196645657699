// The left operand lies in registers, and the epilogue of each tile does not wait for the last product.
program p target sm_90a
dim T in 1..=16
in x: bf16[64, 64], w: bf16[64, 64]
out y: f32[64*T, 64]
kernel k {
  grid (1)
  smem b: bf16[64, 64] swizzle 128
  role main: warps 4 {
    var a: wgmma.a bf16[64, 64]
    var acc: wgmma f32[64, 64]
    for r in warp..64 step 4 { st b[r, lane*2:+2] <- ld w[r, lane*2:+2] }
    fence async
    sync role
    for t in 0..T {
      for (r, e) in a { a[r, e] = ld x[a.row(r), a.col(e)] }
      wgmma acc = a * b
      wgmma.commit
      wgmma.wait 0
      for (r, e) in acc { st y[t*64 + acc.row(r), acc.col(e)] <- acc[r, e] }
    }
  }
}
