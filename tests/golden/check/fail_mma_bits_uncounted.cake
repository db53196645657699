// mode: check
program p target sm_80
in a: b1x8[16, 16], b: b1x8[8, 16]
out y: i32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a b1x8[16, 16]
    var fb: mma.b b1x8[16, 8]
    var acc: mma i32[16, 8]
    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
    for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1213]: `mma` of b1x8 says what is counted: `mma.and` or `mma.xor`
//   --> fail_mma_bits_uncounted.cake:13:5
//   13 |     mma acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^
//   why: bits are not multiplied: the instruction counts where both are set, or where they differ
