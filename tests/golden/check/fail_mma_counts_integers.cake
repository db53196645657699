// mode: check
program p target sm_80
in a: i4x2[16, 16], b: i4x2[8, 16]
out y: i32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a i4x2[16, 16]
    var fb: mma.b i4x2[16, 8]
    var acc: mma i32[16, 8]
    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
    for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }
    mma.xor acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1214]: `mma.xor` of i4x2
//   --> fail_mma_counts_integers.cake:13:5
//   13 |     mma.xor acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^^^^^
//   why: only products of b1x8 count bits instead of multiplying
