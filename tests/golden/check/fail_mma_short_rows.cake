// mode: check
program p target sm_80
in a: bf16[8, 16], b: bf16[8, 16]
out y: f32[8, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a bf16[8, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[8, 8]
    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
    for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1215]: the tile has 8 rows, and `mma` of bf16 takes 16 at a time
//   --> fail_mma_short_rows.cake:13:5
//   13 |     mma acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^
//   why: PTX ISA, mma: only integers have instructions of 8 rows
