// The first warp gives the operand away behind a barrier of its own lanes; the others may still be writing.
program p target sm_100a
in x: bf16[128, 64]
out y: f32[128, 128]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  tmem acc: f32[128, 128]
  event ready[1] count 1
  event done[1] count 1
  role compute: warps 4 {
    var f: tmem.32x32b f32[128, 128]
    for r in warp..128 step 4 { st a[r, lane*2:+2] <- ld x[r, lane*2:+2] }
    fence async
    sync wg
    if warp == 0 { arrive ready@0 }
    wait done@0
    tmem.ld f <- acc
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
  role multiply: warps 1 {
    wait ready@0
    umma acc = a * a.T
    umma.commit done@0
  }
}
